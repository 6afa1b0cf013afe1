# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the user's commands under ``supervisor``, and reads its report."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from disktuner.opening import is_there
from disktuner.private_folder import path_for_others, remove_below
from disktuner.results.definition import Definition
from disktuner.workloads import supervisor
from disktuner.workloads.errors import ProgramFailed, RunFailed, exit_status
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import usable_bytes
from disktuner.workloads.workload import own_program


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command went, as ``supervisor`` reports it; ``runs`` is for loads."""

    status: int | None
    said: str
    stayed: int
    full: bool = False
    wall_s: float = 0.0
    cpu_s: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    runs: int = 1


class Place:
    """A folder that commands run in, opened once, so that nobody can replace it later."""

    def __init__(self, path: Path | str) -> None:
        self._fd, self._failure = -1, ""
        try:
            self._fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            self._failure = f"{path}: {error.strerror}"

    def close(self) -> None:
        """Release the handle, without which the file system can be unmounted."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    __del__ = close

    def handle(self, command: str) -> int:
        """Return the folder's handle for a command. Raises ``RunFailed`` if it could not be opened."""
        if self._failure:
            raise RunFailed("own-not-started", command=command, error=self._failure)
        return self._fd


def argv_of(definition: Definition, command: str, private: Path, folder: str) -> list[str]:
    """Return a user's command with its ``folder`` in the private one. Raises ``RunFailed`` if it is not valid."""
    try:
        return definition.argv(command, path_for_others(private) / folder)
    except ValueError as error:
        raise RunFailed("command-not-understood", program=command, why=str(error)) from error


def least_free_bytes(folder: Path) -> int:
    """Return the free bytes that a command must leave on the file system."""
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize - usable_bytes(folder)


def remove_files(command: str, private: Path, folder: str) -> None:
    """Remove a command's ``folder`` in the private one. Raises ``RunFailed`` if another user's files stay."""
    remove_below(private / folder)
    if is_there(private / folder):
        raise RunFailed("own-files-stay", command=command, folder=str(path_for_others(private) / folder))


@contextmanager
def supervised(
    processes: Processes, argv: Sequence[str], place: Place, folder: Path, **limits: float
) -> Iterator[tuple[int, ...]]:
    """Start a supervisor in a folder; its command begins in ``place`` when the context is left.

    Without ``limit_s`` the command is a load. Raises ``RunFailed`` if ``place`` could not be opened.
    """
    cwd = place.handle(argv[0])
    request = {"argv": list(argv), "cwd": f"/proc/self/fd/{cwd}", **limits}
    program = own_program(Path(supervisor.__file__), json.dumps(request))
    with processes.held([program], folder, (cwd,), ended_by=signal.SIGTERM, environment=os.environ) as pids:
        yield pids


def ended(
    processes: Processes, pid: int, kind: str, command: str, abort_after_s: float = math.inf, *, may_fail: bool = False
) -> Ended:
    """Wait for a supervisor; ``kind`` is ``own`` or ``load``. Raises ``RunFailed`` or ``Aborted``."""
    try:
        printed = processes.wait(pid, math.inf, abort_after_s).out
    except ProgramFailed as error:
        if error.status != 127:  # the supervisor could not start the command
            raise
        raise RunFailed("own-not-started", command=command, error=error.output.strip()) from error
    ending = msgspec.json.decode(printed.splitlines()[-1], type=Ended)
    if ending.full:
        raise RunFailed(f"{kind}-fills-disk", command=command)
    if ending.status and not may_fail:
        status = exit_status(ending.status)
        if ending.said:
            raise RunFailed(f"{kind}-failed", command=command, status=status, output=ending.said)
        raise RunFailed(f"{kind}-failed-silently", command=command, status=status)
    return ending
