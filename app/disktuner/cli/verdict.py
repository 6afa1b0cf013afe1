# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner verdict``: recomputes the verdict from the raw samples of a result file or picture."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("verdict", help="recompute the verdict from the samples of a result file")
    parser.add_argument("file", metavar="FILE", type=Path, help="a result (.json) or a picture that Disktuner saved")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the verdict; exit 0 whatever it is, 5 where the file is no sound result, 2 where there is none."""
    from disktuner.report.text import verdict_json, verdict_text  # noqa: PLC0415 - loaded when needed
    from disktuner.results.codec import load  # noqa: PLC0415
    from disktuner.verdict.judge import judge  # noqa: PLC0415

    result = load(args.file)
    verdict = judge(result)
    print(verdict_json(verdict) if args.json else verdict_text(result, verdict))
    return 0
