# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner set``: use a scheduler and tunables, until the next restart or for good."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from disktuner.block.disk import Disk
from disktuner.block.queue import not_offered
from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.block.writers.rivals import outlook, rivals, warning
from disktuner.cli.asking import helper
from disktuner.helper_client import HelperClient, calls
from disktuner.vocabulary.errors import DisktunerError, NoSuchThing, UsageError
from disktuner.vocabulary.messages import say


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
    """Check what can be checked without rights, say who would undo it, then ask the helper to do it."""
    tunables = dict(_tunable(text) for text in args.tunable)
    system = System()
    disk = system.disk(disk_name(args.disk))
    _check(disk, args.scheduler)
    against = rivals(disk, system.writers(disk), args.scheduler, for_good=args.persist)
    for rival in against:
        print(f"disktuner: {say(warning(rival, args.scheduler, for_good=args.persist))}", file=sys.stderr)
    with helper() as client:
        if args.persist:
            client.wait(calls.persist(disk.name, disk.diskseq, args.scheduler, tunables))
        else:
            _set_until_restart(client, disk, args.scheduler, tunables)
    last_word = against[-1] if against else None
    print(_kept(system.disk(disk.name), last_word) if args.persist else _set(disk, args.scheduler, last_word))
    return 0


def _set_until_restart(client: HelperClient, disk: Disk, scheduler: str, tunables: Mapping[str, str]) -> None:
    client.wait(calls.set_scheduler(disk.name, disk.diskseq, scheduler))
    if tunables:
        try:
            client.wait(calls.set_tunables(disk.name, disk.diskseq, tunables))
        except DisktunerError as error:
            raise type(error)(
                f"{disk.title} uses {scheduler} now, but none of the tunables was set: {error}"
            ) from error


def _set(disk: Disk, scheduler: str, rival: Writer | None) -> str:
    """What holds until the restart, for the disk as it was before."""
    uses = "goes on using" if disk.scheduler == scheduler else "uses"
    kept = disk.persistent.scheduler if disk.persistent else scheduler
    then = "" if kept == scheduler else f", then {kept} again, which is chosen for good"
    unless = f" {say(outlook(rival, for_good=False))}" if rival else ""
    back = f"To go back: disktuner revert {disk.name}"
    return f"{disk.title} {uses} {scheduler} until the next restart{then}.{unless} {back}"


def _kept(disk: Disk, rival: Writer | None) -> str:
    """What holds for good, for the disk as it is now."""
    lasting = f"now. {say(outlook(rival, for_good=True))}" if rival else "from now on, also after every restart."
    port = _PORT if disk.persistent and disk.persistent.by_port else ""
    back = f"To go back: disktuner forget {disk.name}, then disktuner revert {disk.name}"
    return f"{disk.title} uses {disk.scheduler} {lasting}{port} {back}"


_PORT = " It is known only by its port: whatever disk is plugged in there gets the same."


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
        raise NoSuchThing("not-tunable", disk=disk.title, why=disk.why_not)
    possible = (*disk.schedulers, *disk.loadable)
    if scheduler not in possible:
        raise not_offered(disk, scheduler, possible)
