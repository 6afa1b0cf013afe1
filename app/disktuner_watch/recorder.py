# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder: puts a sample a second into a ring, and makes an incident of it when programs stood still."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from disktuner_watch.detector import Detector, Stall
from disktuner_watch.incidents import About, Incident
from disktuner_watch.samples import Program, Sample, added_up

EVERY_S, RING_S = 1.0, 600.0
AROUND_S = 60.0
"""An incident keeps this much before and after its beginning, or all of it if it lasts longer."""
EARLY_S = 30.0
"""A freeze is saved each time it has lasted this much longer, since the computer may not survive it."""
ASKED_S = 15.0
"""How long before the request an incident on request begins."""


class SampleSource(Protocol):
    """The machine that is recorded."""

    def read(self) -> Sample:
        """Return a sample without programs."""

    def look(self) -> tuple[Program, ...]:
        """Return what programs did since the last look."""

    def about(self, names: Iterable[str]) -> Mapping[str, About]:
        """Describe disks."""


class Keep(Protocol):
    """What saves incidents."""

    def __call__(self, incident: Incident, *, is_over: bool) -> object:
        """Save an incident, replacing one with the same id; one that is not over will come again."""


def utc_now() -> datetime:
    """Return the time of day in UTC."""
    return datetime.now(UTC)


class Recorder:
    """Call ``tick`` once a second, twice while there may be a freeze (``every_s``).

    ``keep`` saves an incident; ``now`` returns the time of day.
    """

    def __init__(self, machine: SampleSource, keep: Keep, now: Callable[[], datetime] = utc_now) -> None:
        self._machine, self._keep, self._now = machine, keep, now
        self._about: Mapping[str, About] = {}
        self._early_s = EARLY_S
        self._ring: deque[Sample] = deque()
        self._detector = Detector()
        self._over: Stall | None = None

    @property
    def every_s(self) -> float:
        """The time between samples."""
        return EVERY_S / 2 if self._detector.is_alarmed else EVERY_S

    def tick(self) -> None:
        """Take a sample, and save the incident that it completes."""
        sample = self._take()
        stall = self._detector.add(sample)
        if stall is not None:
            self._finish()  # the one that ended less than a minute ago
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
            self._keep_stall(ongoing, asked=False, is_over=False)

    def keep_now(self) -> Incident:
        """Save the last minutes on request: those of the freeze that is on or just ended, if any."""
        self.tick()
        now_s = self._ring[-1].time_s
        lately = Stall(max(self._ring[0].time_s, now_s - ASKED_S), now_s)
        return self._keep_stall(self._detector.ongoing or self._over or lately, asked=True)

    def close(self) -> None:
        """Save what is incomplete, since the recorder ends."""
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
        """Save the last minutes of a system disk that left; it cannot be asked for anything later."""
        last_s = self._ring[-2].time_s
        lost = [name for name in gone if self._about[name].holds]
        if lost:
            self._keep_stall(Stall(max(self._ring[0].time_s, last_s - ASKED_S), last_s), asked=False)
        self._about = {name: about for name, about in self._about.items() if name not in gone}

    def _finish(self) -> None:
        stall, self._over = self._over, None
        if stall is not None:
            self._keep_stall(stall, asked=False)

    def _keep_stall(self, stall: Stall, *, asked: bool, is_over: bool = True) -> Incident:
        samples, now_s = tuple(self._ring), self._ring[-1].time_s
        since_s = stall.begun_s - AROUND_S
        window = tuple(sample for sample in samples if sample.time_s >= since_s)
        started = self._now() - timedelta(seconds=now_s - stall.begun_s)
        names = {name for sample in (window[0], window[-1]) for name in sample.disks}
        incident = Incident(
            started.isoformat(timespec="seconds"),
            stall.begun_s,
            stall.ended_s,
            asked,
            {**{name: self._about[name] for name in names & self._about.keys()}, **self._machine.about(sorted(names))},
            _only_changed(window),
            added_up(program for sample in samples if sample.time_s < since_s for program in sample.programs or ()),
        )
        self._keep(incident, is_over=is_over)
        return incident


def _only_changed(samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
    """Leave out disks that did nothing in all that time."""
    first = samples[0].disks
    changed = {
        name for sample in samples for name, stat in sample.disks.items() if stat != first.get(name) or stat.in_flight
    }
    return tuple(
        replace(sample, disks={name: stat for name, stat in sample.disks.items() if name in changed})
        for sample in samples
    )
