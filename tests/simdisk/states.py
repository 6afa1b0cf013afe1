# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated disks drawn at random whose fast cache ends, on some of which another scheduler is best when it is used up.

Where writing falls to a tenth or less, what waits in the disk's queue takes so long that reads wait for it: a scheduler
that hands on few writes then gains what it cannot gain while the disk writes fast.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from disktuner.block.disk import disk_to_json
from disktuner.block.system import System
from disktuner.experiment.exhaustion import Exhaustion
from disktuner.results.model import FileSystem, Machine
from disktuner.results.portrait import Added, Portrait, PortraitFile, Portraits
from disktuner.results.store import new_id
from disktuner.vocabulary.states import DiskState
from disktuner.workloads.workload import MIB
from tests.conftest import LoopDisk, Sudo
from tests.simdisk.family import FOUR
from tests.simdisk.simulated import simulated_disk

SIZE_MB, RECOVER_MB = 3000, 200
LASTING = 100
"""How many times larger the cache is where the disk is to rest: a real one outlasts a comparison. Else it is small,
to be used up soon."""
GOALS = ("desktop", "server")
STEPS, SEEN = 200, 0.1
"""A portrait's steps before the end, and by how much it may be wrong: less than nine of ten are (docs/portrait.md)."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A disk: the server's profile with its settings, the depth above it, and the truth of its cache."""

    seed: int
    kind: str
    goal: str
    baseline: str
    profile: str
    settings: tuple[str, ...]
    depth: int
    cache_bytes: float
    fast: float
    slow: float

    @property
    def exhaustion(self) -> Exhaustion:
        """What a portrait that is right says."""
        return Exhaustion(int(self.cache_bytes), self.fast, self.slow)

    def __str__(self) -> str:
        queue = f"cache_mb={self.cache_bytes / 1e6:.0f} depth={self.depth}"
        return f"{self.seed} {self.kind} ({' '.join(self.settings)} {queue}), {self.goal}, {self.baseline}"


def draw(seed: int) -> Drawn:
    """Return the disk of a seed: an SSD that falls far, one that hardly does, and a shingled disk, in turns."""
    source, kind = random.Random(f"states {seed}"), ("falling", "mild", "shingled")[seed % 3]
    cache_mb, read_us = source.randint(300, 600), source.randint(80, 250)
    if kind == "shingled":
        rate_mb, depth = source.randint(120, 220), source.choice((8, 16, 32))
        after_mb, profile = rate_mb / source.uniform(2, 8), "hdd"
        settings = [f"seek_us={source.randint(4000, 10_000)}", f"ncq={source.randint(2, depth)}",
                    f"band_mb={source.randint(4, 12)}"]  # fmt: skip
    else:
        rate_mb, depth = source.randint(250, 450), source.choice((8, 16, 32))
        least, most = (10, 25) if kind == "falling" else (1.6, 2.5)
        after_mb, profile = rate_mb / source.uniform(least, most), "flash"
        settings = ["jump_us=100", f"read_us={read_us}", f"write_us={source.randint(50, 200)}"]
    settings += [f"rate_mb={rate_mb}", f"after_mb={after_mb:.1f}", f"recover_mb={RECOVER_MB}"]
    baseline = source.choice([name for name in FOUR if name != "bfq" or source.random() < 0.5])
    goal = source.choice(GOALS)
    return Drawn(
        seed, kind, goal, baseline, profile, (*settings, "forgets=yes"), depth, cache_mb * 1e6, rate_mb * 1e6,
        after_mb * 1e6,
    )  # fmt: skip


@contextmanager
def member(sudo: Sudo, folder: Path, drawn: Drawn, state: str = DiskState.EXHAUSTED) -> Iterator[LoopDisk]:
    """The disk as it was drawn, rested, mounted, with its baseline set; with a cache for comparisons in a state."""
    times = 1 if state == DiskState.EXHAUSTED else LASTING
    settings = (*drawn.settings, f"cache_mb={times * drawn.cache_bytes / 1e6:.0f}")
    with simulated_disk(sudo, folder, SIZE_MB, drawn.profile, *settings, depth=str(drawn.depth)) as disk:
        sudo("tee", disk.queue / "scheduler", stdin=drawn.baseline)
        yield disk


def keep_portrait(disk: LoopDisk, drawn: Drawn, store: Portraits | None = None) -> Portrait:
    """Keep a portrait of the disk as ``disktuner portrait`` would find it, a little wrong."""
    wrong = random.Random(f"portrait {drawn.seed}")
    truth = (drawn.cache_bytes, drawn.fast, drawn.slow)
    cache, fast, slow = (value * wrong.uniform(1 - SEEN, 1 + SEEN) for value in truth)
    step_bytes = int(cache / STEPS / MIB + 1) * MIB
    many = max(40, int(2 * cache / fast * slow / step_bytes))
    empty = Portrait(
        new_id(), datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"), "test", Machine(),
        disk_to_json(System().disk(disk.name)), FileSystem(), 4 * int(cache), step_bytes,
    )  # fmt: skip
    with PortraitFile(store or Portraits(), empty) as file:
        steps = (step_bytes / fast,) * round(cache / step_bytes) + (step_bytes / slow,) * many
        file.add(Added(steps_s=steps, is_last=True))
    return file.portrait
