# SPDX-License-Identifier: GPL-3.0-or-later
"""Disktuner: finds out by measuring which I/O scheduler is best for a disk and what its user does with it."""

from disktuner.version import version

__version__ = version()
