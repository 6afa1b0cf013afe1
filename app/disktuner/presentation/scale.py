# SPDX-License-Identifier: GPL-3.0-or-later
"""The scale of a chart of gains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from disktuner.vocabulary.differences import difference_of_gain
from disktuner.vocabulary.messages import language, say
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.units import factor

_ROUND = (1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)
_APART = 0.1
"""Ticks are at least this share of the scale apart, so that their labels have room."""
_ROOM = 0.09
"""Of the scale, beyond what is shown on either side."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale of gains from ``low`` to ``high``; ``ticks`` are gains with labels, 1 always among them."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

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


def scale_of_differences(metric: Metric, typical: Iterable[float], ends: Iterable[float], limit: float) -> Scale:
    """Return a scale for these gains, the ends of their intervals and a ``limit``: the gain that decides something.

    It is no more than a hundredfold wide: an interval that is wider than three times the typical gains runs out of it.
    Labels are such as "2× faster".
    """
    return _scale([*typical, limit], ends, limit, lambda gain: say(difference_of_gain(metric.words, gain)))


def scale_of_factors(typical: Iterable[float], ends: Iterable[float], limit: float) -> Scale:
    """Return such a scale for one setting, with labels such as "2×", of gains only."""
    numbers = language().numbers
    found = _scale([*typical, limit], ends, limit, lambda gain: factor(gain, numbers), least=1.0)
    return replace(found, ticks=tuple(tick for tick in found.ticks if tick[0] >= 1))


def _scale(
    typical: Sequence[float], ends: Iterable[float], limit: float, label: Callable[[float], str], least: float = 0.8
) -> Scale:
    low, high = _range(typical, ends, least)
    chosen = list(dict.fromkeys((1.0, limit)))
    for tick in sorted((*_ROUND, *(1 / each for each in _ROUND)), key=lambda each: abs(math.log(each))):
        free = all(abs(math.log(tick / other)) >= _APART * math.log(high / low) for other in chosen)
        if low <= tick <= high and free:
            chosen.append(tick)
    return Scale(low, high, tuple((gain, label(gain)) for gain in sorted(chosen)))


def _range(typical: Iterable[float], ends: Iterable[float], least: float) -> tuple[float, float]:
    gains, seen = [*typical, 1.0], [*ends]
    low = max(min([*gains, *seen, least]), min(gains) / 3, 0.001)
    high = min(max([*gains, *seen, 1.25]), max(gains) * 3, 1000.0)
    more = (high / low) ** _ROOM
    return low / more, high * more
