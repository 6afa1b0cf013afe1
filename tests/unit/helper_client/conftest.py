# SPDX-License-Identifier: GPL-3.0-or-later
"""A bus of the test's own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gi.repository import Gio

CONFIG = """<busconfig><type>session</type><listen>unix:dir={folder}</listen><servicedir>{folder}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>"""
Open = Callable[[], Gio.DBusConnection]


@contextmanager
def private_bus(folder: Path) -> Iterator[str]:
    """The address of a bus of the test's own, which starts what is described in the folder."""
    (folder / "bus.conf").write_text(CONFIG.format(folder=folder))
    command = ["dbus-daemon", f"--config-file={folder}/bus.conf", "--print-address", "--nofork"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bus:
        assert bus.stdout
        yield bus.stdout.readline().strip()
        bus.terminate()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Connections to such a bus."""
    made: list[Gio.DBusConnection] = []
    with private_bus(tmp_path) as address:

        def open_() -> Gio.DBusConnection:
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            made.append(Gio.DBusConnection.new_for_address_sync(address, flags, None, None))
            made[-1].set_exit_on_close(False)
            return made[-1]

        yield open_
        for each in made:
            if not each.is_closed():
                each.close_sync(None)
