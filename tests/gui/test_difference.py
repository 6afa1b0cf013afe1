# SPDX-License-Identifier: GPL-3.0-or-later
"""*Show the difference* in the banner of a trial: both ways side by side, stopped, and over with the trial."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.helper_client import calls
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Visit
from tests.gui.person import Person, click, idle, pressable, seen, until, words
from tests.gui.stand_ins import Bench

OLD, NEW = (calls.set_trial("t1", "sda", name) for name in ("mq-deadline", "bfq"))


def trying(person: Person) -> TrialBanner:
    person.running.try_out((person.card("sda").disk,), Setting("bfq"))
    return person.on_trial()


def undo(person: Person, banner: TrialBanner) -> None:
    person.window.show_notice("")
    click(banner.back_button)
    person.reads("nothing was kept")


def times(banner: TrialBanner) -> list[float | None]:
    """What the clocks show, the old way first."""
    return [banner.clocks.lanes.value(Setting(name)) for name in ("mq-deadline", "bfq")]


def test_both_ways_are_seen_side_by_side_and_stay_to_be_read(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    banner = trying(person)
    assert not banner.clocks.isVisible()
    person.press("show-difference", banner)
    until(lambda: times(banner) == pytest.approx([6.5, 1.0]))
    until(lambda: text("show-difference") in words(banner))
    assert bench.helper.calls == [calls.begin_trial([("sda", 7)]), NEW, OLD, NEW, NEW]
    person.press("keep-until-restart", banner)
    person.reads("until the next restart")


def test_it_can_be_stopped_and_what_is_on_trial_comes_back(visit: Visit, bench: Bench) -> None:
    person, bench.holds_at = visit(bench), 1
    banner = trying(person)
    person.press("show-difference", banner)
    until(lambda: times(banner)[0] == pytest.approx(6.5))
    assert bench.helper.calls[-1] == OLD and text("stop-difference") in words(banner)
    person.press("stop-difference", banner)
    until(lambda: bench.helper.calls[-1] == NEW)
    assert text("show-difference") in words(banner) and banner.isVisible() and person.notice == ""
    undo(person, banner)


def test_where_nothing_can_be_shown_it_is_said_why(visit: Visit, bench: Bench) -> None:
    bench.difference_fails = MeasurementImpossible("not-mounted", disk="WD Blue WD10EZEX (sda)")
    person = visit(bench)
    banner = trying(person)
    person.press("show-difference", banner)
    person.reads("has no mounted file system")
    assert not banner.clocks.isVisible() and bench.helper.calls[-1] == NEW
    undo(person, banner)


def test_it_ends_with_the_trial(visit: Visit, bench: Bench) -> None:
    person, bench.holds_at = visit(bench), 1
    banner = trying(person)
    person.press("show-difference", banner)
    until(lambda: bench.helper.calls[-1] == OLD)
    undo(person, banner)
    assert calls.end_trial("t1") in bench.helper.calls and seen(TrialBanner) == []
    assert not trying(person).clocks.isVisible()
    undo(person, banner)


def test_shown_again_at_once_it_waits_until_the_one_before_is_over(visit: Visit, bench: Bench) -> None:
    person, bench.holds_at = visit(bench), 1
    goes_on, wait = threading.Event(), bench.helper.wait

    def slowly(call: calls.Call[Any], *, gives_up: bool) -> None:
        if call == NEW:
            goes_on.wait()
        wait(call, gives_up=gives_up)

    bench.helper.wait = slowly  # type: ignore[method-assign]  # a disk that is busy
    banner = trying(person)
    person.press("show-difference", banner)
    until(lambda: bench.helper.calls[-1] == OLD and times(banner)[0])
    for name in (text("stop-difference"), text("show-difference")):
        click(until(lambda name=name: pressable(name, banner)))
    assert bench.helper.calls.count(OLD) == 1
    goes_on.set()
    until(lambda: bench.helper.calls.count(OLD) == 2)
    assert bench.helper.calls[-2:] == [NEW, OLD]
    person.press("stop-difference", banner)
    undo(person, banner)


def test_it_ends_with_the_window(visit: Visit, bench: Bench) -> None:
    person, bench.holds_at = visit(bench), 1
    banner = trying(person)
    person.press("show-difference", banner)
    until(lambda: bench.helper.calls[-1] == OLD)
    person.window.close()
    person.press("close-now")
    idle()
    assert NEW in bench.helper.calls[-2:], "beside the end of the trial"
