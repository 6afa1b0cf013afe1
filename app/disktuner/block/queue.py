# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's request queue: its schedulers and tunables, why there may be no choice, and which one to try first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from disktuner.block.disk import MAY_HANG, Disk, Suggestion, Transport
from disktuner.block.machine import is_since
from disktuner.block.sysfs import Folder, Tree, as_number
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.kinds import HDD_ON_NVME, REMOVABLE, Kind
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.schedulers import loaded_for, scheduler
from disktuner.vocabulary.settings import setting
from disktuner.vocabulary.tunables import QUEUE_DEPTH, RATIO_LIMIT, TUNABLES, WRITE_LIMIT

ZONED_FREE_SINCE = (6, 10)  # zone write plugging came: any scheduler may then serve a zoned disk, but a switch may hang
LARGEST = 2**63 - 1
"""The largest number that result files hold; the kernel's, such as kyber's targets, may be larger."""
FEW_REQUESTS = 2  # usb-storage passes on one request at a time, and lets one more wait (drivers/usb/storage)

# The kernel asks for "<name>-iosched" (block/elevator.c): a module's own name, or one that it claims with MODULE_ALIAS.
_ALIAS = re.compile(r"^alias (\S+)-iosched ", re.MULTILINE)
_MODULE = re.compile(r"(\S+)[-_]iosched\.ko(?:\.(?:gz|xz|zst))?")
_QUEUE_TUNABLES = tuple(tunable.name for tunable in TUNABLES if tunable.scheduler is None)


@dataclass(frozen=True, slots=True)
class Schedulers:
    """The content of ``queue/scheduler``.

    ``chosen`` is None if the kernel offers no choice: no file at all, or a bare ``none`` without brackets, which queues
    without requests (device-mapper, md, zram on older kernels) print.
    """

    chosen: str | None
    offered: tuple[str, ...]


def parse_schedulers(text: str | None) -> Schedulers:
    """Parse ``none [mq-deadline] kyber bfq``, keeping the kernel's order."""
    words = (text or "").split()
    names = [word.removeprefix("[").removesuffix("]") for word in words]
    chosen = [name for word, name in zip(words, names, strict=True) if word != name]
    if not chosen or not all(map(_plausible, names)):
        return Schedulers(None, ())
    return Schedulers(chosen[-1], tuple(dict.fromkeys(names)))


def _plausible(name: str) -> bool:
    # ELV_NAME_MAX is 16 with the closing NUL (include/linux/elevator.h).
    return 0 < len(name) < 16 and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def loadable_schedulers(tree: Tree) -> tuple[str, ...]:
    """Return all known schedulers that are modules of the running kernel, loaded or not."""
    release = tree.text("proc/sys/kernel/osrelease")
    if not release or "/" in release:
        return ()
    modules: set[str] = set()
    for base in ("lib/modules", "usr/lib/modules"):
        folder = f"{base}/{release}"
        aliases = tree.octets(f"{folder}/modules.alias") or b""
        modules.update(_ALIAS.findall(aliases.decode("ascii", "replace")))
        for place in (f"{folder}/kernel/block", f"{folder}/extra", f"{folder}/updates"):
            modules.update(match[1] for match in map(_MODULE.fullmatch, tree.names(place)) if match)
    return loaded_for(modules)


def read_tunables(disk: Folder) -> Mapping[str, int | str]:
    """Return the tunables of the queue and of its scheduler, by ``queue/NAME``, ``iosched/NAME`` and so on.

    The queue's are those in the vocabulary; the scheduler's are all, even of unknown schedulers. Linux 7.0 shows
    ``queue/async_depth`` even without a scheduler, where nobody can set it (block/blk-sysfs.c).
    """
    values: dict[str, int | str] = {}
    for name in _QUEUE_TUNABLES:
        _add(values, name, disk.text(name))
    if not disk.is_writable(QUEUE_DEPTH):  # the driver cannot change it
        values.pop(QUEUE_DEPTH, None)
    scheduler_tunables = disk.names("queue/iosched")
    for name in scheduler_tunables:
        _add(values, f"iosched/{name}", disk.text(f"queue/iosched/{name}"))
    if not scheduler_tunables:
        values.pop("queue/async_depth", None)
    return values


def _add(values: dict[str, int | str], name: str, text: str | None) -> None:
    if text is None:
        return
    number = as_number(text, LARGEST + 1)
    if abs(number) <= LARGEST:
        values[name] = number
    else:
        # Known tunables are integers; others (an unknown scheduler's) are shown as the kernel's text.
        values[name] = "".join(sign if sign.isprintable() else " " for sign in text)[:80]


def why_not_tunable(disk: Disk, kernel: str | None) -> Message | None:
    """Return why a disk cannot be tuned under a kernel, and what to do instead; None if it can."""
    if disk.scheduler is None:
        return _why_no_scheduler(disk.kind, disk.below)
    if disk.size_bytes == 0:
        return message("no-medium")
    if disk.zoned == "host-managed" and not is_since(ZONED_FREE_SINCE, kernel):
        return message("zoned-on-old-kernel")
    if disk.zoned in ("host-managed", "host-aware") and is_since(ZONED_FREE_SINCE, kernel):
        return message(MAY_HANG)
    if len({*disk.schedulers, *disk.loadable}) < 2:
        return message("only-one-scheduler", scheduler=disk.scheduler)
    return None


def _why_no_scheduler(kind: Kind, below: tuple[str, ...]) -> Message:
    if below:
        return message("tune-what-lies-below", disks=below)
    if kind == kinds.ZRAM:
        return message("compressed-memory")
    if kind in (kinds.DEVICE_MAPPER, kinds.RAID):
        return message("tune-its-disks")
    return message("no-choice-of-scheduler")


def not_offered(disk: Disk, wanted: str, possible: Sequence[str]) -> NoSuchThing:
    """Return the error that a disk has no such scheduler, with its successor and the possible ones."""
    if became := scheduler(wanted).became:
        return NoSuchThing(
            "no-such-scheduler-any-more", disk=disk.title, scheduler=wanted, became=became, possible=tuple(possible)
        )
    return NoSuchThing("no-such-scheduler", disk=disk.title, scheduler=wanted, possible=tuple(possible))


def suggest(disk: Disk, goal: str) -> Suggestion | None:
    """Return a scheduler of this disk worth trying first for a goal (by id); None if there is no choice.

    It is a starting point with reason and source, before anything was measured, never a finding. For a removable disk
    without a limit to waiting data, it also suggests a limit.
    """
    first = _suggested_scheduler(disk, goal)
    can_be_limited = disk.kind in REMOVABLE and WRITE_LIMIT.keys() <= disk.tunables.keys()
    if first is None or not can_be_limited or disk.tunables.get(RATIO_LIMIT) != 100:
        return first
    tried = setting(disk.scheduler or "", WRITE_LIMIT).name
    return replace(first, limit=message("suggestion-write-limit", setting=tried))


def _suggested_scheduler(disk: Disk, goal: str) -> Suggestion | None:
    if not disk.tunable or disk.scheduler is None:
        return None
    requests = disk.tunables.get("queue/nr_requests")
    if isinstance(requests, int) and requests <= FEW_REQUESTS:
        return Suggestion(disk.scheduler, message("suggestion-few-requests", count=requests))
    choices = (*disk.schedulers, *disk.loadable)
    if disk.zoned == "host-managed":
        if "mq-deadline" in choices:
            return Suggestion("mq-deadline", message("suggestion-zoned"))
        return Suggestion(disk.scheduler, message("suggestion-none"))
    return _known_to_help(disk, goal, choices) or Suggestion(disk.scheduler, message("suggestion-none"))


def _known_to_help(disk: Disk, goal: str, choices: Sequence[str]) -> Suggestion | None:
    if disk.actuators > 1 and "bfq" in choices:
        return Suggestion("bfq", message("suggestion-actuators", count=disk.actuators))
    points = disk.kind.starting_points_for(goal)
    if disk.kind == kinds.HDD and disk.transport == Transport.NVME:  # to which the kernel gives no scheduler
        points = HDD_ON_NVME, *points
    for point in points:
        if point.scheduler in choices:
            return Suggestion(point.scheduler, message("suggestion", reason=point.reason, source=point.source))
    return None
