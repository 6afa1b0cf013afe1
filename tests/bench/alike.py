# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a comparison finds a difference where there is none: one scheduler under four names, on a real disk.

``./dev bench alike`` compares as the program does, with its helper, its guard and its verdict; only the switch sets
mq-deadline whatever is asked for, and what the kernel says is given the name that was asked for. So a disk that drifts,
a host that caches and a busy machine are in it, and every gain that is found is wrong. The environment says where
(``DISKTUNER_TARGET``, else /var/tmp), with which seeds (``DISKTUNER_SEEDS``, else 0-99), and for which goals
(``DISKTUNER_GOALS``, else desktop; they take turns). Fails where a promise is broken.
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

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Environment, Request
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.store import Store
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.settings import Setting
from tests.bench.disks import chosen, say, seeds, stoppable

KEPT, FALSE = 0.8, 0.05
"""What is promised: the share of *keep* at least, of findings at most."""
SET = "mq-deadline"
NAMES = (SET, "none", "kyber", "bfq")


class AlikeSystem(System):
    """This machine, on which the disks under test seem to have the requested scheduler.

    Attributes: ``asked`` is its name, None outside of a trial.
    """

    asked: str | None = None

    def scheduler(self, name: str) -> str | None:
        """Return the requested name while the disk really has mq-deadline, else its scheduler."""
        scheduler = super().scheduler(name)
        return self.asked if self.asked and scheduler == SET else scheduler


class AlikeSwitch(SchedulerSwitch):
    """Sets mq-deadline for every name."""

    def __init__(self, real: SchedulerSwitch, system: AlikeSystem) -> None:
        self._real = real
        self._system = system

    def set(self, setting: Setting) -> None:
        """Set mq-deadline, usually a no-op, and make it look like another one."""
        self._real.set(Setting(SET))
        self._system.asked = setting.name

    def restore(self) -> None:
        self._real.restore()


def alike(real: Environment) -> Environment:
    """Return the real environment with all schedulers alike."""
    system = AlikeSystem()

    @contextmanager
    def trials(disks: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
        with real.trials(disks) as switch:
            try:
                yield AlikeSwitch(switch, system)
            finally:
                system.asked = None

    return replace(real, system=system, trials=trials)


def decisions(wanted: Sequence[int], goals: Sequence[str]) -> Iterator[str]:
    """Compare with each seed; yield the decisions, except for failed measurements."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in wanted:
            goal = goals[seed % len(goals)]
            request = Request(
                os.environ.get("DISKTUNER_TARGET", "/var/tmp"), goal, settings=tuple(map(Setting, NAMES)), seed=seed
            )
            with Comparison(request, alike(real_environment(store=Store(Path(folder))))) as comparison:
                try:
                    verdict = comparison.run(lambda _: None).verdict
                except MeasurementImpossible as error:
                    say(f"{goal}, seed {seed}: {error}")
                    continue
            say(f"{goal}, seed {seed}: {verdict.decision} {verdict.winner.name if verdict.winner else ''}")
            yield str(verdict.decision)


def main() -> int:
    """Compare as often as wanted; 1 if a promise is broken."""
    stoppable()
    outcomes = list(decisions(seeds("0-99"), chosen("DISKTUNER_GOALS", ["desktop"])))
    right, false = outcomes.count("keep"), len(outcomes) - outcomes.count("keep") - outcomes.count("undecided")
    print(f"One scheduler under four names, {len(outcomes)} comparisons: {dict(Counter(outcomes))}.")
    return 0 if outcomes and right >= KEPT * len(outcomes) and false <= FALSE * len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
