# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out from samples, as they come, when a person's programs stand still."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import NamedTuple

from disktuner.block.waiting import Witness
from disktuner.watch.samples import Program, Sample, busy_s, memory_s, pressure_s, stalled_s, stalled_share

STALLED = 0.5
"""Time is lost where all programs at once waited for I/O, or for memory, for half of it or more. On a machine at work
that takes a disk that holds up everybody: whoever computes lowers the share, and short waits do not add up to that."""
HOLDS_S = 2.0
"""What is over sooner hardly anybody takes for a freeze."""
LOOKS, MOSTLY = 3, 0.75
"""Of the looks in that time so many, and this share, have to find the same program held up: even one that stands still
gets on a little."""
OVER_S = 5.0
"""Freezes with less between them are one."""
LONGEST_S = 300.0
"""After that the next incident begins: the ring has to hold all of one."""
MEMORY = 0.1
"""Where all programs waited for memory in a tenth of the last seconds, one that moves much stands still, too."""
MOVES_BYTES_PER_S = 1e6
"""A program that moves more is at work, however long it waits for each request; one that starts from a disk that is
full moves less."""
LEAST_BYTES_PER_S = 1e5
"""A program alone at work moves that much on the slowest disk that is sound: 25 scattered reads of 4 KiB a second."""
MOVED_S = 3.0
"""So far back goes what a program moved: writes are taken in gulps."""
WROTE_BYTES, WROTE_S = 10_000_000, 60.0
"""Who wrote so much of late waits for that to reach the disk, as a copy does at its end: it is at work."""
WAITS_ON_PURPOSE = {"sync"}
"""Whoever calls these wants to wait."""
CALM_S, UNEASY_S = 5.0, 2.0
"""How often programs are looked at while all is well, and while time is lost but nobody is held up: of several hundred
processes a look costs more than all the rest."""


@dataclass(frozen=True, slots=True)
class Stall:
    """When programs stood still, by the samples' clock."""

    begun_s: float
    ended_s: float


class _Step(NamedTuple):
    """The time between two samples; which programs were found to stand still at its end, if they were looked at.

    ``lost_s`` is how long all waited, ``memory_s`` how long for memory.
    """

    begun_s: float
    ended_s: float
    lost_s: float
    memory_s: float
    still: frozenset[str] | None

    @property
    def seconds(self) -> float:
        return self.ended_s - self.begun_s


class _Look(NamedTuple):
    """What programs moved from one look to the next."""

    begun_s: float
    ended_s: float
    moved: Counter[str]
    written: Counter[str]


class Detector:
    """Takes in samples in their order.

    A freeze is where time is lost (``STALLED``) and somebody stands still meanwhile: a copy that is all that runs waits
    all the time as well, and nobody minds. So one who stands still is not the one who moves most, nor moves much.
    """

    def __init__(self) -> None:
        self._last: Sample | None = None
        self._steps: deque[_Step] = deque()
        self._looks: deque[_Look] = deque()
        self._looked_s = float("-inf")
        self._freeze: Stall | None = None
        self._witness = Witness()

    @property
    def ongoing(self) -> Stall | None:
        """The freeze that is not over yet, None where there is none."""
        return self._freeze

    @property
    def is_alarmed(self) -> bool:
        """Whether there may be a freeze right now, so that each half second counts."""
        return self._freeze is not None or (self._is_uneasy and any(step.still for step in self._steps))

    def wants_look(self, sample: Sample) -> bool:
        """Whether programs should be looked at with this sample, which has not been added yet."""
        if self.is_alarmed:
            return True
        return self._begins(sample) or sample.time_s - self._looked_s >= (UNEASY_S if self._is_uneasy else CALM_S)

    def _begins(self, sample: Sample) -> bool:
        """Whether time begins to be lost, as it seems: for a folder of the network only programs can confirm it."""
        before = self._last
        if before is None or self._is_uneasy:
            return False
        if stalled_share(before, sample) >= STALLED:
            return True
        return not self._witness.is_doubtful and pressure_s(before, sample) >= STALLED * (sample.time_s - before.time_s)

    def add(self, sample: Sample) -> Stall | None:
        """Return a freeze once it is over."""
        before, self._last = self._last, sample
        self._remember(sample)
        if before is None:
            return None
        self._witness.note(sample.time_s - before.time_s, pressure_s(before, sample), busy_s(before, sample))
        self._follow(before, sample)
        if self._is_frozen():
            still = [step for step in self._steps if step.still]
            self._freeze = Stall(self._freeze.begun_s if self._freeze else still[0].begun_s, still[-1].ended_s)
        return self._over(sample.time_s)

    @property
    def _is_uneasy(self) -> bool:
        return any(step.lost_s >= STALLED * step.seconds for step in self._steps)

    def _follow(self, before: Sample, sample: Sample) -> None:
        waited_s = memory_s(before, sample)
        still: frozenset[str] | None = None
        if sample.programs is not None:
            at_work = self._at_work(sample.time_s, sample.programs)
            begun_s = self._steps[0].begun_s if self._steps else before.time_s
            memory_lost_s = waited_s + sum(step.memory_s for step in self._steps)
            is_short = memory_lost_s >= MEMORY * (sample.time_s - begun_s)
            still = frozenset(
                each.name for each in sample.programs if each.held_up and (is_short or each.name not in at_work)
            )
        self._steps.append(_Step(before.time_s, sample.time_s, stalled_s(before, sample), waited_s, still))
        while len(self._steps) > 1 and self._steps[1].begun_s <= sample.time_s - HOLDS_S:
            self._steps.popleft()

    def _remember(self, sample: Sample) -> None:
        if sample.programs is None:
            return
        moved = Counter({each.name: each.read_bytes + each.written_bytes for each in sample.programs})
        written = Counter({each.name: each.written_bytes for each in sample.programs})
        self._looks.append(_Look(self._looked_s, sample.time_s, moved, written))
        self._looked_s = sample.time_s
        while self._looks[0].ended_s < sample.time_s - WROTE_S:
            self._looks.popleft()

    def _at_work(self, now_s: float, programs: tuple[Program, ...]) -> set[str]:
        """Return who moved much of late, or most of all who are there, or waits for what it wrote."""
        moved, written, since_s = Counter[str](), Counter[str](), now_s
        for look in self._looks:
            written.update(look.written)
            if look.begun_s >= now_s - MOVED_S:
                moved.update(look.moved)
                since_s = min(since_s, look.begun_s)
        wrote = {name for name, size in written.items() if size >= WROTE_BYTES} | WAITS_ON_PURPOSE
        if since_s == now_s:
            return wrote
        seconds = now_s - since_s
        most = max((moved[each.name] for each in programs), default=0)
        enough = min(max(most, LEAST_BYTES_PER_S * seconds), MOVES_BYTES_PER_S * seconds)
        return wrote | {name for name, size in moved.items() if size >= enough}

    def _is_frozen(self) -> bool:
        seconds = sum(step.seconds for step in self._steps)
        lost_s = sum(step.lost_s for step in self._steps)
        looks = [step.still for step in self._steps if step.still is not None]
        often = Counter(name for still in looks for name in still)
        enough = max(LOOKS, MOSTLY * len(looks))
        return seconds >= HOLDS_S and lost_s >= STALLED * seconds and max(often.values(), default=0) >= enough

    def _over(self, now_s: float) -> Stall | None:
        found = self._freeze
        if found is None or (now_s - found.ended_s < OVER_S and found.ended_s - found.begun_s < LONGEST_S):
            return None
        self._freeze = None
        self._steps.clear()
        return found
