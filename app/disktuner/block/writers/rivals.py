# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gives a disk another scheduler after Disktuner has set one, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from disktuner.block.disk import Disk
from disktuner.block.writers.writer import Writer
from disktuner.vocabulary.messages import Message, message

NAMES: Mapping[str, str] = {
    "udev": "a udev rule",
    "tuned": "TuneD",
    "tlp": "TLP",
    "tmpfiles.d": "tmpfiles.d",
    "sysfs.conf": "sysfsutils",
    "rc.local": "a start script",
    "systemd unit": "a systemd unit",
    "cloud agent": "a cloud agent",
    "cron": "cron",
    "hdparm": "hdparm",
}
"""What people call those that act after Disktuner, by ``Writer.who``."""

_OTHERS = ("systemd unit", "cloud agent", "kernel command line", "boot loader")


def names() -> tuple[str, ...]:
    """Return every name of a writer that is made of words: in a sentence, or in brackets behind a file."""
    return (*NAMES.values(), *_OTHERS)


def rivals(disk: Disk, writers: Sequence[Writer], scheduler: str, *, for_good: bool) -> tuple[Writer, ...]:
    """Return those that do not leave a disk with the scheduler that Disktuner sets; the last has the last word.

    With ``for_good`` those that act after our own rule at a start of the computer; else those that act again before
    the next one, whenever udev sees the disk change.
    """
    found: list[Writer] = []
    for writer in writers:
        if writer.ours and for_good and writer.acts_later:
            found = []  # read once more after these, our rule says again what is chosen, of this disk or of others yet
        if writer.ours or not writer.sets_scheduler or not _acts(writer, for_good=for_good):
            continue
        if writer.writes:
            found = []  # this one has the last word now
        if writer.result != scheduler and _is_possible(disk, writer):
            found.append(writer)
    return tuple(found)


def warning(rival: Writer, scheduler: str, *, for_good: bool) -> Message:
    """Return who sets what instead, when, and what to do, to be read before the scheduler is set."""
    sets = "sets" if rival.writes else "may-set"
    when = "at-start" if for_good else "on-change"
    remedy = message(_remedy(rival), scheduler=scheduler)
    return message(f"rival-{sets}-{when}", place=rival.place, who=rival.who, value=rival.value, remedy=remedy)


def warnings(disk: Disk, writers: Sequence[Writer], scheduler: str, *, for_good: bool) -> tuple[Message, ...]:
    """Return the ``warning`` of each rival."""
    found = rivals(disk, writers, scheduler, for_good=for_good)
    return tuple(warning(rival, scheduler, for_good=for_good) for rival in found)


def outlook(rival: Writer, *, for_good: bool) -> Message:
    """Return what becomes of a choice after it was set: ``After a restart, TuneD sets it to none, unless …``."""
    sets = "sets" if rival.writes else "may-set"
    when = "after-restart" if for_good else "before-restart"
    return message(f"rival-{sets}-{when}", who=NAMES[rival.who], value=rival.value)


def _acts(writer: Writer, *, for_good: bool) -> bool:
    return writer.may_write and (writer.acts_later if for_good else writer.on_change)


def _is_possible(disk: Disk, writer: Writer) -> bool:
    """The kernel refuses the names of schedulers that it does not have."""
    return writer.result in (None, *disk.schedulers, *disk.loadable)


def _remedy(rival: Writer) -> str:
    if rival.who == "udev" and not rival.file.startswith("/etc/"):
        return "remedy-hide-rule"
    return f"remedy-{rival.who}" if rival.who in ("tuned", "tlp") else "remedy-line"
