# SPDX-License-Identifier: GPL-3.0-or-later
"""What a private server is, and how it is started and always stopped."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.workload import Processes

NOWHERE = Path("/")
"""The current folder of servers and their clients, which reach the server's folder and socket by ``folder`` alone.

Some go back to the current folder by its name, which somebody may have given to another (PostgreSQL before 16).
"""

START_S = 60.0
QUIT_S = 0.8
CLIENTS_FIRST_S = 0.5
"""A client notices that its server ends before the kernel tells us."""
_POLL_S = 0.01
_REASON = re.compile(r"FATAL|[Ee]rror:|ERROR|could not|[Nn]o space")


class ServerGone(RunFailed):
    """A private server could not be started or ended by itself in the middle of a run."""

    @classmethod
    def ended(cls, server: str, status: int | None, output: str) -> ServerGone:
        """Return the error of a server that ended with a status, or had to be ended (None), after printing this."""
        said = output.strip()[-300:]
        if status is None:
            return cls("server-did-not-end", server=server)
        if said:
            return cls("server-ended", server=server, status=status, output=said)
        return cls("server-ended-silently", server=server, status=status)


class NotMade(RunFailed):
    """The data of a private server could not be made by a program that failed."""

    def __init__(self, server: str, program: str, failed: ProgramFailed) -> None:
        lines = [line.strip() for line in failed.output.splitlines()]
        said = next((line for line in lines if _REASON.search(line)), " ".join(lines)[-300:])
        if said:
            super().__init__("server-not-made", server=server, program=program, output=said)
        else:
            super().__init__("server-not-made-silently", server=server, program=program)


class Server(Protocol):
    """A private server whose data and socket lie in ``folder``. ``polite`` ends it in good order, ``rude`` at once.

    ``new_bytes`` is what its data take before anything is filled in; ``quickly`` are settings for filling a database
    that is made durable afterwards, as a whole.

    The path of a socket may have 107 bytes at most (unix(7)); that of a scratch folder is short wherever it lies.
    """

    name: str
    folder: Path
    polite: signal.Signals
    rude: signal.Signals
    new_bytes: int
    quickly: tuple[str, ...]

    def create(self, processes: Processes) -> None:
        """Make its data, where they are not there yet."""

    def command(self) -> Sequence[str]:
        """The server's own program and settings."""

    def ready(self, pid: int) -> bool:
        """Whether this process of it takes connections; what a killed one left does not count."""


@contextmanager
def running(server: Server, processes: Processes, timeout_s: float, settings: Sequence[str] = ()) -> Iterator[None]:
    """Run the server while the block runs, and end it in good order, so that all its data are on the disk.

    Whatever goes wrong, it is gone afterwards. Raises ``ServerGone`` where the server is to blame, also for a client
    that lost it.
    """
    argv = [*dying_with_us(server.rude), *server.command(), *settings]
    pid = processes.start(argv, NOWHERE)
    try:
        _await(server, pid, processes, min(timeout_s, START_S))
        try:
            yield
        except RunFailed:
            _blame(server, pid, processes, CLIENTS_FIRST_S)
            raise
        os.kill(pid, server.polite)
        _end(server, pid, processes, timeout_s)
    finally:
        _quit(pid, server.rude)


def length_s(seconds: float, besides: Callable[[int], float]) -> int:
    """The longest run in whole seconds that is done in ``seconds`` with what has to be done besides; at least 1 s."""
    return max((whole for whole in range(1, max(2, int(seconds) + 1)) if whole + besides(whole) <= seconds), default=1)


def dying_with_us(number: signal.Signals) -> list[str]:
    """Have the kernel send a server, when we die, a signal after which it tidies up, not SIGKILL."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", number.name.removeprefix("SIG")] if setpriv else []


def _await(server: Server, pid: int, processes: Processes, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not server.ready(pid):
        _blame(server, pid, processes)
        if time.monotonic() > deadline:
            raise ServerGone("server-too-slow", server=server.name, waited=timeout_s)
        processes.pause(_POLL_S)


def _blame(server: Server, pid: int, processes: Processes, within_s: float = 0.0) -> None:
    """Raise ``ServerGone`` with what the server printed last if it is not there any more, or soon will not be."""
    deadline = time.monotonic() + within_s
    while not processes.ended(pid):
        if time.monotonic() >= deadline:
            return
        processes.pause(_POLL_S)
    _end(server, pid, processes, 1.0)
    raise ServerGone("server-stopped", server=server.name)


def _end(server: Server, pid: int, processes: Processes, timeout_s: float) -> None:
    try:
        processes.wait(pid, timeout_s)
    except ProgramFailed as failed:
        raise ServerGone.ended(server.name, failed.status, failed.output) from failed


def _quit(pid: int, number: signal.Signals) -> None:
    """End a server that is still there and wait a moment for it; it is not reaped here."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # only a child of ours
        os.kill(pid, number)
        deadline = time.monotonic() + QUIT_S
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(_POLL_S)
