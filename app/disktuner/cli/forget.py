# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner forget``: remove what was chosen for good."""

from __future__ import annotations

import argparse

from disktuner.block.persistent import RULES_FILE
from disktuner.block.system import System
from disktuner.cli.asking import helper
from disktuner.cli.set import disk_name
from disktuner.helper_client import calls
from disktuner.helper_client.calls import Chosen, State
from disktuner.vocabulary.errors import NoSuchThing


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("forget", help="remove what was chosen for a disk for good")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("disk", metavar="DISK", nargs="?", help="the disk's name, such as sda or /dev/sda")
    which.add_argument("--all", action="store_true", help="everything that was chosen for good")


def run(args: argparse.Namespace) -> int:
    """Ask the helper to take the disk out of the rule file; where it is not in there, nobody is asked for rights."""
    wanted = None if args.all else disk_name(args.disk)
    with helper() as client:
        state = client.wait(calls.get_state())
        chosen = [one for one in state.persistent if wanted is None or _is_of(one, wanted)]
        if not chosen and state.problem is None:
            print(_nothing(wanted))
        elif wanted is None:
            client.wait(calls.forget_all())
        else:
            client.wait(calls.forget(wanted))
    for one in chosen:
        print(_told(one, state))
    _look_for_others(wanted)
    return 0


def _is_of(one: Chosen, name: str) -> bool:
    """As the helper takes it: a disk that is here, or the name that a disk had which is gone."""
    return name in (one.disks or (one.disk,))


def _nothing(name: str | None) -> str:
    return f"Nothing is chosen for good for {System().disk(name).title if name else 'any disk'}."


def _told(one: Chosen, state: State) -> str:
    told = f"{one.title or one.disk}: {one.scheduler} is not set after a restart any more."
    for disk in System().disks():
        if disk.name in one.disks:
            before = state.snapshot_of(disk.name)
            back = f" To go back to {before.scheduler} now: disktuner revert {disk.name}" if before else ""
            told += f" {disk.name} keeps {disk.scheduler} until then.{back}"
    return told


def _look_for_others(name: str | None) -> None:
    """Raise ``NoSuchThing`` where the rule file sets a disk in lines that somebody changed: the helper leaves those."""
    for disk in System().disks():
        if disk.persistent and name in (None, disk.name):
            where = f"/{RULES_FILE} still sets {disk.persistent.scheduler} for {disk.title}"
            raise NoSuchThing(f"{where}, in lines that are not as Disktuner writes them. Take them out by hand.")
