# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner compare``: find the best scheduler of a disk for a goal by measuring, and say how sure that is."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from disktuner.cli.progress import Progress, run_cancellable, tell_plan
from disktuner.results.model import Budget, Goal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("compare", help="find the best scheduler for a goal by measuring")
    parser.add_argument("target", metavar="TARGET", help="a folder on the disk, or a disk such as sda")
    parser.add_argument("--goal", required=True, choices=[goal.value for goal in Goal], help="what the disk is for")
    budgets = [budget.value for budget in Budget]
    parser.add_argument("--budget", choices=budgets, default="quick", help="3, 10 or 30 minutes at most")
    parser.add_argument("--schedulers", type=names, metavar="A,B,…", help="only these, and the one it has now")
    parser.add_argument("--workloads", type=names, metavar="ID,…", help="only these (see `disktuner workloads`)")
    parser.add_argument("--seed", type=int, help="repeat the order and the choices of an earlier comparison")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result file there, too")
    parser.add_argument("--image", type=Path, metavar="FILE", help="save a picture of the result (.png or .svg)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def names(text: str) -> tuple[str, ...]:
    """Read ``A,B,C``."""
    found = tuple(word for word in text.split(",") if word)
    if not found:
        raise argparse.ArgumentTypeError("name at least one")
    return found


def run(args: argparse.Namespace) -> int:
    """Announce, measure, judge, print."""
    from disktuner.comparison.comparison import Comparison  # noqa: PLC0415 - loaded when needed
    from disktuner.comparison.real import real_environment  # noqa: PLC0415
    from disktuner.comparison.request import JudgedResult, Request  # noqa: PLC0415
    from disktuner.helper_client.text_agent import text_agent  # noqa: PLC0415
    from disktuner.report.exporting import check_suffix, export  # noqa: PLC0415
    from disktuner.report.text import verdict_document, verdict_text  # noqa: PLC0415
    from disktuner.verdict.priorities import priority_facts  # noqa: PLC0415

    if args.image:
        check_suffix(args.image)
    request = Request(
        target=args.target,
        goal=Goal(args.goal),
        budget=Budget(args.budget),
        schedulers=args.schedulers,
        workloads=args.workloads,
        seed=args.seed,
        out=args.out,
    )
    progress = Progress()
    with Comparison(request, real_environment(text_agent)) as comparison:

        def work() -> JudgedResult:
            tell_plan(comparison.announce(progress))
            return comparison.run(progress)

        try:
            outcome = run_cancellable(work, comparison.cancel)
        finally:
            progress.close()
    if args.image:
        export(outcome.result, args.image)
    if args.json:
        document: dict[str, Any] = {"file": str(outcome.path), "verdict": verdict_document(outcome.verdict)}
        if facts := priority_facts(outcome.result):
            document["priorities"] = {fact.scheduler: {"idle": fact.idle, "low": fact.low} for fact in facts}
        print(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))
    else:
        print(verdict_text(outcome.result, outcome.verdict))
    return 0
