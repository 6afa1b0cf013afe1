# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices that the disk became another one in the middle: heat, used-up burst credit, a full fast cache."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from disktuner.results.model import Sample

FACTOR = 2.0
"""All schedulers at once at least this much slower or faster than before. A used-up burst credit means 3000 → 100
to 1000 IOPS (Amazon EBS gp2 below 334 GB), a full SLC cache or a hot NVMe disk half the speed or less; what one
scheduler does to itself, or a passing disturbance, does not hit all schedulers of a round alike."""

FEWEST_SCHEDULERS = 2


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed: by which factor, and the orders of the runs that belong to the other state."""

    metric: str
    factor: float
    orders: frozenset[int]

    @property
    def reason(self) -> str:
        """One sentence for the samples."""
        return (
            f"drift: all schedulers at once came out {self.factor:.1f} times as before in {self.metric} "
            "(heat, used-up burst credit or a full fast cache)"
        )


def drift(samples: Sequence[Sample], round_number: int, metric: str) -> Drift | None:
    """Compare a round's values of one metric with those of the rounds before; None where they are of one kind.

    A change in the middle of a round shows in the round after it; the runs of the former that had changed
    already belong to it, too.
    """
    here = {each.scheduler: each for each in _of(samples, metric) if each.round == round_number}
    before = {
        name: [each.value for each in _of(samples, metric) if each.scheduler == name and each.round < round_number]
        for name in here
    }
    if len(here) < FEWEST_SCHEDULERS or not all(before.values()):
        return None
    typical = {name: statistics.median(values) for name, values in before.items()}
    factors = {name: each.value / typical[name] for name, each in here.items()}
    least, most = min(factors.values()), max(factors.values())
    if least < FACTOR and most > 1 / FACTOR:
        return None
    upwards = least >= FACTOR
    changed = {
        each.order
        for each in _of(samples, metric)
        if each.round in {round_number - 1, round_number}
        and each.scheduler in typical
        and (each.value / typical[each.scheduler] >= FACTOR) == upwards
        and not 1 / FACTOR < each.value / typical[each.scheduler] < FACTOR
    }
    return Drift(metric, statistics.median(factors.values()), frozenset(changed))


def discard(samples: Sequence[Sample], found: Drift) -> tuple[Sample, ...]:
    """The samples with those of the other state marked."""
    return tuple(
        replace(each, valid=False, reason=found.reason) if each.valid and each.order in found.orders else each
        for each in samples
    )


def _of(samples: Sequence[Sample], metric: str) -> list[Sample]:
    return [each for each in samples if each.metric == metric and each.valid]
