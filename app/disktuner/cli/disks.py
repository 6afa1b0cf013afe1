# SPDX-License-Identifier: GPL-3.0-or-later
"""``list``: the disks of this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from disktuner.block.disk import Disk, disk_to_json
from disktuner.block.queue import suggest
from disktuner.block.system import System
from disktuner.cli.screen import WIDE, Column, Screen, cell, table
from disktuner.opening import is_folder
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP, GOALS
from disktuner.vocabulary.messages import language, say, text
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
    if not is_folder(args.sysroot):
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
        _show_disks(Screen(), sorted(disks, key=_is_file))
    return 0


def _show_disks(screen: Screen, disks: Sequence[Disk]) -> None:
    """Draw a line for each disk: its name first, what is long and cut off last."""
    columns = [
        Column(text("head-disk"), "bold"),
        Column(text("head-size"), right=True),
        Column(text("head-kind")),
        Column(text("head-scheduler"), "cyan"),
        Column(text("head-model"), cut=True),
        Column(text("head-mounted"), cut=True),
    ]
    if screen.width >= WIDE:
        columns.append(Column(text("head-offered")))
    screen.show(table(columns, (_row(disk)[: len(columns)] for disk in disks), screen.width))
    if notes := list(_notes(disks)):
        screen.show("", *notes)
    mounted = [disk for disk in disks if disk.tunable and disk.mounts]
    mounted.sort(key=lambda disk: all(mount.path != "/" for mount in disk.mounts))
    if mounted:
        screen.show_unbroken(cell(text("to-find-out", disk=mounted[0].name)))


def _is_file(disk: Disk) -> bool:
    """Nobody looks for loop devices first, and there may be many."""
    return disk.kind == kinds.LOOP


def _row(disk: Disk) -> tuple[str, ...]:
    others = [other for other in disk.schedulers if other != disk.scheduler]
    return (
        disk.name,
        size(disk.size_bytes, language().numbers) if disk.size_bytes > 0 else NOTHING,
        disk.kind.id if disk.kind_certain else f"{disk.kind.id}?",
        disk.scheduler or NOTHING,
        " ".join(filter(None, (disk.vendor, disk.model))) or Path(disk.alias or NOTHING).name,
        " ".join(dict.fromkeys(mount.path for mount in disk.mounts)) or NOTHING,
        " ".join([*others, *(text("scheduler-module", scheduler=each) for each in disk.loadable)]) or NOTHING,
    )


def _notes(disks: Sequence[Disk]) -> Iterator[str]:
    """What is worth saying about the disks."""
    yield from by_disks((disk.name, say(disk.kind_doubt)) for disk in disks if disk.kind_doubt)
    yield from by_disks(
        (disk.name, text("disk-actuators", count=disk.actuators)) for disk in disks if disk.actuators > 1
    )
    if missing := sorted({name for disk in disks for name in disk.compiled_out}):
        yield text("not-in-kernel", schedulers=tuple(missing))
    first = [(disk.name, disk.suggestion.limit) for disk in disks if disk.suggestion]
    yield from by_disks((name, say(limit)) for name, limit in first if limit)
    suggested: dict[str, list[str]] = {}
    for disk in disks:
        if disk.suggestion and disk.suggestion.scheduler != disk.scheduler and not _is_file(disk):
            suggested.setdefault(disk.suggestion.scheduler, []).append(disk.name)
    for scheduler, names in suggested.items():
        yield text("try-first", scheduler=scheduler, disks=tuple(names))


def by_disks(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield each sentence once, with the names of all disks that it is true of."""
    names_by_note: dict[str, list[str]] = {}
    for name, note in notes:
        names_by_note.setdefault(note, []).append(name)
    for note, names in names_by_note.items():
        yield text("about-disks", disks=tuple(names), what=note)
