# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: begins a trial of a disk and stays in it: ``hold.py DISK SCHEDULER``; prints the trial's name."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from churn import Caller, diskseq  # type: ignore[import-not-found]


def main() -> None:
    """Hold it until killed."""
    disk, scheduler = sys.argv[1:]
    caller = Caller()
    (trial,) = caller.call("BeginTrial", "(a(st))", [(disk, diskseq(disk))])
    caller.call("SetTrialScheduler", "(sss)", trial, disk, scheduler)
    print(trial, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
