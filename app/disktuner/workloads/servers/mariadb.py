# SPDX-License-Identifier: GPL-3.0-or-later
"""A private MariaDB server of the system's version."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.servers.server import HERE, NotMade
from disktuner.workloads.workload import MIB, Processes

SERVER = "mariadbd"
INSTALLER = "mariadb-install-db"
SOCKET = "server.sock"
NEW_BYTES = 192 * MIB  # tables, undo and the whole log, which is written once from end to end
_SBIN = "/usr/sbin:/usr/libexec:/usr/local/sbin"
_CREATE_S = 300.0
_SETTINGS = (
    f"--datadir={HERE}",
    f"--socket={HERE}/{SOCKET}",
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
        argv = [INSTALLER, "--no-defaults", f"--datadir={HERE}", "--skip-test-db", "--skip-name-resolve"]
        try:
            processes.run([*argv, "--auth-root-authentication-method=normal"], self.folder, _CREATE_S)
        except ProgramFailed as failed:
            raise NotMade(self.name, failed) from failed

    def command(self) -> Sequence[str]:
        """The server with durable settings; its folder is the current one."""
        return [self._program, "--no-defaults", *_SETTINGS]

    def ready(self, pid: int) -> bool:
        """Whether it listens: it makes its file with its process id after the socket."""
        try:
            noted = (self.folder / "server.pid").read_text()
        except FileNotFoundError:
            return False
        return noted.strip() == str(pid) and (self.folder / SOCKET).is_socket()
