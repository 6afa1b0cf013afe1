# SPDX-License-Identifier: GPL-3.0-or-later
"""Results that were opened: which disk of this machine they are about, and how they are measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk, disk_to_json
from disktuner.comparison.record import this_machine
from disktuner.gui.application import Application
from disktuner.gui.continuing import find_measured
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.messages import text
from tests.gui.answers import world
from tests.gui.conftest import click
from tests.gui.measuring import complaints
from tests.gui.stand_ins import Bench, disk, result, trial

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
NAMELESS = {"wwn": "", "serial": ""}


def of(measured: Disk, here: bool = True, **extra: Any) -> Result:
    """A result of a disk, perhaps of another computer."""
    plain = result(3)
    machine = this_machine() if here else replace(this_machine(), cpu="another")
    return replace(plain, disk=disk_to_json(measured), machine=machine, extra=extra)


@pytest.mark.parametrize(
    ("measured", "disks", "found", "certain"),
    [
        (of(disk()), (disk("nvme0n1", wwn="0x9"), disk()), "sda", True),
        (of(disk(), here=False), (disk("sdc", diskseq=90),), "sdc", True),
        (of(disk(), disks=["sda", "sdb"]), (disk(),), "sda", False),
        (of(disk(**NAMELESS)), (disk(**NAMELESS),), "sda", False),
    ],
)
def test_a_disk_is_known_by_its_wwn_or_serial_number(
    measured: Result, disks: tuple[Disk, ...], found: str, certain: bool
) -> None:
    known = find_measured(measured, disks)
    assert ([each.name for each in known.disks], known.certain, known.why_not) == ([found], certain, None)


@pytest.mark.parametrize(
    ("measured", "disks", "why"),
    [
        (of(disk()), (disk("nvme0n1", wwn="0x9"),), "on-gone"),
        (of(disk(), here=False), (), "on-elsewhere"),
        (of(disk()), (disk(serial="other"),), "on-another"),
        (of(disk(**NAMELESS)), (disk(**NAMELESS, model="Another"),), "on-another"),
        (of(disk(**NAMELESS), here=False), (disk(**NAMELESS),), "on-elsewhere"),
        (of(disk()), (disk(**NAMELESS),), "on-another"),
        (replace(of(disk(), here=False), disk={"model": "WD"}), (disk(),), "on-unnamed"),
    ],
)
def test_another_disk_is_not_taken_for_it(measured: Result, disks: tuple[Disk, ...], why: str) -> None:
    known = find_measured(measured, disks)
    assert known.disks == () and not known.certain and known.why_not is not None and known.why_not.id == why


@pytest.fixture
def kept(bench: Bench) -> Store:
    """A clear result, one that is not decided, and that of another computer's disk."""
    store = Store(bench.kept)
    clear, noisy = result(6), world(Decision.UNDECIDED)(result(5, noise=0.1))
    assert [judge(each).decision for each in (clear, noisy)] == [Decision.SWITCH, Decision.UNDECIDED]
    foreign = {"name": "sdz", "model": "Quantum Fireball", "wwn": "0x77"}
    for number, each in enumerate((clear, noisy, replace(noisy, disk=foreign))):
        store.save(replace(each, id=f"r{number}", created=f"2026-01-0{number + 1}T10:00:00Z"))
    return store


def open_result(qtbot: QtBot, running: Application, id_: str) -> ResultPage:
    click(qtbot, running.window.findChildren(QToolButton)[2])
    page = running.window.history_page
    qtbot.waitUntil(lambda: page.model.rowCount() == 3, timeout=10000)
    page.table.selectRow(next(row for row in range(3) if page.model.entry(row).id == id_))
    click(qtbot, page.open_button)
    qtbot.waitUntil(lambda: running.window.opened is not None, timeout=10000)
    assert running.window.opened is not None and isinstance(running.window.opened.content, ResultPage)
    return running.window.opened.content


def test_an_opened_result_is_measured_on_in_the_wizard(
    opened: Open, bench: Bench, kept: Store, qtbot: QtBot, tmp_path: Path
) -> None:
    running = opened(bench)
    page = open_result(qtbot, running, "r1")
    assert page.on_button.isEnabled() and complaints(running.window) == []
    click(qtbot, page.on_button)
    qtbot.waitUntil(lambda: running.window.wizard is not None)
    wizard = running.window.wizard
    assert wizard is not None and running.window.opened is None
    qtbot.waitUntil(lambda: wizard.step == 1 and wizard.next_button.isEnabled(), timeout=5000)
    request = bench.comparisons[-1].request
    assert (request.continues, request.target, request.goal) == (kept.path_of("r1"), str(tmp_path), "desktop")
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)


def test_a_result_of_another_computer_can_only_be_read_and_saved(
    opened: Open, bench: Bench, kept: Store, qtbot: QtBot
) -> None:
    page = open_result(qtbot, opened(bench), "r2")
    assert page.on_button.isVisible() and not page.on_button.isEnabled() and page.first is page.save_button
    assert page._why_not.text() == text("on-elsewhere", disk="Quantum Fireball sdz")
    assert not any(each.isVisible() for each in (page.use_button, page.keep_button, page.leave_button))


def test_a_disk_without_a_name_of_its_own_is_measured_on_but_not_changed(
    opened: Open, bench: Bench, kept: Store, qtbot: QtBot
) -> None:
    nameless = disk(**NAMELESS, mounts=bench.disks[1].mounts)
    bench.disks = (nameless,)
    kept.save(replace(kept.load("r1"), disk=disk_to_json(nameless), machine=this_machine()))
    running = opened(bench)
    page = open_result(qtbot, running, "r1")
    assert page.on_button.isEnabled() and not page.use_button.isVisible() and page.leave_button.isVisible()
    assert page._why_not.text() == text("on-uncertain", disk=nameless.title) and complaints(running.window) == []


def test_an_opened_answer_is_tried_on_the_disk_that_it_is_about(
    opened: Open, bench: Bench, kept: Store, qtbot: QtBot
) -> None:
    running = opened(bench)
    page = open_result(qtbot, running, "r0")
    click(qtbot, page.use_button)
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    assert bench.helper.calls == trial("bfq", ("sda", 7)) and not page.use_button.isEnabled()
    running.window.findChild(KeepDialog).reject()
    qtbot.waitUntil(page.use_button.isEnabled)
    click(qtbot, page.leave_button)
    assert running.window.opened is None and running.window.history_page.isVisible()
