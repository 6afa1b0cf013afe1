# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tuning in the window: from a result's page to the settings that compete, and what is done with their answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from disktuner.block.disk import PersistentChoice
from disktuner.comparison.request import Announcement, JudgedResult
from disktuner.gui.application import Application
from disktuner.gui.continuing import settings_to_try, still_there
from disktuner.gui.plots.graphs import GraphsChart
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.helper_client import calls
from disktuner.presentation import present
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.errors import MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import text
from tests.gui.answers import put_into, world
from tests.gui.conftest import click
from tests.gui.measuring import complaints
from tests.gui.stand_ins import Bench, ScriptedComparison, disk, result, tuned
from tests.gui.test_result_page import announced, result_of, wizard_of

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
BEST = "bfq:timeout_sync=40"
GAINED: Mapping[str, float] = {BEST: 1.8}
TUNABLES = {"iosched/timeout_sync": "40"}


def compared(qtbot: QtBot, running: Application) -> ResultPage:
    return result_of(qtbot, announced(qtbot, running))


def tuning(qtbot: QtBot, running: Application, page: ResultPage) -> Wizard:
    """From the offer to what it would cost."""
    click(qtbot, page.offer.button)
    qtbot.waitUntil(lambda: running.window.wizard is not None and wizard_of(running).step == 1)
    wizard = wizard_of(running)
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    return wizard


def answer(qtbot: QtBot, running: Application) -> ResultPage:
    """The whole way: compared, then tuned."""
    return result_of(qtbot, tuning(qtbot, running, compared(qtbot, running)))


def offered(page: ResultPage) -> list[str]:
    """What can be done, from the left."""
    controls = [
        each for each in page.foot.findChildren(QPushButton) if each.isVisible() and each is not page.save_button
    ]
    return [each.text() for each in sorted(controls, key=lambda each: each.mapTo(page.foot, QPoint()).x())]


def test_the_offer_says_what_it_does_how_long_it_takes_and_that_the_disk_is_put_back(
    opened: Open, bench: Bench, qtbot: QtBot
) -> None:
    running = opened(bench)
    page = compared(qtbot, running)
    said = " ".join(each.text() for each in page.offer.findChildren(QLabel))
    assert page.offer.isVisible() and page.offer.button.isEnabled() and said.startswith("Fine-tune bfq")
    for part in ("lets 7 of them", "compete with bfq", "10 minutes at most", "the disk is back at what it has now"):
        assert part in said
    assert page.offer.button.text() == "Fine-tune…" and "10 minutes" in page.offer.button.accessibleDescription()
    assert page.use_button.hasFocus(), "the answer to the first question comes first"
    for _ in range(20):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if page.offer.button.hasFocus():
            break
    assert page.offer.button.hasFocus(), "by keyboard alone"
    qtbot.keyClick(page.offer.button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.comparisons[-1].request.after is not None, timeout=5000)


def test_only_the_settings_compete_and_that_is_announced_first(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = compared(qtbot, running)
    first = bench.comparisons[-1].request
    wizard = tuning(qtbot, running, page)
    request = bench.comparisons[-1].request
    assert (request.after, request.continues) == (Path("/nowhere/result.json"), None)
    assert (request.target, request.goal, request.budget) == (first.target, "desktop", "standard")
    said = {each.text() for each in wizard.where_page.findChildren(QLabel) if each.isVisible()}
    assert {text("tune-question"), text("tune-about"), text("tune-note"), "21 GB"} <= said
    assert any(each.startswith("bfq\nbfq, timeout_sync 40\n") for each in said)
    assert not any(each.startswith("Worth trying first") for each in said)
    assert complaints(running.window) == []
    click(qtbot, wizard.where_page.budgets["thorough"])
    qtbot.waitUntil(lambda: bench.comparisons[-1].request.budget == "thorough", timeout=5000)
    assert bench.comparisons[-1].request.after == request.after
    click(qtbot, wizard.back_button)
    assert running.window.wizard is None, "there is no purpose to choose"


def test_while_it_runs_each_setting_is_named_and_tunables_are_drawn(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.gains = GAINED
    running = opened(bench)
    wizard = tuning(qtbot, running, compared(qtbot, running))
    wizard.next()
    page = wizard.running_page
    seen: set[str] = set()
    rounds: list[int] = []

    def drawn() -> bool:
        seen.add(page._where.text().partition(" · ")[0])
        if page.graphs is not None and page.graphs.shown is not None:
            rounds.append(max(row.n for row in page.graphs.shown.deciding.rows))
        return wizard.step == 3

    qtbot.waitUntil(drawn, timeout=30000)
    assert {"With “bfq, timeout_sync 40”", "With the scheduler bfq"} <= seen
    assert page.graphs is not None and len(set(rounds)) > 2, "they grow with the rounds"
    assert page.legend._names[:2] == ("bfq", BEST)
    assert "timeout_sync 40" in page.graphs.accessibleDescription() and page.graphs.toolTip()


def test_what_gains_is_tried_and_kept_with_its_tunables(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.gains = GAINED
    running = opened(bench)
    page = answer(qtbot, running)
    assert page.presented.title.startswith("“bfq, timeout_sync 40” is ") and page.presented.title.endswith("than bfq")
    assert offered(page) == ["Try it now", "Keep after restart", "Keep mq-deadline"], "mq-deadline is what it has"
    assert page.first is page.use_button and page.use_button.hasFocus() and not page.offer.isVisible()
    assert complaints(running.window) == []
    click(qtbot, page.use_button)
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    dialog = running.window.findChild(KeepDialog)
    qtbot.waitUntil(dialog.isVisible)
    assert (
        dialog.windowTitle() == "Keep “bfq, timeout_sync 40”?" and "goes back to mq-deadline in" in dialog.left.text()
    )
    tried = [calls.begin_trial([("sda", 7)]), calls.set_trial_setting("t1", "sda", "bfq", TUNABLES)]
    assert bench.helper.calls == tried
    click(qtbot, dialog.always_button)
    kept = [*tried, calls.end_trial("t1"), calls.persist("sda", 7, "bfq", TUNABLES)]
    qtbot.waitUntil(lambda: bench.helper.calls == kept)
    qtbot.waitUntil(lambda: running.window.wizard is None)
    assert "uses “bfq, timeout_sync 40” from now on, also after a restart." in running.window.notice.text


def test_a_try_that_is_not_kept_goes_back(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.gains = GAINED
    running = opened(bench)
    page = answer(qtbot, running)
    click(qtbot, page.use_button)
    qtbot.waitUntil(lambda: running.window.findChild(KeepDialog) is not None)
    dialog = running.window.findChild(KeepDialog)
    qtbot.waitUntil(dialog.isVisible)
    click(qtbot, dialog.back_button)
    qtbot.waitUntil(lambda: "is back at mq-deadline: nothing was kept." in running.window.notice.text)
    assert bench.helper.calls[-1] == calls.end_trial("t1")


def test_until_the_restart_scheduler_and_tunables_are_set(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.gains = GAINED
    running = opened(bench)
    page = answer(qtbot, running)
    running.actions.use(page.disks, BEST)
    used = [calls.set_scheduler("sda", 7, "bfq"), calls.set_tunables("sda", 7, TUNABLES)]
    qtbot.waitUntil(lambda: bench.helper.calls == used)
    qtbot.waitUntil(lambda: "now uses “bfq, timeout_sync 40”, until" in running.window.notice.text)


def test_where_nothing_gains_the_plain_winner_can_be_had(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = answer(qtbot, running)
    assert page.presented.verdict.decision is Decision.KEEP
    assert page.presented.title == "Fine-tuning gains less than it is worth here: take bfq as it is"
    assert "Take bfq as it is." in page.presented.why and "Keep bfq" not in page.presented.why
    assert offered(page) == ["Try bfq now", "Keep bfq after restart", "Keep mq-deadline", "Measure on…"]
    assert page.first is page.use_button and complaints(running.window) == []
    click(qtbot, page.keep_button)
    qtbot.waitUntil(lambda: bench.helper.calls == [calls.persist("sda", 7, "bfq", {})])


def test_where_nothing_gains_and_the_disk_has_the_winner_it_is_done(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    had = disk("sda", scheduler="bfq", mounts=bench.disks[1].mounts)
    bench.disks = (bench.disks[0], had)
    run = ScriptedComparison.run

    def on_it(comparison: ScriptedComparison, listener: Callable[[Any], None]) -> JudgedResult:
        done = run(comparison, listener)
        described = {**done.result.disk, "scheduler": "bfq"}
        found = replace(done.result, disk=described)
        return replace(done, result=found, verdict=judge(found))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptedComparison, "run", on_it)
        page = answer(qtbot, opened(bench))
    assert page.presented.title == "Fine-tuning gains less than it is worth here: keep bfq"
    assert offered(page) == ["Done", "Measure on…"] and page.first is page.leave_button


def test_why_each_setting_was_tried_is_one_click_away(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.gains = GAINED
    running = opened(bench)
    page = answer(qtbot, running)
    fold = page.folds[0]
    assert fold.text() == "▸ Why these settings were tried (7)"
    fold.setFocus()
    click(qtbot, fold)
    said = {each.text() for each in page.findChildren(QLabel)}
    assert {"Shorter turns: who writes much gives way sooner to who reads little.", "bfq, timeout_sync 40"} <= said
    assert "From Documentation/block/bfq-iosched.rst." in said and text("tried-left-out") in said
    assert page.findChild(GraphsChart) is not None and complaints(running.window) == []


def test_cancelling_a_tuning_is_as_quick_as_ever(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench._pace_s = 0.05
    running = opened(bench)
    bench.rounds = 1
    page = compared(qtbot, running)
    bench.rounds = 9
    wizard = tuning(qtbot, running, page)
    wizard.next()
    qtbot.waitUntil(lambda: wizard.running_page._bar.value() > 1, timeout=10000)
    click(qtbot, wizard.running_page.cancel_button)
    qtbot.waitUntil(lambda: running.window.wizard is None, timeout=2000)
    assert running.window.notice.text == text("measuring-cancelled")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotAuthorised("refused-not-agreed"), text("refused-not-agreed")),
        (MeasurementImpossible("nothing-measured"), text("nothing-measured")),
    ],
)
def test_a_tuning_that_fails_says_why(
    opened: Open, bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    running = opened(bench)
    wizard = tuning(qtbot, running, compared(qtbot, running))

    def fail(*_: object) -> JudgedResult:
        raise error

    monkeypatch.setattr(ScriptedComparison, "run", fail)
    wizard.next()
    qtbot.waitUntil(lambda: running.window.wizard is None, timeout=5000)
    assert said in running.window.notice.text


def test_where_nothing_can_be_tuned_by_now_that_is_said_before(
    opened: Open, bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = opened(bench)
    page = compared(qtbot, running)

    def refuse(_: ScriptedComparison) -> Announcement:
        raise MeasurementImpossible("nothing-to-tune", disk="WD Blue WD10EZEX (sda)")

    monkeypatch.setattr(ScriptedComparison, "announce", refuse)
    click(qtbot, page.offer.button)
    qtbot.waitUntil(lambda: wizard_of(running).step == 1)
    qtbot.waitUntil(lambda: "nothing to tune" in wizard_of(running).where_page.notice.text, timeout=5000)
    assert not wizard_of(running).next_button.isEnabled()


def test_no_offer_without_an_answer_or_after_a_tuning_or_without_a_disk() -> None:
    there = (disk(),)
    decided, noisy = result(6), world(Decision.UNDECIDED)(result(5, noise=0.1))
    assert len(settings_to_try(decided, judge(decided), there)) == 7
    assert settings_to_try(decided, judge(decided), ()) == ()
    assert settings_to_try(noisy, judge(noisy), there) == ()
    unfinished = replace(decided, finished=False)
    assert settings_to_try(unfinished, judge(unfinished), there) == ()
    found = tuned(6, ("bfq", BEST), GAINED)
    assert settings_to_try(found, judge(found), there) == ()
    bare = disk(schedulers=("bfq",), scheduler="bfq", tunables={})
    assert settings_to_try(decided, judge(decided), (bare,)) == (), "it has nothing that could be set"


@pytest.mark.parametrize("decision", [Decision.TRADE_OFF, Decision.KEEP])
def test_what_the_disk_has_is_tuned_where_nothing_won(
    opened: Open, bench: Bench, qtbot: QtBot, decision: Decision
) -> None:
    put_into(bench, decision)
    page = compared(qtbot, opened(bench))
    assert page.offer.isVisible()
    assert "Fine-tune mq-deadline" in {each.text() for each in page.offer.findChildren(QLabel)}


def test_a_disk_that_is_gone_cannot_be_tuned_until_it_is_back(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    running = opened(bench)
    page = compared(qtbot, running)
    there = bench.disks
    for disks in (there[:1], there):
        bench.disks = disks
        bench.changed()
        qtbot.waitUntil(lambda disks=disks: running.disks.disks[: len(disks)] == disks[: len(running.disks.disks)])
        qtbot.waitUntil(lambda disks=disks: page.offer.button.isEnabled() is (disks is there))
        assert page.offer.isVisible()


def test_an_opened_result_is_tuned_in_the_wizard(opened: Open, bench: Bench, qtbot: QtBot, tmp_path: Path) -> None:
    store = Store(bench.kept)
    foreign = {"name": "sdz", "model": "Quantum Fireball", "wwn": "0x77"}
    store.save(replace(result(6), id="here", created="2026-01-02T10:00:00Z"))
    store.save(replace(result(6), id="there", created="2026-01-01T10:00:00Z", disk=foreign))
    bench.gains = GAINED
    running = opened(bench)

    def opened_result(row: int) -> ResultPage:
        click(qtbot, running.window.findChildren(QToolButton)[2])
        page = running.window.history_page
        qtbot.waitUntil(lambda: page.model.rowCount() == 2, timeout=10000)
        page.table.selectRow(row)
        click(qtbot, page.open_button)
        qtbot.waitUntil(lambda: running.window.opened is not None, timeout=10000)
        assert running.window.opened is not None and isinstance(running.window.opened.content, ResultPage)
        return running.window.opened.content

    assert not opened_result(1).offer.isVisible(), "that disk is not here"
    running.window.back()
    wizard = tuning(qtbot, running, opened_result(0))
    assert running.window.opened is None
    assert bench.comparisons[-1].request.after == store.path_of("here")
    assert bench.comparisons[-1].request.target == str(tmp_path)
    assert result_of(qtbot, wizard).presented.candidate == BEST


def test_the_button_names_what_the_disk_has_now(qtbot: QtBot) -> None:
    found = tuned(6, ("bfq", BEST), GAINED)
    kept = PersistentChoice("bfq", {"iosched/slice_idle": 0})
    now = disk(scheduler="bfq", persistent=kept, tunables={"iosched/slice_idle": 0, "iosched/slice_idle_us": 0})
    page = ResultPage(present(found), lambda disks: still_there((disk(),), disks), (disk(),), Path("/a"))
    qtbot.addWidget(page)
    qtbot.addWidget(page.foot)
    assert page.leave_button.text() == "Keep mq-deadline"
    page.show_disks((now,))
    assert page.leave_button.text() == "Keep “bfq, slice_idle 0”"


def test_long_names_do_not_spoil_the_page(qtbot: QtBot, any_time: None) -> None:
    long = "mq-deadline:read_expire=1000000,write_expire=1000000,writes_starved=1000,fifo_batch=1000"
    found = tuned(6, ("kyber:read_lat_nsec=10000000000,write_lat_nsec=10000000000", long, "none"), {long: 1.5})
    page = ResultPage(present(found), lambda disks: still_there((disk(),), disks), (disk(),), Path("/a"))
    qtbot.addWidget(page)
    qtbot.addWidget(page.foot)
    page.show()
    for width in (700, 1000, 1600):
        page.resize(width, page.heightForWidth(width) if page.hasHeightForWidth() else 2000)
        QApplication.sendPostedEvents()
        chart = page.findChild(GraphsChart)
        assert chart is not None and chart.width() >= chart.minimumSizeHint().width()
        assert chart.height() >= chart.heightForWidth(chart.width())
