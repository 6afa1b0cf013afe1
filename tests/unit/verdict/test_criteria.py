# SPDX-License-Identifier: GPL-3.0-or-later
"""What bounds a winner: a goal's prices where any were planned, else what ran beside the program that decides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.verdict.making import COPY, LAUNCH, READ, WRITE, WRITER, made

from disktuner.results.model import Result
from disktuner.verdict.analysis import FAMILY_ALPHA, analyse
from disktuner.verdict.criteria import criteria
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import OWN
from disktuner.vocabulary.metrics import BESIDE_MAY_LOSE, Metric

EFFECTS = {(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.03}


def as_own(result: Result) -> Result:
    """The same figures, of the same program given as a command."""

    def own(name: str) -> str:
        return name.replace("launch-under-writes", "own-command")

    def renamed(metric: Metric) -> Metric:
        return replace(metric, name=own(metric.name))

    return replace(
        result,
        plan=replace(result.plan, goal=OWN.id),
        metrics={own(name): renamed(metric) for name, metric in result.metrics.items()},
        samples=tuple(replace(each, metric=own(each.metric)) for each in result.samples),
    )


def test_a_start_alone_is_bounded_by_what_its_writers_lose_and_so_is_the_same_as_a_command() -> None:
    alone = made(EFFECTS, metrics=(LAUNCH, WRITER))
    assert criteria(alone).prices == {WRITER: BESIDE_MAY_LOSE}
    assert dict(criteria(as_own(alone)).prices) == {"own-command.write_bytes_per_s": BESIDE_MAY_LOSE}
    for each in (alone, as_own(alone)):
        found = judge(each)
        assert (found.decision, found.winner) == (Decision.TRADE_OFF, "bfq")
        assert "price-beyond" in [sentence.id for sentence in found.why]


@pytest.mark.parametrize(
    ("took", "left", "decision"),
    [
        (0.77, 0.62, Decision.SWITCH),
        (0.77, 0.50, Decision.TRADE_OFF),
        (0.50, 0.40, Decision.SWITCH),
        (0.50, 0.28, Decision.TRADE_OFF),
        (0.20, 0.08, Decision.SWITCH),
        (0.20, 0.03, Decision.TRADE_OFF),
    ],
)
def test_what_runs_beside_may_lose_a_third_of_what_it_managed_until_the_program_was_done_before(
    took: float, left: float, decision: Decision
) -> None:
    result = made({(LAUNCH, "bfq"): took, (WRITER, "bfq"): left}, metrics=(LAUNCH, WRITER))
    assert judge(result).decision is decision
    assert judge(as_own(result)).decision is decision


def test_that_any_price_differs_is_found_wrongly_in_one_of_twenty_at_most() -> None:
    found = analyse(made({}, metrics=(LAUNCH, WRITE, COPY)))
    assert set(found.criteria.prices) == {WRITE, COPY}
    spent = sum(found.errors[name].low + found.errors[name].high for name in found.criteria.prices)
    assert spent * len(found.others) == pytest.approx(FAMILY_ALPHA)


def test_where_a_price_of_the_goal_is_planned_only_that_bounds() -> None:
    both = made(EFFECTS, metrics=(LAUNCH, WRITER, WRITE))
    assert set(criteria(both).prices) == {WRITE}
    assert judge(both).decision is Decision.SWITCH
    before = replace(both, samples=tuple(each for each in both.samples if each.metric != WRITE))
    assert not criteria(before).prices, "it is measured later, for those who may win"


def test_what_ran_beside_something_that_does_not_decide_bounds_nothing() -> None:
    assert not criteria(made({}, metrics=(READ, WRITER))).prices
