# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes over the buses to the desktop's services, on a bus of the test's own with services that keep books."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from gi.repository import Gio, GLib
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.gui.desktop import BusDesktop
from tests.gui.conftest import idle, until

SERVICES = Path(__file__).with_name("desktop_services.py")


@pytest.fixture
def books(bus: str, qtbot: QtBot) -> Iterator[Callable[[], list[str]]]:
    """What the services were asked, line by line; they run in a process of their own."""
    with subprocess.Popen([sys.executable, SERVICES, bus], stdout=subprocess.PIPE, text=True) as services:
        assert services.stdout is not None
        assert services.stdout.readline() == "ready\n"
        pipe = services.stdout.fileno()
        os.set_blocking(pipe, False)
        lines: list[str] = []

        def read() -> list[str]:
            with suppress(BlockingIOError):
                lines.extend(os.read(pipe, 65536).decode().splitlines())
            return lines

        yield read
        services.terminate()


@pytest.fixture
def desktop(dressed: QApplication, bus: str, qtbot: QtBot) -> Iterator[BusDesktop]:
    made = BusDesktop(bus, bus)
    yield made
    made.close()
    idle(qtbot)


def test_the_machine_is_kept_awake_and_let_go(
    desktop: BusDesktop, books: Callable[[], list[str]], qtbot: QtBot
) -> None:
    desktop.stay_awake()
    until(qtbot, lambda: len(books()) == 3)
    assert set(books()) == {
        "logind holds sleep:idle block: Disktuner, Measuring a disk",
        "screen saver off: Disktuner, Measuring a disk",
        "session inhibits 12: org.disktuner.Disktuner, Measuring a disk",
    }
    desktop.rest()
    until(qtbot, lambda: len(books()) == 7)
    assert set(books()[3:]) == {
        "logind free", "screen saver on 7", "session free 9",
        "progress application://org.disktuner.Disktuner.desktop 0.00 False",
    }  # fmt: skip


def test_what_is_answered_too_late_is_given_back(
    desktop: BusDesktop, books: Callable[[], list[str]], qtbot: QtBot
) -> None:
    desktop.stay_awake()
    desktop.rest()
    until(qtbot, lambda: {"logind free", "screen saver on 7", "session free 9"} <= set(books()))


def test_progress_and_notification(desktop: BusDesktop, books: Callable[[], list[str]], qtbot: QtBot) -> None:
    desktop.show_progress(12, 48)
    desktop.notify("Measured: Switch to bfq", "bfq is 6× faster", nothing)
    until(qtbot, lambda: len(books()) == 2)
    assert set(books()) == {
        "progress application://org.disktuner.Disktuner.desktop 0.25 True",
        "notice from Disktuner: Measured: Switch to bfq / bfq is 6× faster (default Show the window)",
    }


def click(bus: str, number: int) -> None:
    """Let the notification service tell of a click on one of its notifications."""
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    person = Gio.DBusConnection.new_for_address_sync(bus, flags, None, None)
    person.emit_signal(None, "/", "org.disktuner.Test", "Click", GLib.Variant("(u)", (number,)))
    person.flush_sync(None)
    person.close_sync(None)


def test_a_click_on_the_newest_notification_is_told_of_with_its_token(
    desktop: BusDesktop, bus: str, books: Callable[[], list[str]], qtbot: QtBot
) -> None:
    chosen: list[str] = []
    desktop.notify("old", "", lambda token: chosen.append(f"old {token}"))
    until(qtbot, lambda: len(books()) == 1)
    desktop.notify("new", "", lambda token: chosen.append(f"new {token}"))
    until(qtbot, lambda: len(books()) == 2)
    for number in (1, 2):
        click(bus, number)
    until(qtbot, lambda: chosen == ["new token-2"])


def nothing(_token: str) -> None:
    """A click that nobody makes."""


def test_without_services_or_without_a_bus_nothing_happens(dressed: QApplication, bus: str, qtbot: QtBot) -> None:
    for address in (bus, "unix:path=/nowhere", None):
        alone = BusDesktop(address, address)
        alone.stay_awake()
        alone.show_progress(1, 2)
        alone.notify("a", "b", nothing)
        idle(qtbot)
        alone.rest()
        alone.close()
        idle(qtbot)
