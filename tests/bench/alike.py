# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a comparison finds a difference where there is none: one scheduler under four names, on a real disk.

``./dev bench alike`` compares as the program does, with its helper, its guard and its verdict; only the switch sets
mq-deadline whatever is asked for, and what the kernel says is given the name that was asked for. So a disk that drifts,
a host that caches and a busy machine are in it, and every difference that is found is wrong. The environment says
where (``DISKTUNER_TARGET``, else /var/tmp), how often (``DISKTUNER_TIMES``, else 20), for which goals
(``DISKTUNER_GOALS``, else desktop; they take turns), and in which folder the results are kept, if anywhere
(``DISKTUNER_KEEP_RESULTS``).
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
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
from disktuner.results.store import Store
from disktuner.verdict.criteria import criteria
from disktuner.verdict.model import Contrast
from disktuner.vocabulary.errors import MeasurementImpossible

KEPT = "mq-deadline"
NAMES = (KEPT, "none", "kyber", "bfq")


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


@dataclass(frozen=True, slots=True)
class Alarms:
    """What one comparison found that is not there. ``intervals`` are by metric and name, ``false`` those without 1."""

    decision: str
    intervals: int
    false: tuple[str, ...]
    deciding: int
    false_deciding: int


def alarms(judged: JudgedResult) -> Alarms:
    """Count them."""
    first = criteria(judged.result).deciding
    known = [each for each in judged.verdict.comparisons if each.ci_low is not None and each.ci_high is not None]
    wrong = [each for each in known if _excludes_one(each)]
    return Alarms(
        judged.verdict.decision,
        len(known),
        tuple(f"{each.metric} {each.scheduler} {each.ci_low:.2f} to {each.ci_high:.2f}" for each in wrong),
        sum(each.metric in first for each in known),
        sum(each.metric in first for each in wrong),
    )


def _excludes_one(each: Contrast) -> bool:
    return each.ci_low is not None and each.ci_high is not None and not each.ci_low <= 1 <= each.ci_high


def report(found: Sequence[Alarms]) -> str:
    """All of them in a paragraph."""

    def share(part: int, whole: int) -> str:
        return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "none there"

    count, intervals, deciding = len(found), sum(a.intervals for a in found), sum(a.deciding for a in found)
    decisions = Counter(str(a.decision) for a in found)
    return (
        f"One scheduler under four names, {count} comparisons: "
        f"{', '.join(f'{name} {times}' for name, times in sorted(decisions.items()))}. Intervals without 1: "
        f"{share(sum(len(a.false) for a in found), intervals)}, of those that decide "
        f"{share(sum(a.false_deciding for a in found), deciding)}. Comparisons with any such interval: "
        f"{share(sum(bool(a.false) for a in found), count)} (promised: 5 %). Verdicts to switch: "
        f"{share(decisions['switch'], count)}."
    )


def once(target: str, goal: str, seed: int, store: Store) -> Alarms | None:
    """Compare once and print what was found; None where it could not be measured."""
    began = time.monotonic()
    request = Request(target, goal, schedulers=NAMES, seed=seed)
    with Comparison(request, alike(real_environment(store=store))) as comparison:
        try:
            found = alarms(comparison.run(lambda _: None))
        except MeasurementImpossible as error:
            print(f"{goal}, seed {seed}: {error}", flush=True)
            return None
    seconds = time.monotonic() - began
    said = ", ".join(found.false) or "none"
    print(f"{goal}, seed {seed}: {found.decision} in {seconds:.0f} s; intervals without 1: {said}", flush=True)
    return found


def stop(*_: object) -> None:
    """Leave everything in order where we are told to stop."""
    raise SystemExit(143)


def main() -> int:
    """Compare as often as wanted; 1 where nothing could be measured."""
    signal.signal(signal.SIGTERM, stop)
    target, times = os.environ.get("DISKTUNER_TARGET", "/var/tmp"), int(os.environ.get("DISKTUNER_TIMES", "20"))
    goals = os.environ.get("DISKTUNER_GOALS", "desktop").split(",")
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(os.environ.get("DISKTUNER_KEEP_RESULTS") or folder))
        each = (once(target, goals[seed % len(goals)], seed, store) for seed in range(times))
        found = [one for one in each if one]
    print(f"\n{report(found)}" if found else "Nothing was measured.")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
