# SPDX-License-Identifier: GPL-3.0-or-later
"""The fast cache used up, by a person's clicks: where that is offered, what it costs, what is said of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QCheckBox

from disktuner.block.disk import Disk, disk_to_json
from disktuner.gui.measurement.result_page import longer_text
from disktuner.results.model import Result
from disktuner.results.portrait import Added, PortraitFile
from disktuner.results.store import Store
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import ENGLISH, in_window, message, speaking, text
from disktuner.vocabulary.states import DiskState
from tests.gui.answers import measured
from tests.gui.measuring import complaints
from tests.gui.measuring import seen as texts
from tests.gui.person import Person, Visit, click, pressable, seen, settle, until, words
from tests.gui.stand_ins import Bench
from tests.unit.portraits import portrait

FIRST = "First the fast cache of WD Blue WD10EZEX (sda) is used up"
REFUSED = message("too-little-room", folder="/home", needed=56 * 10**9, usable=10**9)


def know(bench: Bench, of: Disk, **changes: Any) -> None:
    """Keep a portrait of a disk, by which its fast cache ends after 42 GB."""
    with PortraitFile(bench.portraits, portrait(disk=disk_to_json(of), **changes)) as file:
        file.add(Added(is_last=True))


@pytest.fixture
def known(bench: Bench) -> Bench:
    """A bench with a portrait of sda."""
    know(bench, bench.disks[1])
    return bench


def box(person: Person) -> QCheckBox | None:
    """The box to tick for it, if it is visible."""
    return next((part for part in seen(QCheckBox) if part.text() == text("measure-exhausted")), None)


def asked(bench: Bench) -> DiskState | None:
    """The state that was asked for last."""
    return bench.comparisons[-1].request.state if bench.comparisons else None


def at_state(person: Person, bench: Bench, state: DiskState | None) -> None:
    """Wait until it is announced what that costs."""
    until(lambda: asked(bench) is state)
    person.at_cost()


def test_it_is_chosen_by_itself_for_a_big_copy_and_can_be_left_out(visit: Visit, known: Bench) -> None:
    person = visit(known)
    plan = person.to_announced()
    assert asked(known) is DiskState.EXHAUSTED and len(known.comparisons) == 1
    assert "74.3 GB at most" in plan.cost.text() and FIRST in plan.notice.text
    person.unfold_options()
    option = until(lambda: box(person))
    assert option.isChecked() and "It ends after about 42 GB" in words(person.window)
    assert "writes 53.3 GB at most" in words(person.window)
    assert plan.budget_box.currentText() == "Quick: 7 minutes at most", "half as long again, and using the cache up"
    assert complaints(person.window) == []
    click(option)
    assert plan.budget_box.currentText() == "Quick: 3 minutes at most"
    at_state(person, known, DiskState.RESTED)
    assert "21 GB to" in plan.cost.text() and FIRST not in words(person.window)
    click(person.card("sda").option)
    settle()
    until(lambda: len(known.comparisons) == 3)
    assert asked(known) is DiskState.RESTED and not option.isChecked(), "asked anew, it is as it was chosen"


@pytest.mark.parametrize(("goal", "is_offered"), [("media", True), ("server", True), ("copying", False)])
def test_for_others_it_is_offered_where_it_makes_sense(visit: Visit, known: Bench, goal: str, is_offered: bool) -> None:
    person = visit(known)
    person.to_announced(goal=goal)
    person.unfold_options()
    settle()
    option = box(person)
    assert asked(known) is not DiskState.EXHAUSTED and bool(option) is is_offered
    if option is not None:
        assert not option.isChecked()
        click(option)
        at_state(person, known, DiskState.EXHAUSTED)
    click(person.window.disks_page.complaints.buttons["desktop"])
    at_state(person, known, DiskState.EXHAUSTED)


@pytest.mark.parametrize(
    "changes",
    [{"steps_s": portrait().steps_s[:300]}, {"curve_reason": message("suspended", slept=40.0)}, None],
    ids=["no end", "invalid", "no portrait"],
)
def test_without_a_known_end_nothing_is_offered(visit: Visit, bench: Bench, changes: dict[str, Any] | None) -> None:
    if changes is not None:
        know(bench, bench.disks[1], **changes)
    person = visit(bench)
    person.to_announced()
    person.unfold_options()
    settle()
    assert box(person) is None and asked(bench) is None


def test_another_disk_is_asked_for_as_its_own_portrait_says(visit: Visit, known: Bench, other: Disk) -> None:
    person = visit(known)
    person.to_announced()
    click(person.card(other.name).option)
    at_state(person, known, None)
    person.unfold_options()
    assert box(person) is None


def test_what_wears_is_said_above_measure(visit: Visit, bench: Bench, other: Disk) -> None:
    card = replace(other, kind=kinds.SD_CARD)
    bench.disks = (*bench.disks[:-1], card)
    know(bench, card)
    person = visit(bench)
    plan = person.to_announced(card.name)
    assert "This is up to 7.4 % of the disk's capacity" in plan.notice.text
    person.unfold_options()
    click(until(lambda: box(person)))
    at_state(person, bench, DiskState.RESTED)
    assert "up to" not in plan.notice.text


def test_what_was_chosen_by_itself_and_is_impossible_is_left_out(visit: Visit, known: Bench) -> None:
    known.refuses_exhausted = REFUSED
    person = visit(known)
    plan = person.find_best()
    at_state(person, known, DiskState.RESTED)
    person.unfold_options()
    option = until(lambda: box(person))
    assert not option.isChecked() and "Not enough space" not in words(person.window)
    click(option)
    until(lambda: "Not enough space" in plan.notice.text)
    assert option.isChecked() and not pressable(text("start-measuring")), "whoever wants it learns why not"


def test_a_portrait_made_meanwhile_is_known(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    person.to_announced()
    assert asked(bench) is None
    person.to_portrait_plan()
    person.press("start-measuring")
    person.at_portrait()
    person.press("back")
    at_state(person, bench, DiskState.EXHAUSTED)


def test_the_state_is_named_while_it_is_measured_and_in_the_answer(visit: Visit, known: Bench) -> None:
    known.holds_at = -1
    person = visit(known)
    person.to_announced()
    person.press("start-measuring")
    until(lambda: "Writing until the fast cache is used up: at most 53" in words(person.window))
    known.go_on()
    page = person.at_result()
    assert text("state-exhausted") in words(page)


def exhausted(result: Result, **changes: Any) -> Result:
    return replace(result, plan=replace(result.plan, state=DiskState.EXHAUSTED), **changes)


def test_history_names_the_state_and_measuring_longer_keeps_it(visit: Visit, known: Bench) -> None:
    undecided = measured(Decision.UNDECIDED)
    Store(known.kept).save(exhausted(undecided, disk=disk_to_json(known.disks[1])))
    person = visit(known)
    page = person.open_kept()
    assert "fast cache used up" in "\n".join(texts(person.window.page("history").table))
    page.more_button.click()
    person.at_cost()
    request = known.comparisons[-1].request
    assert request.continues is not None and request.state is DiskState.EXHAUSTED
    person.unfold_options()
    assert box(person) is None and FIRST in person.plan.notice.text


def test_without_a_portrait_measuring_longer_names_the_button_that_makes_one(visit: Visit, bench: Bench) -> None:
    Store(bench.kept).save(exhausted(measured(Decision.UNDECIDED), disk=disk_to_json(bench.disks[1])))
    with speaking(in_window(ENGLISH)):
        person = visit(bench)
        person.open_kept().more_button.click()
        until(lambda: f"Make a portrait first: {text('portrait')}" in person.plan.notice.text)


def test_what_was_measured_without_an_answer_says_how_long_it_takes_in_its_state() -> None:
    undecided = measured(Decision.UNDECIDED)
    undecided = replace(undecided, plan=replace(undecided.plan, budget="quick"))
    assert longer_text(undecided)[1] == text("measure-longer", minutes=10)
    assert longer_text(exhausted(undecided))[1] == text("measure-longer", minutes=15), "half as long again"
