# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt: how long a user's programs waited for the disk, and whether somebody uses the computer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from disktuner.block.counters import Counters, parse_stat
from disktuner.block.sysfs import Tree
from disktuner.block.waiting import Pressure, Programs, Witness, interval, read_counters
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner_watch.field.blocks import FeltInterval

IDLE_S = 60.0
"""A disk that served nothing for this long is not in use."""
SUSPENDED_S = 0.5
"""The computer slept if the clock that runs during sleep advanced this much more than the other."""
_LOGIND = "org.freedesktop.login1"


LOOK_S, DOUBTFUL_LOOK_S = 1.0, 0.1
"""The interval between looks, and while pressure is doubted: only a look at the moment shows which program is held up,
and most are for less than a second."""
MOST_COST, SAVED_S = 0.005, 0.3
"""The share of a processor that looking so often may take, counted from the start, and the most processor time saved
up for it: that of about a hundred looks at several hundred processes. Beside a disk that works for longer, looks are
``LOOK_S`` apart."""


class _Reading(NamedTuple):
    """``awake_s`` stops while the computer sleeps, ``clock_s`` does not; ``waited_s`` is all programs' total."""

    awake_s: float
    clock_s: float
    waited_s: float | None
    disks: Mapping[str, Counters]


class Feeling:
    """Looks repeatedly. ``disk`` returns the disk's current name, None if it is absent.

    Attributes: ``every_s``, the time until the next look is due.
    """

    def __init__(
        self,
        disk: Callable[[], str | None],
        is_away: Callable[[], bool],
        root: Path = Path("/"),
        clock: Callable[[int], float] = time.clock_gettime,
        cpu_s: Callable[[], float] = time.process_time,
    ) -> None:
        """Raises ``MeasurementImpossible`` if the kernel does not count what programs wait for."""
        self._tree = Tree(root)
        self._pressure = Pressure(self._tree, os.getuid())
        self._programs = Programs(self._tree)
        self._witness = Witness()
        self._disk = disk
        self._is_away = is_away
        self._clock = clock
        self._cpu_s = cpu_s
        self._spent_s, self._saved_s = cpu_s(), 0.0
        self._served_at = 0.0
        self._before = self._read()
        self.every_s = LOOK_S
        if self._before.waited_s is None:
            raise MeasurementImpossible("field-no-pressure")

    def look(self) -> FeltInterval | None:
        """Return what happened since the last look.

        None if the computer slept meanwhile, nothing is known, or it is early and nobody can be held up at the moment.
        """
        disk = self._disk() or ""
        if self._clock(time.CLOCK_MONOTONIC) - self._before.awake_s < LOOK_S and not self._has_requests(disk):
            return None
        before, after = self._before, self._read()
        self._before = after
        self._save_up(after.awake_s - before.awake_s)
        wall_s, slept_s = (
            after.awake_s - before.awake_s,
            (after.clock_s - before.clock_s) - (after.awake_s - before.awake_s),
        )
        if after.disks.get(disk) != before.disks.get(disk):
            self._served_at = after.awake_s
        if after.waited_s is None or before.waited_s is None or slept_s > SUSPENDED_S:
            return None
        pressure_s = min(wall_s, max(0.0, after.waited_s - before.waited_s))
        reading = interval(wall_s, pressure_s, disk, before.disks, after.disks)
        stalled_s = self._witness.confirmed_s(
            reading, lambda: self._has_requests(disk) and self._programs.is_any_held_up()
        )
        self.every_s = DOUBTFUL_LOOK_S if self._witness.is_doubtful and self._saved_s > 0 else LOOK_S
        in_use = after.awake_s - self._served_at < IDLE_S and not self._is_away()
        return FeltInterval(wall_s, stalled_s, in_use, pressure_s - stalled_s)

    def _has_requests(self, disk: str) -> bool:
        now = parse_stat(self._tree.text(f"sys/block/{disk}/stat") or "", 0.0)
        return now is not None and now.in_flight > 0

    def _save_up(self, wall_s: float) -> None:
        spent_s, self._spent_s = self._spent_s, self._cpu_s()
        self._saved_s = min(SAVED_S, self._saved_s + MOST_COST * wall_s - (self._spent_s - spent_s))

    def _read(self) -> _Reading:
        stalled_us = self._pressure.stalled_us("io")
        waited_s = None if stalled_us is None else stalled_us / 1e6
        disks = read_counters(self._tree)
        return _Reading(self._clock(time.CLOCK_MONOTONIC), self._clock(time.CLOCK_BOOTTIME), waited_s, disks)


def require_counted() -> None:
    """Raise ``MeasurementImpossible`` if nothing can be felt here, before authorisation is asked for."""
    Feeling(lambda: None, lambda: False)


class Away:
    """Whether logind calls all the user's sessions idle, asked every ``every_s``. If it cannot tell, nobody is away."""

    def __init__(self, every_s: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = every_s
        self._clock = clock
        self._asked_at = -every_s
        self._is_away = False

    def __call__(self) -> bool:
        """Return the answer, at most ``every_s`` old."""
        if self._clock() - self._asked_at >= self._every_s:
            self._asked_at, self._is_away = self._clock(), _ask_logind()
        return self._is_away


def _ask_logind() -> bool:
    from gi.repository import Gio, GLib  # noqa: PLC0415 - slow to load, and only who carries a trial on asks

    question = GLib.Variant("(ss)", (f"{_LOGIND}.User", "IdleHint"))
    address = (_LOGIND, "/org/freedesktop/login1/user/self", "org.freedesktop.DBus.Properties", "Get")
    try:
        bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        return bool(bus.call_sync(*address, question, None, Gio.DBusCallFlags.NO_AUTO_START, 5000, None).unpack()[0])
    except GLib.Error:
        return False
