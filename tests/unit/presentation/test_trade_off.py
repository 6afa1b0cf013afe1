# SPDX-License-Identifier: GPL-3.0-or-later
"""What is gained against what it costs: which figures stand against each other, on which scales, and in which words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.verdict.making import FAIRNESS, LAUNCH, READ, READS, WRITE, made

from disktuner.presentation import TradeOff, present
from disktuner.results.model import Result
from disktuner.verdict.judge import judge

DEAR = {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.5, (FAIRNESS, "bfq"): 0.9}


def weighed(result: Result, **changes: object) -> TradeOff:
    found = present(result, replace(judge(result), **changes)).trade_off  # type: ignore[arg-type]
    assert found is not None
    return found


def test_what_decides_stands_against_the_price_that_is_worst() -> None:
    found = weighed(made(DEAR, metrics=(LAUNCH, FAIRNESS, WRITE)), winner="bfq")
    assert (found.deciding.metric.name, found.price.metric.name) == (LAUNCH, WRITE)
    assert found.accepted == pytest.approx(2 / 3)
    fair = {**DEAR, (WRITE, "bfq"): 0.95}
    assert weighed(made(fair, metrics=(LAUNCH, FAIRNESS, WRITE)), winner="bfq").price.metric.name == FAIRNESS


def test_no_picture_without_a_price() -> None:
    assert present(made({(LAUNCH, "bfq"): 0.2}, metrics=(LAUNCH,))).trade_off is None
    assert present(made({}, metrics=READS, goal="database")).trade_off is None
    assert present(made(DEAR, schedulers=("bfq",))).trade_off is None


def test_what_decides_and_is_lost_is_a_price() -> None:
    found = weighed(made({(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 1.9}, metrics=(LAUNCH, READ)))
    assert (found.deciding.metric.name, found.price.metric.name) == (LAUNCH, READ)
    assert found.accepted == pytest.approx(1 / 1.2)
