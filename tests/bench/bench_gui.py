# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon the window shows its disks, beside other programs for disks."""

from __future__ import annotations

import shutil
import statistics
from pathlib import Path

from tests.bench.screen import Screen, screen

ROOT = Path(__file__).resolve().parents[2]
RUNS = 10
OURS = "disktuner"
OTHERS = {"gnome-disks": "gnome-disk-utility", "tuned-gui": "tuned-gtk"}
"""Programs to compare with, and the distribution's package of each."""


def first_paint(on: Screen) -> None:
    """Median time to the painted list of disks, in turn with the others on the same screen."""
    programs = {OURS: [str(ROOT / "packaging/bin/disktuner")]}
    for name, package in OTHERS.items():
        if found := shutil.which(name):
            programs[name] = [found]
        else:
            print(f"not compared with {name}: this distribution has no package {package}, or it is not installed")
    times: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(RUNS + 1):
        for name, argv in programs.items():
            painted_s = on.painted_s(argv)
            if number:  # the first starts fill the page cache and start services
                times[name].append(painted_s)
    ours = statistics.median(times[OURS])
    for name, found_s in times.items():
        median = statistics.median(found_s)
        span = f"{min(found_s):.2f} to {max(found_s):.2f} s"
        text = f"{name}: painted after {median * 1000:.0f} ms (median of {RUNS}, {span})"
        print(text if name == OURS else f"{text}; ours takes {ours / median:.2f} of that")


def main() -> None:
    with screen() as on:
        first_paint(on)


if __name__ == "__main__":
    main()
