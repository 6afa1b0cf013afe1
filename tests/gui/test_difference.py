# SPDX-License-Identifier: GPL-3.0-or-later
"""*Show the difference* beside the answer on trial: both settings, stopped, and over with the trial."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from PySide6.QtCore import Qt

from disktuner.block.disk import Disk
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.widgets.clocks import Clocks
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.helper_client import calls
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Visit
from tests.gui.person import Person, click, idle, pressable, seen, until, words
from tests.gui.stand_ins import Bench

OLD, NEW = (calls.set_trial("t1", "sda", name) for name in ("mq-deadline", "bfq"))


@pytest.fixture
def person(visit: Visit, bench: Bench) -> Person:
    """A person who tries an answer."""
    person = visit(bench)
    person.to_result()
    person.try_now()
    return person


def show(person: Person) -> None:
    person.press("show-difference", person.window.trial)


def show_old(person: Person, bench: Bench) -> None:
    """Have the difference shown up to the end of the old setting, and held there."""
    bench.holds_at = 1
    show(person)
    until(lambda: bench.helper.calls[-1] == OLD and times(person)[0] == pytest.approx(6.5))


def clocks(person: Person) -> Clocks:
    """Those of the visible answer."""
    return person.window.findChildren(ResultPage)[-1].clocks


def undo(person: Person) -> None:
    person.window.show_notice("")
    click(person.window.trial.back_button)
    person.reads("nothing was kept")


def times(person: Person) -> list[float | None]:
    """The times on the clocks, the old setting's first."""
    return [clocks(person).lanes.value(Setting(name)) for name in ("mq-deadline", "bfq")]


def test_both_ways_are_seen_side_by_side_and_stay_to_be_read(person: Person, bench: Bench) -> None:
    assert not clocks(person).isVisible()
    show(person)
    until(lambda: times(person) == pytest.approx([6.5, 1.0]))
    until(lambda: text("show-difference") in words(person.window.trial))
    assert bench.helper.calls == [calls.begin_trial([("sda", 7)]), NEW, OLD, NEW, NEW]
    person.keep("keep-until-restart")
    person.reads("until the next restart")


def test_it_can_be_stopped_and_what_is_on_trial_comes_back(person: Person, bench: Bench) -> None:
    show_old(person, bench)
    banner = person.window.trial
    assert text("stop-difference") in words(banner)
    person.press("stop-difference", banner)
    until(lambda: bench.helper.calls[-1] == NEW)
    assert text("show-difference") in words(banner) and banner.isVisible() and person.notice == ""
    undo(person)


def test_it_is_kept_only_once_it_is_set_again(person: Person, bench: Bench) -> None:
    show_old(person, bench)
    person.keep("keep-until-restart")
    person.reads("until the next restart")
    assert bench.helper.calls[-2:] == [NEW, calls.keep_trial("t1", persist=False)]
    assert not person.running.state.alternates


def test_where_nothing_can_be_shown_it_is_said_why(person: Person, bench: Bench) -> None:
    bench.difference_fails = MeasurementImpossible("not-mounted", disk="WD Blue WD10EZEX (sda)")
    show(person)
    person.reads("has no mounted file system")
    assert not clocks(person).isVisible() and bench.helper.calls[-1] == NEW
    undo(person)


def test_it_ends_with_the_trial(person: Person, bench: Bench) -> None:
    show_old(person, bench)
    undo(person)
    assert calls.end_trial("t1") in bench.helper.calls and seen(TrialBanner) == []
    click(until(lambda: pressable(text("try-setting", setting="bfq"))))
    person.on_trial()
    assert not clocks(person).isVisible()
    undo(person)


def test_shown_again_at_once_it_waits_until_the_one_before_is_over(person: Person, bench: Bench) -> None:
    goes_on, wait = threading.Event(), bench.helper.wait

    def slowly(call: calls.Call[Any], *, gives_up: bool) -> None:
        if call == NEW:
            goes_on.wait()
        wait(call, gives_up=gives_up)

    bench.helper.wait = slowly  # type: ignore[method-assign]  # a disk that is busy
    show_old(person, bench)
    for id_ in ("stop-difference", "show-difference"):
        person.press(id_, person.window.trial)
    assert bench.helper.calls.count(OLD) == 1
    goes_on.set()
    until(lambda: bench.helper.calls.count(OLD) == 2)
    assert bench.helper.calls[-2:] == [NEW, OLD]
    person.press("stop-difference", person.window.trial)
    undo(person)


def test_it_ends_with_the_window(person: Person, bench: Bench) -> None:
    show_old(person, bench)
    person.window.close()
    person.press("close-now")
    idle()
    assert NEW in bench.helper.calls[-2:], "beside the end of the trial"


def test_on_another_page_it_leads_to_the_answer_which_closes_once_it_is_kept(person: Person, bench: Bench) -> None:
    person.press("back")
    until(lambda: person.window.measurement is None)
    show(person)
    until(lambda: person.window.opened and times(person) == pytest.approx([6.5, 1.0]))
    person.keep("keep-until-restart")
    person.reads("× faster from now on")
    assert person.window.opened is None


def test_it_is_stopped_when_nobody_sees_it(person: Person, bench: Bench) -> None:
    show_old(person, bench)
    person.press("back")
    until(lambda: bench.helper.calls[-1] == NEW)
    assert text("show-difference") in words(person.window.trial)
    undo(person)


def test_it_moves_nothing_below_the_answer(person: Person, bench: Bench) -> None:
    height = person.window.trial.height()
    show(person)
    until(lambda: clocks(person).isVisible() and times(person)[0])
    assert person.window.trial.height() == height
    undo(person)


def test_what_should_be_left_after_a_measurement_is_not_the_answer_that_was_opened_meanwhile(
    visit: Visit, bench: Bench, other: Disk
) -> None:
    person = visit(bench)
    person.to_result()
    person.try_now()
    person.press("back")
    person.hold_at(bench, 3, other.name)
    person.key(Qt.Key.Key_Escape)
    person.press("leave-afterwards", until(lambda: person.window.question))
    show(person)
    page = until(lambda: person.window.opened)
    bench.go_on()
    until(lambda: person.window.measurement is None)
    idle()
    assert person.window.opened is page and page.isVisible()
    undo(person)
