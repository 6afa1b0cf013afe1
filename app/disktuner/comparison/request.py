# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison is asked for, what it announces before it starts, what it yields, and what it needs for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from disktuner.block.disk import Disk, Mount
from disktuner.block.system import System
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.definition import Definition
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.goals import DESKTOP, QUICK
from disktuner.vocabulary.messages import Message


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants to know; goal and budget are ids.

    ``target`` is a folder, or the kernel's name of a disk (``sda`` or ``/dev/sda``; then its writable mounted
    file system with most room). ``schedulers`` are names of schedulers or settings; they and ``workloads`` None mean:
    all the disk offers or can load, and those of the goal. ``seed`` None draws one; it is recorded in the result.
    ``out`` is an additional copy of the result file. ``continues`` is the file of a result whose comparison is
    continued: new rounds are added to its own, with its disk, schedulers, workloads, sizes and seed. ``after`` is the
    file of a result whose winner is tuned: settings compete with it. ``own`` is a program of the user's own, which is
    measured in the place of a goal's workloads. ``shown`` says what a result that is continued runs, to be read before:
    whether it may is looked up in the file itself.
    """

    target: str
    goal: str = DESKTOP.id
    budget: str = QUICK.id
    schedulers: tuple[str, ...] | None = None
    workloads: tuple[str, ...] | None = None
    seed: int | None = None
    out: Path | None = None
    continues: Path | None = None
    after: Path | None = None
    own: Definition | None = None
    shown: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Announcement:
    """What would happen, known before anything is changed and shown before the start.

    ``disks`` are the names of all disks below the folder, which are switched together; ``disk`` is the first of them,
    the one that is reported. ``bytes_written`` is an upper bound of everything written to the disks, the result
    included where it is kept there; ``bytes_needed`` the most room taken at any one time; ``seconds`` the expected
    duration of the whole, ``least_s`` that of one whose answer is plain at the first look. ``unavailable`` says
    by workload why it is left out and which package to install. ``refused`` is the reason why it cannot start, None
    where it can. Where it ``tunes``, settings compete with the ``baseline``. ``own`` is the program of the user's own
    that runs in the place of a goal's workloads.
    """

    folder: Path
    mount: Mount
    disk: Disk
    disks: tuple[str, ...]
    schedulers: tuple[str, ...]
    baseline: str
    workloads: tuple[str, ...]
    rounds: int
    seed: int
    bytes_written: int
    bytes_needed: int
    least_s: float
    seconds: float
    unavailable: Mapping[str, Message] = field(default_factory=dict)
    cautions: tuple[Message, ...] = ()
    refused: Message | None = None
    tunes: bool = False
    own: Definition | None = None


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """What a comparison found: the stored result, the verdict drawn from it, and where the file lies.

    ``disks`` are those that were measured, as they were before; none where a result was opened later, perhaps on
    another machine: then nothing can be done with a disk because of it. ``path`` is None where it could be kept
    nowhere; ``problem`` says why it is not where it was asked to be.
    """

    result: Result
    verdict: Verdict
    path: Path | None
    disks: tuple[Disk, ...] = ()
    problem: Message | None = None


Trials = Callable[[Sequence[Disk]], AbstractContextManager[SchedulerSwitch]]
"""Begins a trial of some disks (this may ask for rights); leaving it restores them."""


class Judge(Protocol):
    """Draws conclusions from a result."""

    def verdict(self, result: Result) -> Verdict:
        """Judge what is there."""

    def needs(self, result: Result, rounds: int, since: int = 0) -> Mapping[str, tuple[str, ...]]:
        """Which schedulers are worth another round of which workloads; none when all that matters is known.

        ``rounds`` is how many more there may be, ``since`` the order of the first run since a result is measured on.
        """


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a comparison takes place: all that it needs from elsewhere, so that each can be another one in a test.

    ``stop_waiting`` ends a wait for the trial, from any thread.
    """

    system: System
    trials: Trials
    judge: Judge
    store: Store
    stop_waiting: Callable[[], None] = lambda: None
