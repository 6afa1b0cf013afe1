# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever was measured: the first thing that is said is what its chart shows, and no price beyond is left out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from tests.gui.answers import measured
from tests.unit.presentation.generating import results
from tests.unit.verdict.making import LAUNCH, WRITER, made

from disktuner.presentation import Glance, for_goal, other_goals, present
from disktuner.results.codec import load
from disktuner.results.model import Result
from disktuner.verdict.model import Decision

ROOT = Path(__file__).resolve().parents[3]
SHOWN = sorted((*(ROOT / "docs/measured").glob("*.json"), *(ROOT / "tests/data/results").glob("*.json")))


def check(result: Result) -> Glance:
    """The sentence states what the panel shows of the setting that it is about; the title does not contradict it."""
    shown = present(result)
    found, verdict = shown.glance, shown.verdict
    about = verdict.winner or verdict.leader
    rows = {row.setting: row for row in found.panel.rows} if found.panel else {}
    if about is not None and found.panel is not None and verdict.leading == found.panel.metric.name:
        assert rows[about].value in found.sentence and rows[verdict.baseline].value in found.sentence
    if verdict.winner is not None and verdict.decision is not Decision.TRADE_OFF:
        assert rows[verdict.winner].estimate is not None and rows[verdict.winner].estimate.gain > 0
    for panel in shown.panels:
        for row in panel.rows:
            assert row.ends is None or row.ends[1] <= row.ends[0] + math.log(10.01)
            assert row.finding != "can't tell" or not row.interval
    return found


@pytest.mark.parametrize("file", SHOWN, ids=lambda file: file.stem)
def test_a_result_that_was_measured_is_said_as_it_is_shown(file: Path) -> None:
    check(load(file))


def test_the_same_samples_answer_another_goal_where_all_that_decides_was_measured() -> None:
    """A disk for a desktop, of which reads beside writes were measured with all schedulers, copies only with two."""
    found = load(ROOT / "docs/measured/hard-disk-desktop.json")
    assert [goal.id for goal in other_goals(found)] == ["server"]
    assert present(for_goal(found, "server")).verdict.baseline == found.plan.baseline
    assert other_goals(load(ROOT / "tests/data/results/write-up-a.json")) == ()


@given(results())
def test_any_result_is_said_as_it_is_shown(result: Result) -> None:
    check(result)


@pytest.mark.parametrize("decision", Decision)
def test_each_answer_has_its_sentence_and_its_price(decision: Decision) -> None:
    found = check(measured(decision))
    assert found.sentence and len(found.spoken.split()) <= 30
    assert found.turns == (decision in (Decision.CONDITIONAL, Decision.TRADE_OFF))
    assert bool(found.price) == found.turns, "of what may be no loss, no price is named"


def test_what_is_written_meanwhile_is_a_price_where_nothing_that_counts_gets_worse() -> None:
    found = present(made({(LAUNCH, "bfq"): 0.3, (WRITER, "bfq"): 0.2})).glance
    assert "writing meanwhile" in found.price and not found.turns
