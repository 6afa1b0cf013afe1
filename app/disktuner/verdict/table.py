# SPDX-License-Identifier: GPL-3.0-or-later
"""The valid samples of a result as logarithms, by metric, scheduler and round, ready to be compared."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from disktuner.results.model import Result
from disktuner.verdict.interval import Bounds, Errors, Looks, looks, running, unpaired

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTED = frozenset(("frames", "count", "files", "errors"))
"""Units of metrics that may truly be zero; half a unit is added to each value before its logarithm is taken."""

LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """How one scheduler differs from another, as natural logarithms of a ratio; None where n is too small.

    ``deviation`` is that of single rounds, moderated, with ``freedom``; None where they share less than two rounds.
    """

    n: int
    centre: float | None
    low: float | None
    high: float | None
    deviation: float | None = None
    freedom: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One scheduler on one metric: the rounds that have a value, in order; the mean of each; all values. Logarithms."""

    rounds: NDArray[np.int64]
    means: NDArray[np.float64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, rounds: NDArray[np.int64], values: NDArray[np.float64]) -> Column:
        """Sort values by their rounds."""
        import numpy as np  # noqa: PLC0415 - loaded only when something is judged

        there, place, counts = np.unique(rounds, return_inverse=True, return_counts=True)
        return cls(there, np.bincount(place, weights=values, minlength=len(there)) / counts, values)


@dataclass(frozen=True, slots=True)
class Table:
    """Logarithms by metric and scheduler.

    ``looked`` says that there is a look after every round: the plan has rounds. ``impossible`` names the metrics with
    valid values that cannot be (a time of zero, a negative rate): those values are not counted.
    """

    logs: Mapping[str, Mapping[str, Column]]
    looked: bool
    impossible: frozenset[str]
    _seen: dict[tuple[str, str, str], Looks] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, result: Result) -> Table:
        """Sort the valid samples of a result."""
        import numpy as np  # noqa: PLC0415

        rounds: dict[tuple[str, str], list[int]] = defaultdict(list)
        values: dict[tuple[str, str], list[float]] = defaultdict(list)
        for sample in result.samples:
            if sample.valid:
                rounds[sample.metric, sample.scheduler].append(sample.round)
                values[sample.metric, sample.scheduler].append(sample.value)
        logs: dict[str, dict[str, Column]] = defaultdict(dict)
        impossible = set()
        for (metric, scheduler), found in values.items():
            shifted = np.array(found, float) + (0.5 if result.metrics[metric].unit in COUNTED else 0.0)
            sound = shifted > 0
            if not sound.all():
                impossible.add(metric)
            if sound.any():
                known = np.array(rounds[metric, scheduler], np.int64)[sound]
                logs[metric][scheduler] = Column.of(known, np.log(shifted[sound]))
        return cls(logs, bool(result.plan.rounds), frozenset(impossible))

    def rounds(self, metric: str, scheduler: str) -> int:
        """Return in how many rounds there is a valid value."""
        column = self.logs.get(metric, {}).get(scheduler)
        return 0 if column is None else len(column.rounds)

    def centre(self, metric: str, scheduler: str) -> float | None:
        """Return the median over the rounds as a logarithm, None where there is no valid value."""
        import numpy as np  # noqa: PLC0415

        column = self.logs.get(metric, {}).get(scheduler)
        return None if column is None else float(np.median(column.means))

    def differences(self, metric: str, ours: str, theirs: str) -> NDArray[np.float64]:
        """Return the differences of two schedulers within each round that has both, in the order of rounds."""
        left, right, _ = self._paired(metric, ours, theirs)
        return left - right

    def levels(self, metric: str, schedulers: Sequence[str]) -> NDArray[np.float64]:
        """Return the logarithms by scheduler and round, NaN where not measured."""
        import numpy as np  # noqa: PLC0415

        columns = [self.logs.get(metric, {}).get(scheduler) for scheduler in schedulers]
        there = np.unique(np.concatenate([[], *(column.rounds for column in columns if column)]))
        found = np.full((len(schedulers), len(there)), np.nan)
        for row, column in zip(found, columns, strict=True):
            if column is not None:
                row[np.searchsorted(there, column.rounds)] = column.means
        return found

    def looks(self, metric: str, ours: str, theirs: str) -> Looks | None:
        """Return what the looks see of two schedulers; None where less than two rounds have both."""
        key = (metric, ours, theirs)
        if key not in self._seen:
            left, right, others = self._paired(metric, ours, theirs)
            if len(left) < 2:
                return None
            self._seen[key] = looks(left, right, others, 2 if self.looked else len(left))
        return self._seen[key]

    def compare(self, metric: str, ours: str, theirs: str, errors: Errors) -> Estimate:
        """Compare two schedulers, paired by round where at least two rounds have both; else unpaired (Welch)."""
        import numpy as np  # noqa: PLC0415

        seen = self.looks(metric, ours, theirs)
        if seen is not None:
            return _estimate(seen, running(seen, errors, self.looked))
        there = self.logs.get(metric, {})
        if ours not in there or theirs not in there:
            return Estimate(0, None, None, None)
        loose = [there[ours].values, there[theirs].values]
        n = min(map(len, loose))
        if n < 2 or self.looked:
            centre = float(np.median(loose[0]) - np.median(loose[1]))
            return Estimate(max(len(self.differences(metric, ours, theirs)), 1), centre, None, None)
        found = unpaired(loose[0], loose[1], errors)
        return Estimate(n, float(found.centre), *_ends(float(found.low), float(found.high)))

    def compare_all(self, wanted: Mapping[tuple[str, str, str], Errors]) -> dict[tuple[str, str, str], Estimate]:
        """Compare many pairs (metric, ours, theirs): what ``compare`` says of each, in a fraction of the time."""
        import numpy as np  # noqa: PLC0415

        alike: dict[tuple[Errors, tuple[int, ...]], list[tuple[str, str, str]]] = defaultdict(list)
        paired = {key: self._paired(*key) for key in wanted}
        for key, errors in wanted.items():
            alike[errors, paired[key][2].shape].append(key)
        found = {}
        for (errors, (_, rounds)), keys in alike.items():
            if rounds < 2:
                found.update({key: self.compare(*key, errors) for key in keys})
                continue
            stacked = [np.stack(each) for each in zip(*(paired[key] for key in keys), strict=True)]
            seen = looks(stacked[0], stacked[1], stacked[2], 2 if self.looked else rounds)
            ends = running(seen, errors, self.looked)
            found.update({key: _estimate(seen.of(row), ends.of(row)) for row, key in enumerate(keys)})
        return found

    def _paired(
        self, metric: str, ours: str, theirs: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the means of both in the rounds that have both, and those of all others, NaN where there is none."""
        import numpy as np  # noqa: PLC0415

        there = self.logs.get(metric, {})
        if ours not in there or theirs not in there:
            return np.zeros(0), np.zeros(0), np.zeros((0, 0))
        left, right = there[ours], there[theirs]
        common, ours_at, theirs_at = np.intersect1d(left.rounds, right.rounds, assume_unique=True, return_indices=True)
        rest = [column for name, column in there.items() if name not in (ours, theirs)]
        others = np.full((len(rest), len(common)), np.nan)
        for row, column in zip(others, rest, strict=True):
            _, here, its = np.intersect1d(common, column.rounds, assume_unique=True, return_indices=True)
            row[here] = column.means[its]
        return left.means[ours_at], right.means[theirs_at], others


def _estimate(seen: Looks, found: Bounds) -> Estimate:
    """Return what is known after the last look."""
    n, deviation = int(seen.rounds[-1]), float(seen.error[-1] * seen.rounds[-1] ** 0.5)
    ends = _ends(float(found.low[-1]), float(found.high[-1]))
    return Estimate(n, float(found.centre[-1]), *ends, deviation, float(seen.freedom[-1]))


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    if math.isnan(low) or math.isnan(high):
        return None, None
    return max(-LARGEST_LOG, min(LARGEST_LOG, low)), max(-LARGEST_LOG, min(LARGEST_LOG, high))
