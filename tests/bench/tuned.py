# SPDX-License-Identifier: GPL-3.0-or-later
"""How often tunings are right on simulated disks with and without a planted optimum, and whether they keep their time.

``./dev bench tuned`` takes from the environment: ``DISKTUNER_SEEDS`` the disks ("0-2"; tests/simdisk/planted.py), and
``DISKTUNER_TIMES`` how often each is tuned (5), once with an optimum planted and once without, and
``DISKTUNER_BUDGET`` for how long (quick). The plain winner and the truth are found out once per disk.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner.results.codec import load
from disktuner.results.model import Result
from tests.bench.family import COMMAND, LATE, STOPS, announced, ended, held, let_through, percent, say, stop, sudo
from tests.conftest import LoopDisk
from tests.simdisk.planted import GOAL, LITTLE_KB, MUCH_KB, WORKLOAD, Truth, drawn, planted, truth

SETTINGS = ("--goal", GOAL, "--workloads", WORKLOAD, "--budget", os.environ.get("DISKTUNER_BUDGET", "quick"))


@dataclass(frozen=True, slots=True)
class Told:
    """One tuning: what it said and took, and how that compares with the truth."""

    is_planted: bool
    decision: str
    winner: str | None
    right: bool
    wrong: bool
    kept_time: bool
    took_s: float
    grid_s: float


def run(*arguments: object) -> tuple[dict[str, Any], float, bool]:
    """Run one command; return its document, its seconds, and whether the time that was announced was kept."""
    began = time.monotonic()
    status, text, said = ended([COMMAND, *map(str, arguments), "--json"])
    took_s = time.monotonic() - began
    if status:
        raise AssertionError(f"{arguments[0]} ended with {status}: {said.strip()[-500:]}")
    least_s, most_s = announced(said)
    return json.loads(text), took_s, least_s / LATE <= took_s <= LATE * most_s


def device_s(result: Result) -> float:
    """How long all runs took together."""
    return sum({sample.order: sample.duration_s for sample in result.samples}.values())


def on_disk(number: int, reads_ahead_kb: int, times: int) -> list[Told]:
    """Find out what is true of one disk, then tune it some times."""
    disk = drawn(number)
    say(f"disk {disk.seed}: {' '.join(disk.settings)}, depth {disk.depth}, reads {reads_ahead_kb} KiB ahead")
    with (
        held(),
        tempfile.TemporaryDirectory() as name,
        planted(sudo, Path(name), disk, reads_ahead_kb) as there,
        let_through(),
    ):
        return list(tuned(there, Path(name), reads_ahead_kb == LITTLE_KB, times))


def tuned(disk: LoopDisk, folder: Path, is_planted: bool, times: int) -> Iterator[Told]:
    """Compare the schedulers once, then tune the winner; the settings of the first tuning are those of the truth."""
    first, out = folder / "plain.json", folder / "tuned.json"
    document, _, _ = run("compare", disk.folder, *SETTINGS, "--seed", 1, "--out", first)
    say(f"  plain: {document['verdict']['decision']} {document['verdict']['winner'] or ''}")
    known: Truth | None = None
    for seed in range(times):
        document, took_s, kept = run("tune", disk.folder, *SETTINGS, "--after", first, "--seed", seed, "--out", out)
        result, verdict = load(out), document["verdict"]
        if known is None:
            known = truth(disk, sudo, result.plan.baseline, result.plan.schedulers[1:])
            say(f"  truth: {', '.join(f'{name} {gain:.2f}' for name, gain in known.gains.items())}")
        answer = verdict["decision"], verdict["winner"]
        rounds = len({sample.round for sample in result.samples})
        runs = len({sample.order for sample in result.samples})
        grid_s = device_s(result) / runs * rounds * len(result.plan.schedulers)
        yield Told(is_planted, *answer, known.is_right(*answer), known.is_wrong(*answer), kept, took_s, grid_s)
        say(f"  seed {seed}: {answer[0]} {answer[1] or ''} in {took_s:.0f} s ({rounds} rounds): {verdict['why']}")


def report(found: Sequence[Told]) -> str:
    """All of them in a few lines."""
    lines = []
    for is_planted in (True, False):
        part = [each for each in found if each.is_planted is is_planted]
        name = "optimum planted" if is_planted else "none planted"
        grid = sum(each.took_s for each in part) / max(1.0, sum(each.grid_s for each in part))
        lines.append(
            f"{name}: right {percent(each.right for each in part)}, wrong {percent(each.wrong for each in part)}, "
            f"time kept {percent(each.kept_time for each in part)}, {grid:.2f} of the time of as many rounds of all"
        )
    return "\n".join(lines)


def main() -> int:
    """Tune as often as wanted; 1 where a disk could not be finished."""
    for number in STOPS:
        signal.signal(number, stop)
    first, _, last = os.environ.get("DISKTUNER_SEEDS", "0-1").partition("-")
    times = int(os.environ.get("DISKTUNER_TIMES", "5"))
    found: list[Told] = []
    failed = 0
    for number in range(int(first), int(last or first) + 1):
        for reads_ahead_kb in (LITTLE_KB, MUCH_KB):
            try:
                found.extend(on_disk(number, reads_ahead_kb, times))
            except AssertionError as error:
                failed += 1
                say(f"disk {number}: {error}")
    with suppress(BrokenPipeError):
        print(report(found))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
