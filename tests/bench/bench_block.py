# SPDX-License-Identifier: GPL-3.0-or-later
"""How the cost of listing and checking disks grows, beside ``lsblk`` on the same trees: CPU time, never wall time."""

from __future__ import annotations

import resource
import subprocess
import tempfile
from pathlib import Path

from tests.bench.disks import COMMAND
from tests.unit.checkup.machines import many_hard_disks

SIZES = (250, 500, 1000, 2500, 5000, 10_000)
LSBLK = ["lsblk", "-J", "-b", "-o", "NAME,SIZE,ROTA,SCHED,MOUNTPOINTS,MODEL", "--sysroot"]
OURS = [COMMAND, "list", "--json", "--sysroot"]
CHECK = [COMMAND, "check", "--json", "--sysroot"]
LSBLK_LIMIT = 500  # it grows faster than quadratically: beyond, it would take minutes


def cpu_s(command: list[str], folder: Path) -> float:
    """User and system time of one run, start-up included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, str(folder)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print one line per size, then the slope. A disk is one with two partitions and a dm device on top."""
    beside = f"{'lsblk CPU s':>12} {'ratio':>11} {'check CPU s':>12} {'ratio':>6}"
    print(f"{'disks':>6} {'listed':>7} {'CPU s':>8} {'ms/disk':>8} {'ms/listed':>10} {beside}")
    rows = []
    for count in SIZES:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            many_hard_disks(count, Path(folder))
            ours = min(cpu_s(OURS, Path(folder)) for _ in range(3))
            check = min(cpu_s(CHECK, Path(folder)) for _ in range(3))
            theirs = cpu_s(LSBLK, Path(folder)) if count <= LSBLK_LIMIT else None
        rows.append((count, ours))
        beside = f"{theirs:12.2f} {ours / theirs:11.2f}" if theirs else f"{'-':>12} {'-':>11}"
        beside += f" {check:12.2f} {check / ours:6.2f}"
        each = 1000 * ours / count
        print(f"{count:6} {2 * count:7} {ours:8.2f} {each:8.3f} {each / 2:10.3f} {beside}", flush=True)
    (few, start), (many, end) = rows[0], rows[-1]
    print(f"each disk more costs {1000 * (end - start) / (many - few):.3f} ms; the rest is Python's start")


if __name__ == "__main__":
    main()
