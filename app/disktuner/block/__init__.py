# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel says about disks, queues, stacks, schedulers, tunables and counters."""
