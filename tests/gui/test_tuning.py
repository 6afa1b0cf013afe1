# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tuning in the window: from a result's page to the settings that compete, and what is done with their answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from disktuner.block.disk import PersistentChoice
from disktuner.comparison.request import Announcement, JudgedResult
from disktuner.gui.application import Application
from disktuner.gui.continuing import settings_to_try
from disktuner.gui.plots.graphs import GraphsChart
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.helper_client import calls
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.errors import MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import text
from tests.gui.answers import measured
from tests.gui.conftest import click
from tests.gui.measuring import complaints
from tests.gui.stand_ins import Bench, ScriptedComparison, disk, result, tuned
from tests.gui.test_result_page import offered, page_of
from tests.gui.walk import Walk, said, until

Open = Callable[[Bench], Application]
BEST = "bfq:timeout_sync=40"
GAINED: Mapping[str, float] = {BEST: 1.8}
TUNABLES = {"iosched/timeout_sync": "40"}


@pytest.fixture
def walk(opened: Open, bench: Bench) -> Walk:
    """A window on a bench whose disk gains by a setting."""
    bench.gains = GAINED
    return Walk(opened(bench), bench)


def offers(page: ResultPage) -> list[str]:
    return [each.text() for each in offered(page)]


def test_from_a_result_to_the_settings_that_are_kept(walk: Walk, qtbot: QtBot) -> None:
    bench = walk.bench
    page = walk.compared()
    check_offer(page, qtbot)
    first = bench.comparisons[-1].request
    qtbot.keyClick(page.offer.button, Qt.Key.Key_Return)
    walk.at_cost()
    check_announcement(walk)
    click(qtbot, walk.wizard.where_page.budgets["thorough"])
    until(lambda: bench.comparisons[-1].request.budget == "thorough")
    walk.at_cost()
    request = bench.comparisons[-1].request
    assert (request.after, request.target, request.goal) == (Path("/nowhere/result.json"), first.target, "desktop")
    check_running(walk)
    walk.at_result()
    check_answer(walk.result, qtbot)
    dialog = walk.try_dialog(walk.result)
    assert dialog.windowTitle() == "Keep “bfq, timeout_sync 40”?"
    assert "goes back to mq-deadline in" in dialog.left.text()
    tried = [calls.begin_trial([("sda", 7)]), calls.set_trial("t1", "sda", "bfq", TUNABLES)]
    assert bench.helper.calls == tried
    click(qtbot, dialog.always_button)
    kept = [*tried, calls.end_trial("t1"), calls.set_disks([("sda", 7)], "bfq", TUNABLES, persist=True)]
    until(lambda: bench.helper.calls == kept and walk.window.wizard is None)
    assert "uses “bfq, timeout_sync 40” from now on, also after a restart." in walk.window.notice.text


def check_offer(page: ResultPage, qtbot: QtBot) -> None:
    """It says what it does, how long it takes and that the disk is put back; keys reach it after the answer."""
    told = " ".join(said(page.offer))
    assert page.offer.isVisible() and page.offer.button.isEnabled() and told.startswith("Fine-tune bfq")
    for part in ("lets 7 of them", "compete with bfq", "10 minutes at most", "the disk is back at what it has now"):
        assert part in told
    assert page.offer.button.text() == "Fine-tune…" and "10 minutes" in page.offer.button.accessibleDescription()
    assert page.use_button.hasFocus()
    for _ in range(20):
        if not page.offer.button.hasFocus():
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert page.offer.button.hasFocus()


def check_announcement(walk: Walk) -> None:
    """Only the settings compete, in the usual time."""
    request = walk.bench.comparisons[-1].request
    assert (request.budget, request.continues) == ("standard", None)
    seen = {each.text() for each in walk.wizard.where_page.findChildren(QLabel) if each.isVisible()}
    assert {text("tune-question"), text("tune-about"), text("tune-note"), "21 GB"} <= seen
    assert any(each.startswith("bfq\nbfq, timeout_sync 40\n") for each in seen)
    assert not any(each.startswith("Worth trying first") for each in seen)
    assert complaints(walk.window) == []


def check_running(walk: Walk) -> None:
    """The setting that runs is named, and the tunables' graphs grow with the rounds."""
    page, a_round = walk.wizard.running_page, 2 * len(walk.bench.comparisons[-1].names)
    rounds = []
    for number in (1, 2, 3):
        if number > 1:
            walk.go_on()
        walk.held(a_round * number + 1)
        until(lambda: page.graphs and page.graphs.shown)
        rounds.append(max(row.n for row in page.graphs.shown.deciding.rows))
    assert rounds == sorted(set(rounds)), "they grow"
    assert any(each.startswith("With “bfq, timeout_sync 40” · ") for each in said(page))
    assert "timeout_sync 40" in page.legend.accessibleName()
    assert "timeout_sync 40" in page.graphs.accessibleDescription() and page.graphs.toolTip()
    walk.go_on()


def check_answer(page: ResultPage, qtbot: QtBot) -> None:
    """What gains is named, and why each setting was tried is one click away."""
    assert page.presented.title.startswith("“bfq, timeout_sync 40” is ") and page.presented.title.endswith("than bfq")
    assert offers(page) == ["Try it now", "Keep after restart", "Keep mq-deadline"], "mq-deadline is what it has"
    assert page.first is page.use_button and page.use_button.hasFocus() and not page.offer.isVisible()
    fold = page.folds[0]
    assert fold.text() == "▸ Why these settings were tried (7)"
    fold.setFocus()
    click(qtbot, fold)
    told = {*said(page)}
    assert {"Shorter turns: who writes much gives way sooner to who reads little.", "bfq, timeout_sync 40"} <= told
    assert "From Documentation/block/bfq-iosched.rst." in told and text("tried-left-out") in told
    assert page.findChild(GraphsChart) is not None


def test_a_setting_that_is_not_kept_goes_back_or_holds_until_the_restart(walk: Walk, qtbot: QtBot) -> None:
    disks = walk.bench.below("sda")
    walk.app.try_out(disks, BEST)
    click(qtbot, walk.asked_to_keep().back_button)
    until(lambda: "is back at mq-deadline: nothing was kept." in walk.window.notice.text)
    assert walk.bench.helper.calls.pop() == calls.end_trial("t1")
    walk.bench.helper.calls.clear()
    walk.app.actions.use(disks, BEST)
    used = [calls.set_disks([("sda", 7)], "bfq", TUNABLES)]
    until(lambda: walk.bench.helper.calls == used)
    until(lambda: "now uses “bfq, timeout_sync 40”, until" in walk.window.notice.text)


def nothing_gained(**has: str) -> Result:
    found = tuned(6, ("bfq", *settings_to_try(result(6), judge(result(6)), (disk(),))), {})
    return replace(found, disk={**found.disk, **has})


def test_where_nothing_gains_the_plain_winner_can_be_had(qtbot: QtBot, dressed: QApplication) -> None:
    page = page_of(qtbot, nothing_gained())
    assert page.presented.verdict.decision is Decision.KEEP
    assert page.presented.title == "Fine-tuning gains less than it is worth here: take bfq as it is"
    assert "Take bfq as it is." in page.presented.why and "Keep bfq" not in page.presented.why
    assert offers(page) == ["Try bfq now", "Keep bfq after restart", "Keep mq-deadline", "Measure on…"]
    assert page.first is page.use_button and not page.offer.isVisible()
    had = page_of(qtbot, nothing_gained(scheduler="bfq"), disks=(disk(scheduler="bfq"),))
    assert had.presented.title == "Fine-tuning gains less than it is worth here: keep bfq"
    assert offers(had) == ["Done", "Measure on…"] and had.first is had.leave_button


def test_a_tuning_is_cancelled_and_says_why_it_fails_or_cannot_begin(
    walk: Walk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = NotAuthorised("refused-not-agreed")

    def fail(*_: object) -> JudgedResult:
        raise refused

    def refuse(_: ScriptedComparison) -> Announcement:
        raise MeasurementImpossible("nothing-to-tune", disk="WD Blue WD10EZEX (sda)")

    walk.compared().offer.button.click()
    walk.at_cost()
    walk.held(3)
    click(qtbot, walk.wizard.running_page.cancel_button)
    until(lambda: walk.window.wizard is None)
    assert walk.window.notice.text == text("measuring-cancelled")
    walk.bench.holds_at = None
    page = walk.compared()
    with monkeypatch.context() as patch:
        patch.setattr(ScriptedComparison, "run", fail)
        page.offer.button.click()
        walk.at_cost()
        walk.wizard.next()
        until(lambda: walk.window.wizard is None)
        assert text("refused-not-agreed") in walk.window.notice.text
    page = walk.compared()
    monkeypatch.setattr(ScriptedComparison, "announce", refuse)
    page.offer.button.click()
    until(lambda: walk.wizard.step == 1 and "nothing to tune" in walk.wizard.where_page.notice.text)
    assert not walk.wizard.next_button.isEnabled()


def test_no_offer_without_an_answer_or_after_a_tuning_or_without_a_disk() -> None:
    there, decided, undecided = (disk(),), result(6), measured(Decision.UNDECIDED)
    assert len(settings_to_try(decided, judge(decided), there)) == 7
    unfinished = replace(decided, finished=False)
    found = tuned(6, ("bfq", BEST), GAINED)
    bare = disk(schedulers=("bfq",), scheduler="bfq", tunables={})
    for measured_, disks in (
        (decided, ()),
        (undecided, there),
        (unfinished, there),
        (found, there),
        (decided, (bare,)),
    ):
        assert settings_to_try(measured_, judge(measured_), disks) == ()


@pytest.mark.parametrize("decision", [Decision.TRADE_OFF, Decision.KEEP])
def test_what_the_disk_has_is_tuned_where_nothing_won(qtbot: QtBot, dressed: QApplication, decision: Decision) -> None:
    page = page_of(qtbot, measured(decision))
    assert "Fine-tune mq-deadline" in said(page.offer)
    for disks in ((), (disk(),)):
        page.show_disks(disks)
        assert page.offer.isVisible() and page.offer.button.isEnabled() is bool(disks), "it may be unplugged"


def test_the_button_names_what_the_disk_has_now(qtbot: QtBot, dressed: QApplication) -> None:
    kept = PersistentChoice("bfq", {"iosched/slice_idle": 0})
    now = disk(scheduler="bfq", persistent=kept, tunables={"iosched/slice_idle": 0, "iosched/slice_idle_us": 0})
    page = page_of(qtbot, tuned(6, ("bfq", BEST), GAINED))
    assert page.leave_button.text() == "Keep mq-deadline"
    page.show_disks((now,))
    assert page.leave_button.text() == "Keep “bfq, slice_idle 0”"


@pytest.mark.parametrize("width", [700, 1000, 1600])
def test_long_names_do_not_spoil_the_page(qtbot: QtBot, dressed: QApplication, width: int) -> None:
    long = "mq-deadline:read_expire=1000000,write_expire=1000000,writes_starved=1000,fifo_batch=1000"
    found = tuned(6, ("kyber:read_lat_nsec=10000000000,write_lat_nsec=10000000000", long, "none"), {long: 1.5})
    page = page_of(qtbot, found)
    page.window().resize(width, 2000)
    QApplication.sendPostedEvents()
    chart = page.findChild(GraphsChart)
    assert chart is not None and chart.width() >= chart.minimumSizeHint().width()
    assert chart.height() >= chart.heightForWidth(chart.width())
