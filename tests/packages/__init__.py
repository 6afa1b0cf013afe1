# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages as distributions want them: built, installed into systems to throw away, used, upgraded and taken out."""
