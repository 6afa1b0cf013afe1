# SPDX-License-Identifier: GPL-3.0-or-later
"""``verdict``, ``export`` and ``history``: result files, stored results, and leftovers of measurements."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from disktuner.block.system import System
from disktuner.cli.arguments import Parser
from disktuner.cli.glance import STYLES, show_glance, show_heading, steps_after
from disktuner.cli.screen import Column, Screen, cell, table
from disktuner.cli.streams import complain, print_json, remark
from disktuner.comparison.continuing import find_measured
from disktuner.experiment.scratch import Leftovers
from disktuner.opening import is_there
from disktuner.presentation import (
    Panel,
    Presented,
    PresentedBetween,
    for_goal,
    listed,
    present,
    present_between,
)
from disktuner.report.documents import between_document, verdict_document
from disktuner.report.exporting import check_suffix, export, suffixes
from disktuner.report.roll_out import roll_out_of
from disktuner.report.tables import NUMBERS, cells, heads
from disktuner.report.udev_rule import write_rule
from disktuner.results.history import Entry, History
from disktuner.results.model import BadResult
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import METHOD
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP, GOALS
from disktuner.vocabulary.messages import message, say, text
from disktuner.vocabulary.units import NOTHING

ENOUGH = 3
"""With so many rounds, their number is not mentioned."""
NEWEST = 24
"""How many results are listed by default: with the lines below them, they fit a terminal."""


def add_verdict(parser: Parser) -> None:
    """Declare ``verdict``."""
    parser.add_argument("file", metavar="RESULT", help=text("help-result"))
    with parser.only_one():
        parser.add_argument("--json", action="store_true", help=text("help-json"))
        parser.add_argument("--all", action="store_true", help=text("help-verdict-all"))
    goals = tuple(GOALS)
    parser.add_argument("--goal", metavar="GOAL", choices=goals, help=text("help-verdict-goal", goals=goals))
    parser.set_defaults(run=run_verdict)


def run_verdict(args: argparse.Namespace) -> int:
    """Print the verdict; exit 0 whatever it is, 5 for a bad result file, 2 for none."""
    result = Store().find(args.file)
    other_goal = args.goal if args.goal and args.goal != result.plan.goal else ""
    if args.goal:
        result = for_goal(result, args.goal)
    if args.json:
        print_json(verdict_document(judge(result)) | {"state": result.plan.state})
    elif args.all:
        show_all(Screen(), present(result))
    else:
        shown, measured = present(result), find_measured(result, System().disks())
        disks = [disk.name for disk in measured.disks] if measured.certain else []
        show_glance(Screen(), shown, tuple(steps_after(shown, args.file, disks, other_goal=other_goal)))
    return 0


def show_all(screen: Screen, shown: Presented) -> None:
    """Draw the answer, and every figure with its basis."""
    show_glance(screen, shown)
    screen.show("", *(cell(" · ".join(facts), "dim") for facts in (shown.setup, shown.run)))
    _show_panels(screen, shown.panels, shown.verdict.baseline.name)
    if notes := [*(text("note", what=caution) for caution in shown.cautions), *filter(None, [shown.priorities])]:
        screen.show("", *notes)


def show_figures(screen: Screen, shown: Presented) -> None:
    """Draw a workload's figures with the only setting measured."""
    show_heading(screen, shown.heading)
    drawn = Table.grid(padding=(0, 2, 0, 0))
    for panel in shown.panels:
        for row in panel.rows:
            drawn.add_row(cell(panel.label), cell(row.value, "bold"), cell(panel.direction, "dim"))
    screen.show(drawn)


def show_between(screen: Screen, shown: PresentedBetween) -> None:
    """Print two results side by side."""
    screen.show(*((shown.why, "") if shown.why else ()), *shown.answers)
    for what, old, new in shown.differences:
        screen.show(text("not-the-same", what=what, first=old, second=new))
    for why in shown.left_out.values():
        screen.show(why)
    head = (text("column-scheduler"), text("first"), text("second"))
    columns = [Column(words, right=place > 0) for place, words in enumerate(head)]
    for figure in shown.shared:
        rows = [(first.name, first.value, second.value) for first, second in figure.rows]
        label = text("panel", label=figure.panel.label, direction=figure.panel.direction)
        screen.show("", cell(label, "bold"), table(columns, rows))
    if shown.caveat:
        screen.show("", shown.caveat)


def _show_panels(screen: Screen, panels: Sequence[Panel], baseline: str) -> None:
    """Draw a table per figure, all with the same widths if the screen is wide enough."""
    head = heads(baseline)
    rows = [cells(row) for panel in panels for row in panel.rows]
    widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
    aligned = widths if sum(widths) + 2 * len(widths) <= screen.width else [0] * len(widths)
    columns = [
        Column(words, right=at in NUMBERS, wraps=at > 2, least=least)
        for at, (words, least) in enumerate(zip(head, aligned, strict=True))
    ]
    for panel in panels:
        label = text("panel-decides" if panel.decides else "panel", label=panel.label, direction=panel.direction)
        drawn: list[Sequence[str | Text]] = [
            (*cells(row)[:-1], cell(row.finding, STYLES[row.outcome])) for row in panel.rows
        ]
        screen.show("", cell(label, "bold"), table(columns, drawn))


def add_export(parser: argparse.ArgumentParser) -> None:
    """Declare ``export``."""
    parser.add_argument("file", metavar="RESULT", help=text("help-result"))
    parser.add_argument("--to", metavar="OUT", type=Path, required=True, help=text("help-to", formats=suffixes()))
    engines = ("udev",)
    parser.add_argument("--as", dest="engine", choices=engines, help=text("help-as", engines=engines))
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help=text("help-theme"))
    parser.add_argument("--personal", action="store_true", help=text("help-personal"))
    parser.set_defaults(run=run_export)


def run_export(args: argparse.Namespace) -> int:
    """Write the file and name it; exit 2 for an unknown suffix, 5 for a bad result or a failed write.

    For udev also 5 where the result does not clearly choose what could be rolled out.
    """
    if args.engine:
        remark(*map(say, write_rule(roll_out_of(Store().find(args.file), args.file), args.to)))
        return 0
    check_suffix(args.to)
    store = Store()
    result = store.find(args.file)
    if is_there(args.to) and args.to.samefile(store.file_of(args.file)):
        raise UsageError("export-onto-itself", file=str(args.to))
    path = export(result, args.to, args.theme, args.personal)
    remark(text("wrote", path=str(path)))
    return 0


def add_history(parser: Parser) -> None:
    """Declare ``history``."""
    parser.usage = f"{parser.prog} [WORD ...] [--OPTION ...]"
    parser.add_argument("words", metavar="WORD", nargs="*", help=text("help-words"))
    with parser.only_one():
        parser.add_argument("--json", action="store_true", help=text("help-json"))
        parser.add_argument("--all", action="store_true", help=text("help-history-all"))
    with parser.only_one():
        parser.add_argument("--compare", metavar="RESULT", nargs=2, help=text("help-compare-results"))
        parser.add_argument("--add", metavar="FILE", type=Path, help=text("help-add"))
        parser.add_argument("--note", metavar=("ID", "TEXT"), nargs=2, help=text("help-note"))
        parser.add_argument("--remove", metavar="ID", help=text("help-remove"))
        parser.add_argument("--tidy", action="store_true", help=text("help-tidy"))
    parser.set_defaults(run=run_history)


def run_history(args: argparse.Namespace) -> int:
    """Do what was asked for, else print the list; a result is named by its id or file."""
    store = Store()
    if args.tidy:
        return _tidy()
    if args.compare:
        shown = present_between(*map(store.find, args.compare))
        if args.json:
            print_json(between_document(shown))
        else:
            show_between(Screen(), shown)
    elif args.add:
        remark(text("result-kept", result=store.add(args.add).id))
    elif args.note:
        store.annotate(store.id_of(args.note[0]), args.note[1])
    elif args.remove:
        removed = store.id_of(args.remove)
        with suppress(BadResult):  # a damaged one can be removed, too
            store.load(removed)
        store.delete(removed)
        remark(text("result-removed", result=removed))
    else:
        _list(store, " ".join(args.words), args.json, whole=args.all)
        remark(*leftovers_found())
    return 0


def _list(store: Store, words: str, as_json: bool, *, whole: bool) -> None:
    """Print the results that contain all words, newest first; on a terminal, as many as fit."""
    entries = History(store, lambda result: listed(judge(result)), METHOD).entries(words)
    if as_json:
        print_json({"results": [entry.texts() | {"path": str(store.folder / f"{entry.id}.json")} for entry in entries]})
    elif not entries:
        print(text("nothing-found") if words else say(store.closed() or message("no-results")))
    else:
        screen = Screen()
        _show_entries(screen, entries[: None if whole or not screen.moves else NEWEST], store, len(entries))


def _show_entries(screen: Screen, entries: Sequence[Entry], store: Store, count: int) -> None:
    """Draw a line per result, problems and notes, and what to do with the newest."""
    names = store.short_ids()
    ids = {entry.id: names.get(entry.id, entry.id) for entry in entries}  # one may have been removed meanwhile
    columns = [Column(""), Column("", cut=True), Column("", "bold", wraps=True), Column(""), Column("", "dim")]
    rows = [
        (ids[entry.id], entry.disk or NOTHING, entry.headline or NOTHING, _few(entry.rounds), _goal(entry))
        for entry in entries
    ]
    screen.show(table(columns, rows, screen.width, headed=False))
    for entry in entries:
        if entry.problem:
            screen.show(text("about-disks", disks=ids[entry.id], what=entry.problem))
        if entry.notes:
            screen.show(text("about-disks", disks=ids[entry.id], what=" ".join(entry.notes.split())))
    if older := count - len(entries):
        screen.show(text("results-more", count=older))
    if sound := [entry.id for entry in entries if not entry.problem]:
        name = store.shortest_name(sound[0])
        screen.show_last(text("to-open", result=name), text("to-share", result=name))


def _few(rounds: int) -> str:
    """Return the number of rounds if it is too small for an answer."""
    return text("of-rounds", count=rounds) if 0 < rounds < ENOUGH else ""


def _goal(entry: Entry) -> str:
    """Return the goal, unless it is the default one."""
    return "" if entry.goal == DESKTOP.id else entry.purpose


def leftovers_found() -> Iterator[str]:
    """Yield what interrupted measurements left on the disks, and how to remove it."""
    leftovers = Leftovers().find()
    for left in leftovers:
        yield text("leftover", size=left.size_bytes, path=str(left.path))
    if leftovers:
        yield text("leftovers-way-out")


def _tidy() -> int:
    """Remove what interrupted measurements left; exit 1 if anything stays."""
    known = Leftovers()
    leftovers = known.find()
    stayed = known.remove()
    for left in leftovers:
        if left.path not in stayed:
            remark(text("leftover-removed", path=str(left.path), size=left.size_bytes))
    for path in stayed:
        complain(text("leftover-stays", path=str(path)))
    if not leftovers:
        remark(text("no-leftovers"))
    return 1 if stayed else 0
