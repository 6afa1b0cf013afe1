# SPDX-License-Identifier: GPL-3.0-or-later
"""A made-up machine, second by second, with a known cause of what happens."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import repeat

from disktuner_watch.causes import FreezeReason
from disktuner_watch.incidents import About, Incident
from disktuner_watch.recorder import Recorder
from disktuner_watch.samples import Program, Sample, Stat

MB = 1_000_000
IDLE = (0.0, 0.0, 0.0, 0)
Load = tuple[float, float, float, int]
"""Of a disk in a second: MB read, MB written, share of time busy, requests in flight at its end."""
STARTED = datetime(2026, 11, 27, 14, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Second:
    """A second: ``stalled`` and ``memory`` are shares of it. A discard of ``trimmed_s`` ends with it."""

    stalled: float = 0.0
    memory: float = 0.0
    disks: Mapping[str, Load] = field(default_factory=dict)
    waiting_mb: float = 0.0
    swapped_mb: float = 0.0
    programs: tuple[Program, ...] = ()
    trimmed_s: float = 0.0


QUIET = Second()


def copies(name: str, read_mb: float, written_mb: float) -> Program:
    """A program at work, which waits all the time."""
    return Program(name, round(read_mb * MB), round(written_mb * MB), held_up=True)


def stands_still(name: str = "firefox") -> Program:
    return Program(name, 40_000, 0, held_up=True)


class Machine:
    """Plays seconds to a recorder.

    Attributes: ``kept``, the incidents; ``looks``, how often it looked at programs.
    """

    def __init__(self, home: str = "vda") -> None:
        self.kept: list[Incident] = []
        self.looks = 0
        self._home, self._now_s = home, 5000.0
        self._stalled = self._memory = self._swapped = 0.0
        self._second, self._moved = QUIET, dict[str, tuple[float, float]]()
        self._disks: dict[str, Stat] = {name: Stat(1, 0, 0, 0, 0, 0) for name in (home, "sdb")}
        self.early: list[Incident] = []
        self.recorder = Recorder(self, self._keep, lambda: STARTED + timedelta(seconds=self._now_s - 5000))

    def play(self, seconds: Iterable[Second]) -> None:
        for self._second in seconds:
            step_s = self.recorder.every_s
            for _ in range(round(1 / step_s)):
                self._now_s += step_s
                self._stalled += self._second.stalled * step_s
                self._memory += self._second.memory * step_s
                self._swapped += self._second.swapped_mb * step_s
                for name, load in self._second.disks.items():
                    self._disks[name] = _after(self._disks[name], load, step_s, self._second.trimmed_s)
                self._move(step_s)
                self.recorder.tick()

    def _keep(self, incident: Incident, *, is_over: bool) -> None:
        (self.kept if is_over else self.early).append(incident)

    def unplug(self, name: str) -> None:
        """Remove the disk."""
        del self._disks[name]

    def _move(self, seconds: float) -> None:
        for program in self._second.programs:
            read, written = self._moved.get(program.name, (0.0, 0.0))
            self._moved[program.name] = read + program.read_bytes * seconds, written + program.written_bytes * seconds

    def read(self) -> Sample:
        second = self._second
        waiting, swapped = round(second.waiting_mb * MB), round(self._swapped * MB)
        stalled_us, memory_us = round(self._stalled * 1e6), round(self._memory * 1e6)
        return Sample(self._now_s, stalled_us, memory_us, waiting, swapped, dict(self._disks))

    def look(self) -> tuple[Program, ...]:
        """Look at programs; those that are idle and not held up are not seen."""
        self.looks += 1
        moved, self._moved = self._moved, {}
        held_up = {program.name for program in self._second.programs if program.held_up}
        names = dict.fromkeys((*moved, *held_up))
        return tuple(Program(name, *map(round, moved.get(name, (0, 0))), name in held_up) for name in names)

    def about(self, names: Iterable[str]) -> dict[str, About]:
        return {name: About(f"Model {name}", "mq-deadline", "/" if name == self._home else "") for name in names}


def _after(stat: Stat, load: Load, seconds: float, trimmed_s: float) -> Stat:
    read_mb, written_mb, busy, in_flight = *(value * seconds for value in load[:3]), load[3]
    return Stat(
        stat.reads + round(read_mb * 8),
        stat.read_bytes + round(read_mb * MB),
        stat.writes + round(written_mb * 2),
        stat.written_bytes + round(written_mb * MB),
        in_flight,
        stat.busy_ms + round(busy * 1000),
        stat.discards + (trimmed_s > 0),
        stat.discard_ms + round(trimmed_s * 1000 * seconds),
    )


Plant = Callable[[random.Random, str], Iterator[Second]]
"""By chance, with the disk that holds system and home."""


def writes(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """A writer saturates the disk that programs start from."""
    speed = draw.uniform(15, 400)
    for _ in range(draw.randint(5, 60)):
        programs = (copies("cp", 0, speed * draw.uniform(0.6, 1.4)), stands_still())
        disks = {home: (draw.uniform(0.1, 1), speed * draw.uniform(0.7, 1.3), draw.uniform(0.95, 1), 20)}
        yield Second(draw.uniform(0.7, 1), 0, disks, draw.uniform(20, 2000), 0, programs)


def reads(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """A reader saturates it."""
    speed = draw.uniform(50, 2000)
    for _ in range(draw.randint(5, 60)):
        programs = (copies("updatedb", speed * draw.uniform(0.9, 1.1), 0), stands_still())
        disks = {home: (speed, draw.uniform(0, 2), draw.uniform(0.9, 1), 8)}
        yield Second(draw.uniform(0.7, 1), 0, disks, draw.uniform(0, 10), 0, programs)


def write_back(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """Memory is full of data for a slow stick, whose writer has ended or sleeps."""
    for _ in range(draw.randint(3, 20)):
        yield Second(0.05, 0, {"sdb": (0, 9, 0.5, 4)}, 900, 0, (copies("rsync", 0, 300),))
    for _ in range(draw.randint(5, 60)):
        disks = {"sdb": (0, draw.uniform(5, 15), draw.uniform(0.9, 1), 30), home: (0, 0.2, 0.03, 0)}
        yield Second(draw.uniform(0.6, 1), 0, disks, draw.uniform(400, 900), 0, (stands_still(),))


def swapping(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """Programs need more memory than there is."""
    for _ in range(draw.randint(5, 60)):
        swapped = draw.uniform(5, 80)
        disks = {home: (swapped * 0.6, swapped * 0.4, draw.uniform(0.7, 1), 10)}
        programs = (Program("firefox", round(swapped * MB), 0, held_up=True),)
        yield Second(draw.uniform(0.6, 1), draw.uniform(0.3, 0.9), disks, 5, swapped, programs)


def silent(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """A disk takes requests and answers none, until it is reset."""
    for _ in range(draw.randint(12, 60)):
        yield Second(draw.uniform(0.8, 1), 0, {home: (0, 0, draw.choice((0, 1)), 4)}, 5, 0, (stands_still(),))
    yield Second(0.3, 0, {home: (1, 1, 0.5, 1)})


def trim(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """A file system tells a disk everything it has freed at once, and the disk does nothing else meanwhile."""
    seconds = draw.randint(8, 40)
    for _ in range(seconds):
        yield Second(draw.uniform(0.8, 1), 0, {home: (0, 0, 1, 4)}, 5, 0, (stands_still(),))
    yield Second(0.3, 0, {home: (1, 1, 0.5, 1)}, trimmed_s=seconds + 0.5)


def elsewhere(draw: random.Random, home: str = "vda") -> Iterator[Second]:
    """A network folder does not answer: programs wait, and no disk is busy."""
    for _ in range(draw.randint(5, 60)):
        yield Second(draw.uniform(0.7, 1), 0, {home: (0.1, 0.1, 0.02, 0)}, 5, 0, (stands_still(),))


PLANTS: Mapping[FreezeReason, Plant] = {
    FreezeReason.WRITES: writes,
    FreezeReason.READS: reads,
    FreezeReason.WRITE_BACK: write_back,
    FreezeReason.SWAPPING: swapping,
    FreezeReason.SILENT: silent,
    FreezeReason.TRIM: trim,
    FreezeReason.UNKNOWN: elsewhere,
}


def planted(reason: FreezeReason, home: str = "sda") -> Incident:
    """An incident with a known cause."""
    machine = Machine(home)
    machine.play(repeat(QUIET, 60))
    machine.play(PLANTS[reason](random.Random(2), home))
    machine.play(repeat(QUIET, 70))
    return machine.kept[0]


def beside_a_sleeper(seconds: Iterable[Second]) -> Iterator[Second]:
    """Add a program asleep in io_uring, which the kernel counts as waiting (Linux 6.5 and later)."""
    for second in seconds:
        yield replace(second, stalled=1.0)


def half_hour_quiet(draw: random.Random) -> Iterator[Second]:
    """A desktop in use for reading: short waits, now and then a second of them."""
    for _ in range(1800):
        stalled = draw.choice((0, 0, 0, 0.02, 0.2)) if draw.random() < 0.97 else draw.uniform(0.5, 0.9)
        moved = draw.uniform(0, 3)
        programs = (Program("firefox", round(moved * MB), 0, held_up=draw.random() < 0.02),)
        yield Second(stalled, 0, {"vda": (moved, draw.uniform(0, 1), stalled, 0)}, draw.uniform(0, 30), 0, programs)


def half_hour_busy(draw: random.Random) -> Iterator[Second]:
    """A backup or copies at full disk speed: the copying program waits all the time, others for a second at most."""
    names, speed = draw.choice((("rsync",), ("cp", "tar"), ("restic", "restic-helper"))), draw.uniform(8, 500)
    for number in range(1800):
        moving = tuple(copies(name, speed * draw.uniform(0.5, 1), speed * draw.uniform(0.5, 1)) for name in names)
        other = Program("firefox", round(draw.uniform(0, 0.5) * MB), 0, held_up=number % 30 == 0)
        disks = {"vda": (speed, draw.uniform(0, 1), 0.95, 6), "sdb": (0, speed, 0.95, 20)}
        yield Second(draw.uniform(0.4, 1), 0, disks, draw.uniform(100, 2000), 0, (*moving, other))
