# SPDX-License-Identifier: GPL-3.0-or-later
"""What a disk says of itself, as far as the kernel shows it: class of a card, command queue, unit, connection."""

from __future__ import annotations

from collections.abc import Iterator

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.checkup.facts import Facts, read_facts, read_kernel
from disktuner.vocabulary.messages import Message, message

_CARD_QUEUE = 32
"""A card with a queue of its own has so many places at most; without one the kernel makes 64."""


def own_words(system: System, disk: Disk) -> tuple[Message, ...]:
    """Return it as sentences; none where nothing is shown, or the disk is gone."""
    tree = system.tree
    path = tree.link(f"sys/block/{disk.name}") or ""
    facts = read_facts(tree, disk, disk, path, read_kernel(tree))
    if facts is None:
        return ()
    unit = 0
    if folder := tree.folder(f"sys/block/{disk.name}"):
        with folder:
            unit = folder.number("device/preferred_erase_size")
    return tuple(_words(facts, unit))


def _words(facts: Facts, unit_bytes: int) -> Iterator[Message]:
    if facts.card_class:
        yield message("disk-says-class", level=facts.card_class)
    if facts.disk.name.startswith("mmcblk") and facts.tags:
        is_own = facts.tags <= _CARD_QUEUE
        yield message("disk-says-queue", count=facts.tags) if is_own else message("disk-says-no-queue")
    elif depth := facts.queue_depth or facts.disk.queue_limit:
        yield message("disk-says-queue", count=depth)
    if unit_bytes:
        yield message("disk-says-unit", size=unit_bytes)
    if usb := facts.links.usb:
        slow = "-slow" if usb.speed < usb.best else ""
        yield message(f"disk-says-usb{slow}", rate=usb.speed * 1e6 / 8, best=usb.best * 1e6 / 8)
    if sata := facts.links.sata:
        slow = "-slow" if sata.speed < sata.best else ""
        yield message(f"disk-says-sata{slow}", speed=sata.speed, best=sata.best)
    if pcie := facts.links.pcie:
        yield message("disk-says-pcie", speed=pcie.speed, lanes=pcie.lanes)
