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
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Environment, JudgedResult, Request
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.definition import Definition
from disktuner.results.store import Store
from disktuner.verdict.criteria import criteria
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import OWN
from tests.bench.disks import say, stoppable

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


class AlikeSwitch:
    """Sets mq-deadline for every name."""

    def __init__(self, real: SchedulerSwitch, system: AlikeSystem) -> None:
        self._real = real
        self._system = system

    def set(self, scheduler: str) -> None:
        """Set mq-deadline, which it mostly is, and let it seem to be another."""
        self._real.set(KEPT)
        self._system.asked = scheduler


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


@dataclass(frozen=True, slots=True)
class Alarms:
    """What one comparison found that is not there: of so many intervals those without 1, and of those that decide."""

    decision: str
    intervals: int
    false: tuple[str, ...]
    deciding: int
    false_deciding: int


def alarms(judged: JudgedResult) -> Alarms:
    """Count them."""
    first = criteria(judged.result).deciding
    known, wrong = [], []
    for each in judged.verdict.comparisons:
        if each.ci_low is not None and each.ci_high is not None:
            known.append(each.metric in first)
            if not each.ci_low <= 1 <= each.ci_high:
                wrong.append((each.metric in first, f"{each.metric} {each.scheduler} {each.ci_low} to {each.ci_high}"))
    false = tuple(said for _, said in wrong)
    return Alarms(judged.verdict.decision, len(known), false, sum(known), sum(decides for decides, _ in wrong))


def report(found: Sequence[Alarms]) -> str:
    """All of them in a paragraph."""

    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "none there"

    decisions = Counter(str(each.decision) for each in found)
    return (
        f"One scheduler under four names, {len(found)} comparisons: "
        f"{', '.join(f'{name} {times}' for name, times in sorted(decisions.items()))}. Intervals without 1: "
        f"{share(sum(len(each.false) for each in found), sum(each.intervals for each in found))}, of those that decide "
        f"{share(sum(each.false_deciding for each in found), sum(each.deciding for each in found))}. Comparisons with "
        f"any such interval: {share(sum(bool(each.false) for each in found), len(found))} (promised: 5 %)."
    )


def main() -> int:
    """Compare as often as wanted; 1 where nothing could be measured."""
    stoppable()
    target, found = os.environ.get("DISKTUNER_TARGET", "/var/tmp"), []
    goals = os.environ.get("DISKTUNER_GOALS", "desktop").split(",")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(os.environ.get("DISKTUNER_TIMES", "20"))):
            goal = goals[seed % len(goals)]
            request = Request(target, goal, schedulers=NAMES, seed=seed, own=COMMAND if goal == OWN.id else None)
            with Comparison(request, alike(real_environment(store=Store(Path(folder))))) as comparison:
                try:
                    found.append(alarms(comparison.run(lambda _: None)))
                except MeasurementImpossible as error:
                    say(f"{goal}, seed {seed}: {error}")
                else:
                    said = ", ".join(found[-1].false) or "none"
                    say(f"{goal}, seed {seed}: {found[-1].decision}; intervals without 1: {said}")
    print(report(found) if found else "Nothing was measured.")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
