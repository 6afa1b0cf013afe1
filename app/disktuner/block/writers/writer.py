# SPDX-License-Identifier: GPL-3.0-or-later
"""What a writer is: a line of a file that sets a queue's attribute, and the disk it is judged for."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from disktuner.block.disk import Disk
from disktuner.block.rule_files import OWN_RULES
from disktuner.block.sysfs import Tree
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.schedulers import scheduler, written_as

BOOT = ("kernel command line", "boot loader")
"""Who speaks of the computer, not of one disk."""

_SIDE_BY_SIDE = {"systemd", "rc.local", "sysfs.conf"}
"""Whose files systemd has worked through in no order."""


class State(StrEnum):
    """What a line does to a disk, as its owner says, from the one that surely acts to the one that never does: the last
    one that writes, one that hangs on what only root sees, one of which nobody could be asked, one whose value another
    replaces, one that never does anything, one for other disks."""

    ACTS = "acts"
    OPEN = "open"
    MENTIONS = "mentions"
    OVERRIDDEN = "overridden"
    DEAD = "dead"
    OTHER_DISKS = "other-disks"


Standing = tuple[State, Message | None]
"""A state, and why."""

ACTING: Standing = State.ACTS, None
MENTIONED: Standing = State.MENTIONS, None
OTHERS: Standing = State.OTHER_DISKS, None


@dataclass(frozen=True, slots=True)
class Subject:
    """The disk for which writers are sought, what udev stored of it, and the machine's files."""

    disk: Disk
    udev: Mapping[str, str]
    tree: Tree

    def is_called(self, pattern: str) -> bool:
        """Whether a shell pattern or a link to its node means the disk."""
        name = Path(self.tree.link(pattern.lstrip("/")) or pattern).name if pattern.startswith("/dev/") else pattern
        return fnmatch.fnmatchcase(self.disk.name, name)


@dataclass(frozen=True, slots=True)
class Writer:
    """One line that sets something.

    ``who`` works through the file: a program, or one of ``BOOT``. ``attribute`` is a tunable's name or
    ``queue/scheduler``. ``why`` says why it is in its ``state``, and ``corrected`` is the line as it would act, empty
    where nobody knows. ``ours`` marks Disktuner's own rule, ``is_command`` what udev starts when all rules are done
    (``RUN``), ``on_change`` what acts anew whenever udev sees the disk change.
    """

    who: str
    file: str
    line: int
    attribute: str
    value: str
    state: State = State.ACTS
    why: Message | None = None
    ours: bool = False
    is_command: bool = False
    on_change: bool = False
    corrected: str = ""

    @property
    def writes(self) -> bool:
        """Whether it surely writes, be it for good or until another line does."""
        return self.state in (State.ACTS, State.OVERRIDDEN)

    @property
    def may_write(self) -> bool:
        """Whether it writes, as far as could be found out."""
        return self.writes or self.state in (State.OPEN, State.MENTIONS)

    def stands(self, standing: Standing) -> Writer:
        """The same in a state, with why."""
        return replace(self, state=standing[0], why=standing[1])

    def beaten_by(self, last: Writer | None) -> Writer:
        """The same, overridden where it acts and another one surely has the last word."""
        if self.state is not State.ACTS or last in (None, self):
            return self
        if last.file != self.file and {self.who, last.who} <= _SIDE_BY_SIDE:
            return self
        return self.stands((State.OVERRIDDEN, message("overridden-by", place=last.place)))

    @property
    def acts_later(self) -> bool:
        """Whether it acts after our own rules when the computer starts or the disk appears: rules go by their names."""
        name, own = Path(self.file).name, Path(OWN_RULES).name
        return self.who != "udev" or self.is_command or (name > own and not name.startswith(own))

    @property
    def repeats_ours(self) -> bool:
        """Whether it is our own rule for this disk, read once more after others'."""
        return self.ours and self.acts_later and self.writes

    @property
    def place(self) -> str:
        """``FILE:LINE``."""
        return f"{self.file}:{self.line}"

    @property
    def sets_scheduler(self) -> bool:
        """Whether it sets the scheduler rather than a tunable."""
        return self.attribute == "queue/scheduler"

    @property
    def result(self) -> str | None:
        """What the kernel then shows; None where that cannot be read from the line."""
        return None if re.search(r"[$%`?]", self.value) else written_as(self.value.strip().lstrip(">"))

    def is_taken_by(self, disk: Disk) -> bool:
        """Whether the kernel has the scheduler that is set, as far as is known."""
        return not self.sets_scheduler or self.result in (None, *disk.schedulers, *disk.loadable)

    def as_its_kernel_takes_it(self, disk: Disk) -> Writer:
        """The same, dead where it names a scheduler of old kernels, and the disk's has none of that name."""
        if self.who in BOOT or not self.may_write or self.is_taken_by(disk) or not scheduler(self.value).became:
            return self
        return self.stands((State.DEAD, no_such_scheduler(self.value)))

    def may_set(self, value: int | str) -> bool:
        """Whether it sets this very value, or one that cannot be known."""
        return self.result in (None, str(value))

    def leaves(self, value: int | str) -> bool:
        """Whether a disk surely keeps that value; TuneD's ``>4096`` leaves alone what is more."""
        more = self.value.startswith(">") and str(value).isdecimal() and int(value) >= int(self.value[1:])
        return more or self.result == str(value)


def no_such_scheduler(name: str) -> Message:
    """Say that the kernel has none of that name, and what became of it."""
    if became := scheduler(name).became:
        return message("dead-old-scheduler", scheduler=name, became=became)
    return message("dead-no-scheduler", scheduler=name)
