# SPDX-License-Identifier: GPL-3.0-or-later
"""What the live figures cost: CPU time of the sampler at 10 Hz, as a share of one core (the bound is 1 %)."""

from __future__ import annotations

import sys
import time

from disktuner.block.system import System
from disktuner.experiment.sampler import Sampler

TICKS = 200
APART_S = 0.025  # the sampler takes no two points within 0.02 s
BOUND = 0.01


def main() -> int:
    """Take many whole points, and say what 10 of them cost."""
    system = System()
    disks = [disk.name for disk in system.disks()][:1]
    if not disks:
        print("There is no disk here to sample.")
        return 1
    points: list[object] = []
    sampler = Sampler(system, disks, points.append)
    sampler.begin(0, "none")
    spent_s = 0.0
    for _ in range(TICKS):
        time.sleep(APART_S)
        began = time.thread_time()
        sampler.tick()
        spent_s += time.thread_time() - began
    assert len(points) == TICKS
    share = 10 * spent_s / TICKS
    print(f"sampler of {disks[0]}: {share:.5f} of a core at 10 Hz (bound {BOUND})")
    return 0 if share <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
