# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's request queue: which schedulers it offers, which is chosen, and its tunables as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.block.sysfs import Folder
from disktuner.block.tunables import QUEUE_NAMES


@dataclass(frozen=True, slots=True)
class Schedulers:
    """The content of ``queue/scheduler``.

    ``chosen`` is None where the kernel offers no choice: no file at all, or a bare ``none`` without brackets,
    which is what queues without requests (device-mapper, md, zram on older kernels) print.
    """

    chosen: str | None
    offered: tuple[str, ...]


NO_CHOICE = Schedulers(None, ())


def parse_schedulers(text: str | None) -> Schedulers:
    """Read ``none [mq-deadline] kyber bfq``; the order of the names is the kernel's."""
    if text is None:
        return NO_CHOICE
    chosen = None
    offered: list[str] = []
    for word in text.split():
        name = word.removeprefix("[").removesuffix("]")
        if not _plausible(name):
            return NO_CHOICE
        if word != name:
            chosen = name
        if name not in offered:
            offered.append(name)
    return NO_CHOICE if chosen is None else Schedulers(chosen, tuple(offered))


def _plausible(name: str) -> bool:
    # ELV_NAME_MAX is 16 with the closing NUL (include/linux/elevator.h).
    return 0 < len(name) < 16 and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def read_tunables(disk: Folder) -> Mapping[str, int | str]:
    """The tunables of the queue and of its scheduler, by ``queue/NAME`` and ``iosched/NAME``.

    Of the queue only those of the catalogue; of the scheduler all, also of one that nobody has heard of. Linux 7.0
    shows ``queue/async_depth`` without a scheduler, too, and lets nobody set it there (block/blk-sysfs.c).
    """
    values: dict[str, int | str] = {}
    for name in QUEUE_NAMES:
        _add(values, f"queue/{name}", disk.text(f"queue/{name}"))
    own = disk.names("queue/iosched")
    for name in own:
        _add(values, f"iosched/{name}", disk.text(f"queue/iosched/{name}"))
    if not own:
        values.pop("queue/async_depth", None)
    return values


def _add(values: dict[str, int | str], name: str, text: str | None) -> None:
    if text is None:
        return
    try:
        values[name] = int(text)
    except ValueError:
        # Ours hold integers; others (an unknown scheduler's) are shown as the kernel's first line.
        values[name] = "".join(sign if sign.isprintable() else " " for sign in text)[:80]
