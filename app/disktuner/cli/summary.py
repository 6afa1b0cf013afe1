# SPDX-License-Identifier: GPL-3.0-or-later
"""``summary``: many machines' result files, one verdict per disk model."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from disktuner.cli.screen import Screen
from disktuner.cli.streams import print_json, remark
from disktuner.fleet.gathering import Folder
from disktuner.fleet.group import Group
from disktuner.fleet.summary import Summary, summarise
from disktuner.presentation.machines import present_group
from disktuner.report.defaults import HWDB, RULES, Defaults, defaults, write_defaults
from disktuner.report.documents import summary_document
from disktuner.report.machines import machines_page
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import say, text
from disktuner.writing import write_atomically


def add_summary(parser: argparse.ArgumentParser) -> None:
    """Declare ``summary``."""
    goals = tuple(GOALS)
    parser.add_argument("folder", metavar="DIR", type=Path, help=text("help-summary-folder"))
    parser.add_argument("--goal", metavar="GOAL", choices=goals, help=text("help-summary-goal", goals=goals))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.add_argument("--html", metavar="OUT", type=Path, help=text("help-summary-html"))
    parser.add_argument("--personal", action="store_true", help=text("help-summary-personal"))
    parser.add_argument("--hwdb", metavar="OUT", type=Path, help=text("help-summary-hwdb"))
    parser.set_defaults(run=run_summary)


def run_summary(args: argparse.Namespace) -> int:
    """Print what the files come to, and write what was asked for.

    Exit 0 whatever that is; 2 where there is no folder, or a default was asked for that is none; 5 for a failed write.
    """
    folder = Folder(args.folder, datetime.now(UTC))
    found = summarise(folder.runs(), folder.again, args.goal)
    chosen = defaults(found.groups) if args.hwdb else None
    if args.html:
        remark(text("wrote", path=str(write_atomically(args.html, machines_page(found, args.personal).encode()))))
    if chosen is not None:
        remark(*_written(chosen, args.hwdb))
    if args.json:
        print_json(summary_document(found))
    else:
        screen = Screen()
        for line in _lines(found):
            screen.show_indented(line) if line else screen.show(line)
    return 0


def _written(chosen: Defaults, folder: Path) -> Iterator[str]:
    """Write the defaults and say so."""
    yield from map(say, (*chosen.left_out, *chosen.cautions))
    paths = write_defaults(chosen, folder)
    for path in paths:
        yield text("wrote", path=str(path))
    yield text("defaults-use", hwdb=HWDB, rules=RULES) if paths else text("defaults-none", folder=str(folder))


def _lines(found: Summary) -> Iterator[str]:
    if not found.groups:
        yield text("machines-none")
    for group in found.groups:
        yield from _group(group)
        yield ""
    if found.left_out:
        yield text("files-left-out", count=len(found.left_out))
        for each in found.left_out:
            yield "  " + text("left-out-file", file=each.file, why=each.why)


def _group(group: Group) -> Iterator[str]:
    shown = present_group(group, personal=True)
    facts = ", ".join((*shown.facts, shown.goal))
    yield text("group-heading", model=shown.model, facts=facts, answer=shown.answer)
    yield from (f"  {sentence}" for sentence in (*shown.why, *shown.remarks))
