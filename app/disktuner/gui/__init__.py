# SPDX-License-Identifier: GPL-3.0-or-later
"""The window: the only floor that knows Qt."""
