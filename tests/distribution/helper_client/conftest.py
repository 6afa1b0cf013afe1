# SPDX-License-Identifier: GPL-3.0-or-later
"""A private bus for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gi.repository import Gio
from tests.private_bus import private_bus

Open = Callable[[], Gio.DBusConnection]


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
