# SPDX-License-Identifier: GPL-3.0-or-later
"""Tuning many settings: what is fitted, who is left out, what is said of those, and how often all that is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.bench.halving import Field, draw, tuned
from tests.bench.playing import next_schedulers, played
from tests.unit.verdict.making import LAUNCH, READ, made

from disktuner.results.codec import decode, encode
from disktuner.results.model import Result
from disktuner.verdict.halving import bound, fit, least_bound, left_out, place
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.verdict.sequential import next_runs
from disktuner.vocabulary.messages import say_all

WORTH = float(np.log(1.2))
SETTINGS = ("bfq", *(f"bfq:slice_idle={number}" for number in range(12)))
OTHERS = (1.1, 1.05, 1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
PLANTED, NOTHING = (1.5, *OTHERS), (1.0,) * 12


def levels(deviation: float, rounds: int = 6, gains: tuple[float, ...] = (1.0, *NOTHING), seed: int = 1) -> np.ndarray:
    source = np.random.default_rng(seed)
    noise = source.normal(0, deviation, (len(gains), rounds))
    return np.log(gains)[:, None] + noise + source.normal(0, 1, rounds)


def tuning(gains: tuple[float, ...], rounds: int, deviation: float = 0.03) -> Result:
    """A result of settings that were all measured in so many rounds."""
    effects = {(LAUNCH, name): 1 / gain for name, gain in zip(SETTINGS[1:], gains, strict=True)}
    found = made(effects, deviation, rounds, 20, (LAUNCH,), SETTINGS)
    return replace(found, plan=replace(found.plan, tunes=True))


def test_with_complete_rounds_the_fit_is_the_difference_of_means() -> None:
    found = levels(0.1)
    fitted = fit(found)
    assert fitted.gains == pytest.approx(found.mean(axis=1) - found[0].mean())
    assert fitted.gains[0] == 0


def test_rounds_of_the_others_tell_of_one_that_left() -> None:
    """What changes from round to round hits nobody, and the baseline of later rounds counts."""
    all_, short = levels(0.05, 10), levels(0.05, 10)
    short[3, 2:] = np.nan
    alone = fit(short[:, :2])
    later = fit(short)
    assert later.errors[3] < alone.errors[3]
    assert later.errors[3] > fit(all_).errors[3]
    assert abs(later.gains[3]) < 4 * later.errors[3]


def test_nothing_is_said_of_one_round_nor_of_one_that_was_never_measured() -> None:
    found = levels(0.01, 4)
    found[2, 1:], found[5] = np.nan, np.nan
    assert np.isnan(bound(found)[[2, 5]]).all()
    assert np.isfinite(np.delete(bound(found), [2, 5])).all()
    assert np.isnan(bound(found[:, :1])).all()
    assert np.isnan(least_bound(found[:, :1])).all()


def test_rounds_without_the_baseline_count_for_nothing() -> None:
    found = levels(0.05, 6)
    found[0, 4:] = np.nan
    assert fit(found).gains == pytest.approx(fit(found[:, :4]).gains)


def test_one_that_varies_more_has_a_wider_error() -> None:
    found = levels(0.02, 8)
    found[4] += np.random.default_rng(2).normal(0, 0.3, 8)
    errors = fit(found).errors
    assert errors[4] > 2 * errors[3]


def test_of_equals_the_worse_half_leaves_and_of_far_better_ones_nobody_who_may_be_best() -> None:
    alike = levels(0.03, 2)
    out = left_out([place(alike)], WORTH)
    assert out.sum() == 6 and not out[0]
    assert left_out([place(levels(0.5, 2))], WORTH).sum() < 6
    one = left_out([place(levels(0.03, 2, (1.0, *PLANTED)))], WORTH)
    assert not one[1] and one[-1]


def test_who_is_better_elsewhere_stays() -> None:
    first = levels(0.02, 2, (1.0, 0.7, *(1.0,) * 11))
    second = levels(0.02, 2, (1.0, 1.5, *(1.0,) * 11), seed=2)
    assert left_out([place(first)], WORTH)[1]
    assert not left_out([place(first), place(second)], WORTH)[1]


@pytest.mark.parametrize(
    ("gains", "noise", "least"),
    [
        (PLANTED, "log-normal", 0.9),
        ((1.35, *OTHERS), "log-normal", 0.9),
        ((1.35, *OTHERS), "heavy tails", 0.9),
        (NOTHING, "log-normal", 0.9),
        (NOTHING, "heavy tails", 0.9),
    ],
)
def test_the_answer_is_right(gains: tuple[float, ...], noise: str, least: float) -> None:
    field = Field("", gains, 0.1, noise, rounds=20)
    found = tuned(draw(field, 100, 3), tuple(1 / gain for gain in gains))
    assert field.is_right(found.winner, found.keep) >= least
    assert found.false_gains(field) <= 0.05


def test_the_simulation_decides_as_the_program_does() -> None:
    for seed, (gains, deviation) in enumerate(
        [(PLANTED, 0.1), (NOTHING, 0.05), (NOTHING, 0.1), ((1.25, *OTHERS), 0.12)]
    ):
        field = Field("", gains, deviation, rounds=14)
        drawn = draw(field, 3, seed)
        found = tuned(drawn, tuple(1 / gain for gain in gains))
        for experiment in range(3):
            result = played({LAUNCH: -drawn[experiment]}, "desktop", SETTINGS, tunes=True)
            verdict = judge(result)
            winner = SETTINGS.index(verdict.winner) if verdict.winner else -1
            assert (winner, verdict.decision is Decision.KEEP) == (found.winner[experiment], found.keep[experiment])
            assert len(result.samples) == found.runs[experiment]


def test_nothing_gained_is_an_answer_that_names_who_left_early_and_the_bound() -> None:
    result = played({LAUNCH: levels(0.08, 14)}, "desktop", SETTINGS, tunes=True)
    verdict = judge(result)
    assert verdict.decision is Decision.KEEP
    assert len(verdict.left_out) > 6
    assert verdict.bound is not None and verdict.bound < 1.2
    said = say_all(verdict.why)
    assert said.startswith("Tuning gains nothing that is worth it.")
    assert "Left out early" in said and "Keep bfq." in said
    assert judge(decode(encode(result))) == verdict


def test_the_same_runs_without_tuning_decide_nothing_of_those_who_left() -> None:
    result = played({LAUNCH: levels(0.08, 14)}, "desktop", SETTINGS, tunes=True)
    plain = replace(result, plan=replace(result.plan, tunes=False))
    assert judge(plain).decision is Decision.UNDECIDED
    assert not judge(plain).left_out


def test_the_worse_half_is_asked_no_more_after_two_rounds() -> None:
    assert next_schedulers(tuning(NOTHING, 1)) == SETTINGS
    asked = next_schedulers(tuning(NOTHING, 2, deviation=0.1))
    assert asked[0] == "bfq" and 2 <= len(asked) <= 8


def test_halves_are_told_by_all_that_decides() -> None:
    found = made({}, 0.1, 2, 20, (LAUNCH, READ), SETTINGS)
    both = replace(found, plan=replace(found.plan, tunes=True))
    runs = next_runs(both)
    assert len(set(runs.values())) == 1 and len(next(iter(runs.values()))) <= 8
    only = replace(both, samples=tuple(s for s in both.samples if s.metric == LAUNCH or s.round == 0))
    assert all(each == SETTINGS for each in next_runs(only).values()), "one round of the other figure is not enough"


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


def test_who_leads_was_not_left_behind() -> None:
    found = tuning((1.0, 1.5, *NOTHING[2:]), 4, deviation=0.2)
    leads = judge(found).leader
    assert leads is not None
    shorter = replace(found, samples=tuple(s for s in found.samples if s.scheduler != leads or s.round != 3))
    verdict = judge(shorter)
    assert verdict.leader == leads and leads not in verdict.left_out
    assert not any(leads in each.values.get("settings", ()) for each in verdict.why if each.id == "left-out-early")
