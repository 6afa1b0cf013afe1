# SPDX-License-Identifier: GPL-3.0-or-later
"""A writer, a line of a file that sets a queue's attribute, and the disk for which it is judged."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from disktuner.block.disk import Disk, kernel_name
from disktuner.block.rule_files import OWN_RULES
from disktuner.block.sysfs import Tree
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.schedulers import scheduler, written_as

BOOT = ("kernel command line", "boot loader")
"""Owners of the whole computer, not of a disk."""

_SIDE_BY_SIDE = {"systemd", "rc.local", "sysfs.conf"}
"""Owners whose files systemd applies in no particular order."""


class LineState(StrEnum):
    """What a line does to a disk, according to its owner, from sure to never: it writes last, it depends on what only
    root sees, nobody could be asked, another line replaces its value, it never does anything, it is for other disks."""

    ACTS = "acts"
    OPEN = "open"
    MENTIONS = "mentions"
    OVERRIDDEN = "overridden"
    DEAD = "dead"
    OTHER_DISKS = "other-disks"


Standing = tuple[LineState, Message | None]
"""A state, and why."""

ACTING: Standing = LineState.ACTS, None
MENTIONED: Standing = LineState.MENTIONS, None
OTHERS: Standing = LineState.OTHER_DISKS, None


_BRACES = re.compile(r"\{([^{}]*,[^{}]*|[a-z]\.\.[a-z])\}")
_MOST_ALTERNATIVES = 100


def alternatives(pattern: str) -> list[str]:
    """Return the patterns for which one with braces stands (``GLOB_BRACE`` of glob(3)), and bash's ``{a..c}``."""
    done, todo = list[str](), [pattern]
    while todo and len(done) + len(todo) < _MOST_ALTERNATIVES:
        text = todo.pop()
        if (braces := _BRACES.search(text)) is None:
            done.append(text)
            continue
        first, is_range, last = braces[1].partition("..")
        letters = map(chr, range(ord(first), ord(last) + 1)) if is_range and len(braces[1]) == 4 else ()
        parts = [*letters] or braces[1].split(",")
        todo += [f"{text[: braces.start()]}{part}{text[braces.end() :]}" for part in parts]
    return done


@dataclass(frozen=True, slots=True)
class Subject:
    """The disk for which writers are judged, its udev properties, and the machine's files."""

    disk: Disk
    udev: Mapping[str, str]
    tree: Tree

    def is_called(self, pattern: str) -> bool:
        """Whether a shell pattern, a link to a device node, or a device number is the disk."""
        if pattern.startswith("/dev/"):
            link = self.tree.link(pattern.lstrip("/"))
            pattern = os.path.normpath(Path(pattern).parent / link) if link else pattern
        name = kernel_name(pattern)
        patterns = (pattern.replace("[^", "[!") for pattern in alternatives(name))
        return name == self.disk.devno or any(fnmatch.fnmatchcase(self.disk.name, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Writer:
    """One line that sets something.

    ``who`` applies the file: a program, or one of ``BOOT``. ``attribute`` is a tunable's name or ``queue/scheduler``.
    ``why`` explains its ``state``, and ``corrected`` is the line as it would work, if known. ``ours``: Disktuner's own
    rule. ``is_command``: udev starts it after all rules (``RUN``). ``on_change``: it acts again whenever the disk
    changes.
    """

    who: str
    file: str
    line: int
    attribute: str
    value: str
    state: LineState = LineState.ACTS
    why: Message | None = None
    ours: bool = False
    is_command: bool = False
    on_change: bool = False
    corrected: str = ""

    @property
    def writes(self) -> bool:
        """Whether it surely writes, even if another line overrides it."""
        return self.state in (LineState.ACTS, LineState.OVERRIDDEN)

    @property
    def may_write(self) -> bool:
        """Whether it writes, as far as known."""
        return self.writes or self.state in (LineState.OPEN, LineState.MENTIONS)

    def stands(self, standing: Standing) -> Writer:
        """Return the line with another state and reason."""
        return replace(self, state=standing[0], why=standing[1])

    def beaten_by(self, last: Writer | None) -> Writer:
        """Return the line as overridden if it acts but ``last`` surely acts after it."""
        if self.state is not LineState.ACTS or last in (None, self):
            return self
        if last.file != self.file and {self.who, last.who} <= _SIDE_BY_SIDE:
            return self
        return self.stands((LineState.OVERRIDDEN, message("overridden-by", place=last.place)))

    @property
    def acts_later(self) -> bool:
        """Whether it acts after our own rules at boot or when the disk appears; rules are sorted by name."""
        name, own_prefix = Path(self.file).name, Path(OWN_RULES).name
        return self.who != "udev" or self.is_command or (name > own_prefix and not name.startswith(own_prefix))

    @property
    def repeats_ours(self) -> bool:
        """Whether it is our own rule for this disk, read again after others'."""
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
        """The value that the kernel will show; None if the line does not tell."""
        return None if re.search(r"[$%`?]", self.value) else written_as(self.value.strip().lstrip(">"))

    def is_taken_by(self, disk: Disk) -> bool:
        """Whether the kernel has the scheduler, as far as known."""
        return not self.sets_scheduler or self.result in (None, *disk.schedulers, *disk.loadable)

    def as_its_kernel_takes_it(self, disk: Disk) -> Writer:
        """Return the line as dead if it acts, or names an old kernel's scheduler, but the disk lacks what it names."""
        if self.who in BOOT or self.ours or not self.may_write or self.is_taken_by(disk):
            return self
        if not self.writes and not scheduler(self.value).became:
            return self
        return self.stands((LineState.DEAD, no_such_scheduler(self.value)))

    def may_set(self, value: int | str) -> bool:
        """Whether it sets this value, or an unknown one."""
        return self.result in (None, str(value))

    def leaves(self, value: int | str) -> bool:
        """Whether a disk surely keeps that value; TuneD's ``>4096`` does not lower larger ones."""
        more = self.value.startswith(">") and str(value).isdecimal() and int(value) >= int(self.value[1:])
        return more or self.result == str(value)


def no_such_scheduler(name: str) -> Message:
    """Return that the kernel has no such scheduler, with its successor if it had one."""
    if became := scheduler(name).became:
        return message("dead-old-scheduler", scheduler=name, became=became)
    return message("dead-no-scheduler", scheduler=name)
