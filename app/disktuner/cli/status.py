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
from disktuner.block.writers.rivals import may_write, rivals
from disktuner.cli.columns import table, terminal_width
from disktuner.cli.leftovers import tell_leftovers
from disktuner.helper_client import HelperClient, State, calls
from disktuner.vocabulary.errors import HelperNotThere
from disktuner.vocabulary.messages import say

_HEAD = ("DISK", "CHOSEN", "ACTUAL", "SINCE", "BEFORE", "HOLDS")


@dataclass(frozen=True, slots=True)
class Standing:
    """How one disk stands.

    ``chosen`` is what it gets at every start, and ``until_restart`` what was set with Disktuner until the next one.
    ``holds`` is None without either; ``before`` is what ``revert`` would put back.
    """

    disk: Disk
    chosen: str | None
    since: str | None
    before: str | None
    in_trial: bool
    writers: tuple[Writer, ...]

    @property
    def until_restart(self) -> str | None:
        """What was set until the next restart."""
        return self.disk.until_restart.scheduler if self.disk.until_restart else None

    @property
    def holds(self) -> bool | None:
        """Whether the disk has what was chosen for now; not judged while a trial changes it."""
        wanted = self.until_restart or self.chosen
        return None if wanted is None or self.in_trial else self.disk.scheduler == wanted

    @property
    def culprit(self) -> Writer | None:
        """Who set what the disk has instead: the last one that writes just that, after our rule where that counts."""
        if self.holds is not False:
            return None
        likely = [
            writer
            for writer in self.writers
            if writer.sets_scheduler and not writer.ours and writer.applies is not False
            and (writer.acts_later or self.until_restart) and may_write(writer, self.disk.scheduler or "")
        ]  # fmt: skip
        return likely[-1] if likely else None

    @property
    def rival(self) -> Writer | None:
        """Who will certainly set something else than what was chosen for good, at the next start."""
        found = rivals(self.disk, self.writers, self.chosen, for_good=True) if self.chosen else ()
        return found[-1] if found and found[-1].applies else None

    @property
    def sentence(self) -> str:
        """Whether it holds, and what to do if not."""
        if self.in_trial:
            return "being measured"
        if self.holds is None:
            return "nothing chosen for good"
        if self.holds:
            return self._how_long
        if self.culprit is not None:
            return f"overridden by {self.culprit.place}"
        return "changed since, by hand or by a program that left no trace"

    @property
    def _how_long(self) -> str:
        later = self.chosen
        if self.rival is not None:
            later = f"{self.rival.value}, by {self.rival.place}"
        if self.until_restart is None:
            return "holds" if later == self.chosen else f"until the next restart; then {later}"
        return "until the next restart, as set with Disktuner" + (f"; then {later}" if later else "")

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        culprit = self.culprit
        return {
            "name": self.disk.name,
            "chosen": self.chosen,
            "until_restart": self.until_restart,
            "actual": self.disk.scheduler,
            "since": self.since,
            "before": self.before,
            "in_trial": self.in_trial,
            "holds": self.holds,
            "verdict": self.sentence,
            "by_port": bool(self.disk.persistent and self.disk.persistent.by_port),
            "overridden_by": None if culprit is None else culprit.place,
            "writers": [
                {"who": writer.who, "file": writer.file, "line": writer.line, "attribute": writer.attribute,
                 "value": writer.value, "applies": writer.applies, "ours": writer.ours, "note": say(writer.note) if writer.note else ""}
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
            return client.wait(calls.get_state())
    except HelperNotThere as error:
        print(f"disktuner: {error} Since when and what was before cannot be told without it.", file=sys.stderr)
        return None


def standing(system: System, disk: Disk, state: State | None) -> Standing:
    """How a disk stands, by the rule file, sysfs and what the helper remembers (None without a helper)."""
    choice = state.choice_for(disk.name) if state else None
    snapshot = state.snapshot_of(disk.name) if state else None
    if snapshot and snapshot.diskseq != disk.diskseq:
        snapshot = None  # another disk had this name
    chosen = disk.persistent.scheduler if disk.persistent else choice.scheduler if choice else None
    latest = disk.until_restart or choice or snapshot
    return Standing(
        disk,
        chosen,
        latest.since if latest else None,
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
    notes += [
        _PORT.format(disk=one.disk.name) for one in standings if one.disk.persistent and one.disk.persistent.by_port
    ]
    notes = list(dict.fromkeys(notes))  # what is about the computer is said once
    return "\n\n".join([table(_HEAD, rows, width), *(["\n".join(notes)] if notes else [])])


_PORT = "{disk}: its rule knows it only by its port: whatever disk is plugged in there gets the same."


def _is_told(writer: Writer) -> bool:
    """Not what is meant for other disks; what never does anything (``elevator=``) says so in its note."""
    return not writer.ours and (writer.applies is not False or bool(writer.note))


def _note(disk: str, writer: Writer) -> str:
    what = "the scheduler" if writer.sets_scheduler else writer.attribute
    doing = {True: "sets", None: "may set", False: "names but does not set"}[writer.applies]
    whose = "" if writer.of_machine else f"{disk}: "
    note = say(writer.note) if writer.note else ""
    return f"{whose}{writer.place} ({writer.who}) {doing} {what} to {writer.value}. {note}".rstrip()
