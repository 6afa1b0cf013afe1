# SPDX-License-Identifier: GPL-3.0-or-later
"""Who set what a check-up found: the kernel, a line of a file, or somebody who left no trace."""

from __future__ import annotations

from collections.abc import Sequence

from disktuner.block.sysfs import Tree, lines_of
from disktuner.block.writers import Writer
from disktuner.checkup.facts import Facts
from disktuner.checkup.suspicions import Suspicion
from disktuner.vocabulary.checks import CHECKS
from disktuner.vocabulary.messages import Message, message

_FSTAB = "etc/fstab"


def set_by(suspicion: Suspicion, facts: Facts, writers: Sequence[Writer], tree: Tree) -> Message:
    """Return who set it: the last line that writes the value, or else the kernel's own choice."""
    if suspicion.by is not None:
        return suspicion.by
    if suspicion.check == "discard-at-once":
        return _by_fstab(suspicion, tree)
    if writer := writer_of(suspicion, writers):
        return _by_writer(writer)
    if suspicion.value == suspicion.kernel:
        return _by_rule(suspicion, facts)
    return message("set-by-hand")


def _by_rule(suspicion: Suspicion, facts: Facts) -> Message:
    """Attribute rules that only pass on the disk's own report to the disk."""
    if suspicion.rule in ("rotational", "write-cache"):
        return message("set-by-disk")
    return message("set-by-kernel", version=facts.kernel.short)


def _by_writer(writer: Writer) -> Message:
    if writer.ours:
        return message("set-by-disktuner")
    if writer.writes:
        return message("set-by-line", place=writer.place, who=writer.who)
    return message("set-by-line-perhaps", place=writer.place, who=writer.who)


def writer_of(suspicion: Suspicion, writers: Sequence[Writer]) -> Writer | None:
    """Return the last line that certainly wrote the value, or else the last one that may have."""
    if suspicion.by is not None:
        return None
    return last_writer(CHECKS[suspicion.check].setting, suspicion.value, writers)


def last_writer(attribute: str, value: int | str, writers: Sequence[Writer]) -> Writer | None:
    """Return the last line that certainly gave an attribute its value, or else the last one that may have."""
    likely = [
        writer for writer in writers if writer.attribute == attribute and writer.may_write and writer.may_set(value)
    ]
    certain = [writer for writer in likely if writer.writes]
    return certain[-1] if certain else likely[-1] if likely else None


def _by_fstab(suspicion: Suspicion, tree: Tree) -> Message:
    for number, line in lines_of(tree, _FSTAB):
        words = line.split()
        if len(words) > 3 and words[1] == suspicion.values["path"] and "discard" in words[3].split(","):
            return message("set-by-line", place=f"/{_FSTAB}:{number}", who="fstab")
    return message("set-by-mount")
