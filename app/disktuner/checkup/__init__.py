# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of disks: what slows them, what the kernel would choose, and who set it."""
