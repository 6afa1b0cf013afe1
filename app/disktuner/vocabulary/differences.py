# SPDX-License-Identifier: GPL-3.0-or-later
"""How a difference is said, everywhere: "2.9× faster", "15 % slower", "3 % slower to 12 % faster"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Better, Metric, Wording
from disktuner.vocabulary.units import at_least, factor

_LEAST = 1.005
"""What is nearer to 1 would be shown as 1×."""

FAR = 10.0
"""What is further apart is "more than 10×": nobody needs to know how much more."""
_TOLD = 1.05
"""What is gained at least is said from here on."""


class _Sentences(NamedTuple):
    """The ids for a difference to either side an interval on one side of none or across it, at least, by far."""

    better: str
    worse: str
    all_better: str
    all_worse: str
    across: str
    at_least: str
    far_at_least: str
    by_far: str
    worse_by_far: str


_SENTENCES: Mapping[Wording, _Sentences] = {
    Wording.SPEED: _Sentences(
        *("is-faster", "is-slower", "range-faster", "range-slower", "slower-to-faster"),
        *("at-least-faster", "far-faster-at-least", "far-faster", "far-slower"),
    ),
    Wording.QUALITY: _Sentences(
        *("is-better", "is-worse", "range-better", "range-worse", "worse-to-better"),
        *("at-least-better", "far-better-at-least", "far-better", "far-worse"),
    ),
    Wording.COST: _Sentences(
        *("is-less", "is-more", "range-less", "range-more", "more-to-less"),
        *("at-least-less", "far-less-at-least", "far-less", "far-more"),
    ),
}


def gain_of(metric: Metric, ratio: float) -> float:
    """Return a ratio of two values as a gain: how many times better, below 1 is worse."""
    return 1 / ratio if metric.better is Better.LOWER else ratio


def ratio_of_gain(metric: Metric, gain: float) -> float:
    """Return a gain as the ratio of the two values."""
    return 1 / gain if metric.better is Better.LOWER else gain


def difference_message(metric: Metric, ratio: float) -> Message:
    """Return how a value differs from another one, of which it is ``ratio`` times as much."""
    return difference_of_gain(metric.words, gain_of(metric, ratio))


def difference_of_gain(words: Wording, gain: float) -> Message:
    """Return how a value differs from another one than which it is ``gain`` times better."""
    ids = _SENTENCES[words]
    if 1 / _LEAST < gain < _LEAST:
        return message("no-difference")
    if gain > 1:
        return message(ids.by_far) if gain > FAR else message(ids.better, by=gain)
    return message(ids.worse_by_far) if 1 / gain > FAR else message(ids.worse, by=1 / gain)


def gain_message(words: Wording, least: float, about: float, *, short: bool = False) -> Message:
    """Return a gain as it is said where something rests on it: about, and what it is at least, unless it is short."""
    ids = _SENTENCES[words]
    if least >= FAR:
        return message(ids.by_far)
    if short or least < _TOLD or at_least(least) == factor(about):
        return difference_of_gain(words, about)
    if about > FAR:
        return message(ids.far_at_least, least=least)
    return message(ids.at_least, least=least, about=max(about, least))


def interval_message(metric: Metric, low: float, high: float) -> Message:
    """Return the interval of such a ratio, from the worse end to the better, of two losses from the smaller.

    Of one that goes on beyond what is told exactly, only its nearer end is said.
    """
    worst, best = sorted((gain_of(metric, low), gain_of(metric, high)))
    ids = _SENTENCES[metric.words]
    if worst > 1 / _LEAST and best < _LEAST:
        return message("no-difference")
    if worst > 1 / _LEAST or best < _LEAST:
        is_better = worst > 1 / _LEAST
        low, high = (max(worst, 1.0), best) if is_better else (max(1 / best, 1.0), 1 / worst)
        if low >= FAR:
            return message(ids.by_far if is_better else ids.worse_by_far)
        if high > FAR:
            return message("interval-at-least", least=low)
        return message(ids.all_better if is_better else ids.all_worse, low=low, high=high)
    return message(ids.across, low=1 / worst, high=best)
