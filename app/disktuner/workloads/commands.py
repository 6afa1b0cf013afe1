# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs commands of the user's under ``supervisor``, and reads what that says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from disktuner.workloads import supervisor
from disktuner.workloads.errors import NotUnderstood, ProgramFailed, RunFailed
from disktuner.workloads.processes import Processes
from disktuner.workloads.waiting import held
from disktuner.workloads.workload import own_program

SHOWN = 300
"""How much of what a command printed is shown where it failed."""
EXIT_NOT_STARTED = 127
Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command went, as ``supervisor`` tells it."""

    wall_s: float
    cpu_s: float
    read_bytes: int
    written_bytes: int
    stayed: int
    status: int | None
    out: str
    err: str

    @property
    def said(self) -> str:
        """The end of what it printed."""
        return (self.err.strip() or self.out.strip())[-SHOWN:]


@dataclass(frozen=True, slots=True)
class LoadEnded:
    """How a command went that ran as a load, as ``supervisor`` tells it."""

    runs: int
    status: int
    in_background: bool
    full: bool
    killed: bool
    stayed: int
    printed: str

    @property
    def said(self) -> str:
        """The end of what it printed."""
        return self.printed.strip()[-SHOWN:]


def supervised(
    processes: Processes, argv: Sequence[str], cwd: str, limit_s: float, folder: Path
) -> AbstractContextManager[tuple[int, ...]]:
    """Start a supervisor, which begins the command when the context is left."""
    return _held(processes, folder, argv=list(argv), cwd=cwd, limit_s=limit_s)


def supervised_load(
    processes: Processes, argv: Sequence[str], cwd: str, least_free_bytes: int, folder: Path
) -> AbstractContextManager[tuple[int, ...]]:
    """Start a supervisor that keeps the command going from when the context is left until it is ended."""
    return _held(processes, folder, argv=list(argv), cwd=cwd, least_free_bytes=least_free_bytes)


def ended(processes: Processes, pid: int, command: str, timeout_s: float) -> Ended:
    """Wait for a supervisor. Raises ``RunFailed`` for a command that could not be started."""
    return _told(processes, pid, command, timeout_s, Ended)


def load_ended(processes: Processes, pid: int, command: str, timeout_s: float) -> LoadEnded:
    """Wait for the supervisor of a load. Raises as ``ended`` does."""
    return _told(processes, pid, command, timeout_s, LoadEnded)


def below(pid: int) -> Iterator[int]:
    """Go through all processes below one."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                yield int(child)
                yield from below(int(child))


def _held(processes: Processes, folder: Path, **wanted: Any) -> AbstractContextManager[tuple[int, ...]]:
    return held(processes, [own_program(Path(supervisor.__file__), json.dumps(wanted))], folder, tidies=True)


def _told(processes: Processes, pid: int, command: str, timeout_s: float, kind: type[Told]) -> Told:
    try:
        printed = processes.wait(pid, timeout_s).out
    except ProgramFailed as error:
        if error.status != EXIT_NOT_STARTED:
            raise
        raise RunFailed("own-not-started", command=command, error=error.output.strip()) from error
    try:
        return msgspec.json.decode(printed.splitlines()[-1], type=kind)
    except (IndexError, msgspec.MsgspecError) as error:
        raise NotUnderstood(Path(supervisor.__file__).name, printed) from error
