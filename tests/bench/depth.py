# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether tuning finds the hard disks whose own queue leaves scattered reads waiting, and invents none.

``./dev bench depth`` tunes the simulated SATA disks ``DISKTUNER_SEEDS`` (0-9) of the kinds ``DISKTUNER_DISKS`` for
everyday use, on the quick budget: of the 32 commands that they hold, starving ones serve what is sequential first, fair
ones reads, and writes only when no read came for 10 ms. ``DISKTUNER_KEPT=FILE`` keeps what is found, a line each, and
goes on from there.

Right is, on a starving one, to advise a depth of 1, on a fair one, anything else. Fails where fewer than nine of ten
starving ones are found, or the depth of a fair one is advised.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from disktuner.vocabulary.settings import setting_of
from disktuner.vocabulary.tunables import QUEUE_DEPTH
from tests.bench.disks import chosen, compared, of_each, percent, root, stoppable, whole
from tests.simdisk.family import SATA, draw_sata, sata_member

ADVISES, FOUND = {"switch", "conditional", "trade-off"}, 0.9
DECIDING = ("launch-office.wall_s", "read-latency-under-writes.slowest_tenth_s")


def tune(kind: str, seed: int) -> dict[str, Any]:
    """Make a disk and tune it as a user would; return the answer, and medians with a depth of 1."""
    drawn = draw_sata(kind, seed)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, whole(sata_member(root(), Path(folder), drawn)) as disk:
        tuned = compared(disk.folder, drawn.goal, seed, command="tune")
        depth = int((disk.queue.parent / QUEUE_DEPTH).read_text())
    verdict, samples = tuned.verdict, tuned.result.get("samples", ())
    typical: dict[str, dict[str, float]] = {}
    for metric in DECIDING:
        settings = sorted({sample["scheduler"] for sample in samples}, key=_is_of_depth)
        for setting in (setting for setting in settings if setting == verdict["baseline"] or _is_of_depth(setting)):
            values = [
                sample["value"] for sample in samples if (sample["metric"], sample["scheduler"]) == (metric, setting)
            ]
            typical.setdefault(metric, {})[setting] = round(median(values), 3) if values else 0.0
    return {
        "kind": kind, "seed": seed, "settings": drawn.settings, "baseline": drawn.baseline,
        "decision": verdict["decision"], "winner": verdict["winner"], "plain": verdict.get("baseline"),
        "why": verdict["why"], "typical": typical, "took_s": round(tuned.took_s, 1), "left": depth,
    }  # fmt: skip


def _is_of_depth(setting: str | None) -> bool:
    return bool(setting) and setting_of(setting).values.get(QUEUE_DEPTH) == 1


def advises(tuned: Mapping[str, Any]) -> bool:
    """Whether the answer is a depth of 1."""
    return tuned["decision"] in ADVISES and _is_of_depth(tuned["winner"])


def line(tuned: Mapping[str, Any]) -> str:
    figures = "; ".join(
        f"{metric} {' → '.join(f'{value:g}' for value in values.values())}"
        for metric, values in tuned["typical"].items()
    )
    answer = f"{tuned['decision']} {tuned['winner'] or ''}".strip()
    cells = (tuned["kind"], tuned["seed"], " ".join(tuned["settings"]), tuned["plain"], answer, figures)
    return f"| {' | '.join(map(str, cells))} | {tuned['took_s']:.0f} s |"


def main() -> int:
    """Do what is missing, then print everything; 1 if less is found than promised, or anything is invented."""
    stoppable()
    is_complete = True
    for kind, rows in of_each(chosen("DISKTUNER_DISKS", tuple(SATA)), tune, line, "0-9"):
        print(*map(line, rows), f"{kind}: a depth of 1 advised {percent(map(advises, rows))}", "", sep="\n")
        count = sum(map(advises, rows))
        is_complete &= count >= FOUND * len(rows) if kind == "starving" else count == 0
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
