# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit of one metric: what shifts of whole rounds, missing runs and wild ones do to it, and how sure it is."""

from __future__ import annotations

import numpy as np
import pytest

from disktuner.verdict.fitting import fit

NAN = np.nan


def test_a_level_that_a_whole_round_shares_falls_out() -> None:
    levels = np.array([[0.0, 1, 2, 3], [0.5, 1.5, 2.5, 3.5]])
    shifted = levels + np.array([0, 7, -3, 40])
    assert fit(shifted, 0.2).gains == pytest.approx([0, 0.5])
    assert fit(shifted, 0.2).errors == pytest.approx(fit(levels, 0.2).errors)


def test_incomplete_rounds_count_and_what_shares_no_round_is_not_compared() -> None:
    levels = np.array([[0.0, 0, NAN, 0, NAN], [1.0, NAN, 3, 1, NAN], [NAN, 2, 4, 2, NAN], [NAN] * 4 + [5.0]])
    found = fit(levels, 0.2)
    assert found.gains[:3] == pytest.approx([0, 1, 2])
    assert np.isnan(found.gains[3]) and list(found.rounds[1:]) == [2, 2, 0]


def test_one_wild_run_moves_nothing_from_five_rounds_on() -> None:
    source = np.random.default_rng(1)
    levels = source.normal(0, 0.02, (4, 8)) + np.array([0, 0, 0, 0.3])[:, None]
    wild = levels.copy()
    wild[3, 2] -= 3.0
    assert fit(wild, 0.2).gains[3] == pytest.approx(0.3, abs=0.05)
    assert fit(wild, 0.2).errors[3] < 0.1 < abs(fit(wild[:, :4], 0.2).gains[3] - 0.3)


def test_helpers_count_less_where_the_runs_are_noisier_than_they() -> None:
    source = np.random.default_rng(2)
    quiet = source.normal(0, 0.03, (4, 12))
    noisy = quiet.copy()
    noisy[3] *= 20
    found = fit(noisy, 0.2)
    assert found.errors[3] > 2 * found.errors[1], "its own noise is believed"
    assert found.freedom[3] < fit(quiet, 0.2).freedom[3]
    alone = fit(quiet[:2, :1], 0.2)
    assert alone.errors[1] > 0 and alone.freedom[1] == pytest.approx(2), "after one run only the prior is known"
