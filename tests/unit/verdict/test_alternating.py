# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs in random order: the bounds hold at every look (``./dev bench bench_field`` simulates weeks)."""

from __future__ import annotations

import math
from random import Random

import numpy as np

from disktuner.verdict.alternating import ALPHA, effect, wealth


def test_who_bets_on_nothing_seldom_wins_at_any_time() -> None:
    random, won = Random(1), 0
    for _ in range(400):
        pairs = np.array([random.gauss(0, 1.5) for _ in range(60)])
        won += any(wealth(pairs[:n]) >= -math.log(ALPHA) for n in range(1, 61))
    assert won <= 400 * ALPHA + 2 * (400 * ALPHA) ** 0.5


def test_its_bounds_close_around_what_there_is() -> None:
    random, wide = Random(2), math.inf
    for count in (10, 40, 160):
        gain = effect([random.gauss(0.7, 1) for _ in range(count)])
        assert gain and gain.n == count and abs(gain.gain - 0.7) < gain.reach(ALPHA) < wide
        wide = gain.reach(ALPHA)
    assert wide < 0.4


def test_a_few_pairs_and_none_prove_nothing() -> None:
    assert effect([]) is None
    gain = effect([5.0, 5.0])
    assert gain and gain.gain - gain.reach(ALPHA) < 0


def test_one_wild_pair_does_not_carry_the_others_away() -> None:
    gain, wild = effect([0.1, -0.1] * 20), effect([0.1, -0.1] * 20 + [500.0])
    assert gain and wild and abs(gain.gain) < 0.01 and abs(wild.gain) < 0.1
