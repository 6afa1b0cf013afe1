# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gives a disk another scheduler after Disktuner has set one, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence

from disktuner.block.disk import Disk
from disktuner.block.schedulers import written_as
from disktuner.block.writers.writer import UNKNOWN, Writer

_NAMES = {
    "udev": "a udev rule",
    "tuned": "TuneD",
    "tlp": "TLP",
    "tmpfiles.d": "tmpfiles.d",
    "sysfs.conf": "sysfsutils",
    "rc.local": "a start script",
}
_REMOVE = "take that line out"
_REMEDIES = {
    "tuned": "choose a profile that sets no scheduler (tuned-adm profile NAME), or switch TuneD off (tuned-adm off)",
    "tlp": "write keep for this disk into that line, and run tlp start",
}


def rivals(disk: Disk, writers: Sequence[Writer], scheduler: str, *, for_good: bool) -> tuple[Writer, ...]:
    """Those that do not leave a disk with the scheduler that Disktuner sets; the last of them has the last word.

    With ``for_good`` those that act after our own rule at a start of the computer; else those that act again before
    the next one, whenever udev sees the disk change.
    """
    found: list[Writer] = []
    for writer in writers:
        if writer.ours or not writer.sets_scheduler or not _acts(writer, for_good=for_good):
            continue
        if written_as(writer.value) == scheduler:
            found = [] if writer.applies else found
        elif _is_possible(disk, writer):
            found.append(writer)
    return tuple(found)


def may_write(writer: Writer, scheduler: str) -> bool:
    """Whether it sets this very scheduler, or one that cannot be known."""
    return writer.value == UNKNOWN or _has_variable(writer) or written_as(writer.value) == scheduler


def warning(rival: Writer, scheduler: str, *, for_good: bool) -> str:
    """Who sets what instead, when, and what to do, for a person to read before the scheduler is set."""
    when = "at every start, after Disktuner's own rule" if for_good else "whenever udev sees the disk change"
    remedy = f"To let {scheduler} last, {_remedy(rival)}."
    return f"{rival.place} ({rival.who}) {_sets(rival)} the scheduler to {rival.value} {when}. {remedy}"


def warnings(disk: Disk, writers: Sequence[Writer], scheduler: str, *, for_good: bool) -> tuple[str, ...]:
    """What ``warning`` says of each rival."""
    found = rivals(disk, writers, scheduler, for_good=for_good)
    return tuple(warning(rival, scheduler, for_good=for_good) for rival in found)


def outlook(rival: Writer) -> str:
    """What becomes of a choice: ``TuneD sets it to none``."""
    return f"{_NAMES.get(rival.who, f'a {rival.who}')} {_sets(rival)} it to {rival.value}"


def _sets(rival: Writer) -> str:
    return "sets" if rival.applies else "may set"


def _acts(writer: Writer, *, for_good: bool) -> bool:
    return writer.applies is not False and (writer.acts_later if for_good else writer.on_change is True)


def _has_variable(writer: Writer) -> bool:
    return "$" in writer.value or "%" in writer.value


def _is_possible(disk: Disk, writer: Writer) -> bool:
    """The kernel refuses the names of schedulers that it does not have."""
    return _has_variable(writer) or written_as(writer.value) in (*disk.schedulers, *disk.loadable)


def _remedy(rival: Writer) -> str:
    if rival.who == "udev" and not rival.file.startswith("/etc/"):
        return "put a copy of that file without the line into /etc/udev/rules.d"
    if rival.note:  # Google's agent has no setting for it
        return "do without that agent"
    return _REMEDIES.get(rival.who, _REMOVE)
