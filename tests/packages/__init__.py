# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages as distributions want them: built, installed into disposable systems, used, upgraded and removed."""
