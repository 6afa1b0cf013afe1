# SPDX-License-Identifier: GPL-3.0-or-later
"""A private PostgreSQL cluster of the system's version: how it is made, started and always stopped."""

from __future__ import annotations

import ctypes
import os
import pwd
import re
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.processes import Processes
from disktuner.workloads.workload import MIB

NAME = "PostgreSQL"
INITDB = "initdb"
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

_SETTINGS = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "dynamic_shared_memory_type=mmap",
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
)
QUICKLY = ("-c", "fsync=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0")
"""For filling a database that is made durable afterwards, as a whole."""

_CREATE_S, _START_S, _QUIT_S = 300.0, 60.0, 0.8
_CLIENTS_FIRST_S = 0.5
"""A client notices that its server ends before the kernel tells us."""
_POLL_S = 0.01
_REASON = re.compile(r"FATAL|[Ee]rror:|ERROR|could not|[Nn]o space")

_LIBC = ctypes.CDLL(None, use_errno=True)
_IPC_RMID = 0
_LARGEST_BYTES = 65536  # PostgreSQL's segment has 56 bytes and only shows that a cluster is in use
_KEY_LINE = 6  # of postmaster.pid: key and id of the segment (PostgreSQL's pidfile.h)


class ServerGone(RunFailed):
    """The server could not be started or ended by itself in the middle of a run."""


class NotMade(RunFailed):
    """The cluster could not be made."""

    def __init__(self, failed: ProgramFailed) -> None:
        lines = [line.strip() for line in failed.output.splitlines()]
        said = next((line for line in lines if _REASON.search(line)), " ".join(lines)[-300:])
        if said:
            super().__init__("server-not-made", server=NAME, program=INITDB, output=said)
        else:
            super().__init__("server-not-made-silently", server=NAME, program=INITDB)


def find_postgresql(installed: Path = Path("/usr/lib/postgresql")) -> Path | None:
    """Find the folder with the newest version of all programs: Debian has one per version, others use the PATH."""

    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))

    there = shutil.which("postgres")
    folders = [*sorted(installed.glob("*/bin"), key=version, reverse=True), *([Path(there).parent] if there else [])]
    return next((each for each in folders if all((each / name).exists() for name in PROGRAMS)), None)


def user_name() -> str:
    """The name of this user, who is the cluster's superuser, too; initdb refuses a user without one and reports it."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


class Postgresql:
    """A cluster in a scratch folder: its own socket, no TCP port, only this user may connect, every commit durable.

    Attributes: ``folder`` has data and socket. A socket's path may have 107 bytes at most (unix(7)); that of a scratch
    folder is short wherever it lies.
    """

    def __init__(self, scratch: Path, programs: Path) -> None:
        self.folder = scratch / "postgresql"
        self._programs = programs

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        return str(self._programs / name)

    def create(self, processes: Processes) -> None:
        """Run initdb once per scratch folder. It is made durable with the first database, not file by file.

        initdb runs in a session of its own. So it alone is killed on a cancel, and the server that it
        started sees the end of its input and gives its shared memory back. Raises ``NotMade``.
        """
        if (self.folder / "PG_VERSION").exists():
            return
        self.folder.mkdir(0o700, exist_ok=True)
        argv = ["setsid", "--wait", *_dying_with_us("KILL"), self.program(INITDB), f"--pgdata={self.folder}"]
        argv += ["--auth=peer", "--no-sync", "--no-locale", "--encoding=UTF8"]
        try:
            processes.run(argv, NOWHERE, _CREATE_S)
        except ProgramFailed as failed:
            raise NotMade(failed) from failed

    @contextmanager
    def running(self, processes: Processes, timeout_s: float, settings: Sequence[str] = ()) -> Iterator[None]:
        """Run the server while the block runs, and end it in good order, so that all its data are on the disk.

        Whatever goes wrong, it is gone afterwards. Raises ``ServerGone`` where the server is to blame, also for a
        client that lost it.
        """
        every = (*_SETTINGS, f"unix_socket_directories={self.folder}")
        argv = [self.program("postgres"), "-D", str(self.folder), *(word for each in every for word in ("-c", each))]
        # The kernel sends it, when we die, a signal after which it tidies up: an immediate shutdown.
        pid = processes.start([*_dying_with_us("QUIT"), *argv, *settings], NOWHERE)
        try:
            self._await(pid, processes, min(timeout_s, _START_S))
            try:
                yield
            except RunFailed:
                _blame(pid, processes, _CLIENTS_FIRST_S)
                raise
            os.kill(pid, signal.SIGINT)  # a fast shutdown: ends the clients, writes a checkpoint
            _end(pid, processes, timeout_s)
        finally:
            _quit(pid)

    def _await(self, pid: int, processes: Processes, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not self._is_ready(pid):
            _blame(pid, processes)
            if time.monotonic() > deadline:
                raise ServerGone("server-too-slow", server=NAME, waited=timeout_s)
            processes.pause(_POLL_S)

    def _is_ready(self, pid: int) -> bool:
        """Whether this server reports it in its own file (its first and its eighth line, PostgreSQL's pidfile.h)."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _dying_with_us(signal_name: str) -> list[str]:
    """Have the kernel send a program that signal when we die (util-linux)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", signal_name] if setpriv else []


def _blame(pid: int, processes: Processes, within_s: float = 0.0) -> None:
    """Raise ``ServerGone`` with what the server printed last if it is not there any more, or soon will not be."""
    deadline = time.monotonic() + within_s
    while not processes.ended(pid):
        if time.monotonic() >= deadline:
            return
        processes.pause(_POLL_S)
    _end(pid, processes, 1.0)
    raise ServerGone("server-stopped", server=NAME)


def _end(pid: int, processes: Processes, timeout_s: float) -> None:
    try:
        processes.wait(pid, timeout_s)
    except ProgramFailed as failed:
        said = failed.output.strip()[-300:]
        if failed.status is None:
            raise ServerGone("server-did-not-end", server=NAME) from failed
        if said:
            raise ServerGone("server-ended", server=NAME, status=failed.status, output=said) from failed
        raise ServerGone("server-ended-silently", server=NAME, status=failed.status) from failed


def _quit(pid: int) -> None:
    """End a server that is still there at once and wait a moment for it; it is not reaped here."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # only a child of ours
        os.kill(pid, signal.SIGQUIT)
        deadline = time.monotonic() + _QUIT_S
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(_POLL_S)


def release(scratch: Path) -> None:
    """Give back the shared memory of servers below a scratch folder; attached programs keep it until they end.

    It is known from the scratch folder alone, so that whoever removes the folder of a killed run removes it, too.
    """
    for noted in scratch.glob("*/postmaster.pid"):
        with suppress(OSError, ValueError, IndexError):
            key, number = map(int, noted.read_text().splitlines()[_KEY_LINE].split())
            if _is_ours(key, number):
                _LIBC.shmctl(number, _IPC_RMID, None)


def _is_ours(key: int, number: int) -> bool:
    """Whether there is a small segment of this user with that key and id (columns as in proc(5))."""
    for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
        words = [int(word) for word in line.split()]
        if (words[0], words[1], words[7]) == (key, number, os.geteuid()):
            return words[3] <= _LARGEST_BYTES
    return False
