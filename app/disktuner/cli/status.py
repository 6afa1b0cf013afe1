# SPDX-License-Identifier: GPL-3.0-or-later
"""``status``: per disk what was chosen, what is, since when, who else sets it, and whether it holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.text import Text

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.checkup.doctor import told, writer_to_json
from disktuner.cli.disks import by_disks
from disktuner.cli.results import leftovers_found
from disktuner.cli.screen import Column, Screen, cell, table
from disktuner.cli.streams import complain, print_json, remark
from disktuner.helper_client import HelperClient, State, calls
from disktuner.helper_client.calls import FieldTrial
from disktuner.opening import is_folder
from disktuner.presentation import when
from disktuner.remedies import Remedy, colliding, remedy_of, rivals
from disktuner.vocabulary.errors import HelperNotThere, UsageError
from disktuner.vocabulary.messages import Message, message, say, text
from disktuner.vocabulary.settings import known_setting
from disktuner.vocabulary.tunables import is_same
from disktuner.vocabulary.units import NOTHING


@dataclass(frozen=True, slots=True)
class Standing:
    """How one disk stands.

    ``chosen`` is what it gets at every start, and ``until_restart`` what was set with Disktuner until the next one.
    ``tunables`` are chosen with it, by full name. ``holds`` is None without either; ``before`` is what ``revert``
    would put back. ``daily_use`` are trials that may change it any time. ``remedy`` is how whoever sets it back is
    kept from that, None where nobody does.
    """

    disk: Disk
    chosen: str | None
    since: str | None
    before: str | None
    in_trial: bool
    daily_use: tuple[FieldTrial, ...]
    writers: tuple[Writer, ...]
    remedy: Remedy | None = None
    tunables: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def until_restart(self) -> str | None:
        """What was set until the next restart."""
        return self.disk.until_restart.scheduler if self.disk.until_restart else None

    @property
    def by_port(self) -> bool:
        """Whether the choice belongs to whatever is plugged into the disk's port."""
        return bool(self.disk.persistent and self.disk.persistent.by_port)

    @property
    def holds(self) -> bool | None:
        """Whether the disk has what was chosen for now; not judged while a trial changes it."""
        wanted = self.until_restart or self.chosen
        if wanted is None or self.in_trial or self.daily_use:
            return None
        return self.disk.scheduler == wanted and not self._lost

    @property
    def has(self) -> Mapping[str, int | str]:
        """What the tunables that were chosen are now; none of a scheduler that the disk does not have."""
        return {name: self.disk.tunables[name] for name in self.tunables if name in self.disk.tunables}

    @property
    def _lost(self) -> frozenset[str]:
        """The tunables that are not what was chosen for good; nothing is said of them until a restart."""
        if self.until_restart is not None:
            return frozenset()
        return frozenset(name for name, value in self.has.items() if not is_same(name, value, self.tunables[name]))

    @property
    def culprit(self) -> Writer | None:
        """Who set what the disk has instead: the last one that writes just that, after our rule where that counts."""
        if self.holds is not False:
            return None
        if self.disk.scheduler == (self.until_restart or self.chosen):
            return self.remedy.writer if self.remedy and self.remedy.writer.attribute in self._lost else None
        last: Writer | None = None
        for writer in self.writers:
            if writer.ours and writer.acts_later and not self.until_restart:
                last = None  # our rule, read once more after these
            elif writer.sets_scheduler and not writer.ours and self._may_have_acted(writer):
                last = writer
        return last

    def _may_have_acted(self, writer: Writer) -> bool:
        acts = writer.may_write and (writer.acts_later or self.until_restart is not None)
        return acts and writer.may_set(self.disk.scheduler or "")

    @property
    def rival(self) -> Writer | None:
        """Who will certainly set something else than what was chosen for good, at the next start."""
        found = rivals(self.disk, self.writers, self.chosen, for_good=True) if self.chosen else ()
        return found[-1] if found and found[-1].writes else None

    @property
    def finding(self) -> Message:
        """Whether it holds, and what to do if not."""
        if self.in_trial:
            return message("status-in-trial")
        for trial in self.daily_use:
            first, second = (known_setting(one.scheduler, one.tunables).name for one in trial.settings)
            until = when(datetime.fromtimestamp(trial.until, UTC).isoformat())
            return message("status-in-daily-use", first=first, second=second, until=until)
        if self.holds is None:
            return message("status-nothing-chosen")
        if self.holds:
            return self._how_long
        if self.culprit is not None:
            return message("status-overridden", place=self.culprit.place)
        return message("status-changed")

    @property
    def _how_long(self) -> Message:
        set_by_hand = self.until_restart is not None
        if self.rival is not None:
            then = "status-set-then-rival" if set_by_hand else "status-then-rival"
            return message(then, scheduler=self.rival.value, place=self.rival.place)
        if not set_by_hand:
            return message("status-holds")
        return (
            message("status-set-then", scheduler=_words(self.chosen, self.tunables))
            if self.chosen
            else message("status-set")
        )

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        culprit = self.culprit
        return {
            "name": self.disk.name,
            "chosen": self.chosen,
            "until_restart": self.until_restart,
            "chosen_tunables": dict(self.tunables),
            "actual": self.disk.scheduler,
            "actual_tunables": dict(self.has),
            "since": self.since,
            "before": self.before,
            "in_trial": self.in_trial,
            "daily_use": [asdict(trial) for trial in self.daily_use],
            "holds": self.holds,
            "verdict": say(self.finding),
            "by_port": self.by_port,
            "overridden_by": None if culprit is None else culprit.place,
            "remedy": self.remedy.to_json() if self.remedy else None,
            "writers": list(map(writer_to_json, self.writers)),
        }


def add_status(parser: argparse.ArgumentParser) -> None:
    """Declare ``status``."""
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help=text("help-sysroot"))
    parser.set_defaults(run=run_status)


def run_status(args: argparse.Namespace) -> int:
    """Print how each disk stands.

    The rule file and sysfs tell nearly all; without the helper only "since" and "before" are missing, which
    is said on stderr.
    """
    if not is_folder(args.sysroot):
        raise UsageError("no-sysroot", folder=str(args.sysroot))
    system = System(args.sysroot)
    state = _state() if system.is_live else None
    disks = [disk for disk in system.disks() if disk.scheduler is not None]
    writers = system.owners().writers_of(map(system.subject, disks))
    standings = [standing(system, disk, state, found) for disk, found in zip(disks, writers, strict=True)]
    if args.json:
        print_json({"helper": state is not None, "disks": [one.to_json() for one in standings]})
    elif not standings:
        print(text("no-schedulers"))
    else:
        show(Screen(), standings)
    if system.is_live:
        remark(*leftovers_found())
    return 0


def _state() -> State | None:
    try:
        with HelperClient() as client:
            return client.wait(calls.get_state())
    except HelperNotThere as error:
        complain(text("status-without-helper", reason=error.message))
        return None


def standing(system: System, disk: Disk, state: State | None, writers: tuple[Writer, ...]) -> Standing:
    """How a disk stands, by the rule file, sysfs, its writers and what the helper remembers (None without a helper)."""
    choice = state.choice_for(disk.name) if state else None
    snapshot = state.snapshot_of(disk.name) if state else None
    if snapshot and snapshot.diskseq != disk.diskseq:
        snapshot = None  # another disk had this name
    wanted = disk.persistent or choice
    latest = disk.until_restart or choice or snapshot
    rival = colliding(disk, writers)
    return Standing(
        disk,
        wanted.scheduler if wanted else None,
        latest.since if latest else None,
        snapshot.scheduler if snapshot else None,
        bool(state and state.in_trial(disk.name)),
        state.field_trials_of(disk.name) if state else (),
        writers,
        remedy_of(system.subject(disk), rival) if rival else None,
        wanted.tunables if wanted else {},
    )


def _words(scheduler: str | None, tunables: Mapping[str, int | str]) -> str:
    """A setting as people read it."""
    return NOTHING if scheduler is None else known_setting(scheduler, tunables).words


def show(screen: Screen, standings: Sequence[Standing]) -> None:
    """Draw a table, then who else sets what."""
    columns = (
        Column(text("head-disk"), "bold"),
        Column(text("head-chosen")),
        Column(text("head-actual"), "cyan"),
        Column(text("head-since")),
        Column(text("head-before")),
        Column(text("head-holds"), wraps=True),
    )
    screen.show(table(columns, [_row(one) for one in standings]))
    if notes := list(dict.fromkeys(_notes(standings))):  # what is about the computer is said once
        screen.show("", *notes)


def _row(one: Standing) -> Sequence[str | Text]:
    holds = {True: "green", False: "yellow", None: ""}[one.holds]
    return (
        one.disk.name,
        _words(one.chosen, one.tunables),
        _words(one.disk.scheduler, one.has),
        when(one.since or NOTHING),
        one.before or NOTHING,
        cell(say(one.finding), holds),
    )


def _notes(standings: Sequence[Standing]) -> Iterator[str]:
    yield from by_disks((one.disk.name, each) for one in standings for each in told(one.writers))
    for one in standings:
        if one.remedy:
            yield text("status-fix", disk=one.disk.name, place=one.remedy.writer.place)
        if one.by_port:
            yield text("known-by-port", disk=one.disk.name)
