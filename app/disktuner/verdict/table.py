# SPDX-License-Identifier: GPL-3.0-or-later
"""The valid samples of a result as logarithms, by metric, scheduler and round, ready to be compared."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from disktuner.results.model import Result
from disktuner.verdict.interval import FIRST_LOOK, running, unpaired

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTED = frozenset(("frames", "count", "files", "errors"))
"""Units of metrics that may truly be zero; half a unit is added to each value before its logarithm is taken."""

LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """How one scheduler differs from another, as natural logarithms of a ratio; None where n is too small."""

    n: int
    centre: float | None
    low: float | None
    high: float | None
    deviation: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Logarithms by metric, scheduler and round.

    ``planned`` is the plan's largest number of rounds where it looks after every round, else None. ``impossible``
    names the metrics with valid values that cannot be (a time of zero, a negative rate): those values are
    not counted.
    """

    logs: dict[str, dict[str, dict[int, list[float]]]]
    planned: int | None
    impossible: frozenset[str]

    @classmethod
    def of(cls, result: Result) -> Table:
        """Sort the valid samples of a result."""
        logs: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        shift = {name: 0.5 if metric.unit in COUNTED else 0.0 for name, metric in result.metrics.items()}
        impossible = set()
        log = math.log
        for sample in result.samples:
            if not sample.valid:
                continue
            value = sample.value + shift.get(sample.metric, 0.0)
            if value > 0:
                logs[sample.metric][sample.scheduler][sample.round].append(log(value))
            else:
                impossible.add(sample.metric)
        planned = result.plan.rounds
        return cls(logs, planned if planned and planned >= FIRST_LOOK else None, frozenset(impossible))

    def rounds(self, metric: str, scheduler: str) -> int:
        """Return in how many rounds there is a valid value."""
        return len(self.logs.get(metric, {}).get(scheduler, {}))

    def differences(self, metric: str, ours: str, theirs: str) -> NDArray[np.float64]:
        """Return the differences of two schedulers within each round that has both, in the order of rounds."""
        left, right = self.logs.get(metric, {}).get(ours, {}), self.logs.get(metric, {}).get(theirs, {})
        common = sorted(left.keys() & right.keys())
        return _of_rounds(left, common) - _of_rounds(right, common)

    def compare(self, metric: str, ours: str, theirs: str, alpha: float) -> Estimate:
        """Compare two schedulers, paired by round where at least two rounds have both; else unpaired (Welch)."""
        import numpy as np  # noqa: PLC0415 - loaded only when something is judged

        left, right = self.logs.get(metric, {}).get(ours, {}), self.logs.get(metric, {}).get(theirs, {})
        common = sorted(left.keys() & right.keys())
        if len(common) >= 2:
            sides = [_of_rounds(side, common) for side in (left, right)]
            found = running(sides[0], sides[1], alpha, self.planned)
            return _estimate(len(common), found.centre, found.low, found.high, sides[0] - sides[1])
        loose = [np.array([x for values in side.values() for x in values]) for side in (left, right)]
        n = min(map(len, loose))
        if n < 2 or self.planned:
            centre = float(np.median(loose[0]) - np.median(loose[1])) if n else None
            return Estimate(min(n, max(len(common), min(n, 1))), centre, None, None)
        found = unpaired(loose[0], loose[1], alpha)
        return _estimate(n, found.centre, found.low, found.high, None)


def _of_rounds(side: dict[int, list[float]], rounds: list[int]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    return np.array([_mean(side[number]) for number in rounds])


def _mean(values: list[float]) -> float:
    return values[0] if len(values) == 1 else math.fsum(values) / len(values)


def _estimate(
    n: int,
    centre: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    differences: NDArray[np.float64] | None,
) -> Estimate:
    deviation = None if differences is None else float(differences.std(ddof=1))
    ends = [float(each) for each in (low, high)]
    if any(math.isnan(each) for each in ends):
        return Estimate(n, float(centre), None, None, deviation)
    low_end, high_end = (max(-LARGEST_LOG, min(LARGEST_LOG, each)) for each in ends)
    return Estimate(n, float(centre), low_end, high_end, deviation)
