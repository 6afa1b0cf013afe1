# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether portraits find where a fast cache ends and what remains, and find no end where there is none.

``./dev bench portraits`` makes portraits of the simulated disks ``DISKTUNER_SEEDS`` (0-29; tests/simdisk/caches.py) of
the kinds ``DISKTUNER_DISKS``: ending and endless. ``DISKTUNER_KEPT=FILE`` keeps what is found, a line each, and goes on
from there. Fails where fewer than 95 % of the ends are within 15 % of the truth, with the speed that remains within
10 %, or where an end is found that is none.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from disktuner.presentation.portrait import end_of
from tests.bench.disks import chosen, of_each, percent, root, stoppable
from tests.simdisk.caches import draw, draw_endless
from tests.simdisk.test_portrait import portrait_of

KINDS = {"ending": draw, "endless": draw_endless}
RIGHT, PLACE, SPEED = 0.95, 0.15, 0.1


def measure(kind: str, seed: int) -> dict[str, Any]:
    """Make a disk and its portrait; return the truth, and the end that was found."""
    drawn = KINDS[kind](seed)
    with tempfile.TemporaryDirectory() as folder:
        end = end_of(portrait_of(root(), Path(folder), drawn))
    return {"kind": kind, "seed": seed, "drawn": asdict(drawn), "end": end and asdict(end)}


def off_by(finding: Mapping[str, Any]) -> tuple[float, float]:
    """Return by which shares the place of an end and the speed after it differ from the truth."""
    drawn, end = finding["drawn"], finding["end"]
    return (end["size_bytes"] / drawn["cache_bytes"] - 1, end["slow_bytes_per_s"] / drawn["slow"] - 1)


def is_right(finding: Mapping[str, Any]) -> bool:
    if finding["kind"] == "endless" or not finding["end"]:
        return finding["kind"] == "endless" and not finding["end"]
    place, speed = off_by(finding)
    return abs(place) <= PLACE and abs(speed) <= SPEED


def line_of(finding: Mapping[str, Any]) -> str:
    disk = f"{finding['kind']} {finding['seed']} ({' '.join(finding['drawn']['settings'])})"
    if not finding["end"]:
        return f"{disk}: no end [{is_right(finding)}]"
    if finding["kind"] == "endless":
        return f"{disk}: an end after {finding['end']['size_bytes'] / 1e6:.0f} MB [False]"
    place, speed = off_by(finding)
    return f"{disk}: end {100 * place:+.1f} %, remaining speed {100 * speed:+.1f} % [{is_right(finding)}]"


def main() -> int:
    """Make what portraits are missing, then print what came of each kind; 1 where a promise is not kept."""
    stoppable()
    failed = False
    for kind, findings in of_each(chosen("DISKTUNER_DISKS", tuple(KINDS)), measure, line_of, "0-29"):
        right = [is_right(finding) for finding in findings]
        print(f"{kind}: right {percent(right)}")
        failed |= sum(right) < len(right) * (RIGHT if kind == "ending" else 1)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
