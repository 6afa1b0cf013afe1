# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt: for how long a user's programs waited for the disk, and whether somebody uses the computer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from gi.repository import Gio, GLib

from disktuner.block.counters import Counters
from disktuner.block.pressure import Pressure
from disktuner.block.sysfs import Tree
from disktuner.block.waiting import Interval, Witness, interval, is_anybody_held_up, read_counters
from disktuner.field.blocks import Look
from disktuner.vocabulary.errors import MeasurementImpossible

IDLE_S = 60.0
"""A disk that served nothing for so long is not used."""
SUSPENDED_S = 0.5
"""So much more by the clock that also runs while the computer sleeps means that it slept."""
_LOGIND = "org.freedesktop.login1"


LOOK_S, DOUBTFUL_LOOK_S = 1.0, 0.2
"""How often is looked; and while pressure is doubted and the disk is at work, for who is held up must be seen so."""


class _Reading(NamedTuple):
    """``awake_s`` does not go on while the computer sleeps, ``clock_s`` does; ``waited_s`` is all programs' so far."""

    awake_s: float
    clock_s: float
    waited_s: float | None
    disks: Mapping[str, Counters]


class Feeling:
    """Looks again and again. ``disk`` says how the disk is called now, None where it is not here.

    Attributes: ``every_s``, after how long the next look is due.
    """

    def __init__(
        self,
        disk: Callable[[], str | None],
        is_away: Callable[[], bool],
        root: Path = Path("/"),
        clock: Callable[[int], float] = time.clock_gettime,
    ) -> None:
        """Raises ``MeasurementImpossible`` where the kernel does not count what programs wait for."""
        self._tree = Tree(root)
        self._pressure = Pressure(self._tree, os.getuid())
        self._witness = Witness()
        self._disk = disk
        self._is_away = is_away
        self._clock = clock
        self._served_at = 0.0
        self._before = self._read()
        self.every_s = LOOK_S
        if self._before.waited_s is None:
            raise MeasurementImpossible("field-no-pressure")

    def look(self) -> Look | None:
        """Return what happened since the last look; None where the computer slept meanwhile, or nothing is known."""
        before, now, disk = self._before, self._read(), self._disk() or ""
        self._before = now
        wall_s, slept_s = now.awake_s - before.awake_s, (now.clock_s - before.clock_s) - (now.awake_s - before.awake_s)
        if now.disks.get(disk) != before.disks.get(disk):
            self._served_at = now.awake_s
        if now.waited_s is None or before.waited_s is None or slept_s > SUSPENDED_S:
            return None
        pressure_s = min(wall_s, max(0.0, now.waited_s - before.waited_s))
        seen = interval(wall_s, pressure_s, disk, before.disks, now.disks)
        stalled_s = self._witness.confirmed_s(seen, lambda: is_anybody_held_up(self._tree))
        self.every_s = self._due_s(seen)
        in_use = now.awake_s - self._served_at < IDLE_S and not self._is_away()
        return Look(wall_s, stalled_s, in_use, pressure_s - stalled_s)

    def _due_s(self, seen: Interval) -> float:
        works = seen.busy_s > 0 and seen.pressure_s > 0
        return DOUBTFUL_LOOK_S if works and self._witness.is_doubtful else LOOK_S

    def _read(self) -> _Reading:
        stalled_us = self._pressure.stalled_us("io")
        waited_s = None if stalled_us is None else stalled_us / 1e6
        disks = read_counters(self._tree)
        return _Reading(self._clock(time.CLOCK_MONOTONIC), self._clock(time.CLOCK_BOOTTIME), waited_s, disks)


def require_counted() -> None:
    """Raise ``MeasurementImpossible`` where nothing can be felt here, before anybody is asked for a right."""
    Feeling(lambda: None, lambda: False)


class Away:
    """Whether logind calls all of the user's sessions idle; asked now and then. If it can't tell, nobody is away."""

    def __init__(self, every_s: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = every_s
        self._clock = clock
        self._asked_at = -every_s
        self._is_away = False

    def __call__(self) -> bool:
        """Return the answer, at most so many seconds old."""
        if self._clock() - self._asked_at >= self._every_s:
            self._asked_at, self._is_away = self._clock(), _asked()
        return self._is_away


def _asked() -> bool:
    question = GLib.Variant("(ss)", (f"{_LOGIND}.User", "IdleHint"))
    to = (_LOGIND, "/org/freedesktop/login1/user/self", "org.freedesktop.DBus.Properties", "Get")
    try:
        bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        return bool(bus.call_sync(*to, question, None, Gio.DBusCallFlags.NO_AUTO_START, 5000, None).unpack()[0])
    except GLib.Error:
        return False
