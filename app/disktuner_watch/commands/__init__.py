# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands ``watch`` and ``try-in-daily-use``."""
