# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison is built from, so that each part can be another one in a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.experiment.kernel import SchedulerSwitch
from disktuner.results.model import Result
from disktuner.verdict.model import Verdict

Trials = Callable[[Sequence[Disk]], AbstractContextManager[SchedulerSwitch]]
"""Begins a trial of some disks (this may ask for rights); leaving it restores them."""


class Judge(Protocol):
    """Draws conclusions from a result."""

    def verdict(self, result: Result) -> Verdict:
        """Judge what is there."""

    def undecided(self, result: Result) -> tuple[str, ...]:
        """The schedulers of the next round; none when all that matters is known."""


class Keeper(Protocol):
    """Keeps results."""

    def save(self, result: Result) -> Path:
        """Keep it, replacing what was kept under its id, and return the file."""


@dataclass(frozen=True, slots=True)
class Parts:
    """All that a comparison needs from elsewhere. ``stop_waiting`` ends a wait for the trial, from any thread."""

    system: System
    trials: Trials
    judge: Judge
    keeper: Keeper
    stop_waiting: Callable[[], None] = lambda: None
