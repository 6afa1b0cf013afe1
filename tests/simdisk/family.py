# SPDX-License-Identifier: GPL-3.0-or-later
"""A family of random simulated disks, each with its goal and baseline, always the same for a seed.

About half of its comparisons have something to gain: a disk that may be slow under some schedulers for its goal mostly
starts with one of them; of the disks on which all are alike, only some are members.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import LoopDisk, Sudo
from tests.simdisk.sata import DEPTH, sata_disk
from tests.simdisk.simulated import WHOLE_KB, simulated_disk, throttled

FOUR = ("mq-deadline", "none", "kyber", "bfq")
ANY_DISK = ("desktop", "copying", "database", "media", "server")
"""The goals that any disk may have: what a seed draws stays the same where goals are added."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A disk of the family: the server's profile with its settings, the queue above it, and its use.

    ``request_kb`` is the largest request: if it is small, ``none`` lets streams alternate with every one of them.
    ``pace_mb`` is the throttle in MB/s above the queue of a disk on which no scheduler should make a difference. Not
    all drawn disks are members, as there would be too many on which all schedulers are alike.
    """

    seed: int
    kind: str
    goal: str
    baseline: str
    profile: str
    settings: tuple[str, ...]
    depth: int
    size_mb: int
    request_kb: int
    pace_mb: int = 0
    is_member: bool = True

    @property
    def is_slow(self) -> bool:
        """Whether the disk waits for itself most of the time, so that it takes little of a processor."""
        return self.kind in {"hdd", "hdd-ncq", "stick", "null"}

    def __str__(self) -> str:
        queue = f"depth={self.depth} request_kb={self.request_kb} pace_mb={self.pace_mb}"
        return f"{self.seed} {self.kind} ({' '.join(self.settings)} {queue}), {self.goal}, {self.baseline}"


Shape = tuple[str, tuple[str, ...], int, int, int, int]
"""What a kind draws: profile, settings, depth, size in MB, largest request in KiB, pace in MB/s (0: none)."""


def _hard_disk(source: random.Random, depth: int, ncq: int) -> Shape:
    settings = (
        f"rpm={source.choice((5400, 5900, 7200, 7200, 10_000, 15_000))}",
        f"track_us={source.randint(300, 1500)}",
        f"seek_us={source.randint(3500, 13_000)}",
        f"rate_mb={source.randint(60, 250)}",
        f"ncq={ncq}",
    )
    return "hdd", settings, depth, source.randint(40, 80) * 100, source.choice((WHOLE_KB, WHOLE_KB, 128, 64, 32)), 0


def _with_queue(source: random.Random) -> Shape:
    depth = source.choice((8, 16, 32))
    return _hard_disk(source, depth, source.randint(2, depth))


def _without_queue(source: random.Random) -> Shape:
    return _hard_disk(source, 4, 1)


def _stick(source: random.Random) -> Shape:
    settings = (
        f"read_us={source.randint(300, 1500)}",
        f"write_us={source.randint(200, 1500)}",
        f"jump_us={round(500 * 20 ** source.random())}",  # 0.5 to 10 ms
        f"rate_mb={round(5 * 12 ** source.random())}",  # 5 to 60 MB/s
    )
    return "flash", settings, source.choice((4, 4, 8)), source.randint(30, 40) * 100, WHOLE_KB, 0


def _sata_ssd(source: random.Random) -> Shape:
    settings = (
        f"read_us={source.randint(50, 200)}",
        f"write_us={source.randint(50, 200)}",
        f"jump_us={source.randint(0, 200)}",
        f"rate_mb={source.randint(250, 550)}",
    )
    return "flash", settings, source.choice((8, 16, 32)), source.randint(40, 60) * 100, WHOLE_KB, 0


def _nvme_ssd(source: random.Random) -> Shape:
    settings = (
        f"read_us={source.randint(50, 100)}",
        f"write_us={source.randint(15, 60)}",
        "jump_us=0",
        f"channels={source.choice((4, 8))}",
        f"rate_mb={source.randint(1000, 3000)}",
    )
    return "flash", settings, 64, source.randint(40, 60) * 100, WHOLE_KB, 0


def _null(source: random.Random) -> Shape:
    settings = (f"read_us={source.randint(20_000, 60_000)}",)
    return "null", settings, 64, 3000, WHOLE_KB, source.randint(40, 80)


_SHAPES: Mapping[str, Callable[[random.Random], Shape]] = {
    "hdd-ncq": _with_queue,
    "stick": _stick,
    "sata-ssd": _sata_ssd,
    "hdd": _without_queue,
    "nvme-ssd": _nvme_ssd,
    "null": _null,
}
KINDS = tuple(_SHAPES)


SLOW_FROM: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "desktop": dict.fromkeys(("hdd-ncq", "hdd", "stick", "sata-ssd"), ("mq-deadline", "none", "kyber")),
    "media": {"hdd-ncq": ("none",), "hdd": ("none",), "stick": ("mq-deadline", "none", "kyber")},
    "copying": {"hdd-ncq": ("none",), "hdd": ("none",)},
    "database": {"nvme-ssd": ("kyber",)},
}
"""Under which schedulers a kind of disk may be slow for a goal; what it truly gains, long runs say."""
SMALL_KB = 64
"""Films stop on a hard disk where requests are no larger."""
SLOW_SHARE, ALIKE_SHARE = 0.75, 0.2
"""How many of the disks that may be slow have such a baseline, and how many of the others are members."""


def draw(seed: int) -> Drawn:
    """Return the disk of a seed. Thirty consecutive seeds have all kinds with all these goals."""
    kind, goal = KINDS[seed % len(KINDS)], ANY_DISK[seed % len(ANY_DISK)]
    shape, lot = _SHAPES[kind](random.Random(f"disk {seed}")), random.Random(f"baseline {seed}")
    _, _, _, _, request_kb, _ = shape
    slow_from = SLOW_FROM.get(goal, {}).get(kind, ())
    if goal == "media" and kind.startswith("hdd") and request_kb > SMALL_KB:
        slow_from = ()
    fast_from = [name for name in FOUR if name not in slow_from]
    baseline = lot.choice(slow_from if slow_from and lot.random() < SLOW_SHARE else fast_from)
    return Drawn(seed, kind, goal, baseline, *shape, is_member=bool(slow_from) or lot.random() < ALIKE_SHARE)


SATA: Mapping[str, tuple[str, ...]] = {"starving": ("patience=400",), "fair": ("linger_us=10000",)}
"""SATA disks by what they do with a full queue of their own: what is sequential first, or reads first, and writes when
none came for a while."""
SATA_MB = 5000


def draw_sata(kind: str, seed: int) -> Drawn:
    """Return a hard disk whose own queue matters in everyday use, or does not."""
    source = random.Random(f"{kind} {seed}")
    profile, settings, depth, *_ = _hard_disk(source, DEPTH, DEPTH)
    baseline = source.choice(("mq-deadline", "bfq"))
    return Drawn(seed, kind, "desktop", baseline, profile, (*settings, *SATA[kind]), depth, SATA_MB, WHOLE_KB)


@contextmanager
def sata_member(sudo: Sudo, folder: Path, drawn: Drawn) -> Iterator[LoopDisk]:
    """Yield the drawn SATA disk, mounted, with its baseline set."""
    with sata_disk(sudo, folder, drawn.size_mb, *drawn.settings) as disk:
        sudo("tee", disk.queue / "scheduler", stdin=drawn.baseline)
        yield disk


@contextmanager
def member(sudo: Sudo, folder: Path, drawn: Drawn) -> Iterator[LoopDisk]:
    """Yield the drawn disk, mounted, with its baseline set."""
    simulated = simulated_disk(
        sudo, folder, drawn.size_mb, drawn.profile, *drawn.settings, depth=str(drawn.depth), request_kb=drawn.request_kb
    )
    with simulated as disk, throttled(sudo, disk, drawn.pace_mb * 10**6) if drawn.pace_mb else nullcontext():
        sudo("tee", disk.queue / "scheduler", stdin=drawn.baseline)
        yield disk


BURNER = """
import os, random, sys, time
source, parent = random.Random(sys.argv[1]), os.getppid()
while os.getppid() == parent:
    end = time.monotonic() + source.uniform(0.1, 2)
    while time.monotonic() < end:
        pass
    time.sleep(source.uniform(0.1, 2))
"""
"""Takes half of a processor, at random times; ends with who started it."""


@contextmanager
def busy(seed: int, count: int = 2) -> Iterator[None]:
    """Keep that many processors busy meanwhile."""
    argv = [sys.executable, "-I", "-S", "-c", BURNER]
    burning = [subprocess.Popen([*argv, f"{seed} {number}"]) for number in range(count)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()
