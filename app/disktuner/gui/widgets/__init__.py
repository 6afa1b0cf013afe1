# SPDX-License-Identifier: GPL-3.0-or-later
"""The window, its pages and their parts."""
