# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of a full grid's device time a tuning takes on a real disk: both are run, in turns.

``./dev bench full_grid`` compares the schedulers once, then tunes the winner, and then measures all settings that the
tuning tried in as many rounds as a full grid has to plan for: with deviations such as the tuning met, the least number
with which it is right in nine of ten simulated experiments (tests/bench/bench_tuning.py), or as many as those have at
most. The environment says where (``DISKTUNER_TARGET``, else /var/tmp), how often (``DISKTUNER_TIMES``, else 3), and for
what (``DISKTUNER_GOALS``, else desktop; ``DISKTUNER_WORKLOADS``, else mapped-reads).
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import SequentialJudge, real_environment
from disktuner.comparison.request import Request
from disktuner.results.codec import load
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.workloads import WORKLOADS
from tests.bench.bench_tuning import planned_grid
from tests.bench.family import STOPS, stop
from tests.bench.halving import ROUNDS
from tests.bench.tuned import device_s, run

GOAL = os.environ.get("DISKTUNER_GOALS", "desktop")
WORKLOAD = os.environ.get("DISKTUNER_WORKLOADS", "mapped-reads")
METRIC = f"{WORKLOAD}.{WORKLOADS[WORKLOAD].deciding}"


class Grid(SequentialJudge):
    """Asks for a number of rounds of everything."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    def needs(self, result: Result, rounds: int, since: int = 0) -> Mapping[str, tuple[str, ...]]:
        """Everything, until all rounds are there."""
        del rounds, since
        done = 1 + max((sample.round for sample in result.samples), default=-1)
        return {} if done >= self._rounds else {name: tuple(result.plan.schedulers) for name in result.plan.workloads}


def deviation(result: Result) -> float:
    """What is left of the logarithms of what decides without the effects of setting and round (least squares)."""
    found = [each for each in result.samples if each.metric == METRIC and each.valid]
    names, rounds = list(result.plan.schedulers), sorted({each.round for each in found})
    design = np.zeros((len(found), len(names) + len(rounds)))
    for row, each in enumerate(found):
        design[row, names.index(each.scheduler)] = design[row, len(names) + rounds.index(each.round)] = 1
    logs = np.log([each.value for each in found])
    fitted, _, rank, _ = np.linalg.lstsq(design, logs, rcond=None)
    left = logs - design @ fitted
    return float(np.sqrt(left @ left / max(1, len(found) - int(rank))))


def full_grid(target: str, tuning: Result, rounds: int, out: Path, seed: int) -> tuple[Result, str]:
    """Measure all that the tuning tried, in all rounds; return the result and what is said of it."""
    environment = replace(real_environment(store=Store(out.parent)), judge=Grid(rounds))
    request = Request(
        target, GOAL, "thorough", schedulers=tuple(tuning.plan.schedulers), workloads=(WORKLOAD,), seed=seed, out=out
    )
    with Comparison(request, environment) as comparison:
        judged = comparison.run(lambda _: None)
    return judged.result, f"{judged.verdict.decision} {judged.verdict.winner or ''}"


def once(target: str, folder: Path, first: Path, seed: int) -> float:
    """Tune, then run the grid; return the part."""
    out = folder / "tuned.json"
    what = ("--goal", GOAL, "--workloads", WORKLOAD, "--budget", "standard", "--seed", seed, "--out", out)
    verdict = run("tune", target, "--after", first, *what)[0]["verdict"]
    tuned = load(out)
    noise = deviation(tuned)
    rounds = planned_grid(noise, "log-normal")
    done = 1 + max(sample.round for sample in tuned.samples)
    mine = f"{verdict['decision']} {verdict['winner'] or ''} in {device_s(tuned):.1f} s of the device, {done} rounds"
    print(f"{seed}: {mine}, {len(tuned.plan.schedulers)} settings, deviation {100 * noise:.1f} %")
    if rounds is None:
        rounds = ROUNDS
        print(f"   with such deviations even {rounds} rounds of everything are right too seldom")
    grid, answer = full_grid(target, tuned, rounds, folder / "grid.json", seed)
    part = device_s(tuned) / device_s(grid)
    print(f"   full grid: {answer} in {device_s(grid):.1f} s of the device, {rounds} rounds: {part:.2f}", flush=True)
    return part


def main() -> int:
    """Measure in turns and print."""
    for number in STOPS:
        signal.signal(number, stop)
    target = os.environ.get("DISKTUNER_TARGET", "/var/tmp")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = folder / "first.json"
        plain = run("compare", target, "--goal", GOAL, "--workloads", WORKLOAD, "--out", first)[0]["verdict"]
        print(f"plain: {plain['decision']} {plain['winner'] or ''}", flush=True)
        parts = [once(target, folder, first, seed) for seed in range(int(os.environ.get("DISKTUNER_TIMES", "3")))]
    print(f"{median(parts):.2f} of the full grid's device time (median of {len(parts)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
