# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of a group as the table that a verdict compares by: what rounds are to a result, machines are here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from disktuner.fleet.pooling import Pooled, pool, pool_runs
from disktuner.fleet.run import Difference, Run
from disktuner.verdict.interval import Errors
from disktuner.verdict.table import Estimate, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Machine:
    """One disk in its machine, with the files that were measured there; ``is_known`` is whether they name the disk."""

    files: tuple[str, ...]
    is_known: bool
    differences: Mapping[tuple[str, str], Difference]

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Machine:
        """Return a machine that counts once, however often it was measured."""
        import numpy as np  # noqa: PLC0415 - loaded only when something is judged

        found: dict[tuple[str, str], list[Difference]] = {}
        for run in runs:
            for pair, difference in run.differences.items():
                found.setdefault(pair, []).append(difference)
        pooled = {pair: each[0] if len(each) == 1 else pool_runs(*np.array(each).T) for pair, each in found.items()}
        return cls(tuple(run.file for run in runs), runs[0].disk is not None, pooled)


@dataclass(frozen=True, slots=True, eq=False)
class Pool(Table):
    """The machines whose typical differences are compared; a round of it is a machine."""

    baseline: str = ""
    machines: tuple[Machine, ...] = ()

    @classmethod
    def of_machines(cls, baseline: str, machines: Sequence[Machine]) -> Pool:
        """Return the table of some machines that were all compared with one baseline."""
        return cls({}, False, frozenset(), baseline=baseline, machines=tuple(machines))

    def rounds(self, metric: str, scheduler: str) -> int:
        """Return how many machines measured a scheduler; all measured the baseline."""
        if scheduler == self.baseline:
            return len(self.machines)
        return sum((metric, scheduler) in machine.differences for machine in self.machines)

    def compare(self, metric: str, ours: str, theirs: str, errors: Errors) -> Estimate:
        """Compare two schedulers over all machines that measured both."""
        found = self.pooled(metric, ours, theirs)
        if found is None:
            return Estimate(0, None, None, None)
        if found.machines < 2:
            return Estimate(1, found.centre, None, None)
        low, high = found.ends(errors)
        deviation = found.error * found.machines**0.5
        return Estimate(found.machines, found.centre, low, high, deviation, found.machines - 1)

    def pooled(self, metric: str, ours: str, theirs: str) -> Pooled | None:
        """Return what machines say together of two schedulers; None where none measured both."""
        import numpy as np  # noqa: PLC0415

        found = [each for machine in self.machines if (each := self._of(machine, metric, ours, theirs)) is not None]
        return pool(*np.array(found).T) if found else None

    def _of(self, machine: Machine, metric: str, ours: str, theirs: str) -> Difference | None:
        """Return the difference of two schedulers on a machine.

        Two that are both compared with the baseline share its noise. What is left of it is not known, and not needed:
        as variance 0 it is part of how machines differ.
        """
        sides = [
            (0.0, 0.0) if each == self.baseline else machine.differences.get((metric, each)) for each in (ours, theirs)
        ]
        left, right = sides
        if left is None or right is None:
            return None
        alone = self.baseline in (ours, theirs)
        return left[0] - right[0], left[1] + right[1] if alone else 0.0

    def table(self, pairs: Sequence[tuple[str, str]]) -> tuple[Floats, Floats]:
        """Return differences and variances by machine and pair of metric and scheduler, NaN where not measured."""
        import numpy as np  # noqa: PLC0415

        nothing = (np.nan, np.nan)
        found = np.array([[each.differences.get(pair, nothing) for pair in pairs] for each in self.machines])
        return found[:, :, 0], found[:, :, 1]
