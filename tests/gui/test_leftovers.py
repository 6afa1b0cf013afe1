# SPDX-License-Identifier: GPL-3.0-or-later
"""What interrupted measurements left is offered for removal, with its size and place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from disktuner.experiment.scratch import Leftover
from disktuner.gui.application import Application
from disktuner.gui.measuring import Instruments, leftovers_text
from tests.gui.conftest import click
from tests.gui.stand_ins import Bench

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)

LEFT = Leftover(Path("/media/anna/backup/.disktuner-0123456789ab"), 239_000_000)


@dataclass
class Disks:
    """Where something lies; what is in ``stuck`` cannot be removed."""

    left: tuple[Leftover, ...] = (LEFT,)
    stuck: tuple[Path, ...] = ()
    removals: list[int] = field(default_factory=list)

    def remove(self) -> Sequence[Path]:
        self.removals.append(len(self.left))
        return self.stuck


@pytest.fixture
def littered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Disks:
    """The same disks, with leftovers."""
    disks, plain = Disks(), bench.instruments

    def instruments() -> Instruments:
        return replace(plain(), find_leftovers=lambda: disks.left, remove_leftovers=disks.remove)

    monkeypatch.setattr(bench, "instruments", instruments)
    return disks


def offered(running: Application, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: running.window.disks_page.notice.text != "", timeout=20000)
    return running.window.disks_page.notice.text


def test_what_lies_on_the_disks_is_offered_and_removed(
    opened: Open, bench: Bench, littered: Disks, qtbot: QtBot
) -> None:
    running = opened(bench)
    assert "239 MB in /media/anna/backup" in offered(running, qtbot)
    notice = running.window.disks_page.notice
    assert notice.isVisible()
    assert littered.removals == []
    click(qtbot, notice._action)
    qtbot.waitUntil(lambda: "239 MB are free again" in running.window.notice.text)
    assert littered.removals == [1]
    assert not notice.isVisible()


def test_what_cannot_be_removed_is_named(opened: Open, bench: Bench, littered: Disks, qtbot: QtBot) -> None:
    littered.stuck = (LEFT.path,)
    running = opened(bench)
    offered(running, qtbot)
    click(qtbot, running.window.disks_page.notice._action)
    qtbot.waitUntil(lambda: f"{LEFT.path} could not be removed" in running.window.notice.text)


def test_nothing_is_said_where_nothing_is_left(opened: Open, bench: Bench, littered: Disks, qtbot: QtBot) -> None:
    littered.left = ()
    running = opened(bench)
    qtbot.waitUntil(lambda: running.ready and not running._jobs, timeout=20000)
    assert "notice" not in vars(running.window.disks_page)


def test_several_are_counted() -> None:
    other = Leftover(Path("/home/anna/.disktuner-aaaaaaaaaaaa"), 1_000_000)
    assert "240 MB in 2 folders, the first in /media/anna/backup" in leftovers_text((LEFT, other))
