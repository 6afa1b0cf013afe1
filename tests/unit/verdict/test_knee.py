# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of fast writing is found in random curves, and never in those without one."""

from __future__ import annotations

import pytest
from tests.unit.verdict.curves import CURVE_S, STEPS, draw_ending, draw_endless

from disktuner.verdict.knee import find_knee


def test_the_end_and_what_remains_are_found_in_thirty_curves() -> None:
    drawn = [draw_ending(seed) for seed in range(30)]
    knees = [find_knee(portrait.steps_s) for portrait in drawn]
    places = [knee is not None and abs(knee.step / portrait.end - 1) <= 0.15
              for portrait, knee in zip(drawn, knees, strict=True)]  # fmt: skip
    speeds = [knee is not None and abs(knee.step_s_after / portrait.slow_s - 1) <= 0.1
              for portrait, knee in zip(drawn, knees, strict=True)]  # fmt: skip
    within = [
        knee is not None and knee.low <= portrait.end <= knee.high for portrait, knee in zip(drawn, knees, strict=True)
    ]
    assert sum(places) >= 29 and sum(speeds) >= 29 and sum(within) >= 27


def test_no_end_is_found_in_fifty_curves_without_one() -> None:
    assert [seed for seed in range(50) if find_knee(draw_endless(seed).steps_s)] == []


@pytest.mark.long
def test_the_figures_of_the_documentation() -> None:
    """docs/portrait.md has them."""
    assert [seed for seed in range(1000) if find_knee(draw_endless(seed).steps_s)] == []
    pairs = [(drawn, knee) for seed in range(500) if (knee := find_knee((drawn := draw_ending(seed)).steps_s))]
    assert len(pairs) == 500
    assert sum(abs(knee.step / drawn.end - 1) <= 0.15 for drawn, knee in pairs) == 499
    assert sum(abs(knee.step_s_after / drawn.slow_s - 1) <= 0.1 for drawn, knee in pairs) == 496
    assert sum(knee.low <= drawn.end <= knee.high for drawn, knee in pairs) == 481


@pytest.mark.parametrize("count", [0, 1, 17, 18, 100])
def test_however_few_steps_there_are(count: int) -> None:
    assert find_knee([1.0] * count) is None


def test_what_comes_back_is_no_end() -> None:
    step_s = CURVE_S / STEPS
    assert find_knee([step_s] * 400 + [8 * step_s] * 60 + [step_s] * 1000) is None
    assert find_knee([step_s] * 400 + [8 * step_s] * 200) is not None


def test_what_comes_back_at_last_or_again_and_again_is_no_end() -> None:
    step_s = CURVE_S / STEPS
    fast, slow = [step_s] * 140, [10 * step_s] * 28
    assert find_knee(fast * 6 + slow * 3 + fast) is None
    assert find_knee(fast * 5 + slow + fast + slow) is None
    assert find_knee(fast * 5 + slow * 3) is not None


def test_a_slow_beginning_is_no_end() -> None:
    assert find_knee([8.0] * 40 + [1.0] * 400) is None


def test_a_small_drop_is_none() -> None:
    assert find_knee([1.0] * 400 + [1.25] * 400) is None
    assert find_knee([1.0] * 400 + [1.4] * 400) is not None


def test_a_single_stall_is_no_end_however_long() -> None:
    step_s = CURVE_S / STEPS
    for stall_s in (10.0, 20.0, 40.0):
        assert find_knee([step_s] * 1500 + [stall_s] + [step_s] * 80) is None


def test_a_stall_before_the_end_does_not_move_it() -> None:
    step_s = CURVE_S / STEPS
    knee = find_knee([step_s] * 100 + [8.0] + [step_s] * 600 + [2 * step_s] * 500)
    assert knee and (knee.step, round(knee.step_s_after / step_s, 6)) == (701, 2.0)
    assert knee.step_s_before < 1.2 * step_s
