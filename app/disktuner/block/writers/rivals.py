# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gives a disk another scheduler after Disktuner has set one."""

from __future__ import annotations

from collections.abc import Sequence

from disktuner.block.disk import Disk
from disktuner.block.writers.writer import Writer
from disktuner.vocabulary.messages import Message, message


def rivals(
    disk: Disk, writers: Sequence[Writer], chosen: int | str, *, for_good: bool, attribute: str = "queue/scheduler"
) -> tuple[Writer, ...]:
    """Return those that do not leave a disk with what Disktuner sets; the last has the last word.

    With ``for_good`` those that act after our own rule at a start of the computer; else those that act again before
    the next one, whenever udev sees the disk change.
    """
    found: list[Writer] = []
    for writer in writers:
        if writer.ours and for_good and writer.acts_later:
            found = []  # read once more after these, our rule says again what is chosen, of this disk or of others yet
        acts = writer.may_write and (writer.acts_later if for_good else writer.on_change)
        if writer.ours or not acts or writer.attribute != attribute:
            continue
        if writer.writes:
            found = []  # this one has the last word now
        if not writer.leaves(chosen) and _is_possible(disk, writer):
            found.append(writer)
    return tuple(found)


def warnings(disk: Disk, writers: Sequence[Writer], scheduler: str, *, for_good: bool) -> tuple[Message, ...]:
    """Return which rival sets what instead, and when, to be read before the scheduler is set."""
    when = "at-start" if for_good else "on-change"
    found = rivals(disk, writers, scheduler, for_good=for_good)
    return tuple(message(f"rival-{_sets(one)}-{when}", place=one.place, who=one.who, value=one.value) for one in found)


def outlook(rival: Writer, *, for_good: bool) -> Message:
    """Return what becomes of a choice after it was set: ``After a restart, tuned sets it to none, unless …``."""
    when = "after-restart" if for_good else "before-restart"
    return message(f"rival-{_sets(rival)}-{when}", who=rival.who, value=rival.value)


def _sets(rival: Writer) -> str:
    return "sets" if rival.writes else "may-set"


def _is_possible(disk: Disk, writer: Writer) -> bool:
    """The kernel refuses the names of schedulers that it does not have."""
    return not writer.sets_scheduler or writer.result in (None, *disk.schedulers, *disk.loadable)
