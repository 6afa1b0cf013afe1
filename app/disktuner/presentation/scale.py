# SPDX-License-Identifier: GPL-3.0-or-later
"""The scales of charts of gains: one geometry for the window and the pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from disktuner.verdict.model import SAME
from disktuner.vocabulary.differences import difference_message, ratio_of_gain
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.metrics import Metric

_TICKS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)
_ROUND = (1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)
_APART = 0.1
"""Ticks are at least this share of the scale apart, so that their labels have room."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale of gains from ``low`` to ``high``; ``ticks`` are gains with labels, 1 always among them.

    ``band`` is where no difference counts.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    band: tuple[float, float] = SAME

    def at(self, gain: float) -> float:
        """Return the place of a gain from 0 (left) to 1 (right); what lies outside is at the end."""
        return math.log(min(max(gain, self.low), self.high) / self.low) / math.log(self.high / self.low)

    def labels(self, limit: float, apart: float) -> dict[float, str]:
        """Return the ticks whose labels have room, those of no difference and of a limit before others.

        ``apart`` is the share of the scale that a label needs.
        """
        found: dict[float, str] = {}
        for gain, label in sorted(self.ticks, key=lambda tick: (tick[0] != 1, tick[0] != limit)):
            if all(abs(self.at(gain) - self.at(other)) >= apart for other in found):
                found[gain] = label
        return found

    def holds(self, gain: float) -> bool:
        """Whether a gain lies on the scale."""
        return self.low <= gain <= self.high


def scale_of(typical: Iterable[float], ends: Iterable[float]) -> Scale:
    """Return a scale for these gains, the ends of their intervals and their dots, but no more than a hundredfold wide.

    An interval that is wider than three times the typical gains runs out of the chart.
    """
    low, high = _range(typical, ends, 0.05)
    return _scale(low, high, [1.0], _TICKS, lambda gain: text("gain-tick", gain=gain))


def scale_of_differences(metric: Metric, typical: Iterable[float], ends: Iterable[float], limit: float) -> Scale:
    """Return the same with labels such as "2× faster", one of them at a ``limit``: the gain that decides something."""
    low, high = _range([*typical, limit], ends, 0.09)
    ticks = [*_ROUND, *(1 / each for each in _ROUND)]
    return _scale(low, high, [1.0, limit], ticks, lambda gain: _difference(metric, gain))


def _difference(metric: Metric, gain: float) -> str:
    return say(difference_message(metric, ratio_of_gain(metric, gain)))


def _range(typical: Iterable[float], ends: Iterable[float], room: float) -> tuple[float, float]:
    gains, seen = [*typical, 1.0], [*ends]
    low = max(min([*gains, *seen, 0.8]), min(gains) / 3, 0.001)
    high = min(max([*gains, *seen, 1.25]), max(gains) * 3, 1000.0)
    more = (high / low) ** room
    return low / more, high * more


def _scale(
    low: float, high: float, first: Sequence[float], ticks: Iterable[float], label: Callable[[float], str]
) -> Scale:
    """Return a scale with the ``first`` ticks and as many round ones as have room, those next to 1 first."""
    chosen = list(dict.fromkeys(first))
    for tick in sorted(ticks, key=lambda each: abs(math.log(each))):
        free = all(abs(math.log(tick / other)) >= _APART * math.log(high / low) for other in chosen)
        if low <= tick <= high and free:
            chosen.append(tick)
    return Scale(low, high, tuple((gain, label(gain)) for gain in sorted(chosen)))
