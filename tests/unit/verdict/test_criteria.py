# SPDX-License-Identifier: GPL-3.0-or-later
"""What bounds a winner: a goal's prices where any were planned, else what ran beside the program that decides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.verdict.making import LAUNCH, WRITE, WRITER, made

from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision


@pytest.mark.parametrize(
    ("took", "left", "decision"),
    [
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
    found = judge(result)
    assert (found.decision, found.winner) == (decision, "bfq")
    assert ("price-beyond" in [sentence.id for sentence in found.why]) is (decision is Decision.TRADE_OFF)


def test_where_a_price_of_the_goal_is_planned_only_that_bounds() -> None:
    both = made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.03}, metrics=(LAUNCH, WRITER, WRITE))
    assert judge(both).decision is Decision.SWITCH
    not_yet = replace(both, samples=tuple(each for each in both.samples if each.metric != WRITE))
    assert judge(not_yet).decision is not Decision.TRADE_OFF, "it is measured later, for those who may win"
