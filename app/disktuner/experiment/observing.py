# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of machine, file system and disks at one moment during a run, and why a run failed."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from disktuner.block.machine import Surroundings
from disktuner.block.system import System
from disktuner.experiment.guard import Observation
from disktuner.experiment.probe import disk_failed
from disktuner.experiment.sampler import Sampler
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, literal, message
from disktuner.vocabulary.reasons import REASONS
from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.processes import Control

PULLED_OUT_S = 1.0
"""How long after the first failed request the kernel may take to give up a removed disk or make its file system
read-only. Chosen: without retries, these follow within milliseconds."""
IO_ERROR = "Input/output error"
"""What programs print for EIO under LC_ALL=C (errno(3))."""


class Observer:
    """Looks at the disks below a folder and at the machine. ``sampler`` reads the disks' counters."""

    def __init__(self, system: System, folder: Path, disks: Sequence[str], sampler: Sampler, control: Control) -> None:
        self._system, self._folder, self._disks = system, folder, disks
        self._sampler, self._control = sampler, control
        self._surroundings = Surroundings()

    def now(self, held: Path, stopped_s: Mapping[str, float]) -> Observation:
        """Return the current state; ``held`` is an open folder on the file system, ``stopped_s`` is from ``Stops``."""
        disks = self._disks
        return Observation(
            counters=self._sampler.read(),
            schedulers={disk: self._system.scheduler(disk) for disk in disks},
            tunables={disk: dict(self._system.tunables(disk)) for disk in disks},
            conditions=self._surroundings.now(disks),
            read_only=_is_read_only(held),
            mounted=_same_file_system(self._folder, held),
            asleep_s=time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC),
            stopped_s=stopped_s,
            troubles=self._system.last_troubles(disks),
        )

    def why_failed(self, error: RunFailed | OSError) -> Message:
        """Return why a run failed: the state of the disk explains more than the program's error."""
        until_s = time.monotonic() + (PULLED_OUT_S if _is_io_error(error) else 0.0)
        while True:
            if self._sampler.read() is None:
                return message("disk-gone")
            if _is_read_only(self._folder):
                return message("read-only")
            if time.monotonic() >= until_s:
                return message(
                    "run-failed", error=error.message if isinstance(error, RunFailed) else literal(str(error))
                )
            self._control.check()
            time.sleep(0.02)

    def impossible(self, error: RunFailed | OSError) -> MeasurementImpossible:
        """Return the error for a disk that failed outside a run."""
        if ends := REASONS[self.why_failed(error).id].ends:
            return MeasurementImpossible(ends, folder=str(self._folder), disks=tuple(self._disks))
        return disk_failed(self._folder, error) if isinstance(error, OSError | ProgramFailed) else error


def _is_io_error(error: RunFailed | OSError) -> bool:
    """Whether a request to the disk failed."""
    if isinstance(error, ProgramFailed):
        return IO_ERROR in error.output
    return isinstance(error, OSError) and error.errno == errno.EIO


def _is_read_only(folder: Path) -> bool:
    """Whether the file system became read-only (the kernel's reaction to errors) or no longer answers."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def _same_file_system(folder: Path, held: Path) -> bool:
    """Whether a folder's path still leads to the file system of an open one."""
    try:
        return folder.stat().st_dev == held.stat().st_dev
    except OSError:
        return False
