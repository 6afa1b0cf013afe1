# SPDX-License-Identifier: GPL-3.0-or-later
"""``summary``: one verdict per disk model from many machines' result files; ``export``: what rolls out a result."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from disktuner.block.system import System
from disktuner.cli.screen import Screen
from disktuner.cli.streams import print_json, remark
from disktuner.report.roll_out import roll_out_of
from disktuner.results.store import Store
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import say, text
from disktuner.writing import write_chosen
from disktuner_fleet.defaults import HWDB, RULES, Defaults, defaults, write_defaults
from disktuner_fleet.documents import summary_document
from disktuner_fleet.engines import ENGINES
from disktuner_fleet.gathering import Folder
from disktuner_fleet.group import Group
from disktuner_fleet.page import machines_page
from disktuner_fleet.presented import present_group
from disktuner_fleet.summary import Summary, summarise


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


def add_export(parser: argparse.ArgumentParser) -> None:
    """Declare ``export``."""
    engines = tuple(ENGINES)
    parser.add_argument("file", metavar="RESULT", help=text("help-result"))
    parser.add_argument("--to", metavar="DIR", type=Path, required=True, help=text("help-to-folder"))
    parser.add_argument(
        "--as", dest="engine", choices=engines, required=True, help=text("help-engine", engines=engines)
    )
    parser.set_defaults(run=run_export)


def run_export(args: argparse.Namespace) -> int:
    """Write the files and say how to use them; exit 5 for a failed write or a result that chooses nothing."""
    roll_out = roll_out_of(Store().find(args.file), args.file)
    remark(*map(say, ENGINES[args.engine](roll_out, args.to, System().tree)))
    return 0


def run_summary(args: argparse.Namespace) -> int:
    """Print the summary, and write what was asked for.

    Exit 0 whatever the verdicts; 2 without a folder, or for defaults for several goals; 5 for a failed write.
    """
    folder = Folder(args.folder, datetime.now(UTC))
    summary = summarise(folder.runs(), folder.again, args.goal)
    chosen = defaults(summary.groups) if args.hwdb else None
    if args.html:
        remark(text("wrote", path=str(write_chosen(args.html, machines_page(summary, args.personal).encode()))))
    if chosen is not None:
        remark(*_notes_on_files(chosen, args.hwdb))
    if args.json:
        print_json(summary_document(summary))
    else:
        screen = Screen()
        for line in _lines(summary):
            screen.show_indented(line) if line else screen.show(line)
    return 0


def _notes_on_files(chosen: Defaults, folder: Path) -> Iterator[str]:
    """Write the defaults and say so."""
    yield from map(say, (*chosen.left_out, *chosen.cautions))
    paths = write_defaults(chosen, folder)
    for path in paths:
        yield text("wrote", path=str(path))
    if paths:
        yield text("defaults-use", hwdb=HWDB, rules=RULES)
    elif not chosen.left_out:
        yield text("defaults-none", folder=str(folder))


def _lines(summary: Summary) -> Iterator[str]:
    if not summary.groups:
        yield text("machines-none")
    for group in summary.groups:
        yield from _group(group)
        yield ""
    if summary.left_out:
        yield text("files-left-out", count=len(summary.left_out))
        for file in summary.left_out:
            yield "  " + text("left-out-file", file=file.file, why=file.why)


def _group(group: Group) -> Iterator[str]:
    shown = present_group(group, personal=True)
    facts = ", ".join((*shown.facts, shown.goal))
    yield text("group-heading", model=shown.model, facts=facts, answer=shown.answer)
    yield from (f"  {sentence}" for sentence in (*shown.why, *shown.remarks))
