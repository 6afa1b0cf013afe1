# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result to a trial in daily use and back, and what its own result offers."""

from __future__ import annotations

import os
import threading
from dataclasses import replace

import pytest

from disktuner.helper_client import calls
from disktuner.helper_client.calls import FieldTrial, Wish
from disktuner.presentation import present
from disktuner.vocabulary.errors import NotAuthorised
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from disktuner_watch.field.blocks import Block
from disktuner_watch.field.saved import Place, empty_result
from tests.gui.conftest import PageOf
from tests.gui.person import Person, Visit, details, pressable, said, until, words
from tests.gui.stand_ins import Bench, disk

PAIR = (Setting("mq-deadline"), Setting("bfq"))


def test_a_winner_can_be_proved_in_daily_use(person: Person, bench: Bench) -> None:
    person.to_result()
    person.details.prove_button.setFocus()
    assert text("prove-offer") in said(person.result)
    person.press("prove-now")
    until(lambda: bench.proved)
    ((tried, settings),) = bench.proved
    assert (tried.name, settings) == ("sda", PAIR)
    until(lambda: "now alternates between" in person.window.notice.text)


@pytest.mark.parametrize("is_refused", [False, True])
def test_while_a_password_is_asked_for_it_is_not_begun_twice_and_nothing_else_is(
    visit: Visit, bench: Bench, *, is_refused: bool
) -> None:
    answered = threading.Event()

    class Asked(list[object]):
        def append(self, wish: object) -> None:
            answered.wait()
            if is_refused:
                raise NotAuthorised("refused-nobody-to-ask")
            super().append(wish)

    bench.proved = Asked()
    person = visit(bench)
    person.to_result()
    buttons = person.details.prove_button, person.result.use_button
    person.press("prove-now")
    try:
        assert [(button.isEnabled(), button.toolTip()) for button in buttons] == [
            (False, text("waiting-for-helper")) for _ in buttons
        ]
    finally:
        answered.set()
    until(lambda: all(button.isEnabled() for button in buttons))
    assert len(bench.proved) == (not is_refused)
    person.reads("Nothing was changed." if is_refused else "now alternates between")


def trial_of(uid: int) -> FieldTrial:
    return FieldTrial("t1", uid, (Wish("mq-deadline", {}), Wish("bfq", {})), 0, 2_000_000_000, ("sda",))


def test_it_is_paused_continued_and_ended_on_the_card_which_says_what_the_disk_has(visit: Visit, bench: Bench) -> None:
    place = Place()
    place.lock()
    bench.helper.tried = (trial_of(os.getuid()),)
    person = visit(bench)
    card = person.window.disks_page.card("sda")
    for name, is_paused in (("pause", True), ("continue", False)):
        person.press(name)
        until(lambda is_paused=is_paused: ("Paused: the disk keeps mq-deadline." in words(card)) == is_paused)
        assert place.is_paused == is_paused
    person.press("go-back", card)
    until(lambda: text("field-stopped") in person.window.notice.text and not pressable("Pause"))
    assert not [call for call in bench.helper.calls if call != calls.get_state()], "nobody is asked"


def test_while_it_is_being_ended_it_is_not_ended_again(visit: Visit, bench: Bench) -> None:
    may_end, ended, plain = threading.Event(), list[bool](), bench.instruments()

    def end() -> None:
        ended.append(may_end.wait())
        plain.stop_proving()

    bench.instruments = lambda: replace(plain, stop_proving=end)
    bench.helper.tried = (trial_of(os.getuid()),)
    person = visit(bench)
    card = person.window.disks_page.card("sda")
    person.press("go-back", card)
    try:
        assert not pressable(text("go-back"), card)
        person.running.go_back("sda")
    finally:
        may_end.set()
    until(lambda: text("field-stopped") in person.window.notice.text and not person.running.state.calling)
    assert ended == [True]


def test_where_it_cannot_be_paused_that_is_said(visit: Visit, bench: Bench) -> None:
    bench.helper.tried = (trial_of(os.getuid()),)
    person = visit(bench)
    person.press("pause")
    until(lambda: "field/paused" in person.window.notice.text)


def test_somebody_elses_is_not_paused(visit: Visit, bench: Bench) -> None:
    bench.helper.tried = (trial_of(os.getuid() + 1),)
    person = visit(bench)
    until(lambda: "Tried in daily use" in words(person.window.disks_page.card("sda")))
    assert not pressable("Pause")


def test_its_result_is_shown_and_not_measured_on(page_of: PageOf) -> None:
    blocks = [Block(order, "", 30.0, 600.0, (9.0, 2.0)[Block(order).which(1)]) for order in range(60)]
    samples = tuple(sample for block in blocks for sample in block.samples(PAIR[block.which(1)]))
    measured = replace(empty_result(disk(), PAIR, 1), samples=samples)
    page = page_of(measured)
    assert page.presented.title == "Switch to bfq"
    assert page.presented.glance.sentence.startswith(
        "Per hour of use, programs freeze for 12 s instead of 54 s: 4× better"
    )
    assert not page.more_button.isVisible() and not details(page).prove_button.isVisible()
    assert not details(page).tune_button.isVisible()
    assert page.presented.heading.run.startswith("10 hours of use, 20"), "rounds are no word for it"
    assert present(replace(measured, samples=samples[:12])).why.endswith(" of use should settle it.")
