# SPDX-License-Identifier: GPL-3.0-or-later
"""``status``: per disk what was chosen, what is, since when, who else sets it, and whether it holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.text import Text

from disktuner.block.system import System
from disktuner.checkup.doctor import told, writer_to_json
from disktuner.cli.disks import by_disks
from disktuner.cli.results import leftovers_found
from disktuner.cli.screen import Column, Screen, cell, table
from disktuner.cli.streams import complain, print_json, remark
from disktuner.helper_client import HelperClient, State, calls
from disktuner.opening import is_folder
from disktuner.presentation import when
from disktuner.standing import Standing, setting_words, standing
from disktuner.vocabulary.errors import HelperNotThere, UsageError
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.units import NOTHING


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
        print_json({"helper": state is not None, "disks": [standing_to_json(one) for one in standings]})
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


def standing_to_json(one: Standing) -> dict[str, Any]:
    """As ``--json`` prints it."""
    culprit = one.culprit
    return {
        "name": one.disk.name,
        "chosen": one.chosen,
        "until_restart": one.until_restart,
        "chosen_tunables": dict(one.tunables),
        "actual": one.disk.scheduler,
        "actual_tunables": dict(one.has),
        "since": one.since,
        "before": one.before,
        "in_trial": one.in_trial,
        "daily_use": [asdict(trial) for trial in one.daily_use],
        "holds": one.holds,
        "verdict": say(one.finding),
        "by_port": one.by_port,
        "overridden_by": None if culprit is None else culprit.place,
        "remedy": one.remedy.to_json() if one.remedy else None,
        "writers": list(map(writer_to_json, one.writers)),
    }


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
        setting_words(one.chosen, one.tunables),
        setting_words(one.disk.scheduler, one.has),
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
