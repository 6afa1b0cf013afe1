# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner list``: the disks of this machine or of a recorded one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from disktuner.block.disk import Disk, disk_to_json
from disktuner.block.queue import suggest
from disktuner.block.system import System
from disktuner.cli.columns import size_text, table, terminal_width
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP, GOALS
from disktuner.vocabulary.messages import say

_HEAD = ("DISK", "MODEL", "KIND", "SIZE", "SCHEDULER", "OFFERED", "MOUNTED")


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("list", help="list the disks and their schedulers")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--goal", choices=GOALS, default=DESKTOP.id,
                        help="for what to suggest a scheduler to try first (%(default)s)")  # fmt: skip
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help="read DIR instead of /")


def run(args: argparse.Namespace) -> int:
    """Print the disks."""
    if not args.sysroot.is_dir():
        raise UsageError(f"There is no folder {args.sysroot}. Name one that holds sys/ and proc/.")
    disks = System(args.sysroot).disks()
    if args.goal != DESKTOP.id:
        disks = tuple(replace(disk, suggestion=suggest(disk, args.goal)) for disk in disks)
    if args.json:
        print(document(disks))
    else:
        print(human(disks, terminal_width()))
    return 0


def document(disks: Sequence[Disk]) -> str:
    """The JSON document, one disk a line: json's fast encoder cannot indent, and thousands of disks are many."""
    lines = (json.dumps(disk_to_json(disk)) for disk in disks)
    return '{"disks": [\n' + ",\n".join(lines) + "\n]}"


def human(disks: Sequence[Disk], width: int) -> str:
    """A table, then what is worth saying of single disks."""
    if not disks:
        return "There are no disks that the kernel shows here."
    parts = [table(_HEAD, [_row(disk) for disk in disks], width)]
    notes = [f"{disk.name}: {say(disk.why_not)}" for disk in disks if disk.why_not]
    notes += [f"{disk.name}: {say(disk.kind_doubt)}" for disk in disks if disk.kind_doubt]
    notes += [f"{disk.name}: try {disk.suggestion.scheduler} first. {say(disk.suggestion.why)}"
              for disk in disks if disk.suggestion and disk.suggestion.scheduler != disk.scheduler]  # fmt: skip
    missing = sorted({name for disk in disks for name in disk.compiled_out})
    notes += [f"This kernel was built without {', '.join(missing)}."] if missing else []
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def _row(disk: Disk) -> tuple[str, ...]:
    name = " ".join(part for part in (disk.vendor, disk.model) if part) or disk.alias
    others = [other for other in disk.schedulers if other != disk.scheduler]
    offered = [*others, *(f"{other} (module)" for other in disk.loadable)]
    return (
        disk.name,
        name[:32] or "-",
        disk.kind.id + ("" if disk.kind_certain else "?"),
        size_text(disk.size_bytes),
        disk.scheduler or "-",
        " ".join(offered) or "-",
        " ".join(dict.fromkeys(mount.path for mount in disk.mounts)) or "-",
    )
