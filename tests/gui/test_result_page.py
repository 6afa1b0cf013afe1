# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done with a result, and on which disks: those that were measured, and no others of the same name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Mount
from disktuner.gui.application import Application
from disktuner.gui.plots.trade_off import _ticks
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.widgets.layout import label
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.helper_client import Call, calls
from disktuner.vocabulary.errors import NotAuthorised
from disktuner.vocabulary.messages import text
from tests.gui.conftest import click
from tests.gui.stand_ins import Bench, disk, trial

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def wizard_of(running: Application) -> Wizard:
    found = running.window.wizard
    assert found is not None
    return found


def announced(qtbot: QtBot, running: Application, folder: str = "") -> Wizard:
    """From the card of sda to what would be measured, in a folder if one is named."""
    running.find_best("sda")
    wizard = wizard_of(running)
    wizard.next()
    if folder:
        wizard.where_page.use_folder(folder)
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    return wizard


def result_of(qtbot: QtBot, wizard: Wizard) -> ResultPage:
    wizard.next()
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)
    assert wizard.result_page is not None
    return wizard.result_page


def press(qtbot: QtBot, running: Application, name: str) -> None:
    click(qtbot, getattr(wizard_of(running).result_page, name))


def test_a_folder_on_another_disk_leads_to_that_disk_everywhere(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    other = disk("sdb", diskseq=9, model="Elements", mounts=(Mount("/srv", "ext4", "/dev/sdb1", (), 10**12, 10**11),))
    bench.disks = (*bench.disks[:2], other)
    running = opened(bench)
    wizard = announced(qtbot, running, "/srv")
    assert wizard.title.text() == wizard.title.toolTip() == "Elements (sdb)"
    assert (
        "lies on Elements (sdb): that disk will be measured, not WD Blue WD10EZEX (sda)."
        in wizard.where_page.notice.text
    )
    page = result_of(qtbot, wizard)
    assert wizard.title.text() == "Elements (sdb)" and page.disks == (other,)
    press(qtbot, running, "keep_button")
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.persist("sdb", 9, "bfq", {})])


def test_back_on_a_folder_of_its_own_it_is_the_disk_again(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    other = disk("sdb", diskseq=9, mounts=(Mount("/srv", "ext4", "/dev/sdb1", (), 10**12, 10**11),))
    bench.disks = (*bench.disks[:2], other)
    running = opened(bench)
    wizard = announced(qtbot, running, "/srv")
    wizard.where_page.use_folder(str(bench.places(bench.disks[1])[0].folder))
    assert not wizard.next_button.isEnabled()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    assert wizard.title.text() == "WD Blue WD10EZEX (sda)" and wizard.where_page.notice.text == ""


def two_below_one_folder(bench: Bench) -> None:
    mounts = (Mount("/srv", "btrfs", "/dev/sda", (), 10**12, 10**11),)
    bench.disks = (disk("sda", mounts=mounts), disk("sdb", diskseq=9, scheduler="none", mounts=mounts))


def test_what_was_measured_together_is_tried_and_used_together(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    two_below_one_folder(bench)
    running = opened(bench)
    wizard = announced(qtbot, running, "/srv")
    assert wizard.title.text() == "WD Blue WD10EZEX (sda) + sdb"
    assert "several disks: sda and sdb." in wizard.where_page.notice.text
    result_of(qtbot, wizard)
    press(qtbot, running, "use_button")
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    dialog = running.window.findChild(KeepDialog)
    assert "mq-deadline (sda), none (sdb)" in dialog.left.text()
    qtbot.waitUntil(dialog.isVisible)
    click(qtbot, dialog.until_button)
    used = [calls.set_scheduler("sda", 7, "bfq"), calls.set_scheduler("sdb", 9, "bfq")]
    tried = [*trial("bfq", ("sda", 7), ("sdb", 9)), calls.end_trial("t1")]
    qtbot.waitUntil(lambda: bench.helper.calls == [*tried, *used])


def test_where_the_second_disk_fails_the_first_is_named(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    two_below_one_folder(bench)
    running = opened(bench)
    send = bench.helper.send

    def refuse_second(call: Call[Any], *answers: Callable[[Any], None]) -> None:
        bench.helper.fails = NotAuthorised("refused-not-agreed") if "sdb" in call.arguments else None
        send(call, *answers)

    bench.helper.send = refuse_second  # type: ignore[method-assign, assignment]
    running.keep(bench.disks, "bfq")
    qtbot.waitUntil(lambda: running.window.notice.text.startswith(text("refused-not-agreed")))
    assert "Changed before that: WD Blue WD10EZEX (sda)." in running.window.notice.text


@pytest.mark.parametrize("button", ["use_button", "keep_button"])
def test_another_disk_of_that_name_is_left_alone(opened: Open, bench: Bench, qtbot: QtBot, button: str) -> None:
    running = opened(bench)
    result_of(qtbot, announced(qtbot, running))
    bench.disks = (bench.disks[0], disk("sda", diskseq=99, wwn="0x6", serial="S2"))
    bench.changed()
    qtbot.waitUntil(lambda: running.disks.disks[-1].diskseq == 99)
    press(qtbot, running, button)
    qtbot.waitUntil(lambda: "is not the disk that was measured any more" in running.window.notice.text)
    assert bench.helper.calls == []


def test_a_disk_that_was_plugged_in_again_is_the_same(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    result_of(qtbot, announced(qtbot, running))
    bench.disks = (bench.disks[0], disk("sda", diskseq=99))
    bench.changed()
    qtbot.waitUntil(lambda: running.disks.disks[-1].diskseq == 99)
    press(qtbot, running, "keep_button")
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.persist("sda", 99, "bfq", {})])


def test_undecided_leads_on_to_a_longer_measurement(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.noise = 2.0
    running = opened(bench)
    running.find_best("sda")
    wizard_of(running).goal_page.buttons["server"].click()
    wizard_of(running).next()
    qtbot.waitUntil(wizard_of(running).next_button.isEnabled, timeout=5000)
    page = result_of(qtbot, wizard_of(running))
    folder = bench.comparisons[-1].request.target
    assert page.longer_button.text() == "Measure longer (10 min)…" and page.first is page.longer_button
    assert page.foot.isVisible() and page.leave_button.text() == text("keep-what-is")
    press(qtbot, running, "longer_button")
    qtbot.waitUntil(lambda: wizard_of(running).step == 1 and wizard_of(running).next_button.isEnabled(), timeout=5000)
    request = bench.comparisons[-1].request
    assert (request.goal, request.budget, request.target) == ("server", "standard", folder)
    assert wizard_of(running).title.text() == "WD Blue WD10EZEX (sda)"


def test_who_leads_can_be_tried_though_nothing_is_decided(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.noise = 2.0
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    leader = page.presented.verdict.leader
    assert leader is not None and page.use_button.text() == f"Try {leader} now"
    press(qtbot, running, "use_button")
    qtbot.waitUntil(lambda: bench.helper.calls == trial(leader, ("sda", 7)))
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    running.window.findChild(KeepDialog).reject()


def test_the_buttons_of_a_result_do_not_scroll_away(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = result_of(qtbot, announced(qtbot, running))
    area = next(each for each in wizard_of(running).findChildren(QScrollArea) if each.widget() is page)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    for control in (page.use_button, page.keep_button, page.leave_button, page.save_button):
        assert not area.isAncestorOf(control)
        assert not control.visibleRegion().isEmpty()


def test_room_is_told_so_that_it_is_no_range(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    wizard = announced(qtbot, opened(bench))
    assert wizard.where_page._facts["will-need"].text() == "3 GB of 412 GB free"


def test_scales_of_the_trade_off_have_figures_that_can_be_told_apart() -> None:
    assert sorted(_ticks(math.log(8), 180, 15)) == [0.2, 0.5, 1.0, 2.0, 5.0]
    assert sorted(_ticks(math.log(1.5), 1000, 60)) == [0.8, 0.9, 1.0, 1.1, 1.25]
    assert sorted(_ticks(math.log(5000), 180, 15)) == [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]


def test_no_line_ends_within_the_name_of_a_scheduler(qtbot: QtBot) -> None:
    shown = label("with mq-deadline now", wrap=True)
    qtbot.addWidget(shown)
    name = shown.fontMetrics().horizontalAdvance("mq-deadline")
    assert shown.minimumSizeHint().width() >= name > shown.fontMetrics().horizontalAdvance("deadline")
    assert shown.text() == "with mq-deadline now"
    assert QLabel.text(shown) == "with mq\N{NON-BREAKING HYPHEN}deadline now"
