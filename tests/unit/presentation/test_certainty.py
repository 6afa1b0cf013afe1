# SPDX-License-Identifier: GPL-3.0-or-later
"""How certain an answer is said and drawn to be, for results of all kinds."""

from __future__ import annotations

import math
import re

import pytest
from tests.unit.cli.kinds import every

from disktuner.presentation import present
from disktuner.verdict.outcomes import Decision

RESULTS = every()
AT_LEAST = re.compile(r"at least ([\d.]+×)")


@pytest.mark.parametrize("kind", RESULTS)
def test_what_is_sure_agrees_with_what_is_answered(kind: str) -> None:
    presented = present(RESULTS[kind])
    verdict, glance = presented.verdict, presented.glance
    certainty = glance.certainty
    if certainty is None:
        assert verdict.winner is None or math.isinf(verdict.assessments[verdict.winner].low)
        return
    assert certainty.low <= certainty.gain <= certainty.high and certainty.worth == verdict.worth
    assert 0 <= certainty.scale.at(certainty.gain) <= 1 and certainty.words in certainty.spoken
    if verdict.decision is Decision.KEEP:
        assert certainty.high <= certainty.worth + 1e-9, "a line that ends before the mark"
    elif verdict.winner is None:
        assert certainty.setting == verdict.leader and certainty.low < certainty.worth <= certainty.gain
        assert f"{certainty.worth:g}×" in certainty.words, "what it misses is named"
    elif at_least := AT_LEAST.search(glance.headline):
        assert AT_LEAST.search(certainty.words)[1] == at_least[1]


def test_of_what_nobody_feels_both_values_are_said_and_nothing_is_drawn() -> None:
    glance = present(RESULTS["nothing to feel"]).glance
    assert glance.panel is glance.certainty is None and glance.prices == ()
    assert "0.26 s with mq-deadline, 0.24 s with bfq" in glance.parts
