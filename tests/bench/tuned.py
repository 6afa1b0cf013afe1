# SPDX-License-Identifier: GPL-3.0-or-later
"""How often tunings are right on simulated disks with and without a planted optimum, and whether they keep their time.

``./dev bench tuned``: ``DISKTUNER_SEEDS`` are the disks (0-1; tests/simdisk/planted.py), and ``DISKTUNER_TIMES`` how
often each is tuned (5), once with an optimum planted and once without. The plain winner and the truth are found out
once per disk.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner.results.codec import load
from tests.bench.disks import LATE, announced, ended, percent, root, say, seeds, stoppable, whole
from tests.conftest import LoopDisk
from tests.simdisk.planted import GOAL, LITTLE_KB, MUCH_KB, WORKLOAD, drawn, planted, truth

SETTINGS = ("--goal", GOAL, "--workloads", WORKLOAD, "--budget", "quick", "--json")


@dataclass(frozen=True, slots=True)
class Told:
    """One tuning, against the truth; ``grid_s`` is what as many rounds of all settings would have taken."""

    right: bool
    wrong: bool
    kept_time: bool
    took_s: float
    grid_s: float


def run(*arguments: object) -> tuple[dict[str, Any], float, bool]:
    """Run one command; return its verdict, its seconds, and whether the time that was announced was kept."""
    began = time.monotonic()
    status, text, said = ended(*arguments)
    took_s = time.monotonic() - began
    if status:
        raise AssertionError(f"{arguments[0]} ended with {status}: {said.strip()[-500:]}")
    least_s, most_s = announced(said)
    return json.loads(text)["verdict"], took_s, least_s / LATE <= took_s <= LATE * most_s


def tuned(disk: LoopDisk, folder: Path, times: int) -> Iterator[Told]:
    """Compare the schedulers once, then tune the winner; the settings of the first tuning are those of the truth."""
    first, out = folder / "plain.json", folder / "tuned.json"
    run("compare", disk.folder, *SETTINGS, "--seed", 1, "--out", first)
    known = None
    for seed in range(times):
        verdict, took_s, kept = run("tune", disk.folder, *SETTINGS, "--after", first, "--seed", seed, "--out", out)
        result = load(out)
        if known is None:
            known = truth(disk, root(), result.plan.baseline, result.plan.schedulers[1:])
            say(f"  truth: {', '.join(f'{name} {gain:.2f}' for name, gain in known.gains.items())}")
        answer = verdict["decision"], verdict["winner"]
        say(f"  seed {seed}: {answer[0]} {answer[1] or ''} in {took_s:.0f} s: {verdict['why']}")
        runs = {sample.order: sample.duration_s for sample in result.samples}
        cells = len({sample.round for sample in result.samples}) * len(result.plan.schedulers)
        grid_s = sum(runs.values()) / len(runs) * cells
        yield Told(known.is_right(*answer), known.is_wrong(*answer), kept, took_s, grid_s)


def report(name: str, found: Sequence[Told]) -> str:
    """All of them in a line."""
    grid = sum(each.took_s for each in found) / max(1.0, sum(each.grid_s for each in found))
    return (
        f"{name}: right {percent(each.right for each in found)}, wrong {percent(each.wrong for each in found)}, "
        f"time kept {percent(each.kept_time for each in found)}, {grid:.2f} of the time of as many rounds of all"
    )


def main() -> int:
    """Tune as often as wanted; 1 where a disk could not be finished."""
    stoppable()
    failed = 0
    found: dict[int, list[Told]] = {LITTLE_KB: [], MUCH_KB: []}
    for number in seeds("0-1"):
        for reads_ahead_kb, told in found.items():
            say(f"disk {number}, reads {reads_ahead_kb} KiB ahead")
            try:
                with (
                    tempfile.TemporaryDirectory() as folder,
                    whole(planted(root(), Path(folder), drawn(number), reads_ahead_kb)) as disk,
                ):
                    told.extend(tuned(disk, Path(folder), int(os.environ.get("DISKTUNER_TIMES", "5"))))
            except AssertionError as error:
                failed += 1
                say(f"disk {number}: {error}")
    print(report("optimum planted", found[LITTLE_KB]), report("none planted", found[MUCH_KB]), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
