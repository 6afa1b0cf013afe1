# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns a result into pictures, pages and tables."""
