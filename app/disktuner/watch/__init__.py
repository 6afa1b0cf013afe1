# SPDX-License-Identifier: GPL-3.0-or-later
"""The flight recorder: the last ten minutes in memory, and why programs stood still."""
