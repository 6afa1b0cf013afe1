# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner history``: the results that were kept, newest first; adds, notes, removes, compares, tidies up."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disktuner.results.model import Result
    from disktuner.results.store import Store


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("history", help="list, compare, note and remove the results that were kept")
    parser.add_argument("words", metavar="WORD", nargs="*", help="only those in which all words occur")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    todo = parser.add_mutually_exclusive_group()
    todo.add_argument("--compare", metavar="RESULT", nargs=2, help="what changed from the first to the second")
    todo.add_argument("--add", metavar="FILE", type=Path, help="keep a result file or picture from elsewhere")
    todo.add_argument("--note", metavar=("ID", "TEXT"), nargs=2, help="write a note to a result")
    todo.add_argument("--remove", metavar="ID", help="remove a result for good")
    todo.add_argument(
        "--tidy", action="store_true", help="remove the files that interrupted measurements left on disks"
    )


def run(args: argparse.Namespace) -> int:
    """Do what was asked for, else print the list; a result is named by its id or its file."""
    from disktuner.cli.leftovers import remove_leftovers, tell_leftovers  # noqa: PLC0415 - loaded when needed
    from disktuner.results.store import Store  # noqa: PLC0415

    store = Store()
    if args.tidy:
        return remove_leftovers()
    if args.compare:
        return _compare(store.find(args.compare[0]), store.find(args.compare[1]), args.json)
    if args.add:
        print(f"Kept as {store.add(args.add).id}.", file=sys.stderr)
    elif args.note:
        store.annotate(*args.note)
    elif args.remove:
        store.load(args.remove)
        store.delete(args.remove)
        print(f"Removed {args.remove}.", file=sys.stderr)
    else:
        _list(store, " ".join(args.words), args.json)
        tell_leftovers()
    return 0


def _compare(first: Result, second: Result, as_json: bool) -> int:
    from disktuner.report.between import between_json, between_text  # noqa: PLC0415
    from disktuner.verdict.between import between  # noqa: PLC0415

    print((between_json if as_json else between_text)(between(first, second)))
    return 0


def _list(store: Store, words: str, as_json: bool) -> None:
    from disktuner.results.history import History  # noqa: PLC0415
    from disktuner.verdict.judge import judge  # noqa: PLC0415
    from disktuner.vocabulary.messages import say_all  # noqa: PLC0415

    entries = History(store, lambda result: say_all(judge(result).why)).entries(words)
    if as_json:
        rows = [asdict(entry) | {"path": str(store.path_of(entry.id))} for entry in entries]
        print(json.dumps({"results": rows}, ensure_ascii=False, indent=2))
        return
    for entry in entries:
        print(f"{entry.id}  {entry.created[:16].replace('T', ' ')}  {entry.disk}  {entry.goal}".rstrip())
        print(f"    {entry.problem or entry.headline}")
        if entry.notes:
            print(f"    Note: {' '.join(entry.notes.split())}")
    if not entries:
        print("Nothing here yet. 'disktuner compare' keeps its results." if not words else "Nothing found.")
