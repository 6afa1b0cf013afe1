# SPDX-License-Identifier: GPL-3.0-or-later
"""What is gained against what it costs: which figures stand against each other, on which scales, and in which words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.verdict.making import FAIRNESS, LAUNCH, READ, READS, WRITE, made

from disktuner.presentation import TradeOff, present
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, Unsettled
from disktuner.vocabulary.settings import Setting

UNSURE = made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75}, deviation=0.15, done=3)
DEAR = {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.5, (FAIRNESS, "bfq"): 0.9}


def weighed(result: Result, **changes: object) -> TradeOff:
    found = present(result, replace(judge(result), **changes)).trade_off  # type: ignore[arg-type]
    assert found is not None
    return found


def test_what_decides_stands_against_the_price_that_is_worst() -> None:
    found = weighed(made(DEAR, metrics=(LAUNCH, FAIRNESS, WRITE)), winner=Setting("bfq"))
    assert (found.deciding.metric.name, found.price.metric.name) == (LAUNCH, WRITE)
    assert found.accepted == pytest.approx(2 / 3)
    fair = {**DEAR, (WRITE, "bfq"): 0.95}
    assert weighed(made(fair, metrics=(LAUNCH, FAIRNESS, WRITE)), winner=Setting("bfq")).price.metric.name == FAIRNESS


def test_no_picture_without_a_price() -> None:
    assert present(made({(LAUNCH, "bfq"): 0.2}, metrics=(LAUNCH,))).trade_off is None
    assert present(made({}, metrics=READS, goal="database")).trade_off is None
    assert present(made(DEAR, schedulers=("bfq",))).trade_off is None


def test_both_sides_say_figure_certainty_and_limit() -> None:
    result = made(DEAR, metrics=(LAUNCH, WRITE))
    found = weighed(result, winner=Setting("bfq"), worth=1.2)
    assert found.sides is not None
    gain, price = found.sides
    rows = {panel.metric.name: panel.rows[-1] for panel in (found.deciding, found.price)}
    assert (gain.difference, price.difference) == (rows[LAUNCH].difference, rows[WRITE].difference)
    assert gain.sure == f"95 % sure: {rows[LAUNCH].interval}" and price.sure == f"95 % sure: {rows[WRITE].interval}"
    assert gain.head == "What bfq gains" and gain.limit == "A change is worth it from 20 % faster on."
    assert price.limit == "This goal accepts 50 % slower at most."
    assert found.rule.endswith("at least 20 % faster, at a price of 50 % slower at most.")
    assert weighed(result, winner=None, leader=None).sides is None


def test_of_a_condition_the_price_that_is_open_stands_beside_the_gain() -> None:
    shown = present(UNSURE)
    assert shown.verdict.decision is Decision.CONDITIONAL and shown.sides is not None
    assert shown.sides[1].label == next(panel.label for panel in shown.panels if panel.metric.name == WRITE)
    assert shown.conditions and {*shown.conditions} < {*shown.remarks} < {*shown.reasons}


@pytest.mark.parametrize("measured", [None, 1.3])
def test_what_was_measured_better_or_not_at_all_is_no_price(measured: float | None) -> None:
    open_ = (Unsettled(WRITE, measured, 0.5, 0.7, is_price=True),)
    shown = present(UNSURE, replace(judge(UNSURE), open=open_))
    assert shown.sides is None and shown.remarks == shown.reasons


def test_what_decides_and_is_lost_is_a_price() -> None:
    found = weighed(made({(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 1.9}, metrics=(LAUNCH, READ)))
    assert (found.deciding.metric.name, found.price.metric.name) == (LAUNCH, READ)
    assert found.sides is not None and found.accepted == pytest.approx(1 / found.worth)
