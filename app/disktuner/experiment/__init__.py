# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans and runs measurements, and guards that every number is true."""
