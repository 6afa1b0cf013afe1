# SPDX-License-Identifier: GPL-3.0-or-later
"""What the portrait of a disk says for a comparison: how its fast cache is used up, and whether it is already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from disktuner.block.disk import Disk
from disktuner.experiment.exhaustion import Exhaustion
from disktuner.presentation.portrait import End, reliable_end
from disktuner.results.history import when
from disktuner.results.portrait import Portrait, Reads
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.states import is_fast
from disktuner.workloads.workload import MIB, Probe

FAR_SLOWER = 1 / 2
"""Compared with the portrait's fast speed: what a look of a second sees varies."""
AHEAD_BYTES = 4 * MIB
"""What a read waits for where no portrait knows how long: some requests of the usual size."""


def exhaustion_of(disk: Disk, portrait: Portrait | None) -> Exhaustion:
    """Return how a disk's cache is used up. Raises ``NoSuchThing`` if no portrait shows where that ends."""
    if portrait is None:
        raise NoSuchThing("exhausted-without-portrait", disk=disk.title, name=disk.name)
    end = reliable_end(portrait)
    if end is None:
        raise NoSuchThing(
            "exhausted-without-end", disk=disk.title, name=disk.name, created=when(portrait.created),
            size=len(portrait.steps_s) * portrait.step_bytes,
        )  # fmt: skip
    return using_up(end)


def using_up(end: End) -> Exhaustion:
    """Return how a cache with this end is used up."""
    return Exhaustion(int(end.high_bytes), end.fast_bytes_per_s, end.slow_bytes_per_s)


def probe_exhausted(probed: Probe, exhaustion: Exhaustion, seen: Iterable[Reads] = ()) -> Probe:
    """Return what a look at a rested disk would have seen with its cache used up, given a portrait's reads."""
    slow = exhaustion.slow_bytes_per_s
    beside = [reads.p50_s for reads in seen if reads.beside and reads.written_bytes > exhaustion.cache_bytes]
    usual_s = max(beside, default=AHEAD_BYTES / slow)
    return replace(probed, write_bytes_per_s=slow, stream_bytes_per_s=slow, usual_beside_s=usual_s)


def exhausted_already(disk: Disk, probed: Probe, portrait: Portrait | None) -> Message | None:
    """Return a message if a disk that should be rested writes far slower than that."""
    if portrait is None or (end := reliable_end(portrait)) is None:
        return None
    now, fast = probed.busy_bytes_per_s, end.fast_bytes_per_s
    if now >= FAR_SLOWER * fast or is_fast(now, fast, end.slow_bytes_per_s):
        return None
    return message("exhausted-already", disk=disk.title, now=now, fast=fast, created=when(portrait.created))
