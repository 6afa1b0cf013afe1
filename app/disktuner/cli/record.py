# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner record DIR``: what the disks of this machine look like, anonymised, for a report of a defect."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from disktuner.block.record import Recorder


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("record", help="write this machine's disks, anonymised, for a defect report")
    parser.add_argument("dir", metavar="DIR", type=Path, help="a folder that does not exist yet")


def run(args: argparse.Namespace) -> int:
    """Write the tree and say how to look at it."""
    recorded = Recorder(Path("/"), os.urandom(16)).record(args.dir)
    print(f"Recorded {len(recorded.disks)} disks in {recorded.files} files.")
    print(
        "Serial numbers, labels, and names of people, folders, hosts, volumes and files are replaced, and of settings"
    )
    print("only lines about queues are kept. Look through it before you send it:")
    print(f"  disktuner list --sysroot {recorded.folder}")
    return 0
