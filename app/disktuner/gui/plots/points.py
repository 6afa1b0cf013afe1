# SPDX-License-Identifier: GPL-3.0-or-later
"""The last live figures of a measurement, in columns, so that they are drawn without a loop over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disktuner.experiment.events import LivePoint


@dataclass(frozen=True, slots=True)
class Seen:
    """The points of the moment: seconds before the last one (so negative), and what they say.

    ``latency`` is a power of ten of seconds, NaN where nothing was waited for; ``scheduler`` the number of a name,
    ``turn`` grows by one with each run.
    """

    age_s: NDArray[np.float64]
    bytes_per_s: NDArray[np.float64]
    latency: NDArray[np.float64]
    scheduler: NDArray[np.float64]
    turn: NDArray[np.float64]


class Points:
    """Keeps the last ``most`` points. ``schedulers`` are the names that came, in that order."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = np.empty((5, 2 * most))
        self._end = 0
        self._turns = 0
        self._last: tuple[int, str] | None = None
        self.schedulers: list[str] = []

    def add(self, point: LivePoint) -> None:
        """Take one in."""
        if self._end == self._kept.shape[1]:
            self._kept[:, : self._most] = self._kept[:, -self._most :]
            self._end = self._most
        if point.scheduler not in self.schedulers:
            self.schedulers.append(point.scheduler)
        turn = (point.order, point.scheduler)
        self._turns += self._last not in (None, turn)
        self._last = turn
        number = self.schedulers.index(point.scheduler)
        rate = point.read_bytes_per_s + point.write_bytes_per_s
        self._kept[:, self._end] = (point.time_s, rate, _latency(point), number, self._turns)
        self._end += 1

    def seen(self) -> Seen:
        """What is kept; nothing may come meanwhile."""
        kept = self._kept[:, max(0, self._end - self._most) : self._end]
        return Seen(kept[0] - kept[0, -1:], *kept[1:])


def _latency(point: LivePoint) -> float:
    longest = max(point.read_latency_s or 0.0, point.write_latency_s or 0.0)
    return math.log10(longest) if longest > 0 else math.nan
