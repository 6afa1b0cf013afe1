# SPDX-License-Identifier: GPL-3.0-or-later
"""``list``: the disks of this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from disktuner.block.disk import Disk, disk_to_json
from disktuner.block.queue import suggest
from disktuner.block.system import System
from disktuner.cli.screen import Column, Screen, table
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP, GOALS
from disktuner.vocabulary.messages import Message, language, message, text
from disktuner.vocabulary.units import NOTHING, size


def add_list(parser: argparse.ArgumentParser) -> None:
    """Declare ``list``."""
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    goals = text("help-suggest-for", goals=tuple(GOALS), default=DESKTOP.id)
    parser.add_argument("--goal", metavar="GOAL", choices=list(GOALS), default=DESKTOP.id, help=goals)
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help=text("help-sysroot"))
    parser.set_defaults(run=run_list)


def run_list(args: argparse.Namespace) -> int:
    """Print the disks of this machine or of a recorded one."""
    if not args.sysroot.is_dir():
        raise UsageError("no-sysroot", folder=str(args.sysroot))
    disks = System(args.sysroot).disks()
    if args.goal != DESKTOP.id:
        disks = tuple(replace(disk, suggestion=suggest(disk, args.goal)) for disk in disks)
    if args.json:
        # One disk a line: json's fast encoder cannot indent, and thousands of disks are many.
        print('{"disks": [\n' + ",\n".join(json.dumps(disk_to_json(disk)) for disk in disks) + "\n]}")
    elif not disks:
        print(text("no-disks"))
    else:
        _show_disks(Screen(), disks)
    return 0


def _show_disks(screen: Screen, disks: Sequence[Disk]) -> None:
    columns = (
        Column(text("head-disk"), "bold"),
        Column(text("head-model"), wraps=True),
        Column(text("head-kind")),
        Column(text("head-size"), right=True),
        Column(text("head-scheduler"), "cyan"),
        Column(text("head-offered"), wraps=True),
        Column(text("head-mounted"), wraps=True),
    )
    screen.show(table(columns, map(_row, disks)))
    if notes := list(_notes(disks)):
        screen.show("", *notes)


def _row(disk: Disk) -> tuple[str, ...]:
    others = [other for other in disk.schedulers if other != disk.scheduler]
    return (
        disk.name,
        " ".join(filter(None, (disk.vendor, disk.model))) or disk.alias or NOTHING,
        disk.kind.id if disk.kind_certain else f"{disk.kind.id}?",
        size(disk.size_bytes, language().numbers) if disk.size_bytes > 0 else NOTHING,
        disk.scheduler or NOTHING,
        " ".join([*others, *(text("scheduler-module", scheduler=each) for each in disk.loadable)]) or NOTHING,
        " ".join(dict.fromkeys(mount.path for mount in disk.mounts)) or NOTHING,
    )


def _notes(disks: Sequence[Disk]) -> Iterator[str]:
    """What is worth saying about the disks, each note once for all that it is true of, and what the kernel lacks."""
    notes = [(disk.why_not, disk.name) for disk in disks]
    notes += [(disk.kind_doubt, disk.name) for disk in disks]
    notes += [(_advice(disk), disk.name) for disk in disks]
    names_by_note: dict[Message, list[str]] = {}
    for note, name in notes:
        if note is not None:
            names_by_note.setdefault(note, []).append(name)
    for note, names in names_by_note.items():
        yield text("about-disks", disks=tuple(names), what=note)
    if missing := sorted({name for disk in disks for name in disk.compiled_out}):
        yield text("not-in-kernel", schedulers=tuple(missing))


def _advice(disk: Disk) -> Message | None:
    suggested = disk.suggestion
    if suggested is None or suggested.scheduler == disk.scheduler:
        return None
    return message("try-first", scheduler=suggested.scheduler, why=suggested.why)
