# SPDX-License-Identifier: GPL-3.0-or-later
"""The result format, its store and history."""
