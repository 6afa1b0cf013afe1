# SPDX-License-Identifier: GPL-3.0-or-later
"""The other disk on which a copy to the one that is measured is felt: where that is, and whether it can be at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from disktuner.block.machine import available_bytes
from disktuner.block.sysfs import Tree
from disktuner.block.system import System
from disktuner.comparison.target import Target, find_target, places
from disktuner.results.model import Felt, Result
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message

MOST_MEMORY_BYTES = 384 << 20
"""With more free memory, a run copies less than fits into it: then nothing was felt on another disk, with any limit."""


def with_felt(target: Target, folder: str, system: System) -> Target:
    """Return the target with the folder in which a copy to it is felt.

    Raises ``NoSuchThing``, or ``MeasurementImpossible`` where that is on the same disk.
    """
    felt = find_target(folder, system)
    if set(felt.names) & set(target.names):
        raise MeasurementImpossible("felt-same-disk", folder=str(felt.folder), disk=target.disk.title)
    return replace(target, felt=felt)


def why_not_felt(target: Target) -> Message | None:
    """Return why no limit on the disk that is copied to can be felt on the other; None where one may."""
    memory_bytes = available_bytes(Tree(Path("/")))
    if target.felt is None or memory_bytes <= MOST_MEMORY_BYTES:
        return None
    felt, folder = target.felt.disk.title, str(target.felt.folder)
    return message("felt-not-there", felt=felt, folder=folder, disk=target.disk.title, memory=memory_bytes)


def felt_notes(felt: Target, size_bytes: int) -> Iterator[Message]:
    """Say before the start how much is written on the other disk, and what helps where memory is little."""
    yield message("felt-in", folder=str(felt.folder), disk=felt.disk.title, size=size_bytes)
    if (memory_bytes := available_bytes(Tree(Path("/")))) <= MOST_MEMORY_BYTES:
        yield message("felt-little-memory", memory=memory_bytes)


def felt_of(target: Target) -> Felt | None:
    """Return what a result keeps of it."""
    return Felt(target.felt.mount.path, target.felt.disk.name) if target.felt else None


def felt_again(before: Result, system: System) -> str:
    """Return a folder where a result was felt, empty where that was on the disk itself.

    Raises ``NoSuchThing`` or ``MeasurementImpossible`` where there is none any more.
    """
    felt = before.plan.felt
    if felt is None:
        return ""
    for place in places(system.disk(felt.disk), system):
        if place.mount.path == felt.path:
            return str(place.folder)
    raise MeasurementImpossible("continues-nothing", result=before.id)
