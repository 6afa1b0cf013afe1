# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out from samples, as they come, when a person's programs stand still."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from disktuner.watch.samples import Sample, memory_share, stalled_share

STALLED = 0.5
"""A stretch of time is lost where all programs at once waited for I/O, or for memory, for half of it or more. On a
machine at work that takes a disk that holds up everybody: whoever computes lowers the share, and short waits do not add
up to that much."""
HOLDS_S = 2.0
"""What is over sooner hardly anybody takes for a freeze."""
OVER_S = 5.0
"""Freezes with less between them are one."""
LONGEST_S = 300.0
"""After that the next incident begins: the ring has to hold all of one."""
MEMORY = 0.1
"""Where all programs waited for memory in a tenth of the time, those that move much stand still, too."""
MOVES_BYTES_PER_S = 1e6
"""A program that moves more is at work, however long it waits for each request; one that starts from a disk that is
full moves less."""
LEAST_BYTES_PER_S = 1e5
"""A program alone at work moves that much on the slowest disk that is sound: 25 scattered reads of 4 KiB a second."""
MOVED_S = 3.0
"""So far back goes what a program moved: writes are taken in gulps."""
UNSEEN_S = 1.0
"""A freeze began up to so long before the first look that shows it."""


@dataclass(frozen=True, slots=True)
class Stall:
    """When programs stood still, by the samples' clock."""

    begun_s: float
    ended_s: float


def is_lost(before: Sample, sample: Sample) -> bool:
    """Whether everything waited for most of the time between two samples."""
    return stalled_share(before, sample) >= STALLED


class Detector:
    """Takes in samples in their order.

    A freeze is where time is lost (``STALLED``) and somebody stands still all the while: a copy that is all that runs
    waits all the time as well, and nobody minds. So one who stands still is not the one who moves most, nor moves much.
    """

    def __init__(self) -> None:
        self._last: Sample | None = None
        self._lost_since_s: float | None = None
        self._still_since_s: float | None = None
        self._moved: deque[tuple[float, Counter[str]]] = deque()
        self._freeze: Stall | None = None

    @property
    def is_uneasy(self) -> bool:
        """Whether it wants to know soon what programs do."""
        return self._lost_since_s is not None or self._freeze is not None

    @property
    def ongoing(self) -> Stall | None:
        """The freeze that is not over yet, None where there is none."""
        return self._freeze

    def add(self, sample: Sample) -> Stall | None:
        """Return a freeze once it is over."""
        before, self._last = self._last, sample
        self._remember(sample)
        if before is None:
            return None
        self._follow(before, sample)
        if self._still_since_s is not None and sample.time_s - self._still_since_s >= HOLDS_S:
            assert self._lost_since_s is not None
            begun_s = max(self._lost_since_s, self._still_since_s - UNSEEN_S)
            self._freeze = Stall(self._freeze.begun_s if self._freeze else begun_s, sample.time_s)
        return self._over(sample.time_s)

    def _follow(self, before: Sample, sample: Sample) -> None:
        """Since when time is lost, and since when somebody stands still meanwhile."""
        if not is_lost(before, sample):
            self._lost_since_s = self._still_since_s = None
            return
        since_s = self._lost_since_s = before.time_s if self._lost_since_s is None else self._lost_since_s
        if memory_share(before, sample) < MEMORY and not self._stands_still(
            sample, max(since_s, sample.time_s - MOVED_S)
        ):
            self._still_since_s = None
        elif self._still_since_s is None:
            self._still_since_s = before.time_s

    def _remember(self, sample: Sample) -> None:
        moved = Counter({each.name: each.read_bytes + each.written_bytes for each in sample.programs})
        self._moved.append((sample.time_s, moved))
        while self._moved[0][0] <= sample.time_s - MOVED_S:
            self._moved.popleft()

    def _stands_still(self, sample: Sample, since_s: float) -> bool:
        """Whether somebody waits who did not move much since then."""
        moved = Counter[str]()
        for time_s, each in self._moved:
            if time_s > since_s:
                moved.update(each)
        seconds = sample.time_s - since_s
        most = max((moved[each.name] for each in sample.programs), default=0)
        at_work = min(max(most, LEAST_BYTES_PER_S * seconds), MOVES_BYTES_PER_S * seconds)
        return any(each.waits and moved[each.name] < at_work for each in sample.programs)

    def _over(self, now_s: float) -> Stall | None:
        found = self._freeze
        if found is None or (now_s - found.ended_s < OVER_S and found.ended_s - found.begun_s < LONGEST_S):
            return None
        self._freeze = self._still_since_s = None
        return found
