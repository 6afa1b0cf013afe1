# SPDX-License-Identifier: GPL-3.0-or-later
"""A private PostgreSQL cluster of the system's version."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.servers.server import NOWHERE, NotMade
from disktuner.workloads.workload import MIB, Processes

PROGRAMS = ("initdb", "postgres", "pgbench", "psql")
PACKAGE = "postgresql"
DATABASE = "postgres"
CLUSTER_BYTES = 64 * MIB  # a new cluster with its first segment of the log
WAL_BYTES = 1024 * MIB  # PostgreSQL's own limit of its log between two checkpoints (max_wal_size)
QUICKLY = ("-c", "fsync=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0")
"""Settings for filling a database that is made durable afterwards, as a whole."""

_CREATE_S = 300.0
_SETTINGS = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "dynamic_shared_memory_type=mmap",
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
)


@dataclass(frozen=True, slots=True)
class Programs:
    """Where PostgreSQL's programs are."""

    folder: Path

    def path(self, name: str) -> str:
        """The path of one of them."""
        return str(self.folder / name)


def find_programs(installed: Path = Path("/usr/lib/postgresql")) -> Programs | None:
    """Find the newest version with all programs: Debian has one folder per version, others have them in the PATH."""

    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))

    there = shutil.which("postgres")
    folders = [*sorted(installed.glob("*/bin"), key=version, reverse=True), *([Path(there).parent] if there else [])]
    return next((Programs(each) for each in folders if all((each / name).exists() for name in PROGRAMS)), None)


def user_name() -> str:
    """The name of this user, who is the cluster's superuser, too; initdb refuses a user without one and says so."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


class Postgresql:
    """A cluster in a scratch folder: its own socket, no TCP port, only this user may connect, every commit durable."""

    polite = signal.SIGINT  # a fast shutdown: ends the clients, writes a checkpoint
    rude = signal.SIGQUIT  # an immediate one: without a checkpoint, but its shared memory is given back

    def __init__(self, scratch: Path, programs: Programs) -> None:
        self.folder = scratch / "postgresql"
        self.programs = programs
        self.name = "PostgreSQL"

    def create(self, processes: Processes) -> None:
        """Run initdb once per scratch folder. It is made durable with the first database, not file by file.

        initdb runs in a session of its own. So it alone is killed when we are told to stop, and the server that it
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
            raise NotMade(self.name, ProgramFailed("initdb", failed.status, failed.said)) from failed

    def command(self) -> Sequence[str]:
        """The server with durable settings."""
        settings = (*_SETTINGS, f"unix_socket_directories={self.folder}")
        return [self.programs.path("postgres"), "-D", str(self.folder), *(w for each in settings for w in ("-c", each))]

    def ready(self, pid: int) -> bool:
        """Whether the server says so in its own file (its first and its eighth line, see PostgreSQL's pidfile.h)."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"
