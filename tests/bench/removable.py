# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the recommendation makes "done" mean done on simulated sticks, and whether its cost is reported.

``./dev bench removable`` compares for the goal "removable" on the sticks ``DISKTUNER_SEEDS`` (0-19) of the kinds
``DISKTUNER_DISKS``: free (8 to 30 MB/s with ext4: a limit costs nothing) and dear (18 to 30 MB/s with ext2, which has
no journal, and 0.12 to 0.2 s for a jump: a limit makes the kernel write tables of the file system between the data).
``DISKTUNER_KEPT=FILE`` keeps what is found, a line each, and goes on from there.

Right is, on a free one, a switch with which at most a fifth is left of the wait until it is safe to unplug, and all of
it takes at most 1.1 times as long; on a dear one, a trade-off, or to keep what there is. Fails where fewer than nine of
ten are right.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.disks import chosen, compared, of_each, percent, root, stoppable, whole
from tests.simdisk.family import FOUR
from tests.simdisk.simulated import simulated_disk

KINDS: Mapping[str, str] = {"free": "ext4", "dear": "ext2"}
RATE_MB: Mapping[str, tuple[int, int]] = {"free": (8, 30), "dear": (18, 30)}
JUMP_US: Mapping[str, tuple[int, int]] = {"free": (500, 10_000), "dear": (120_000, 200_000)}
DISK_MB = 2000
SHRINKS, LASTS, RIGHT = 5.0, 1.1, 0.9


def stick(kind: str, seed: int) -> tuple[str, ...]:
    source = random.Random(f"stick {seed}")
    ranges = {"rate_mb": RATE_MB[kind], "read_us": (300, 1500), "write_us": (200, 1500), "jump_us": JUMP_US[kind]}
    return tuple(f"{name}={source.randint(*bounds)}" for name, bounds in ranges.items())


def compare(kind: str, seed: int) -> dict[str, Any]:
    """Make a stick and compare on it as a user would; return the outcome with the medians of the winner."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        simulated = simulated_disk(
            root(), Path(folder), DISK_MB, "flash", *stick(kind, seed), fstype=KINDS[kind], bounded=False
        )
        with whole(simulated) as disk:
            root()("tee", disk.queue / "scheduler", stdin=FOUR[seed % len(FOUR)])
            comparison = compared(disk.folder, "removable", seed)
    verdict, samples = comparison.verdict, comparison.result.get("samples", ())
    typical: dict[str, dict[str, float]] = {}
    for metric in ("gap_s", "safe_s", "done_s"):
        for setting in (verdict.get("baseline"), verdict["winner"]):
            values = [
                sample["value"]
                for sample in samples
                if sample["scheduler"] == setting and sample["metric"].endswith(metric) and sample["valid"]
            ]
            if values:
                typical.setdefault(metric, {})[setting] = round(median(values), 2)
    return {
        "kind": kind, "seed": seed, "stick": stick(kind, seed), "decision": verdict["decision"],
        "winner": verdict["winner"], "why": verdict["why"], "took_s": round(comparison.took_s, 1), "typical": typical,
    }  # fmt: skip


def is_right(row: Mapping[str, Any]) -> bool:
    """Whether an answer is right for its kind of stick."""
    if row["kind"] == "dear":
        return row["decision"] in {"trade-off", "keep"}
    if row["decision"] != "switch":
        return False
    gap, safe = row["typical"]["gap_s"], row["typical"]["safe_s"]
    (now, then), (safe_now, safe_then) = gap.values(), safe.values()
    return bool(now >= SHRINKS * then and safe_then <= LASTS * safe_now)


def line_of(row: Mapping[str, Any]) -> str:
    figures = "; ".join(
        f"{metric} {' → '.join(f'{value:g}' for value in values.values())}" for metric, values in row["typical"].items()
    )
    grade = "right" if is_right(row) else "not right"
    return (
        f"{row['kind']} {row['seed']} ({' '.join(row['stick'])}): {row['decision']} {row['winner'] or ''} "
        f"[{grade}], {figures}, {row['took_s']:.0f} s"
    )


def main() -> int:
    """Do what is missing, then print everything; 1 if too few are right."""
    stoppable()
    is_complete = True
    for kind, rows in of_each(chosen("DISKTUNER_DISKS", tuple(KINDS)), compare, line_of, "0-19"):
        print(*map(line_of, rows), f"{kind}: right {percent(map(is_right, rows))}", "", sep="\n")
        is_complete &= sum(map(is_right, rows)) >= RIGHT * len(rows)
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
