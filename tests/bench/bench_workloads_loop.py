# SPDX-License-Identifier: GPL-3.0-or-later
"""As bench_workloads, on a loop disk in memory that the kernel's throttle makes as steady as a disk can be."""

from __future__ import annotations

import sys

from disktuner.workloads.workload import MIB, Probe
from tests.bench.bench_workloads import THROTTLE, measure, throttled_loop_disk

PROBE = Probe(THROTTLE, THROTTLE, 16384 / THROTTLE, 1 << 33, 900 * MIB)

if __name__ == "__main__":
    sys.exit(measure("loop disk", throttled_loop_disk, PROBE))
