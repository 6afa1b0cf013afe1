# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying to a stick: a limit that makes "done" mean done is taken if it costs nothing, else its cost is reported."""

from __future__ import annotations

import pytest
from tests.unit.verdict.making import DONE, GAP, SAFE, made, settings

from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
from disktuner.verdict.race import next_turn
from disktuner.vocabulary.messages import say_all

LIMITED, MORE = (f"mq-deadline:bdi/max_bytes={mib << 20},bdi/strict_limit=1" for mib in (16, 64))
COMPARED = ("mq-deadline", "none", "kyber", "bfq", LIMITED, MORE)
SAME: dict[tuple[str, str], float] = {}
FREE = {(GAP, LIMITED): 0.12, (DONE, LIMITED): 60, (GAP, MORE): 0.75, (DONE, MORE): 30}
DEAR = {**FREE, (SAFE, LIMITED): 1.4}


@pytest.mark.parametrize(
    ("effects", "done", "decision", "winner"),
    [
        (FREE, 3, Decision.SWITCH, LIMITED),
        ({**FREE, (SAFE, LIMITED): 1.06}, 6, Decision.SWITCH, LIMITED),
        (DEAR, 4, Decision.TRADE_OFF, LIMITED),
        ({**DEAR, (GAP, MORE): 0.4}, 4, Decision.SWITCH, MORE),
        (SAME, 4, Decision.KEEP, None),
        ({(GAP, LIMITED): 0.85}, 6, Decision.KEEP, None),
    ],
    ids=["free", "hardly", "dear", "dear, but more may wait", "the same", "too little"],
)
def test_a_limit_is_judged_by_what_it_gains_and_by_how_long_all_takes(
    effects: dict[tuple[str, str], float], done: int, decision: Decision, winner: str | None
) -> None:
    for seed in range(20):
        verdict = judge(made(effects, 0.02, done, None, (GAP, SAFE, DONE), COMPARED, "removable", seed))
        assert (verdict.decision, verdict.winner and verdict.winner.name) == (decision, winner), seed


def test_whoever_waits_longest_is_told_so_in_its_own_words() -> None:
    free, dear = (
        say_all(judge(made(effects, 0.02, 6, None, (GAP, SAFE, DONE), COMPARED, "removable")).answer.sentences)
        for effects in (FREE, DEAR)
    )
    assert free.startswith("Waiting until it is safe to unplug: ") and "better (at least" in free
    assert " for “Copying until it is safe to unplug”; this goal accepts at most 1.11× slower." in dear


def test_schedulers_that_change_nothing_leave_after_one_round() -> None:
    turn = next_turn(made(FREE, 0.02, 1, None, (GAP, SAFE, DONE), COMPARED, "removable"))
    assert turn.runs == {"copy-then-unplug": settings("mq-deadline", LIMITED)}
