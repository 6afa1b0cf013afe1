# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner revert``: back to what a disk had before Disktuner first touched it since the machine started."""

from __future__ import annotations

import argparse

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.cli.asking import helper
from disktuner.cli.set import disk_name
from disktuner.helper_client import calls
from disktuner.helper_client.calls import Snapshot
from disktuner.vocabulary.errors import NoSuchThing


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("revert", help="back to what a disk had before Disktuner touched it")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("disk", metavar="DISK", nargs="?", help="the disk's name, such as sda or /dev/sda")
    which.add_argument("--all", action="store_true", help="all disks that Disktuner changed")


def run(args: argparse.Namespace) -> int:
    """Ask the helper to put back what it remembers; where that is nothing, nobody is asked for rights."""
    with helper() as client:
        wanted = None if args.all else disk_name(args.disk)
        remembered = [one for one in client.wait(calls.get_state()).snapshots if wanted in (None, one.disk)]
        if not remembered:
            print(_untouched(wanted))
        elif wanted is None:
            client.wait(calls.revert_all())
        else:
            client.wait(calls.revert(wanted))
    for one in remembered:
        print(_told(one))
    return 0


def _untouched(name: str | None) -> str:
    if name is None:
        return "Disktuner has changed no disk since the computer started: there is nothing to put back."
    disk = System().disk(name)
    return (
        f"Disktuner has not changed {disk.title} since the computer started: it keeps {disk.scheduler}.{_still(disk)}"
    )


def _told(before: Snapshot) -> str:
    try:
        disk = System().disk(before.disk)
    except NoSuchThing:
        return f"{before.disk} is gone: there was nothing to put back."
    if disk.diskseq != before.diskseq:
        return f"{before.disk} is another disk now, {disk.title}: it was left as it is."
    return f"{disk.title} has {disk.scheduler} again, as before Disktuner changed it.{_still(disk)}"


def _still(disk: Disk) -> str:
    """Going back leaves the choice for good."""
    kept = disk.persistent
    if kept is None:
        return ""
    when = "it is set with the next restart, or as soon as udev sees the disk change"
    return f" {kept.scheduler} is still chosen for good: {when}. To end that: disktuner forget {disk.name}"
