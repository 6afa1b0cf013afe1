# SPDX-License-Identifier: GPL-3.0-or-later
"""``status``: each disk's chosen and actual setting, since when, what else sets it, and whether it holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.text import Text

from disktuner.block.system import System
from disktuner.block.writers.owners import owners_on
from disktuner.checkup.doctor import sentences_on, writer_to_json
from disktuner.cli.arguments import Parser
from disktuner.cli.disks import by_disks, holds_nothing, is_file
from disktuner.cli.results import leftovers_found
from disktuner.cli.screen import Column, Screen, cell, table
from disktuner.cli.streams import complain, print_json, remark
from disktuner.helper_client import calls
from disktuner.helper_client.calls import HelperState
from disktuner.helper_client.client import HelperClient
from disktuner.opening import is_folder
from disktuner.presentation import when
from disktuner.standing import Standing, setting_words, standing
from disktuner.vocabulary.errors import HelperNotThere, UsageError
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.units import NOTHING


def add_status(parser: Parser) -> None:
    """Declare ``status``."""
    with parser.only_one():
        parser.add_argument("--json", action="store_true", help=text("help-json"))
        parser.add_argument("--all", action="store_true", help=text("help-status-all"))
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help=text("help-sysroot"))
    parser.set_defaults(run=run_status)


def run_status(args: argparse.Namespace) -> int:
    """Print the status of each disk.

    The rule file and sysfs tell nearly all; without the helper only "since" and "before" are missing, which
    is said on stderr.
    """
    if not is_folder(args.sysroot):
        raise UsageError("no-sysroot", folder=str(args.sysroot))
    system = System(args.sysroot)
    state = _state() if system.is_live else None
    disks = [disk for disk in system.disks() if disk.scheduler is not None]
    writers = owners_on(system).writers_of(map(system.subject, disks))
    standings = [standing(system, disk, state, disk_writers) for disk, disk_writers in zip(disks, writers, strict=True)]
    if args.json:
        print_json({"helper": state is not None, "disks": [standing_to_json(status) for status in standings]})
    elif not standings:
        print(text("no-schedulers"))
    else:
        show(Screen(), standings, whole=args.all)
    if system.is_live:
        remark(*leftovers_found())
    return 0


def _state() -> HelperState | None:
    try:
        with HelperClient() as client:
            return client.wait(calls.get_state())
    except HelperNotThere as error:
        complain(text("status-without-helper", reason=error.message))
        return None


def standing_to_json(status: Standing) -> dict[str, Any]:
    """Return a disk's status as ``--json`` prints it."""
    culprit = status.culprit
    return {
        "name": status.disk.name,
        "chosen": status.chosen,
        "until_restart": status.until_restart,
        "chosen_tunables": dict(status.tunables),
        "actual": status.disk.scheduler,
        "actual_tunables": dict(status.has),
        "since": status.since,
        "before": status.before,
        "in_trial": status.in_trial,
        "daily_use": [asdict(trial) for trial in status.daily_use],
        "holds": status.holds,
        "verdict": say(status.finding),
        "by_port": status.by_port,
        "overridden_by": None if culprit is None else culprit.place,
        "remedy": status.remedy.to_json() if status.remedy else None,
        "writers": list(map(writer_to_json, status.writers)),
    }


def show(screen: Screen, standings: Sequence[Standing], *, whole: bool = False) -> None:
    """Draw a line for each disk with anything to say, then what else sets schedulers.

    ``whole``: all disks, when they were last changed, and what they had before.
    """
    in_order = sorted(standings, key=lambda status: is_file(status.disk))
    shown = [status for status in in_order if whole or not _says_nothing(status)] or in_order
    headed = whole or any(status.chosen and status.holds is False for status in shown)
    columns = [
        Column(text("head-disk"), "bold"),
        *([Column(text("head-chosen"))] if headed else []),
        Column(text("head-actual"), "cyan"),
        *([Column(text("head-since")), Column(text("head-before"))] if whole else []),
        Column(text("head-holds"), wraps=True),
    ]
    screen.show(table(columns, [_row(status, headed, whole) for status in shown], headed=headed))
    if notes := list(dict.fromkeys(_notes(standings))):  # what is about the computer is said once
        screen.show("", *notes)
    if len(shown) < len(standings):
        screen.show_last(text("disks-more", count=len(standings) - len(shown)))


def _says_nothing(status: Standing) -> bool:
    """Whether nothing was chosen for an unused disk."""
    is_ours = status.chosen or status.until_restart or status.before or status.in_trial or status.daily_use
    return not is_ours and holds_nothing(status.disk)


def _row(status: Standing, headed: bool, whole: bool) -> Sequence[str | Text]:
    holds = {True: "green", False: "yellow", None: ""}[status.holds]
    return (
        status.disk.name,
        *([setting_words(status.chosen, status.tunables)] if headed else []),
        setting_words(status.disk.scheduler, {**status.has, **status.held_tunables}),
        *([when(status.since or NOTHING), status.before or NOTHING] if whole else []),
        cell(say(status.finding), holds),
    )


def _notes(standings: Sequence[Standing]) -> Iterator[str]:
    yield from by_disks((status.disk.name, line) for status in standings for line in sentences_on(status.writers))
    for status in standings:
        if status.remedy:
            yield text("status-fix", disk=status.disk.name, place=status.remedy.writer.place)
        if status.by_port:
            yield text("known-by-port", disk=status.disk.name)
