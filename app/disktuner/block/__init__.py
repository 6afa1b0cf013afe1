# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel reports about disks, queues, stacks, schedulers, tunables and counters."""
