# SPDX-License-Identifier: GPL-3.0-or-later
"""Uses up a disk's fast cache, keeps it so during a comparison, and tells by the writing speed whether it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from disktuner.block.counters import Counters
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import is_fast, settle_s
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import LEAD_BYTES, SteadyWriter
from disktuner.workloads.processes import Processes

SPARE = 1.25
"""How many times the cache's size is written at most: portraits are right within 15 % (docs/portrait.md)."""
SURE_S = 3.0
"""For how long writing must be slow until the cache counts as used up; a stall of garbage collection is shorter."""
CHECK_S = 0.3
"""How long the writer's speed, which tells the state, is watched before and after a run."""
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Exhaustion:
    """What a portrait says of a disk: after ``cache_bytes`` at the fast speed it goes on at the slow one."""

    cache_bytes: int
    fast_bytes_per_s: float
    slow_bytes_per_s: float

    @property
    def most_bytes(self) -> int:
        """The most that is written to use the cache up, and the size of the file that is written."""
        return int(SPARE * self.cache_bytes + SURE_S * self.slow_bytes_per_s) + LEAD_BYTES

    @property
    def expected_s(self) -> float:
        """How long that usually takes."""
        return self.cache_bytes / self.fast_bytes_per_s + SURE_S

    @property
    def most_s(self) -> float:
        """How long it takes at most: other programs may use the disk meanwhile."""
        fast_s, rest = self.cache_bytes / self.fast_bytes_per_s, self.most_bytes - self.cache_bytes
        return 2 * fast_s + rest / self.slow_bytes_per_s

    def is_fast(self, bytes_per_s: float) -> bool:
        """Whether a disk that writes so fast has its cache."""
        return is_fast(bytes_per_s, self.fast_bytes_per_s, self.slow_bytes_per_s)


class UsedUp:
    """A disk whose cache one writer keeps used up. ``counters`` reads the disk's; ``processes`` are for pauses.

    Attributes: ``left`` is why the disk was not in this state when last looked at, None if it was.
    """

    def __init__(
        self,
        exhaustion: Exhaustion,
        writer: SteadyWriter,
        processes: Processes,
        counters: Callable[[], Counters | None],
    ) -> None:
        self._exhaustion, self._writer, self._processes, self._read = exhaustion, writer, processes, counters
        self.left: Message | None = None
        self._setting: Setting | None = None

    def bring_about(self) -> None:
        """Write until the disk is slow for good.

        Raises ``MeasurementImpossible`` if it stays fast beyond all that the portrait says, and ``RunFailed``.
        """
        known = self._exhaustion
        self._writer.start()
        first = self._counters()
        recent = deque([first])
        while True:
            self._processes.pause(LOOK_S)
            self._writer.check()
            now = self._counters()
            recent.append(now)
            while now.time_s - recent[1].time_s > SURE_S:
                recent.popleft()
            rate, written = now.since(recent[0]).write_bytes_per_s, now.written_bytes - first.written_bytes
            if now.time_s - recent[0].time_s >= SURE_S and not known.is_fast(rate):
                return
            if written > known.most_bytes or now.time_s - first.time_s > known.most_s:
                raise MeasurementImpossible("cache-does-not-end", written=written, rate=rate)

    def go_on(self, setting: Setting) -> None:
        """Let the writer go on, until a new scheduler knows the disk, and look. Raises ``RunFailed``."""
        self._writer.start()
        if setting != self._setting:
            self._processes.pause(settle_s(setting))
            self._setting = setting
        self.look()

    def rest(self) -> None:
        """End the writer for a while."""
        self._writer.stop()
        self._setting = None

    def look(self, began: Counters | None = None) -> Message | None:
        """Watch the writer's speed; return ``left``, or why the disk left the state within a run that ``began`` before.

        Memory in a drive is full when a run begins, so that bursts into it raise no run's mean speed. Raises
        ``RunFailed`` if the writer has failed.
        """
        before = self._counters()
        self._processes.pause(CHECK_S)
        self._writer.check()
        now = self._counters()
        self.left = self._why_left(now.since(before).write_bytes_per_s)
        return self.left or (self._why_left(now.since(began).write_bytes_per_s) if began else None)

    def _why_left(self, bytes_per_s: float) -> Message | None:
        return message("state-left", rate=bytes_per_s) if self._exhaustion.is_fast(bytes_per_s) else None

    def _counters(self) -> Counters:
        if counters := self._read():
            return counters
        raise RunFailed("disk-gone")
