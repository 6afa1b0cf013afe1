# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning many settings: who is left out, what is said of those, and when they return."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.bench.playing import next_schedulers, played
from tests.unit.verdict.making import LAUNCH, made

from disktuner.results.codec import decode, encode
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.messages import say_all

SETTINGS = ("bfq", *(f"bfq:slice_idle={number}" for number in range(12)))
NOTHING = (1.0,) * 12


def tuning(gains: tuple[float, ...], rounds: int, deviation: float = 0.03) -> Result:
    """A result of settings that were all measured in so many rounds."""
    effects = {(LAUNCH, name): 1 / gain for name, gain in zip(SETTINGS[1:], gains, strict=True)}
    found = made(effects, deviation, rounds, 20, (LAUNCH,), SETTINGS)
    return replace(found, plan=replace(found.plan, tunes=True))


def played_in_vain() -> Result:
    """A tuning in which nothing gains anything, to its end."""
    source = np.random.default_rng(1)
    logs = source.normal(0, 0.08, (len(SETTINGS), 14)) + source.normal(0, 1, 14)
    return played({LAUNCH: logs}, "desktop", SETTINGS, tunes=True)


def test_nothing_gained_is_an_answer_that_names_who_left_early_and_the_bound() -> None:
    result = played_in_vain()
    verdict = judge(result)
    assert verdict.decision is Decision.KEEP
    assert len(verdict.left_out) > 6
    assert verdict.bound is not None and verdict.bound < 1.2
    said = say_all(verdict.why)
    assert said.startswith("Tuning gains nothing that is worth it.")
    assert "Left out early" in said and "Keep bfq." in said
    assert judge(decode(encode(result))) == verdict


def test_the_same_runs_without_tuning_decide_nothing_of_those_who_left() -> None:
    result = played_in_vain()
    plain = judge(replace(result, plan=replace(result.plan, tunes=False)))
    assert plain.decision is Decision.UNDECIDED and not plain.left_out


def test_the_worse_half_is_asked_no_more_after_two_rounds() -> None:
    assert next_schedulers(tuning(NOTHING, 1)) == SETTINGS
    asked = next_schedulers(tuning(NOTHING, 2, deviation=0.1))
    assert asked[0] == "bfq" and 2 <= len(asked) <= 8


def test_who_left_returns_where_nobody_else_answers() -> None:
    """All who stayed are ruled out, one who left after two noisy rounds is not."""
    full = tuning(NOTHING, 8)
    late = {SETTINGS[5]: 1.25}
    kept = tuple(
        replace(s, value=s.value / late.get(s.scheduler, 1.0))
        for s in full.samples
        if s.scheduler != SETTINGS[5] or s.round < 2
    )
    result = replace(full, samples=kept)
    assert judge(result).decision is Decision.UNDECIDED
    assert next_schedulers(result) == ("bfq", SETTINGS[5])
