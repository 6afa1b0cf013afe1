# SPDX-License-Identifier: GPL-3.0-or-later
"""Where fast writing ends: the change point of a curve of writing times, with its uncertainty, or none.

The time is cut into slices of equal length, and two levels are fitted to the logarithms of their speeds by least
squares. There is an end where all of this holds:

- shuffled slices fit two levels as well in less than ``LEAST_P`` of all orders (a permutation test), so neither garbage
  collection nor other passing disturbances make one;
- two levels explain clearly more than a straight line, so a slow drift makes none;
- in each third of the time after it, writing is slower by ``DROP`` at least, and so are most slices in each part of
  that time, so what comes back makes none, whether for good or between two slow phases.

A step counts for no longer than a slice: a stall of many seconds is a single event, and would look like many slow
slices. Only the speed that remains includes stalls in full.

Among the steps near it the end is where two levels fit best again; the interval holds all places that fit as well, by
the likelihood ratio (95 %), widened by the residuals' autocorrelation.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

SLICES = 64
FEWEST_BEFORE, FEWEST_AFTER, SLICES_BEFORE, SHARE_AFTER = 6, 12, 2, 1 / 8
"""What must be known of either level: steps, slices before the end, and a share of the time after it."""
STEPS_OF_SLICE = 3
"""With fewer in the mean, a slow step would count as several slices that are alike."""
DROP = 4 / 3
"""By so much writing is slower for good. Chosen; as ``guard.SHIFT_FACTOR``."""
PARTS, SLICES_OF_PART = (3, 6), 4
"""Into how many parts the time after the end is cut: the more, the more slices there are."""
BETTER_THAN_LINE = 1.15
"""Of a step in the middle a line explains three quarters, of a line a step."""
LEAST_P, SHUFFLES = 0.0005, 2000
LIKELIHOOD_RATIO = 3.84
"""The 95 % quantile of chi-squared with one degree of freedom."""
NEAR_SLICES = 2
MOST_CORRELATION = 0.8


@dataclass(frozen=True, slots=True)
class Knee:
    """After so many steps writing becomes slower, between ``low`` and ``high``; seconds for a step before (without long
    stalls) and after."""

    step: int
    low: int
    high: int
    step_s_before: float
    step_s_after: float


def find_knee(steps_s: Sequence[float]) -> Knee | None:
    """Return where steps of equal size begin to take longer for good; None where no end can be told."""
    if len(steps_s) < FEWEST_BEFORE + FEWEST_AFTER:
        return None
    count = min(SLICES, len(steps_s) // STEPS_OF_SLICE)
    longest_s = sum(steps_s) / count
    curve = _Curve([min(step_s, longest_s) for step_s in steps_s])
    slices_s = [-math.log(after - before) for before, after in pairwise(curve.marks(0.0, curve.total_s, count))]
    limits = SLICES_BEFORE, count - max(SLICES_BEFORE, round(count * SHARE_AFTER))
    gain, at = _best_split(slices_s, *limits)
    if not gain or gain < BETTER_THAN_LINE * _line_gain(slices_s):
        return None
    step, low, high = _place(steps_s, *(round(curve.done(curve.total_s * near / count))
                                        for near in (at, at - NEAR_SLICES, at + NEAR_SLICES)))  # fmt: skip
    if not FEWEST_BEFORE <= step <= len(steps_s) - FEWEST_AFTER:
        return None
    began_s = curve.times_s[step]
    thirds = [after - before for before, after in pairwise(curve.marks(began_s, curve.total_s, 3))]
    step_s_before, third_s = began_s / step, (curve.total_s - began_s) / 3
    if third_s / max(thirds) < DROP * step_s_before or _comes_back(curve, began_s, count, DROP * step_s_before):
        return None
    if not _is_significant(slices_s, gain, limits):
        return None
    return Knee(step, low, high, step_s_before, sum(steps_s[step:]) / (len(steps_s) - step))


class _Curve:
    """How many steps are done by when, linear within a step."""

    def __init__(self, steps_s: Sequence[float]) -> None:
        self._steps_s = steps_s
        self.times_s = [0.0, *accumulate(steps_s)]
        self.total_s = self.times_s[-1]

    def done(self, time_s: float) -> float:
        step = min(max(0, bisect_right(self.times_s, time_s) - 1), len(self._steps_s) - 1)
        return step + min(1.0, max(0.0, time_s - self.times_s[step]) / self._steps_s[step])

    def marks(self, begin_s: float, end_s: float, count: int) -> list[float]:
        return [self.done(begin_s + (end_s - begin_s) * number / count) for number in range(count + 1)]


def _best_split(values: Sequence[float], first: int, last: int) -> tuple[float, int]:
    """Return how much of the squares two levels explain at most, the second being higher, and where it begins."""
    best, count, mean, below = (0.0, 0), len(values), sum(values) / max(1, len(values)), 0.0
    for at, value in enumerate(values[:last], 1):
        below += mean - value
        gain = below * below * count / (at * (count - at))
        if at >= first and below > 0 and gain > best[0]:
            best = gain, at
    return best


def _line_gain(values: Sequence[float]) -> float:
    """Return how much of the squares a straight line explains."""
    middle, width = (len(values) - 1) / 2, len(values) * (len(values) ** 2 - 1) / 12
    rise = sum((place - middle) * value for place, value in enumerate(values))
    return rise * rise / width


def _comes_back(curve: _Curve, began_s: float, count: int, slow_s: float) -> bool:
    """Return whether half of the slices in some part of the time from ``began_s`` on are faster than a slow step.

    ``count`` slices make up the whole curve.
    """
    after_s = curve.total_s - began_s
    slices = round(count * after_s / curve.total_s)
    parts = min(max(slices // SLICES_OF_PART, PARTS[0]), PARTS[1])
    of_part = max(1, slices // parts)
    marks = curve.marks(began_s, curve.total_s, parts * of_part)
    steps_s = [after_s / (parts * of_part) / (after - before) for before, after in pairwise(marks)]
    return any(median(steps_s[first : first + of_part]) < slow_s for first in range(0, len(steps_s), of_part))


def _is_significant(values: Sequence[float], gain: float, limits: tuple[int, int]) -> bool:
    source, shuffled, as_good = random.Random(0), list(values), 0  # noqa: S311 - the same answer each time
    for _ in range(SHUFFLES):
        source.shuffle(shuffled)
        as_good += _best_split(shuffled, *limits)[0] >= gain
        if as_good > LEAST_P * SHUFFLES:
            return False
    return True


def _place(steps_s: Sequence[float], near: int, first: int, last: int) -> tuple[int, int, int]:
    """Return the best place among steps, and the least and the largest that fit as well.

    What is far beyond either level counts as little beyond it: a single stall is no level.
    """
    count = len(steps_s)
    near = min(max(near, 1), count - 1)
    first, last = max(1, min(first, near - 2)), min(count - 1, max(last, near + 2))
    logs = [math.log(step_s) for step_s in steps_s]
    low, high = sum(logs[:near]) / near, sum(logs[near:]) / (count - near)
    beyond = max(high - low, math.log(DROP))
    logs = [min(max(value, low - beyond), high + beyond) for value in logs]
    sums, whole = [0.0, *accumulate(logs)], sum(value * value for value in logs)
    left = {at: whole - sums[at] ** 2 / at - (sums[-1] - sums[at]) ** 2 / (count - at)
            for at in range(first, last + 1)}  # fmt: skip
    best = min(left, key=lambda at: left[at])
    least = max(left[best], 1e-12)
    allowed = least * math.exp(LIKELIHOOD_RATIO * _dispersion(logs, best) / count)
    alike = [at for at, squares in left.items() if squares <= allowed]
    return best, max(0, min(alike) - 1), min(count, max(alike) + 1)


def _dispersion(values: Sequence[float], at: int) -> float:
    """Return how many times fewer values than there are tell as much if independent: they follow each other (AR 1)."""
    means = [sum(part) / len(part) for part in (values[:at], values[at:])]
    rest = [value - means[place >= at] for place, value in enumerate(values)]
    squares = sum(value * value for value in rest)
    together = sum(before * after for before, after in pairwise(rest))
    correlation = min(MOST_CORRELATION, max(0.0, together / squares)) if squares else 0.0
    return (1 + correlation) / (1 - correlation)
