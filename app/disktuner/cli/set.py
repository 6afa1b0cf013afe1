# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner set``: use a scheduler and tunables, until the next restart or for good."""

from __future__ import annotations

import argparse

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.cli.asking import helper
from disktuner.errors import NoSuchThing, UsageError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("set", help="use a scheduler for a disk, until the next restart or for good")
    parser.add_argument("disk", metavar="DISK", help="the disk's name, such as sda or /dev/sda")
    parser.add_argument("scheduler", metavar="SCHEDULER", help="one of those that `disktuner list` shows for the disk")
    parser.add_argument(
        "--tunable",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a tunable besides, such as queue/nr_requests=128 or iosched/low_latency=0; may be repeated",
    )
    parser.add_argument("--persist", action="store_true", help="for good: also after every restart")


def run(args: argparse.Namespace) -> int:
    """Check what can be checked without rights, then ask the helper to do it."""
    tunables = dict(_tunable(text) for text in args.tunable)
    disk = System().disk(disk_name(args.disk))
    _check(disk, args.scheduler)
    with helper() as client:
        if args.persist:
            client.persist(disk.name, disk.diskseq, args.scheduler, tunables)
        else:
            client.set_scheduler(disk.name, disk.diskseq, args.scheduler)
            if tunables:
                client.set_tunables(disk.name, disk.diskseq, tunables)
    lasting = "from now on, also after every restart" if args.persist else "until the next restart"
    back = "forget" if args.persist else "revert"
    print(f"{disk.title} uses {args.scheduler} {lasting}. To go back: disktuner {back} {disk.name}")
    return 0


def disk_name(text: str) -> str:
    """Accept ``/dev/sda`` for ``sda``."""
    return text.removeprefix("/dev/")


def _tunable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UsageError(f"{text!r} is no tunable. Write it as NAME=VALUE, such as queue/nr_requests=128.")
    return name, value


def _check(disk: Disk, scheduler: str) -> None:
    if not disk.tunable:
        raise NoSuchThing(f"{disk.title} cannot be tuned: {disk.why_not or 'the kernel offers no scheduler for it'}")
    possible = (*disk.schedulers, *disk.loadable)
    if scheduler not in possible:
        offered = ", ".join(possible)
        raise NoSuchThing(f"{disk.title} has no scheduler {scheduler!r}. Choose one of: {offered}.")
