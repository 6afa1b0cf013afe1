# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison is asked for, what it announces before it starts, and what it yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.block.disk import Disk, Mount
from disktuner.results.model import Budget, Caution, Goal, Result
from disktuner.verdict.model import Verdict


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants to know.

    ``target`` is a folder, or the kernel's name of a disk (``sda`` or ``/dev/sda``; then its writable mounted
    file system with most room). ``schedulers`` and ``workloads`` None mean: all the disk offers or can load,
    and those of the goal. ``seed`` None draws one; it is recorded in the result. ``out`` is an additional
    copy of the result file.
    """

    target: str
    goal: Goal = Goal.DESKTOP
    budget: Budget = Budget.QUICK
    schedulers: tuple[str, ...] | None = None
    workloads: tuple[str, ...] | None = None
    seed: int | None = None
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Announcement:
    """What would happen, known before anything is changed and shown before the start.

    ``bytes_written`` is an upper bound of everything written, ``bytes_needed`` the room taken at most at one
    time, ``seconds`` the expected duration of the whole. ``disks`` are the names of all disks below the folder,
    which are switched together; ``disk`` is the first of them, which is reported. ``unavailable`` says by
    workload why it is left out and which package to install. ``refused`` is one sentence when it cannot
    start, else None.
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
    seconds: float
    unavailable: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a comparison found: the stored result, the verdict drawn from it, and where the file lies.

    ``disks`` are those that were measured, as they were before; none where a result was opened later, perhaps on
    another machine: then nothing can be done with a disk because of it.
    """

    result: Result
    verdict: Verdict
    path: Path
    disks: tuple[Disk, ...] = ()
