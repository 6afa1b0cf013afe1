# SPDX-License-Identifier: GPL-3.0-or-later
"""``list``: the disks of this machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from disktuner.block.disk import Disk, disk_to_json
from disktuner.block.queue import suggest
from disktuner.block.system import System
from disktuner.cli.arguments import Parser
from disktuner.cli.screen import WIDE, Column, Screen, table
from disktuner.opening import is_folder
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP, GOALS
from disktuner.vocabulary.messages import language, say, text
from disktuner.vocabulary.units import NOTHING, size


def add_list(parser: Parser) -> None:
    """Declare ``list``."""
    with parser.only_one():
        parser.add_argument("--json", action="store_true", help=text("help-json"))
        parser.add_argument("--all", action="store_true", help=text("help-list-all"))
    goals = text("help-suggest-for", goals=tuple(GOALS), default=DESKTOP.id)
    parser.add_argument("--goal", metavar="GOAL", choices=list(GOALS), default=DESKTOP.id, help=goals)
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help=text("help-sysroot"))
    parser.set_defaults(run=run_list)


def run_list(args: argparse.Namespace) -> int:
    """Print the disks of this machine or a recorded one."""
    if not is_folder(args.sysroot):
        raise UsageError("no-sysroot", folder=str(args.sysroot))
    system = System(args.sysroot)
    disks = system.disks()
    if args.goal != DESKTOP.id:
        disks = tuple(replace(disk, suggestion=suggest(disk, args.goal)) for disk in disks)
    if args.json:
        # One disk a line: json's fast encoder cannot indent, and thousands of disks are many.
        print('{"disks": [\n' + ",\n".join(json.dumps(disk_to_json(disk)) for disk in disks) + "\n]}")
    elif not disks:
        print(text("no-disks"))
    else:
        _show_disks(Screen(), sorted(disks, key=is_file), system.is_on_trial, whole=args.all)
    return 0


def _show_disks(
    screen: Screen, disks: Sequence[Disk], is_on_trial: Callable[[Disk], bool], *, whole: bool = False
) -> None:
    """Draw a line for each disk that is mounted, on trial, or hardware; then what to do.

    ``whole``: all disks, with headings and all that is worth saying of them.
    """
    shown = [disk for disk in disks if whole or not holds_nothing(disk) or is_on_trial(disk)] or disks
    columns = [
        Column(text("head-disk"), "bold"),
        Column(text("head-size"), right=True),
        Column(text("head-kind")),
        Column(text("head-scheduler"), "cyan"),
        Column(text("head-model"), cut=True),
        Column(text("head-mounted"), cut=True, is_path=True),
    ]
    if whole and screen.width >= WIDE:
        columns.append(Column(text("head-offered")))
    rows = (_row(disk, is_on_trial=is_on_trial(disk), whole=whole)[: len(columns)] for disk in shown)
    screen.show(table(columns, rows, screen.width, headed=whole), *(_notes(shown) if whole else _doubts(shown)))
    mounted = sorted((disk for disk in shown if disk.tunable and disk.mounts), key=_is_not_the_system)
    more = [text("disks-more", count=len(disks) - len(shown))] if len(shown) < len(disks) else []
    screen.show_last(*more, *(text("to-find-out", disk=disk.name) for disk in mounted[:1]))


def holds_nothing(disk: Disk) -> bool:
    """Whether a disk is neither mounted nor hardware: loop devices, memory, parts of a stack."""
    return not disk.mounts and (disk.scheduler is None or is_file(disk))


def _is_not_the_system(disk: Disk) -> bool:
    return all(mount.path != "/" for mount in disk.mounts)


def is_file(disk: Disk) -> bool:
    """Whether a disk is a file: these come last, since there may be many."""
    return disk.kind == kinds.LOOP


def _row(disk: Disk, *, is_on_trial: bool, whole: bool) -> tuple[str, ...]:
    scheduler = disk.scheduler or NOTHING
    others = [other for other in disk.schedulers if other != disk.scheduler]
    return (
        disk.name,
        size(disk.size_bytes, language().numbers) if disk.size_bytes > 0 else NOTHING,
        disk.kind.id if disk.kind_certain else f"{disk.kind.id}?",
        text("scheduler-on-trial", scheduler=scheduler) if is_on_trial else scheduler,
        " ".join(filter(None, (disk.vendor, disk.model))) or (Path(disk.alias).name if whole else ""),
        " ".join(dict.fromkeys(mount.path for mount in disk.mounts)),
        " ".join([*others, *(text("scheduler-module", scheduler=scheduler) for scheduler in disk.loadable)]),
    )


def _doubts(disks: Sequence[Disk]) -> Iterator[str]:
    """Yield what the list does not show but makes a disk different from what it seems."""
    yield from by_disks((disk.name, say(disk.kind_doubt)) for disk in disks if disk.kind_doubt)
    yield from by_disks(
        (disk.name, text("disk-actuators", count=disk.actuators)) for disk in disks if disk.actuators > 1
    )


def _notes(disks: Sequence[Disk]) -> Iterator[str]:
    """Yield what is worth knowing about the disks."""
    yield from _doubts(disks)
    if missing := sorted({name for disk in disks for name in disk.compiled_out}):
        yield text("not-in-kernel", schedulers=tuple(missing))
    first = [(disk.name, disk.suggestion.limit) for disk in disks if disk.suggestion]
    yield from by_disks((name, say(limit)) for name, limit in first if limit)
    suggested: dict[str, list[str]] = {}
    for disk in disks:
        if disk.suggestion and disk.suggestion.scheduler != disk.scheduler and not is_file(disk):
            suggested.setdefault(disk.suggestion.scheduler, []).append(disk.name)
    for scheduler, names in suggested.items():
        yield text("try-first", scheduler=scheduler, disks=tuple(names))


def by_disks(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield each sentence once, with the names of all disks that it applies to."""
    names_by_note: dict[str, list[str]] = {}
    for name, note in notes:
        names_by_note.setdefault(note, []).append(name)
    for note, names in names_by_note.items():
        yield text("about-disks", disks=tuple(names), what=note)
