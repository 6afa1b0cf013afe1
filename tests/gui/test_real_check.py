# SPDX-License-Identifier: GPL-3.0-or-later
"""A finding is measured, set, set for good and taken back from its page: real helper, real polkit, real queue.

No check-up looks at loop disks, for they lie in files: what finds their read-ahead too large is made up here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk
from disktuner.checkup.findings import CheckUp
from disktuner.comparison.request import Request
from disktuner.gui.application import Application
from disktuner.gui.measuring import compare as compare_really
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.gui.wizard.wizard import Measurement
from disktuner.verdict.model import Decision
from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import click
from tests.gui.real import Open, known_to_udev, opened
from tests.gui.stand_ins import read_ahead_of

__all__ = ["opened"]
RULES = Path("/etc/udev/rules.d/90-disktuner.rules")


def read_ahead(loop: LoopDisk) -> int:
    return int(Path(f"/sys/block/{loop.name}/queue/read_ahead_kb").read_text())


def check(disks: Sequence[Disk]) -> tuple[CheckUp, ...]:
    """The loop disks of this machine, as they are."""
    return tuple(CheckUp(each, read_ahead_of(each)) for each in disks if each.name.startswith("loop"))


@pytest.fixture
def hasty(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> LoopDisk:
    """A disk that reads far too far ahead."""
    loop = loop_disk(size_mb=512)
    sudo("tee", f"/sys/block/{loop.name}/queue/read_ahead_kb", stdin="16384")
    return loop


def to_page(qtbot: QtBot, running: Application, loop: LoopDisk) -> CheckPage:
    card = running.window.disks_page.card(loop.name)
    qtbot.waitUntil(lambda: bool(card.findings), timeout=10000)
    click(qtbot, card.check_line.link)
    page = running.window.opened and running.window.opened.content
    assert isinstance(page, CheckPage)
    qtbot.waitUntil(lambda: page.cards[0].isVisible() and page.cards[0].use_button.isEnabled())
    return page


def test_set_until_a_restart_and_taken_back(hasty: LoopDisk, opened: Open, qtbot: QtBot) -> None:
    page = to_page(qtbot, opened(hasty, check=check), hasty)
    click(qtbot, page.cards[0].use_button)
    qtbot.waitUntil(lambda: not page.cards, timeout=20000)
    assert read_ahead(hasty) == 128 and not RULES.exists()
    assert page._title.text() == text("check-page-fine")
    qtbot.waitUntil(lambda: page.back_button.isVisible() and page.back_button.isEnabled())
    click(qtbot, page.back_button)
    qtbot.waitUntil(lambda: len(page.cards) == 1, timeout=20000)
    assert read_ahead(hasty) == 16_384
    qtbot.waitUntil(lambda: not page.foot.isVisible())


def test_set_for_good_and_taken_back(hasty: LoopDisk, opened: Open, qtbot: QtBot, sudo: Sudo) -> None:
    with known_to_udev(hasty, sudo):
        running = opened(hasty, check=check)
        page = to_page(qtbot, running, hasty)
        click(qtbot, page.cards[0].keep_button)
        qtbot.waitUntil(lambda: not page.cards, timeout=20000)
        rule = RULES.read_text()
        assert read_ahead(hasty) == 128 and 'ATTR{queue/read_ahead_kb}="128"' in rule
        assert f'ATTR{{queue/scheduler}}="{hasty.scheduler}"' in rule
        qtbot.waitUntil(lambda: page.back_button.isVisible() and page.back_button.isEnabled())
        assert page._undone.text() == text("check-undo-and-rule")
        click(qtbot, page.back_button)
        qtbot.waitUntil(lambda: len(page.cards) == 1 and not RULES.exists(), timeout=20000)
        assert read_ahead(hasty) == 16_384


def test_what_no_rule_can_hold_on_to_is_refused(hasty: LoopDisk, opened: Open, qtbot: QtBot) -> None:
    """A loop disk has no serial number."""
    running = opened(hasty, check=check)
    page = to_page(qtbot, running, hasty)
    click(qtbot, page.cards[0].keep_button)
    qtbot.waitUntil(lambda: running.window.notice.property("notice") == "bad", timeout=20000)
    assert read_ahead(hasty) == 16_384 and not RULES.exists() and len(page.cards) == 1
    qtbot.waitUntil(page.cards[0].use_button.isEnabled)


def test_measured_against_what_is_proposed(hasty: LoopDisk, opened: Open, qtbot: QtBot) -> None:
    """The settings are really switched between, what is known to be true of them is found, and all is as before."""
    asked: list[Request] = []
    seen: set[int] = set()

    def briefly(request: Request) -> Measurement:
        asked.append(request)
        return compare_really(replace(request, workloads=("mapped-reads",), seed=11))

    running = opened(hasty, briefly, check=check)
    page = to_page(qtbot, running, hasty)
    click(qtbot, page.cards[0].measure_button)
    wizard = running.window.wizard
    assert wizard is not None and hasty.folder is not None
    wizard.where_page.use_folder(str(hasty.folder))
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=30000)
    assert asked[-1].workloads == ("mapped-reads", "dd-read")
    click(qtbot, wizard.next_button)

    def is_over() -> bool:
        seen.add(read_ahead(hasty))
        return wizard.step == 3

    qtbot.waitUntil(is_over, timeout=150000)
    assert wizard.result_page is not None
    found = wizard.result_page.presented
    proposed = f"{hasty.scheduler}:queue/read_ahead_kb=128"
    assert found.result.plan.schedulers == (hasty.scheduler, proposed)
    assert (found.verdict.decision, found.verdict.winner) == (Decision.SWITCH, proposed)
    assert seen == {16_384, 128} and read_ahead(hasty) == 16_384
    running.window.back()
    assert running.window.opened is not None and running.window.opened.content is page
    assert len(page.cards) == 1
