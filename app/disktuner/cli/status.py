# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner status``: per disk what was chosen, what is, since when, who else sets it, and whether it holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.cli.columns import table, terminal_width
from disktuner.cli.leftovers import tell_leftovers
from disktuner.errors import HelperNotThere
from disktuner.helper_client import HelperClient
from disktuner.helper_client.state import State

_HEAD = ("DISK", "CHOSEN", "ACTUAL", "SINCE", "BEFORE", "HOLDS")


@dataclass(frozen=True, slots=True)
class Standing:
    """How one disk stands. ``holds`` is None without a choice; ``before`` is what ``revert`` would put back."""

    disk: Disk
    chosen: str | None
    since: str | None
    before: str | None
    in_trial: bool
    writers: tuple[Writer, ...]

    @property
    def holds(self) -> bool | None:
        """Whether the disk has what was chosen; not judged while a trial changes it."""
        return None if self.chosen is None or self.in_trial else self.disk.scheduler == self.chosen

    @property
    def culprit(self) -> Writer | None:
        """Who most likely set what the disk has instead: the last one that writes just that."""
        if self.holds is not False:
            return None
        others = [
            writer
            for writer in self.writers
            if writer.sets_scheduler and not writer.ours and writer.applies is not False
        ]
        exact = [writer for writer in others if writer.value == self.disk.scheduler]
        likely = exact or others
        return likely[-1] if likely else None

    @property
    def sentence(self) -> str:
        """Whether it holds, and what to do if not."""
        if self.in_trial:
            return "being measured"
        if self.holds is None:
            return "nothing chosen for good"
        if self.holds:
            return "holds"
        if self.culprit is not None:
            return f"overridden by {self.culprit.place}"
        return "changed since, by hand or by a program that left no trace"

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        culprit = self.culprit
        return {
            "name": self.disk.name,
            "chosen": self.chosen,
            "actual": self.disk.scheduler,
            "since": self.since,
            "before": self.before,
            "in_trial": self.in_trial,
            "holds": self.holds,
            "verdict": self.sentence,
            "overridden_by": None if culprit is None else culprit.place,
            "writers": [
                {"who": writer.who, "file": writer.file, "line": writer.line, "attribute": writer.attribute,
                 "value": writer.value, "applies": writer.applies, "ours": writer.ours, "note": writer.note}
                for writer in self.writers
            ],
        }  # fmt: skip


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("status", help="say for each disk what was chosen, what is, and who else sets it")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")


def run(args: argparse.Namespace) -> int:
    """Print how each disk stands.

    The rule file and sysfs tell nearly all; without the helper only "since" and "before" are missing, which
    is said on stderr.
    """
    system = System()
    state = _state()
    standings = [standing(system, disk, state) for disk in system.disks() if disk.scheduler is not None]
    if args.json:
        json.dump({"helper": state is not None, "disks": [one.to_json() for one in standings]}, sys.stdout, indent=1)
        print()
    else:
        print(human(standings, terminal_width()))
    tell_leftovers()
    return 0


def _state() -> State | None:
    try:
        with HelperClient() as client:
            return client.state()
    except HelperNotThere as error:
        print(f"disktuner: {error} Since when and what was before cannot be told without it.", file=sys.stderr)
        return None


def standing(system: System, disk: Disk, state: State | None) -> Standing:
    """How a disk stands, by the rule file, sysfs and what the helper remembers (None without a helper)."""
    choice = state.choice_for(disk.name) if state else None
    snapshot = state.snapshot_of(disk.name) if state else None
    chosen = disk.persistent.scheduler if disk.persistent else choice.scheduler if choice else None
    since = choice.since if choice else snapshot.since if snapshot else None
    return Standing(
        disk,
        chosen,
        since,
        snapshot.scheduler if snapshot else None,
        bool(state and state.in_trial(disk.name)),
        system.writers(disk),
    )


def human(standings: Sequence[Standing], width: int) -> str:
    """A table, then who else sets what."""
    if not standings:
        return "There is no disk here whose scheduler could be chosen."
    rows = [
        (one.disk.name, one.chosen or "-", one.disk.scheduler or "-", one.since or "-", one.before or "-", one.sentence)
        for one in standings
    ]
    notes = [_note(one.disk.name, writer) for one in standings for writer in one.writers if _is_told(writer)]
    return "\n\n".join([table(_HEAD, rows, width), *(["\n".join(notes)] if notes else [])])


def _is_told(writer: Writer) -> bool:
    """Not what is meant for other disks; what never does anything (``elevator=``) says so in its note."""
    return not writer.ours and (writer.applies is not False or bool(writer.note))


def _note(disk: str, writer: Writer) -> str:
    what = "the scheduler" if writer.sets_scheduler else writer.attribute
    doing = {True: "sets", None: "may set", False: "names but does not set"}[writer.applies]
    return f"{disk}: {writer.place} ({writer.who}) {doing} {what} to {writer.value}. {writer.note}".rstrip()
