# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences on each line that sets a queue: what it does, or why it does nothing and how it would work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from disktuner.block.disk import Disk
from disktuner.block.writers import LineState, Writer
from disktuner.vocabulary.messages import named, say, text


def sentences_on(writers: Sequence[Writer]) -> Iterator[str]:
    """Yield sentences for each line by others that is about the disk."""
    for writer in writers:
        if not writer.ours and writer.state is not LineState.OTHER_DISKS:
            yield line(writer)


def line(writer: Writer) -> str:
    """Return what a line does, and why, with its correction if known."""
    said = text(f"line-{writer.state}", place=writer.place, who=named(writer.who), attribute=writer.attribute,
                value=writer.value)  # fmt: skip
    why = say(writer.why) if writer.why else ""
    better = text("line-corrected", line=writer.corrected) if writer.corrected else ""
    means = "" if writer.result in (None, writer.value) or not writer.sets_scheduler else writer.result
    alias = text("line-alias", name=writer.value, scheduler=means) if means and writer.may_write else ""
    return " ".join(filter(None, (said, why, alias, better)))


def distribution(disk: Disk, writers: Sequence[Writer]) -> str:
    """Return what the distribution's rules choose for a disk and what to try first; empty without such rules."""
    vendor = [
        writer
        for writer in writers
        if writer.who == "udev" and writer.sets_scheduler and writer.writes and not writer.is_command
        and writer.file.startswith(("/usr/lib/", "/lib/"))
    ]  # fmt: skip
    if not vendor or disk.suggestion is None:
        return ""
    return text(
        "distribution-chooses", scheduler=vendor[-1].value, place=vendor[-1].place, ours=disk.suggestion.scheduler
    )


def writer_to_json(writer: Writer) -> dict[str, Any]:
    """Return a line as ``--json`` prints it."""
    return {
        "who": writer.who,
        "file": writer.file,
        "line": writer.line,
        "attribute": writer.attribute,
        "value": writer.value,
        "state": writer.state.value,
        "why": say(writer.why) if writer.why else "",
        "ours": writer.ours,
        "corrected": writer.corrected,
    }
