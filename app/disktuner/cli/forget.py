# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner forget``: remove what was chosen for good."""

from __future__ import annotations

import argparse

from disktuner.cli.asking import helper
from disktuner.cli.set import disk_name


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("forget", help="remove what was chosen for a disk for good")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("disk", metavar="DISK", nargs="?", help="the disk's name, such as sda or /dev/sda")
    which.add_argument("--all", action="store_true", help="everything that was chosen for good")


def run(args: argparse.Namespace) -> int:
    """Ask the helper to take the disk out of the rule file."""
    with helper() as client:
        if args.all:
            client.forget_all()
        else:
            client.forget(disk_name(args.disk))
    what = "No choice" if args.all else f"No choice for {disk_name(args.disk)}"
    print(f"{what} is left that would hold after a restart.")
    return 0
