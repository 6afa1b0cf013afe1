# SPDX-License-Identifier: GPL-3.0-or-later
"""The one wording of values and differences: "0.44 s", "2.9× faster", "3 % slower to 12 % faster"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Metric, Wording
from disktuner.vocabulary.units import at_least, factor

_LEAST = 1.005
"""Factors nearer to 1 would be shown as 1×."""

FAR = 10.0
"""Greater factors are "more than 10×": nobody needs to know how much more."""
_TOLD = 1.05
"""The smallest least gain that is stated."""


class _Sentences(NamedTuple):
    """The ids for a difference to either side, an interval on one side of none or across it, and its bounds."""

    better: str
    worse: str
    all_better: str
    all_worse: str
    across: str
    at_least: str
    far_at_least: str
    by_far: str
    worse_by_far: str
    at_most: str


_SENTENCES: Mapping[Wording, _Sentences] = {
    Wording.SPEED: _Sentences(
        *("is-faster", "is-slower", "range-faster", "range-slower", "slower-to-faster"),
        *("at-least-faster", "far-faster-at-least", "far-faster", "far-slower", "at-most-faster"),
    ),
    Wording.QUALITY: _Sentences(
        *("is-better", "is-worse", "range-better", "range-worse", "worse-to-better"),
        *("at-least-better", "far-better-at-least", "far-better", "far-worse", "at-most-better"),
    ),
    Wording.COST: _Sentences(
        *("is-less", "is-more", "range-less", "range-more", "more-to-less"),
        *("at-least-less", "far-less-at-least", "far-less", "far-more", "at-most-less"),
    ),
}


_BY_UNIT: Mapping[str, str] = {
    "s": "value-time",
    "bytes_per_s": "value-rate",
    "per_s": "value-per-second",
    "": "value-number",
}
_TIMES: Mapping[float, str] = {1.0: "value-in-s", 1e-3: "value-in-ms", 1e-6: "value-in-us"}


def difference_of_gain(words: Wording, gain: float) -> Message:
    """Return the wording for a value that is ``gain`` times better than another."""
    ids = _SENTENCES[words]
    if 1 / _LEAST < gain < _LEAST:
        return message("no-difference")
    if gain > 1:
        return message(ids.by_far) if gain > FAR else message(ids.better, by=gain)
    return message(ids.worse_by_far) if 1 / gain > FAR else message(ids.worse, by=1 / gain)


def gain_message(words: Wording, least: float, about: float, *, short: bool = False) -> Message:
    """Return the wording for a gain that matters: the typical one and, unless short, the least."""
    ids = _SENTENCES[words]
    if least >= FAR:
        return message(ids.by_far)
    if short or least < _TOLD or at_least(least) == factor(about):
        return difference_of_gain(words, about)
    if about > FAR:
        return message(ids.far_at_least, least=least)
    return message(ids.at_least, least=least, about=max(about, least))


def loss_message(words: Wording, by: float) -> Message:
    """Return the wording for a limit on a loss, a factor: it is said however far it is."""
    return message(_SENTENCES[words].worse, by=by)


def bound_message(words: Wording, most: float) -> Message:
    """Return the wording for an upper bound on a gain, rounded up."""
    ids = _SENTENCES[words]
    return message(ids.by_far) if most > FAR else message(ids.at_most, by=most)


def value_message(value: float, metric: Metric, beside: float | None = None) -> Message:
    """Return a measured value with its unit.

    A time that stands ``beside`` a longer one, or what nobody notices of it, has the unit of that: ``0.44 s`` beside
    ``2.65 s``. That something is per hour of use its label says.
    """
    unit = {"s/h": "s", "/h": ""}.get(metric.unit, metric.unit)
    beside = max(beside or 0.0, 10 * metric.unnoticed)
    if unit == "s" and math.isfinite(beside):
        scale = next((scale for scale in (1.0, 1e-3) if beside >= scale * 0.9995), 1e-6)
        if scale * 0.01 <= value < scale:
            return message(_TIMES[scale], value=value)
    known = _BY_UNIT.get(unit)
    if known is not None:
        return message(known, value=value)
    return message("value-in-unit", value=value, unit=unit.replace("_per_s", "/s").replace("_", " "))


def interval_message(words: Wording, worst: float, best: float) -> Message:
    """Return the wording for an interval of gains, from the worse end to the better; for losses, from the smaller.

    Of one that goes on beyond what is told exactly, only its nearer end is said.
    """
    ids = _SENTENCES[words]
    if worst > 1 / _LEAST and best < _LEAST:
        return message("no-difference")
    if worst > 1 / _LEAST or best < _LEAST:
        is_better = worst > 1 / _LEAST
        low, high = (max(worst, 1.0), best) if is_better else (max(1 / best, 1.0), 1 / worst if worst else math.inf)
        if low >= FAR:
            return message(ids.by_far if is_better else ids.worse_by_far)
        if high > FAR:
            return message("interval-at-least", least=low)
        return message(ids.all_better if is_better else ids.all_worse, low=low, high=high)
    return message(ids.across, low=1 / worst if worst else math.inf, high=best)
