# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a disk cannot be tuned, in one sentence that says what to do instead."""

from __future__ import annotations

import re

from disktuner.block.disk import Kind
from disktuner.block.queue import Schedulers

ZONED_FREE_SINCE = (6, 10)  # zone write plugging came: any scheduler may then serve a zoned disk


def why_not(
    kind: Kind,
    *,
    schedulers: Schedulers,
    size_bytes: int,
    below: tuple[str, ...],
    loadable: tuple[str, ...],
    zoned: str,
    kernel: str | None,
) -> str | None:
    """None when the disk is tunable."""
    if schedulers.chosen is None:
        return _without_queue(kind, below)
    if size_bytes == 0:
        return "There is no medium in it, so there is nothing to order. Insert one."
    if zoned == "host-managed" and not _newer(kernel, ZONED_FREE_SINCE):
        return (
            "It is zoned and must be written in order, for which this kernel (before 6.10) has only mq-deadline. "
            "Leave it as it is."
        )
    if len({*schedulers.offered, *loadable}) < 2:
        only = schedulers.chosen
        return f"This kernel has no scheduler but {only} for it. Install a kernel that has bfq, kyber or mq-deadline."
    return None


def _without_queue(kind: Kind, below: tuple[str, ...]) -> str:
    if below:
        return f"It passes its requests on and has no order of its own. Tune what lies below it: {', '.join(below)}."
    if kind is Kind.ZRAM:
        return "It keeps its data in compressed memory: there is no waiting to put in order. Leave it as it is."
    if kind in (Kind.DEVICE_MAPPER, Kind.RAID):
        return "It passes its requests on and has no order of its own; tune the disks it is made of."
    return "The kernel offers no choice of scheduler for it. Leave it as it is."


def _newer(kernel: str | None, wanted: tuple[int, int]) -> bool:
    match = re.match(r"(\d{1,4})\.(\d{1,4})", kernel or "")
    return match is None or (int(match[1]), int(match[2])) >= wanted
