# SPDX-License-Identifier: GPL-3.0-or-later
"""The database servers of the system's version: a private PostgreSQL cluster, a private MariaDB server."""

from __future__ import annotations

import ctypes
import os
import pwd
import re
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.server import NOWHERE, NotMade
from disktuner.workloads.workload import MIB, Processes

POSTGRESQL_PROGRAMS = ("initdb", "postgres", "pgbench", "psql")
DATABASE = "postgres"
WAL_BYTES = 1024 * MIB  # PostgreSQL's own limit of its log between two checkpoints (max_wal_size)

_CREATE_S = 300.0
_POSTGRESQL_SETTINGS = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "dynamic_shared_memory_type=mmap",
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
)

MARIADB = "mariadbd"
MARIADB_INSTALLER = "mariadb-install-db"
MARIADB_SOCKET = "server.sock"
_SBIN = "/usr/sbin:/usr/libexec:/usr/local/sbin"
_NO_POOL_FILE = ("--skip-innodb-buffer-pool-dump-at-shutdown", "--skip-innodb-buffer-pool-load-at-startup")
"""What helps the next start to be quick, and is the only file that MariaDB reaches by the name of its folder."""

_MARIADB_SETTINGS = (
    *_NO_POOL_FILE,
    "--pid-file=server.pid",
    "--skip-networking",
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-doublewrite=1",
)

_LIBC = ctypes.CDLL(None, use_errno=True)
_IPC_RMID = 0
_LARGEST_BYTES = 65536  # PostgreSQL's has 56 bytes and only shows that a cluster is in use
_KEY_LINE = 6  # of postmaster.pid: key and id of the segment (PostgreSQL's pidfile.h)


@dataclass(frozen=True, slots=True)
class Programs:
    """Where PostgreSQL's programs are."""

    folder: Path

    def path(self, name: str) -> str:
        """The path of one of them."""
        return str(self.folder / name)


def find_postgresql(installed: Path = Path("/usr/lib/postgresql")) -> Programs | None:
    """Find the newest version with all programs: Debian has one folder per version, others have them in the PATH."""

    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))

    there = shutil.which("postgres")
    folders = [*sorted(installed.glob("*/bin"), key=version, reverse=True), *([Path(there).parent] if there else [])]
    return next(
        (Programs(each) for each in folders if all((each / name).exists() for name in POSTGRESQL_PROGRAMS)), None
    )


def user_name() -> str:
    """The name of this user, who is the cluster's superuser, too; initdb refuses a user without one and reports it."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


class Postgresql:
    """A cluster in a scratch folder: its own socket, no TCP port, only this user may connect, every commit durable."""

    name = "PostgreSQL"
    polite = signal.SIGINT  # a fast shutdown: ends the clients, writes a checkpoint
    rude = signal.SIGQUIT  # an immediate one: without a checkpoint, but its shared memory is given back
    new_bytes = 64 * MIB  # a new cluster with its first segment of the log
    quickly: tuple[str, ...] = ("-c", "fsync=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0")

    def __init__(self, scratch: Path, programs: Programs) -> None:
        self.folder = scratch / "postgresql"
        self.programs = programs

    def create(self, processes: Processes) -> None:
        """Run initdb once per scratch folder. It is made durable with the first database, not file by file.

        initdb runs in a session of its own. So it alone is killed on a cancel, and the server that it
        started sees the end of its input and gives its shared memory back.
        """
        if (self.folder / "PG_VERSION").exists():
            return
        self.folder.mkdir(0o700, exist_ok=True)
        argv = ["setsid", "--wait", "setpriv", "--pdeathsig", "KILL", self.programs.path("initdb")]
        argv += [f"--pgdata={self.folder}", "--auth=peer", "--no-sync", "--no-locale", "--encoding=UTF8"]
        try:
            processes.run(argv, NOWHERE, _CREATE_S)
        except ProgramFailed as failed:
            raise NotMade(self.name, "initdb", failed) from failed

    def command(self) -> Sequence[str]:
        """The server with durable settings."""
        settings = (*_POSTGRESQL_SETTINGS, f"unix_socket_directories={self.folder}")
        return [self.programs.path("postgres"), "-D", str(self.folder), *(w for each in settings for w in ("-c", each))]

    def ready(self, pid: int) -> bool:
        """Whether the server reports it in its own file (its first and its eighth line, see PostgreSQL's pidfile.h)."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def release(scratch: Path) -> None:
    """Give back what servers below a scratch folder hold elsewhere; attached programs keep it until they end.

    PostgreSQL has a segment of shared memory. It is known from the scratch folder alone, so that whoever removes the
    folder of a killed run removes it, too.
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


def find_mariadb() -> str | None:
    """The server's path, where its installer is there, too; users seldom have it in their PATH."""
    places = f"{os.environ.get('PATH', os.defpath)}:{_SBIN}"
    return shutil.which(MARIADB, path=places) if shutil.which(MARIADB_INSTALLER) else None


class Mariadb:
    """A server in a scratch folder: its own socket in a folder that only this user enters, every commit durable."""

    name = "MariaDB"
    polite = signal.SIGTERM  # ends in good order
    rude = signal.SIGKILL  # it holds nothing outside of its folder
    new_bytes = 192 * MIB  # tables, undo and the whole log, which is written once from end to end
    quickly: tuple[str, ...] = ()

    def __init__(self, scratch: Path, program: str) -> None:
        self.folder = scratch / "mariadb"
        self._program = program

    def create(self, processes: Processes) -> None:
        """Run mariadb-install-db once per scratch folder; root of this server is whoever may enter the folder."""
        if (self.folder / "mysql").exists():
            return
        self.folder.mkdir(0o700, exist_ok=True)
        argv = [MARIADB_INSTALLER, "--no-defaults", f"--datadir={self.folder}", "--skip-test-db", "--skip-name-resolve"]
        argv += _NO_POOL_FILE
        try:
            processes.run([*argv, "--auth-root-authentication-method=normal"], NOWHERE, _CREATE_S)
        except ProgramFailed as failed:
            raise NotMade(self.name, MARIADB_INSTALLER, failed) from failed

    def command(self) -> Sequence[str]:
        """The server with durable settings."""
        own = (f"--datadir={self.folder}", f"--socket={self.folder / MARIADB_SOCKET}")
        return [self._program, "--no-defaults", *own, *_MARIADB_SETTINGS]

    def ready(self, pid: int) -> bool:
        """Whether it listens: it makes its file with its process id after the socket."""
        try:
            noted = (self.folder / "server.pid").read_text()
        except FileNotFoundError:
            return False
        return noted.strip() == str(pid) and (self.folder / MARIADB_SOCKET).is_socket()
