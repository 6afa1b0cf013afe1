# SPDX-License-Identifier: GPL-3.0-or-later
"""What is run on a disk, one file per workload."""
