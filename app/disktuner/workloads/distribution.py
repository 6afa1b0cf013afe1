# SPDX-License-Identifier: GPL-3.0-or-later
"""A distribution of latencies: its quantiles, and the whole of it as a histogram that a result keeps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from disktuner.workloads.errors import RunFailed

_PER_DOUBLING = 8  # bins; each is at most 9 % wide


class Distribution:
    """Times in seconds. Raises ``RunFailed`` where there are none: then nothing was finished in the time."""

    def __init__(self, times_s: Sequence[float]) -> None:
        if not times_s:
            raise RunFailed("nothing was finished in the time of the run: give it more time (--budget thorough)")
        self._sorted = sorted(times_s)

    def share(self, share: float) -> float:
        """The time within which that share was done (nearest rank)."""
        return self._sorted[max(0, math.ceil(share * len(self._sorted)) - 1)]

    def histogram(self) -> tuple[tuple[float, int], ...]:
        """Upper bounds in seconds and counts, in bins that grow with the time."""
        bins = Counter(math.ceil(_PER_DOUBLING * math.log2(max(time_s, 1e-7))) for time_s in self._sorted)
        return tuple((float(f"{2 ** (number / _PER_DOUBLING):.5g}"), bins[number]) for number in sorted(bins))
