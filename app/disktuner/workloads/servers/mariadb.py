# SPDX-License-Identifier: GPL-3.0-or-later
"""A private MariaDB server of the system's version."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.servers.server import NOWHERE, NotMade
from disktuner.workloads.workload import MIB, Processes

SERVER = "mariadbd"
INSTALLER = "mariadb-install-db"
SOCKET = "server.sock"
NEW_BYTES = 192 * MIB  # tables, undo and the whole log, which is written once from end to end
_SBIN = "/usr/sbin:/usr/libexec:/usr/local/sbin"
_CREATE_S = 300.0
_NO_POOL_FILE = ("--skip-innodb-buffer-pool-dump-at-shutdown", "--skip-innodb-buffer-pool-load-at-startup")
"""What helps the next start to be quick, and is the only file that MariaDB reaches by the name of its folder."""

_SETTINGS = (
    *_NO_POOL_FILE,
    "--pid-file=server.pid",
    "--skip-networking",
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-doublewrite=1",
)


def find_program() -> str | None:
    """The server's path, where its installer is there, too; users seldom have it in their PATH."""
    places = f"{os.environ.get('PATH', os.defpath)}:{_SBIN}"
    return shutil.which(SERVER, path=places) if shutil.which(INSTALLER) else None


class Mariadb:
    """A server in a scratch folder: its own socket in a folder that only this user enters, every commit durable."""

    name = "MariaDB"
    polite = signal.SIGTERM  # ends in good order
    rude = signal.SIGKILL  # it holds nothing outside of its folder

    def __init__(self, scratch: Path, program: str) -> None:
        self.folder = scratch / "mariadb"
        self._program = program

    def create(self, processes: Processes) -> None:
        """Run mariadb-install-db once per scratch folder; root of this server is whoever may enter the folder."""
        if (self.folder / "mysql").exists():
            return
        self.folder.mkdir(0o700, exist_ok=True)
        argv = [INSTALLER, "--no-defaults", f"--datadir={self.folder}", "--skip-test-db", "--skip-name-resolve"]
        argv += _NO_POOL_FILE
        try:
            processes.run([*argv, "--auth-root-authentication-method=normal"], NOWHERE, _CREATE_S)
        except ProgramFailed as failed:
            raise NotMade(self.name, failed) from failed

    def command(self) -> Sequence[str]:
        """The server with durable settings."""
        own = (f"--datadir={self.folder}", f"--socket={self.folder / SOCKET}")
        return [self._program, "--no-defaults", *own, *_SETTINGS]

    def ready(self, pid: int) -> bool:
        """Whether it listens: it makes its file with its process id after the socket."""
        try:
            noted = (self.folder / "server.pid").read_text()
        except FileNotFoundError:
            return False
        return noted.strip() == str(pid) and (self.folder / SOCKET).is_socket()
