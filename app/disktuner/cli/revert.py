# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner revert``: back to what a disk had before Disktuner first touched it since the machine started."""

from __future__ import annotations

import argparse

from disktuner.cli.asking import helper
from disktuner.cli.set import disk_name


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("revert", help="back to what a disk had before Disktuner touched it")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("disk", metavar="DISK", nargs="?", help="the disk's name, such as sda or /dev/sda")
    which.add_argument("--all", action="store_true", help="all disks that Disktuner changed")


def run(args: argparse.Namespace) -> int:
    """Ask the helper to put back what it remembers."""
    with helper() as client:
        if args.all:
            client.revert_all()
        else:
            client.revert(disk_name(args.disk))
    print("All disks are as they were." if args.all else f"{disk_name(args.disk)} is as it was.")
    return 0
