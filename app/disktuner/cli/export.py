# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner export``: writes a result file as picture, report, table or JSON."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("export", help="write a result as picture, report or table")
    parser.add_argument(
        "file", metavar="FILE", help="a result (.json), a picture that Disktuner saved, or an id from the history"
    )
    parser.add_argument("--to", metavar="OUT", type=Path, required=True, help="a .png, .svg, .html, .csv, .md or .json")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="of a picture")
    parser.add_argument("--personal", action="store_true", help="keep serial numbers, paths and notes")


def run(args: argparse.Namespace) -> int:
    """Write the file and name it; exit 2 for an unknown suffix, 5 for an unsound result or a failed write."""
    from disktuner.report.exporting import check_suffix, export  # noqa: PLC0415 - loaded when needed
    from disktuner.results.store import Store  # noqa: PLC0415

    check_suffix(args.to)
    path = export(Store().find(args.file), args.to, args.theme, args.personal)
    print(f"Wrote {path}.", file=sys.stderr)
    return 0
