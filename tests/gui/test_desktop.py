# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages to the desktop's services, on the test's own bus with services that record them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from disktuner.gui.desktop import Desktop
from tests.gui.conftest import services, tell
from tests.gui.person import idle, until

Books = Callable[[], list[str]]


@pytest.fixture
def running(bus: str) -> Iterator[subprocess.Popen[str]]:
    with services(bus) as process:
        yield process


@pytest.fixture
def books(running: subprocess.Popen[str]) -> Books:
    """The calls of the services, line by line."""
    pipe, lines = running.stdout.fileno(), list[str]()
    os.set_blocking(pipe, False)

    def read() -> list[str]:
        with suppress(BlockingIOError):
            lines.extend(os.read(pipe, 65536).decode().splitlines())
        return lines

    return read


@pytest.fixture
def desktop(bus: str) -> Iterator[Desktop]:
    desktop = Desktop(bus, bus)
    yield desktop
    desktop.close()
    idle()


def test_the_machine_is_kept_awake_and_let_go(desktop: Desktop, books: Books) -> None:
    desktop.stay_awake()
    until(lambda: books() == ["logind holds sleep:idle block: Disktuner, Measuring a disk"])
    desktop.rest()
    until(lambda: len(books()) == 3)
    assert set(books()[1:]) == {"logind free", "progress application://org.disktuner.Disktuner.desktop 0.00 False"}


def test_what_is_answered_too_late_is_given_back(desktop: Desktop, books: Books) -> None:
    desktop.stay_awake()
    desktop.rest()
    until(lambda: "logind free" in books())


def test_a_click_on_the_newest_notification_is_told_of_with_its_token(
    desktop: Desktop, running: subprocess.Popen[str], books: Books
) -> None:
    chosen: list[str] = []
    desktop.notify("old", "", lambda token: chosen.append(f"old {token}"))
    until(lambda: len(books()) == 1)
    desktop.notify("new", "bfq is 6× faster", lambda token: chosen.append(f"new {token}"))
    desktop.show_progress(12, 48)
    until(lambda: len(books()) == 3)
    assert set(books()[1:]) == {
        "notice from Disktuner: new / bfq is 6× faster (default Show the window)",
        "progress application://org.disktuner.Disktuner.desktop 0.25 True",
    }
    for number in (1, 2):
        tell(running, f"click {number}")
    until(lambda: chosen == ["new token-2"])


def test_without_services_or_without_a_bus_nothing_happens(bus: str) -> None:
    for address in (bus, "unix:path=/nowhere", None):
        alone = Desktop(address, address)
        alone.stay_awake()
        alone.show_progress(1, 2)
        alone.notify("a", "b", print)
        idle()
        alone.rest()
        alone.close()
        idle()
