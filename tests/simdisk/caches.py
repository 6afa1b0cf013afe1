# SPDX-License-Identifier: GPL-3.0-or-later
"""Random simulated disks with or without a fast cache that ends; small, so that portraits take seconds."""

from __future__ import annotations

import random
from dataclasses import dataclass

from disktuner.comparison.portrait import Pace

SIZE_MB = 2500
PACE = Pace(curve_s=18.0, whole_s=55.0)


@dataclass(frozen=True, slots=True)
class Cached:
    """A disk: the server's profile with its settings; 0 bytes if the cache has no end; ``slow`` includes stalls."""

    profile: str
    settings: tuple[str, ...]
    cache_bytes: float
    fast: float
    slow: float


def draw(seed: int) -> Cached:
    """Return a disk whose cache ends: every third rewrites bands, as shingled disks do."""
    source = random.Random(f"cache {seed}")
    shingled = seed % 3 == 0
    cache_mb, rate_mb = source.randint(350, 700), source.randint(90, 180)
    if shingled:  # more is written before: what seeks reads a larger file
        cache_mb, rate_mb = source.randint(750, 900), rate_mb + 60
    after_mb, stalls_s = rate_mb / source.uniform(2, 10), 0.0
    settings = [f"cache_mb={cache_mb}", f"rate_mb={rate_mb}", f"after_mb={after_mb:.1f}", "recover_mb=200"]
    if shingled:
        settings += ["seek_us=4000", f"band_mb={source.randint(4, 16)}"]
    else:
        collecting, stalls_s = _collecting(source)
        settings += ["jump_us=200", "read_us=200", *collecting]
    slow = 1e6 / (1 / after_mb + stalls_s)
    return Cached("hdd" if shingled else "flash", tuple(settings), cache_mb * 1e6, rate_mb * 1e6, slow)


def draw_endless(seed: int) -> Cached:
    """Return a disk without a cache that ends, mostly with garbage collection."""
    source = random.Random(f"endless {seed}")
    rate_mb = source.randint(40, 90)
    settings = (f"rate_mb={rate_mb}", "jump_us=200", "read_us=200", *_collecting(source)[0])
    return Cached("flash", settings, 0.0, rate_mb * 1e6, rate_mb * 1e6)


def _collecting(source: random.Random) -> tuple[tuple[str, str], float]:
    """Return the settings of garbage collection, and the seconds that it takes for each MB."""
    stall_mb, stall_ms = source.randint(10, 60), source.randint(20, 150)
    return (f"stall_mb={stall_mb}", f"stall_ms={stall_ms}"), stall_ms / 1000 / stall_mb
