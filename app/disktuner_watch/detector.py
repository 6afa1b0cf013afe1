# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects in the stream of samples when a user's programs stand still."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import NamedTuple

from disktuner.block.waiting import Witness
from disktuner_watch.samples import Program, Sample, busy_s, memory_s, pressure_s, stalled_s, stalled_share

STALLED = 0.5
"""Time is lost if all programs at once waited for I/O, or for memory, for this share of it. On a machine at work that
takes a disk that blocks everything: any program that computes lowers the share, and short waits do not add up."""
HOLDS_S = 2.0
"""Shorter stalls are hardly noticed as a freeze."""
LOOKS, MOSTLY = 3, 0.75
"""So many looks in that time, and this share of them, must find the same program held up: even a frozen one progresses
a little."""
OVER_S = 5.0
"""Freezes with less between them are one."""
LONGEST_S = 300.0
"""A longer freeze is split into incidents, since the ring must hold a whole one."""
MEMORY = 0.1
"""If all programs waited for memory for this share of the last seconds, even one that moves much stands still."""
MOVES_BYTES_PER_S = 1e6
"""A program that moves more is at work, however long each request takes; one starting from a saturated disk moves
less."""
LEAST_BYTES_PER_S = 1e5
"""What a program that works alone moves on the slowest sound disk: 25 scattered reads of 4 KiB a second."""
MOVED_S = 3.0
"""What a program moved is added up over this time, since writes are accepted in bursts."""
WROTE_BYTES, WROTE_S = 10_000_000, 60.0
"""A program that wrote so much recently is at work: it waits for that to reach the disk, as a copy does at its end."""
WAITS_ON_PURPOSE = {"sync"}
"""Programs whose purpose is to wait for the disk."""
CALM_S, UNEASY_S = 5.0, 2.0
"""Intervals between looks while all is well, and while time is lost but no program is held up: a look at several
hundred processes costs more than all the rest."""


@dataclass(frozen=True, slots=True)
class Stall:
    """When programs stood still, by the samples' clock."""

    begun_s: float
    ended_s: float


class _Step(NamedTuple):
    """The time between two samples; ``still`` are the programs that stood still at its end, None if not looked at.

    ``lost_s`` is how long all programs waited, ``memory_s`` how long for memory.
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
    """Takes samples in chronological order.

    In a freeze, time is lost (``STALLED``) and some program stands still. A copy that runs alone also waits all the
    time, and nobody minds: so a program that moves most, or much, does not stand still.
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
        """The current freeze, if any."""
        return self._freeze

    @property
    def is_alarmed(self) -> bool:
        """Whether there may be a freeze right now, so that samples should come twice as often."""
        return self._freeze is not None or (self._is_uneasy and any(step.still for step in self._steps))

    def wants_look(self, sample: Sample) -> bool:
        """Whether this sample, which is not added yet, should include programs."""
        if self.is_alarmed:
            return True
        return self._begins(sample) or sample.time_s - self._looked_s >= (UNEASY_S if self._is_uneasy else CALM_S)

    def _begins(self, sample: Sample) -> bool:
        """Whether time seems to be lost from now on; for a network folder, only programs can confirm it."""
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
                program.name
                for program in sample.programs
                if program.held_up and (is_short or program.name not in at_work)
            )
        self._steps.append(_Step(before.time_s, sample.time_s, stalled_s(before, sample), waited_s, still))
        while len(self._steps) > 1 and self._steps[1].begun_s <= sample.time_s - HOLDS_S:
            self._steps.popleft()

    def _remember(self, sample: Sample) -> None:
        if sample.programs is None:
            return
        moved = Counter({program.name: program.read_bytes + program.written_bytes for program in sample.programs})
        written = Counter({program.name: program.written_bytes for program in sample.programs})
        self._looks.append(_Look(self._looked_s, sample.time_s, moved, written))
        self._looked_s = sample.time_s
        while self._looks[0].ended_s < sample.time_s - WROTE_S:
            self._looks.popleft()

    def _at_work(self, now_s: float, programs: tuple[Program, ...]) -> set[str]:
        """Return the programs that moved much recently, moved most, or wait for what they wrote."""
        moved, written, since_s = Counter[str](), Counter[str](), now_s
        for look in self._looks:
            written.update(look.written)
            if look.begun_s >= now_s - MOVED_S:
                moved.update(look.moved)
                since_s = min(since_s, look.begun_s)
        writers = {name for name, size in written.items() if size >= WROTE_BYTES} | WAITS_ON_PURPOSE
        if since_s == now_s:
            return writers
        seconds = now_s - since_s
        largest = max((moved[program.name] for program in programs), default=0)
        enough = min(max(largest, LEAST_BYTES_PER_S * seconds), MOVES_BYTES_PER_S * seconds)
        return writers | {name for name, size in moved.items() if size >= enough}

    def _is_frozen(self) -> bool:
        seconds = sum(step.seconds for step in self._steps)
        lost_s = sum(step.lost_s for step in self._steps)
        looks = [step.still for step in self._steps if step.still is not None]
        counts = Counter(name for still in looks for name in still)
        enough = max(LOOKS, MOSTLY * len(looks))
        return seconds >= HOLDS_S and lost_s >= STALLED * seconds and max(counts.values(), default=0) >= enough

    def _over(self, now_s: float) -> Stall | None:
        freeze = self._freeze
        if freeze is None or (now_s - freeze.ended_s < OVER_S and freeze.ended_s - freeze.begun_s < LONGEST_S):
            return None
        self._freeze = None
        self._steps.clear()
        return freeze
