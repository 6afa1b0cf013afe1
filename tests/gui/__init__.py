# SPDX-License-Identifier: GPL-3.0-or-later
"""The window, driven as a person would."""
