# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit of one metric: the effects of shifted rounds, missing runs and outliers, and its certainty."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from disktuner.verdict.effects import Effect
from disktuner.verdict.fitting import fit

NAN = np.nan


def fitted(levels: NDArray[np.float64]) -> list[Effect]:
    """The gains of all settings over the first, which shares rounds with them."""
    effects = fit(levels, 0.2)
    assert all(effects)
    return [effect for effect in effects if effect]


def test_a_level_that_a_whole_round_shares_falls_out() -> None:
    levels = np.array([[0.0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5]])
    (effect,), (shifted_effect,) = fitted(levels), fitted(levels + np.array([0, 7, -3, 40]))
    assert shifted_effect.gain == pytest.approx(0.5) and shifted_effect.std_error == pytest.approx(effect.std_error)


def test_incomplete_rounds_count_and_what_shares_no_round_is_not_compared() -> None:
    levels = np.array([[0.0, 0, NAN, 0, NAN], [1.0, NAN, 3, 1, NAN], [NAN, 2, 4, 2, NAN], [NAN] * 4 + [5.0]])
    *effects, apart = fit(levels, 0.2)
    assert [effect and effect.gain for effect in effects] == pytest.approx([1, 2]) and apart is None
    assert [effect and effect.n for effect in effects] == [2, 2]


def test_one_wild_run_moves_nothing_from_five_rounds_on() -> None:
    source = np.random.default_rng(1)
    levels = source.normal(0, 0.02, (4, 8)) + np.array([0, 0, 0, 0.3])[:, None]
    wild = levels.copy()
    wild[3, 2] -= 3.0
    assert fitted(wild)[-1].gain == pytest.approx(0.3, abs=0.05)
    assert fitted(wild)[-1].std_error < 0.1 < abs(fitted(wild[:, :4])[-1].gain - 0.3)


def test_helpers_count_less_where_the_runs_are_noisier_than_they() -> None:
    source = np.random.default_rng(2)
    quiet = source.normal(0, 0.03, (4, 12))
    noisy = quiet.copy()
    noisy[3] *= 20
    first, *_, last = fitted(noisy)
    assert last.std_error > 2 * first.std_error, "its own noise is believed"
    (alone,), (wild,) = fitted(source.normal(0, 0.1, (2, 8))), fitted(source.normal(0, 0.6, (2, 8)))
    assert wild.df < alone.df, "the prior knows less of runs that contradict it"
    (alone,) = fitted(quiet[:2, :1])
    assert alone.std_error > 0 and alone.df == pytest.approx(2), "after one run only the prior is known"


def test_helpers_count_less_where_they_say_far_more_than_the_runs() -> None:
    source = np.random.default_rng(3)
    levels = source.normal(0, 0.03, (4, 8))
    steady, *_ = fitted(levels)
    levels[3] = levels[3] * 20 - 1.5
    spoiled, *_, bad = fitted(levels)
    assert spoiled.std_error < 1.5 * steady.std_error and bad.std_error > 5 * steady.std_error
    few, *_ = fitted(levels[:, :2])
    assert few.std_error > 2 * steady.std_error, "two runs that agree by chance prove nothing"


def test_what_is_assumed_fades_with_the_runs_and_in_the_forecast() -> None:
    levels = np.random.default_rng(4).normal(0, 0.01, (2, 60))
    single, *later = (fitted(levels[:, :n])[0].std_error * n**0.5 for n in (1, 6, 60))
    assert single > 0.1 and later == pytest.approx([0.014, 0.014], rel=0.5)
    (after_three,) = fitted(levels[:, :3])
    (at_twenty,) = fitted(levels[:, :20])
    assert after_three.after(17).std_error == pytest.approx(at_twenty.std_error, rel=0.5)


def test_the_fewer_settings_the_less_a_look_may_spend() -> None:
    levels = np.random.default_rng(5).normal(0, 0.1, (5, 8))
    spent = [fitted(levels[:count])[0].level or 0 for count in (2, 3, 4, 5)]
    assert spent[0] < spent[1] < spent[2] == spent[3]


def test_who_seems_to_gain_most_of_several_is_not_likely_to_for_that_alone() -> None:
    near, far = Effect(4, 0.25, 0.15, 8.0), Effect(4, 0.9, 0.15, 8.0)
    assert near.chance_above(0.18) < 0.3 < 0.95 < far.chance_above(0.18)
    assert Effect(4, 600.0, 0.01, 8.0).chance_above(0.18) == 1
