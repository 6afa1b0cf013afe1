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
from disktuner.cli.disks import by_disks, holds_nothing, is_file
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
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=text("help-json"))
    form.add_argument("--all", action="store_true", help=text("help-status-all"))
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
        show(Screen(), standings, whole=args.all)
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


def show(screen: Screen, standings: Sequence[Standing], *, whole: bool = False) -> None:
    """Draw a line for each disk that says anything, then who else sets what.

    ``whole``: all disks, since when they stand so, and what they had before.
    """
    in_order = sorted(standings, key=lambda one: is_file(one.disk))
    shown = [one for one in in_order if whole or not _says_nothing(one)] or in_order
    headed = whole or any(one.chosen and one.holds is False for one in shown)
    columns = [
        Column(text("head-disk"), "bold"),
        *([Column(text("head-chosen"))] if headed else []),
        Column(text("head-actual"), "cyan"),
        *([Column(text("head-since")), Column(text("head-before"))] if whole else []),
        Column(text("head-holds"), wraps=True),
    ]
    screen.show(table(columns, [_row(one, headed, whole) for one in shown], headed=headed))
    if notes := list(dict.fromkeys(_notes(standings))):  # what is about the computer is said once
        screen.show("", *notes)
    if len(shown) < len(standings):
        screen.show_last(text("disks-more", count=len(standings) - len(shown)))


def _says_nothing(one: Standing) -> bool:
    """Whether nobody chose anything for a disk that holds nothing either."""
    is_ours = one.chosen or one.until_restart or one.before or one.in_trial or one.daily_use
    return not is_ours and holds_nothing(one.disk)


def _row(one: Standing, headed: bool, whole: bool) -> Sequence[str | Text]:
    holds = {True: "green", False: "yellow", None: ""}[one.holds]
    return (
        one.disk.name,
        *([setting_words(one.chosen, one.tunables)] if headed else []),
        setting_words(one.disk.scheduler, one.has),
        *([when(one.since or NOTHING), one.before or NOTHING] if whole else []),
        cell(say(one.finding), holds),
    )


def _notes(standings: Sequence[Standing]) -> Iterator[str]:
    yield from by_disks((one.disk.name, each) for one in standings for each in told(one.writers))
    for one in standings:
        if one.remedy:
            yield text("status-fix", disk=one.disk.name, place=one.remedy.writer.place)
        if one.by_port:
            yield text("known-by-port", disk=one.disk.name)
