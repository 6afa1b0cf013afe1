# SPDX-License-Identifier: GPL-3.0-or-later
"""A private PostgreSQL cluster of the system's version: how it is made, started and always stopped."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.processes import Processes, dying_with_us
from disktuner.workloads.workload import MIB

NAME, INITDB = "PostgreSQL", "initdb"
PROGRAMS = (INITDB, "postgres", "pgbench", "psql")
DATABASE = "postgres"
NEW_BYTES = 64 * MIB
"""A new cluster with its first segment of the log."""
LOG_BYTES = 1024 * MIB
"""PostgreSQL's own limit of its log between two checkpoints (max_wal_size)."""

NOWHERE = Path("/")
"""The current folder of the server and its clients, which reach the cluster and its socket by ``folder`` alone.

Before version 16 the server goes back to the current folder by its name, which somebody may have given to another.
"""

_PRIVATE = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "dynamic_shared_memory_type=mmap",
)
_DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
QUICKLY = ("fsync=off", "wal_level=minimal", "max_wal_senders=0")
"""For filling a database that is made durable afterwards, as a whole."""

_CREATE_S, _START_S = 300.0, 60.0
_CLIENTS_FIRST_S = 0.5
"""A client notices that its server ends before the kernel tells us."""
_POLL_S = 0.01


def find_postgresql(installed: Path = Path("/usr/lib/postgresql")) -> Path | None:
    """Find the folder with the newest version of all programs: Debian has one per version, others use the PATH."""

    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))

    there = shutil.which("postgres")
    folders = [*sorted(installed.glob("*/bin"), key=version, reverse=True), *([Path(there).parent] if there else [])]
    return next((each for each in folders if all((each / name).exists() for name in PROGRAMS)), None)


class Postgresql:
    """A cluster in a scratch folder: its own socket, no TCP port, only this user may connect, every commit durable.

    Attributes: ``folder`` has data and socket. A socket's path may have 107 bytes at most (unix(7)); that of a scratch
    folder is short wherever it lies.
    """

    def __init__(self, scratch: Path, programs: Path, processes: Processes) -> None:
        self.folder = scratch / "postgresql"
        self._programs, self._processes = programs, processes

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        return str(self._programs / name)

    def create(self) -> None:
        """Run initdb once per scratch folder. It is made durable with the first database, not file by file.

        initdb runs in a session of its own. So it alone is killed on a cancel, and the server that it
        started sees the end of its input and gives its shared memory back. Raises ``RunFailed``.
        """
        if (self.folder / "PG_VERSION").exists():
            return
        self.folder.mkdir(0o700, exist_ok=True)
        argv = ["setsid", "--wait", *dying_with_us(), self.program(INITDB), f"--pgdata={self.folder}"]
        argv += ["--auth=peer", "--no-sync", "--no-locale", "--encoding=UTF8"]
        try:
            self._processes.run(argv, NOWHERE, _CREATE_S)
        except ProgramFailed as failed:
            said = " ".join(failed.output.split())[-300:]
            raise RunFailed("server-not-made", server=NAME, program=INITDB, output=said) from failed

    @contextmanager
    def running(self, timeout_s: float, settings: Sequence[str] = ()) -> Iterator[None]:
        """Run the server while the block runs, and end it in good order, so that all its data are on the disk.

        Raises ``RunFailed`` where the server is to blame, also for a client that lost it; then it ends with the run.
        """
        every = (*_PRIVATE, *_DURABLE, f"unix_socket_directories={self.folder}", *settings)
        argv = [self.program("postgres"), "-D", str(self.folder), *(word for each in every for word in ("-c", each))]
        # An immediate shutdown, after which it gives its shared memory back.
        pid = self._processes.start(argv, NOWHERE, ended_by=signal.SIGQUIT)
        self._await(pid, min(timeout_s, _START_S))
        try:
            yield
        except RunFailed:
            self._processes.pause(_CLIENTS_FIRST_S)
            self._blame(pid)
            raise
        os.kill(pid, signal.SIGINT)  # a fast shutdown: ends the clients, writes a checkpoint
        self._processes.wait(pid, timeout_s)

    def _await(self, pid: int, timeout_s: float) -> None:
        """Return when this server reports in its own file (its first and its eighth line, pidfile.h) to be ready."""
        deadline, lines = time.monotonic() + timeout_s, list[str]()
        while lines[:1] != [str(pid)] or lines[7:8] != ["ready"]:
            self._blame(pid)
            if time.monotonic() > deadline:
                raise RunFailed("server-too-slow", server=NAME, waited=timeout_s)
            self._processes.pause(_POLL_S)
            with suppress(FileNotFoundError):
                lines = [line.strip() for line in (self.folder / "postmaster.pid").read_text().splitlines()]

    def _blame(self, pid: int) -> None:
        """Raise ``RunFailed`` with what the server printed last if it is not there any more."""
        if self._processes.ended(pid):
            self._processes.wait(pid, 1.0)
            raise RunFailed("server-stopped", server=NAME)
