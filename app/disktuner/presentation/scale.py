# SPDX-License-Identifier: GPL-3.0-or-later
"""The scale of a chart of gains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from disktuner.vocabulary.messages import language
from disktuner.vocabulary.units import factor

_ROUND = (1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)
_APART = 0.1
"""The least distance between ticks, as a share of the scale, so that labels have room."""
_ROOM = 0.09
"""The margin on either side, as a share of the scale."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale of gains from ``low`` to ``high``; ``ticks`` are gains with labels, 1 always among them."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def at(self, gain: float) -> float:
        """Return the position of a gain from 0 (left) to 1 (right); gains beyond an end are placed there."""
        return math.log(min(max(gain, self.low), self.high) / self.low) / math.log(self.high / self.low)


def scale_of_factors(typical: Iterable[float], ends: Iterable[float], limit: float) -> Scale:
    """Return a scale for one setting's gains, with labels such as "2×" and no ticks below 1."""
    numbers = language().numbers
    scale = scale_of(typical, ends, limit, lambda gain: factor(gain, numbers), least=1.0)
    return replace(scale, ticks=tuple(tick for tick in scale.ticks if tick[0] >= 1))


def scale_of(
    typical: Iterable[float], ends: Iterable[float], limit: float, label: Callable[[float], str], least: float = 0.8
) -> Scale:
    """Return a scale for gains, the ends of their intervals and a ``limit``: the gain that decides something.

    It reaches at most to three times the typical gains on either side; wider intervals run out of it.
    """
    low, high = _range([*typical, limit], ends, least)
    chosen = list(dict.fromkeys((1.0, limit)))
    for tick in sorted((*_ROUND, *(1 / tick for tick in _ROUND)), key=lambda tick: abs(math.log(tick))):
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
