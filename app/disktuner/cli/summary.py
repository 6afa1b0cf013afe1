# SPDX-License-Identifier: GPL-3.0-or-later
"""``summary``: many machines' result files, one verdict per disk model."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from disktuner.cli.streams import print_json
from disktuner.fleet.gathering import Folder
from disktuner.fleet.summary import Group, Summary, summarise
from disktuner.presentation import answer
from disktuner.report.documents import summary_document
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import text


def add_summary(parser: argparse.ArgumentParser) -> None:
    """Declare ``summary``."""
    parser.add_argument("folder", metavar="DIR", type=Path, help=text("help-summary-folder"))
    parser.add_argument(
        "--goal", metavar="GOAL", choices=tuple(GOALS), help=text("help-summary-goal", goals=tuple(GOALS))
    )
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.set_defaults(run=run_summary)


def run_summary(args: argparse.Namespace) -> int:
    """Print what the files come to; exit 0 whatever that is, 2 where there is no folder."""
    found = summarise(Folder(args.folder, datetime.now(UTC)), args.goal)
    if args.json:
        print_json(summary_document(found))
    else:
        print("\n".join(_lines(found, args.folder)))
    return 0


def _lines(found: Summary, folder: Path) -> Iterator[str]:
    if not found.groups:
        yield text("summary-nothing", folder=str(folder))
    for group in found.groups:
        yield from _group(group)
        yield ""
    if found.left_out:
        yield text("summary-left-out", count=len(found.left_out))
        for each in found.left_out:
            yield "  " + text("summary-left-out-file", file=each.file, why=each.why)


def _group(group: Group) -> Iterator[str]:
    goal, said = GOALS[group.goal].name, answer(group.verdict, group.analysis.result)
    yield text("summary-heading", model=group.model, kernel=group.kernel, goal=goal, answer=said)
    yield "  " + text("summary-machines", count=len(group.machines))
    for sentence in group.verdict.why:
        yield "  " + text("literal", text=sentence)
    if odd := group.disagreeing:
        files = tuple(file for machine in odd for file in machine.files)
        yield "  " + text("summary-machine-odd", count=len(odd), files=files)
    if group.unknown:
        yield "  " + text("summary-unknown-disk", count=group.unknown)
