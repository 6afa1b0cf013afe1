# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a comparison finds a difference where there is none: one scheduler under four names, on a real disk.

``./dev bench alike`` compares as the program does, with its helper, its guard and its verdict; only the switch sets
mq-deadline whatever is asked for, and what the kernel says is given the name that was asked for. So a disk that drifts,
a host that caches and a busy machine are in it, and every difference that is found is wrong. The environment says
where (``DISKTUNER_TARGET``, else /var/tmp), how often (``DISKTUNER_TIMES``, else 20), and for which goals
(``DISKTUNER_GOALS``, else desktop; ``own`` is a small command; they take turns).
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from disktuner.verdict.criteria import criteria

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Environment, JudgedResult, Request
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.definition import Definition
from disktuner.results.store import Store
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import OWN
from tests.bench.disks import percent, say, stoppable

KEPT = "mq-deadline"
NAMES = (KEPT, "none", "kyber", "bfq")
COMMAND = Definition(
    command="dd if=/dev/zero of={scratch}/a bs=64k count=16 conv=fsync status=none; cat {scratch}/b > /dev/null",
    prepare="dd if=/dev/urandom of={scratch}/b bs=64k count=16 conv=fsync status=none",
    cold=("{scratch}/b",),
)


class AlikeSystem(System):
    """This machine, on which the disks that are tried seem to have the scheduler that was asked for.

    Attributes: ``asked`` is that name, None outside of a trial.
    """

    asked: str | None = None

    def scheduler(self, name: str) -> str | None:
        """The name that was asked for while the disk really has mq-deadline, else what it has."""
        found = super().scheduler(name)
        return self.asked if self.asked and found == KEPT else found


class AlikeSwitch(SchedulerSwitch):
    """Sets mq-deadline for every name."""

    def __init__(self, real: SchedulerSwitch, system: AlikeSystem) -> None:
        self._real = real
        self._system = system

    def set(self, scheduler: str) -> None:
        """Set mq-deadline, which it mostly is, and let it seem to be another."""
        self._real.set(KEPT)
        self._system.asked = scheduler

    def restore(self) -> None:
        self._real.restore()


def alike(real: Environment) -> Environment:
    """The real environment with all schedulers alike."""
    system = AlikeSystem()

    @contextmanager
    def trials(disks: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
        with real.trials(disks) as switch:
            try:
                yield AlikeSwitch(switch, system)
            finally:
                system.asked = None

    return replace(real, system=system, trials=trials)


def intervals(judged: JudgedResult) -> list[tuple[bool, str]]:
    """Whether each interval decides, and what it says if it is without 1."""
    first, found = criteria(judged.result).deciding, []
    for each in judged.verdict.comparisons:
        if each.ci_low is not None and each.ci_high is not None:
            text = f"{each.metric} {each.scheduler} {each.ci_low:.2f} to {each.ci_high:.2f}"
            found.append((each.metric in first, "" if each.ci_low <= 1 <= each.ci_high else text))
    return found


def report(decisions: Sequence[str], found: Sequence[list[tuple[bool, str]]]) -> str:
    """All of them in a paragraph."""
    every = [each for intervals in found for each in intervals]
    return (
        f"One scheduler under four names, {len(found)} comparisons: {dict(Counter(decisions))}. Intervals without 1: "
        f"{percent(bool(text) for _, text in every)}, of those that decide "
        f"{percent(bool(text) for decides, text in every if decides)}. Comparisons with any such interval: "
        f"{percent(any(text for _, text in each) for each in found)} (promised: 5 %)."
    )


def main() -> int:
    """Compare as often as wanted; 1 where nothing could be measured."""
    stoppable()
    target = os.environ.get("DISKTUNER_TARGET", "/var/tmp")
    goals = os.environ.get("DISKTUNER_GOALS", "desktop").split(",")
    decisions, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(os.environ.get("DISKTUNER_TIMES", "20"))):
            goal = goals[seed % len(goals)]
            request = Request(target, goal, schedulers=NAMES, seed=seed, own=COMMAND if goal == OWN.id else None)
            with Comparison(request, alike(real_environment(store=Store(Path(folder))))) as comparison:
                try:
                    judged = comparison.run(lambda _: None)
                except MeasurementImpossible as error:
                    say(f"{goal}, seed {seed}: {error}")
                    continue
            decisions.append(str(judged.verdict.decision))
            found.append(intervals(judged))
            said = ", ".join(text for _, text in found[-1] if text) or "none"
            say(f"{goal}, seed {seed}: {decisions[-1]}; intervals without 1: {said}")
    print(report(decisions, found))
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
