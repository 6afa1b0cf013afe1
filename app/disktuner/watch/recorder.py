# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder: a sample a second into a ring, and an incident out of it when programs stood still."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from disktuner.watch.detector import Detector, Stall
from disktuner.watch.incidents import About, Incident
from disktuner.watch.samples import Program, Sample, added_up

EVERY_S, RING_S = 1.0, 600.0
AROUND_S = 60.0
"""So much before and after the beginning is kept of an incident, and all of it where it lasts longer."""
EARLY_S = 30.0
"""A freeze that lasts so long is kept before it is over, and again after as long: the computer may not outlive it."""
ASKED_S = 15.0
"""What somebody asks to keep began not long before they could."""


class Machine(Protocol):
    """What is recorded."""

    def read(self) -> Sample:
        """Return what is counted now, but for the programs."""

    def look(self) -> tuple[Program, ...]:
        """Return what programs did since the last look."""

    def about(self, names: Iterable[str]) -> Mapping[str, About]:
        """Say what disks are."""


class Keep(Protocol):
    """Who saves incidents."""

    def __call__(self, incident: Incident, *, is_over: bool) -> object:
        """Save it in the place of one with the same id; one that is not over will come again."""


def utc_now() -> datetime:
    """Return the time of day."""
    return datetime.now(UTC)


class Recorder:
    """Call ``tick`` once a second, twice while there may be a freeze (``every_s``).

    ``keep`` saves an incident; ``now`` is the time of day, of the same moment as the last sample.
    """

    def __init__(self, machine: Machine, keep: Keep, now: Callable[[], datetime] = utc_now) -> None:
        self._machine, self._keep, self._now = machine, keep, now
        self._about: Mapping[str, About] = {}
        self._early_s = EARLY_S
        self._ring: deque[Sample] = deque()
        self._detector = Detector()
        self._over: Stall | None = None

    @property
    def every_s(self) -> float:
        """How long after a sample the next is due."""
        return EVERY_S / 2 if self._detector.is_alarmed else EVERY_S

    def tick(self) -> None:
        """Take a sample; keep the incident that is complete with it."""
        sample = self._take()
        stall = self._detector.add(sample)
        if stall is not None:
            self._finish()  # one that ended less than a minute ago
            self._over = stall
        if self._over is not None and sample.time_s >= self._over.begun_s + AROUND_S:
            self._finish()
        self._keep_early(sample.time_s)

    def _keep_early(self, now_s: float) -> None:
        ongoing = self._detector.ongoing
        if ongoing is None:
            self._early_s = EARLY_S
        elif now_s - ongoing.begun_s >= self._early_s:
            self._early_s += EARLY_S
            self._kept(ongoing, asked=False, is_over=False)

    def keep_now(self) -> Incident:
        """Keep the last minutes because somebody asks: about the freeze that is or was just now, where there is one."""
        self.tick()
        now_s = self._ring[-1].time_s
        lately = Stall(max(self._ring[0].time_s, now_s - ASKED_S), now_s)
        return self._kept(self._detector.ongoing or self._over or lately, asked=True)

    def close(self) -> None:
        """Keep what is not complete yet: the recorder ends."""
        self._over = self._over or self._detector.ongoing
        self._finish()

    def _take(self) -> Sample:
        sample = self._machine.read()
        if self._detector.wants_look(sample):
            sample = replace(sample, programs=self._machine.look())
        self._ring.append(sample)
        if gone := self._about.keys() - sample.disks.keys():
            self._lose(gone)
        if sample.disks.keys() - self._about.keys():
            self._about = self._machine.about(sorted(sample.disks))
        while self._ring[0].time_s < sample.time_s - RING_S:
            self._ring.popleft()
        return sample

    def _lose(self, gone: Collection[str]) -> None:
        """Keep the last minutes of a disk of the system or the user's that leaves; nothing of it can be asked later."""
        last_s = self._ring[-2].time_s
        held = [name for name in gone if self._about[name].holds]
        if held:
            self._kept(Stall(max(self._ring[0].time_s, last_s - ASKED_S), last_s), asked=False)
        self._about = {name: about for name, about in self._about.items() if name not in gone}

    def _finish(self) -> None:
        stall, self._over = self._over, None
        if stall is not None:
            self._kept(stall, asked=False)

    def _kept(self, stall: Stall, *, asked: bool, is_over: bool = True) -> Incident:
        samples, now_s = tuple(self._ring), self._ring[-1].time_s
        since_s = stall.begun_s - AROUND_S
        around = tuple(each for each in samples if each.time_s >= since_s)
        started = self._now() - timedelta(seconds=now_s - stall.begun_s)
        names = {name for each in (around[0], around[-1]) for name in each.disks}
        incident = Incident(
            started.isoformat(timespec="seconds"),
            stall.begun_s,
            stall.ended_s,
            asked,
            {**{name: self._about[name] for name in names & self._about.keys()}, **self._machine.about(sorted(names))},
            _only_changed(around),
            added_up(each for sample in samples if sample.time_s < since_s for each in sample.programs or ()),
        )
        self._keep(incident, is_over=is_over)
        return incident


def _only_changed(samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
    """Leave out the disks that did nothing in all that time."""
    first = samples[0].disks
    changed = {
        name for each in samples for name, stat in each.disks.items() if stat != first.get(name) or stat.in_flight
    }
    return tuple(
        replace(each, disks={name: stat for name, stat in each.disks.items() if name in changed}) for each in samples
    )
