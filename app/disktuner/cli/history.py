# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner history``: the results that were kept, newest first, also those whose file is damaged."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("history", help="list the results that were kept")
    parser.add_argument("words", metavar="WORD", nargs="*", help="only those in which all words occur")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    from disktuner.results.history import History  # noqa: PLC0415 - loaded when needed
    from disktuner.results.store import Store  # noqa: PLC0415
    from disktuner.verdict.judge import judge  # noqa: PLC0415

    store = Store()
    entries = History(store, lambda result: judge(result).why).entries(" ".join(args.words))
    if args.json:
        rows = [asdict(entry) | {"path": str(store.path_of(entry.id))} for entry in entries]
        print(json.dumps({"results": rows}, ensure_ascii=False, indent=2))
        return 0
    for entry in entries:
        print(f"{entry.id}  {entry.created[:16].replace('T', ' ')}  {entry.disk}  {entry.goal}".rstrip())
        print(f"    {entry.problem or entry.headline}")
    if not entries:
        print("Nothing here yet. 'disktuner compare' keeps its results." if not args.words else "Nothing found.")
    return 0
