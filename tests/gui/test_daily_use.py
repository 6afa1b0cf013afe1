# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result to a trial in daily use and back, and what its own result offers."""

from __future__ import annotations

from dataclasses import replace

from disktuner.field.blocks import Block
from disktuner.field.trial import empty_result
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import PageOf
from tests.gui.person import Visit, details, said, until
from tests.gui.stand_ins import Bench, disk

PAIR = (Setting("mq-deadline"), Setting("bfq"))


def test_a_winner_can_be_proved_in_daily_use(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
    person.to_result()
    person.details.prove_button.setFocus()
    assert text("prove-offer") in said(person.result)
    person.press("prove-now")
    until(lambda: bench.proved)
    ((tried, settings),) = bench.proved
    assert (tried.name, settings) == ("sda", PAIR)
    until(lambda: "now changes between" in person.window.notice.text)


def test_its_result_is_shown_and_not_measured_on(page_of: PageOf) -> None:
    blocks = [Block(order, "", 30.0, 600.0, (9.0, 2.0)[Block(order).which(1)]) for order in range(60)]
    samples = tuple(sample for each in blocks for sample in each.samples(PAIR[each.which(1)]))
    page = page_of(replace(empty_result(disk(), PAIR, 1), samples=samples))
    assert page.presented.title == "Switch to bfq" and "daily use" in page.presented.glance.sentence
    assert not page.more_button.isVisible() and not details(page).prove_button.isVisible()
    assert not details(page).tune_button.isVisible()
