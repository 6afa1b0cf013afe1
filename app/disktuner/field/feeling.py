# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt: for how long a user's programs waited for disks, and whether somebody uses the computer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from gi.repository import Gio, GLib

from disktuner.block.pressure import Pressure
from disktuner.block.sysfs import Tree
from disktuner.field.blocks import Look
from disktuner.field.starts import Starts
from disktuner.vocabulary.errors import MeasurementImpossible

IDLE_S = 60.0
"""A disk that served nothing for so long is not used."""
SUSPENDED_S = 0.5
"""So much more by the clock that also runs while the computer sleeps means that it slept."""
_LOGIND = "org.freedesktop.login1"


class Feeling:
    """Looks again and again. ``requests`` says how many requests the disk has served."""

    def __init__(
        self,
        requests: Callable[[], int | None],
        is_away: Callable[[], bool],
        root: Path = Path("/"),
        clock: Callable[[int], float] = time.clock_gettime,
    ) -> None:
        """Raises ``MeasurementImpossible`` where the kernel does not count what programs wait for."""
        tree = Tree(root)
        self._pressure = Pressure(tree, os.getuid())
        self._starts = Starts(tree, os.getuid())
        self._requests = requests
        self._is_away = is_away
        self._clock = clock
        self._served: int | None = None
        self._served_at = 0.0
        self._before = self._now()
        if self._before[2] is None:
            raise MeasurementImpossible("field-no-pressure")

    def look(self) -> Look | None:
        """Return what happened since the last look; None where the computer slept meanwhile, or nothing is known."""
        before, now = self._before, self._now()
        starts = self._starts.look(now[0])
        self._before = now
        wall_s, slept_s = now[0] - before[0], (now[1] - before[1]) - (now[0] - before[0])
        served = self._requests()
        if served != self._served:
            self._served, self._served_at = served, now[0]
        if now[2] is None or before[2] is None or slept_s > SUSPENDED_S:
            return None
        in_use = now[0] - self._served_at < IDLE_S and not self._is_away()
        return Look(wall_s, min(wall_s, max(0.0, now[2] - before[2])), in_use, starts)

    def _now(self) -> tuple[float, float, float | None]:
        """The time without sleep, with sleep, and the seconds that all programs have waited (PSI io, full)."""
        stalled_us = self._pressure.stalled_us("io")
        waited_s = None if stalled_us is None else stalled_us / 1e6
        return self._clock(time.CLOCK_MONOTONIC), self._clock(time.CLOCK_BOOTTIME), waited_s


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
