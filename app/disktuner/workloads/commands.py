# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs commands of the user's under ``supervisor``, and reads what that says of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from disktuner.workloads import supervisor
from disktuner.workloads.errors import NotUnderstood, ProgramFailed, RunFailed
from disktuner.workloads.processes import Processes
from disktuner.workloads.waiting import held
from disktuner.workloads.workload import own_program

SHOWN = 300
"""How much of what a command printed is shown where it failed."""
EXIT_NOT_STARTED = 127


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


def supervised(
    processes: Processes, argv: Sequence[str], cwd: str, limit_s: float, folder: Path
) -> AbstractContextManager[tuple[int, ...]]:
    """Start a supervisor, which begins the command when the context is left."""
    wanted = json.dumps({"argv": list(argv), "cwd": cwd, "limit_s": limit_s})
    return held(processes, [own_program(Path(supervisor.__file__), wanted)], folder, tidies=True)


def ended(processes: Processes, pid: int, command: str, timeout_s: float) -> Ended:
    """Wait for a supervisor. Raises ``RunFailed`` for a command that could not be started."""
    try:
        printed = processes.wait(pid, timeout_s).out
    except ProgramFailed as error:
        if error.status != EXIT_NOT_STARTED:
            raise
        raise RunFailed("own-not-started", command=command, error=error.output.strip()) from error
    try:
        return msgspec.json.decode(printed.splitlines()[-1], type=Ended)
    except (IndexError, msgspec.MsgspecError) as error:
        raise NotUnderstood(Path(supervisor.__file__).name, printed) from error
