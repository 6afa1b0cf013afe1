# SPDX-License-Identifier: GPL-3.0-or-later
"""Who set what a check-up found: the kernel, a line of some file, or somebody who left no trace."""

from __future__ import annotations

import re
from collections.abc import Sequence

from disktuner.block.disk import Disk
from disktuner.block.sysfs import Tree
from disktuner.block.writers import Writer
from disktuner.block.writers.rivals import NAMES
from disktuner.block.writers.writer import lines_of
from disktuner.checkup.facts import Facts
from disktuner.checkup.suspicions import Suspicion
from disktuner.vocabulary.checks import CHECKS
from disktuner.vocabulary.messages import Message, message

_FSTAB, _HDPARM = "etc/fstab", "etc/hdparm.conf"
_CACHE_OFF = re.compile(r"write_cache\s*=\s*off")
_OF_A_DISK = re.compile(r"(/dev/\S+)\s*\{")


def set_by(suspicion: Suspicion, facts: Facts, writers: Sequence[Writer], tree: Tree) -> Message:
    """Return who set it. The last line that writes the value counts, then the kernel's own choice."""
    if suspicion.by is not None:
        return suspicion.by
    if suspicion.check == "discard-at-once":
        return _by_fstab(suspicion, tree)
    if suspicion.check == "write-cache-off" and (line := _hdparm_line(tree, facts.disk)):
        return message("set-by-line", place=line, who="hdparm")
    if writer := writer_of(suspicion, writers):
        return _by_writer(writer)
    if suspicion.value == suspicion.kernel:
        return _by_rule(suspicion, facts)
    return message("set-by-hand")


def _by_rule(suspicion: Suspicion, facts: Facts) -> Message:
    """What only passes on the disk's own report is the disk's doing."""
    if suspicion.rule in ("rotational", "write-cache"):
        return message("set-by-disk")
    return message("set-by-kernel", version=facts.kernel.short)


def _by_writer(writer: Writer) -> Message:
    if writer.ours:
        return message("set-by-disktuner")
    who = NAMES.get(writer.who, writer.who)
    if writer.applies:
        return message("set-by-line", place=writer.place, who=who)
    return message("set-by-line-perhaps", place=writer.place, who=who)


def writer_of(suspicion: Suspicion, writers: Sequence[Writer]) -> Writer | None:
    """Return the last line that certainly wrote the value, else the last one that may have."""
    if suspicion.by is not None:
        return None
    attribute = CHECKS[suspicion.check].setting
    likely = [
        writer
        for writer in writers
        if writer.attribute == attribute and writer.applies is not False and writer.may_write(suspicion.value)
    ]
    certain = [writer for writer in likely if writer.applies]
    return certain[-1] if certain else likely[-1] if likely else None


def _by_fstab(suspicion: Suspicion, tree: Tree) -> Message:
    for number, line in lines_of(tree, _FSTAB):
        words = line.split()
        if len(words) > 3 and words[1] == suspicion.values["path"] and "discard" in words[3].split(","):
            return message("set-by-line", place=f"/{_FSTAB}:{number}", who="fstab")
    return message("set-by-mount")


def _hdparm_line(tree: Tree, disk: Disk) -> str | None:
    """The line that switches the cache off: of all disks, or in the block of this one (hdparm.conf(5))."""
    inside: str | None = None
    for number, line in lines_of(tree, _HDPARM):
        if match := _OF_A_DISK.match(line):
            inside = match[1]
        elif line.startswith("}"):
            inside = None
        elif _CACHE_OFF.match(line) and (inside is None or _names(tree, inside, disk)):
            return f"/{_HDPARM}:{number}"
    return None


def _names(tree: Tree, device: str, disk: Disk) -> bool:
    link = tree.link(device.lstrip("/")) or device
    return link.rpartition("/")[2] == disk.name
