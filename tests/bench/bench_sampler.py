# SPDX-License-Identifier: GPL-3.0-or-later
"""What the live figures cost: CPU time of the sampler at 10 Hz, as a share of one core (the bound is 1 %)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from disktuner.block.system import System  # noqa: E402
from disktuner.experiment.sampler import Sampler  # noqa: E402

TICKS = 2000
BOUND = 0.01


def main() -> int:
    """Take many points without waiting, and say what 10 of them cost."""
    system = System()
    disks = [disk.name for disk in system.disks()][:1]
    if not disks:
        print("There is no disk here to sample.")
        return 1
    sampler = Sampler(system, disks, lambda _: None)
    sampler.begin(0, "none")
    began = time.process_time()
    for _ in range(TICKS):
        sampler.read()
    share = 10 * (time.process_time() - began) / TICKS
    print(f"sampler of {disks[0]}: {share:.5f} of a core at 10 Hz (bound {BOUND})")
    return 0 if share <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
