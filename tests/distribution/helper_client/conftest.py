# SPDX-License-Identifier: GPL-3.0-or-later
"""A private bus for the tests."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gi.repository import Gio

CONFIG = """<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><servicedir>{folder}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>"""
Open = Callable[[], Gio.DBusConnection]


@contextmanager
def private_bus(folder: Path) -> Iterator[str]:
    """The address of a private bus, which starts the services described in the folder."""
    (folder / "bus.conf").write_text(CONFIG.format(folder=folder))
    command = ["dbus-daemon", f"--config-file={folder}/bus.conf", "--print-address", "--nofork"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bus:
        assert bus.stdout
        yield bus.stdout.readline().strip()
        bus.terminate()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open connections to such a bus."""
    connections: list[Gio.DBusConnection] = []
    with private_bus(tmp_path) as address:

        def open_() -> Gio.DBusConnection:
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            connections.append(Gio.DBusConnection.new_for_address_sync(address, flags, None, None))
            connections[-1].set_exit_on_close(False)
            return connections[-1]

        yield open_
        for connection in connections:
            if not connection.is_closed():
                connection.close_sync(None)
