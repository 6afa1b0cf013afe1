# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines set a disk back after Disktuner's own rule, and by whose means each is mended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from disktuner.block.disk import Disk
from disktuner.block.sysfs import Tree
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.rivals import rivals
from disktuner.block.writers.writer import lines_of
from disktuner.mending.lines import mend_line
from disktuner.mending.mending import Mending, NotSure, command
from disktuner.mending.rules import mend_rule
from disktuner.mending.tlp import mend_tlp
from disktuner.mending.tuned import mend_tuned


def colliding(disk: Disk, writers: Sequence[Writer], tree: Tree) -> Writer | None:
    """Return who sets back what was chosen for good with Disktuner, or will at the next start; None where it holds.

    Of lines that may or may not meet the disk only one that set what the disk has now.
    """
    chosen = disk.persistent
    if chosen is None or disk.scheduler is None:
        return None
    found = rivals(disk, writers, chosen.scheduler, for_good=True)
    if found and found[-1].applies:
        return found[-1]
    until_restart = disk.until_restart is not None
    if disk.scheduler != chosen.scheduler and not until_restart:
        guilty = [each for each in found if each.may_write(disk.scheduler)]
        if guilty:
            return guilty[-1]
    return next(filter(None, (_of_tunable(writers, tree, *pair) for pair in chosen.tunables.items())), None)


def _of_tunable(writers: Sequence[Writer], tree: Tree, name: str, value: int | str) -> Writer | None:
    """The last line that sets a chosen tunable to something else, with certainty."""
    last: Writer | None = None
    for writer in writers:
        if writer.attribute == name and writer.acts_later and writer.applies:
            last = writer
    if last is None or last.ours or last.may_write(value) or _only_raises(last, tree, value):
        return None
    return last


def _only_raises(writer: Writer, tree: Tree, chosen: int | str) -> bool:
    """TuneD's ``readahead=>4096`` leaves more alone (``_process_assignment_modifiers`` in tuned/plugins/base.py)."""
    if writer.who != "tuned":
        return False
    line = dict(lines_of(tree, writer.file.lstrip("/"))).get(writer.line, "")
    number = writer.result or ""
    return line.partition("=")[2].strip().startswith(">") and number.isdecimal() and int(chosen) >= int(number)


def mending_of(subject: Subject, writer: Writer, writers: Sequence[Writer]) -> Mending | None:
    """Return how a line is kept from having the last word on a disk; None where it has not got that.

    Where no commands are surely right, the mending has none, and says what to do by hand.
    """
    if writer.ours or not writer.acts_later or writer.applies is False:
        return None
    chosen = subject.disk.persistent
    attributes = {writer.attribute, *(("queue/scheduler", *chosen.tunables) if chosen else ())}
    try:
        return _with_ours(subject, _mended(subject, writer, writers, attributes))
    except NotSure as reason:
        return Mending(writer, reason.message)


def _mended(subject: Subject, writer: Writer, writers: Sequence[Writer], attributes: Collection[str]) -> Mending:
    if writer.who == "tuned":
        return mend_tuned(subject, writer, attributes)
    if writer.who == "tlp":
        return mend_tlp(subject, writer)
    if writer.who == "udev":
        return mend_rule(subject, writer, writers)
    return mend_line(subject, writer)


def _with_ours(subject: Subject, mending: Mending) -> Mending:
    """Let our own rule act at once, where something was chosen; taken back, only another rule needs to be told so."""
    disk = subject.disk
    if disk.persistent is None:
        return mending
    again = command("udevadm", "trigger", "--settle", "--action=change", f"/sys/block/{disk.name}")
    back = (again,) if mending.writer.who == "udev" else ()
    return replace(mending, commands=(*mending.commands, again), undo=(*mending.undo, *back))
