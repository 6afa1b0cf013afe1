# SPDX-License-Identifier: GPL-3.0-or-later
"""``tune``: settings compete with the best plain scheduler."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from disktuner.cli.arguments import Parser
from disktuner.cli.glance import show_answer
from disktuner.cli.measuring import environment, judged_document, names, result_file, show_judged, shown_progress
from disktuner.cli.own import add_own, definition_of
from disktuner.cli.progress import run_cancellable
from disktuner.cli.saving import check_image, save_image
from disktuner.cli.screen import Screen
from disktuner.cli.streams import print_json, remark
from disktuner.cli.usage import SEED
from disktuner.comparison.request import Request
from disktuner.comparison.stages import Tuned, Tuning
from disktuner.presentation import present
from disktuner.results.codec import load
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import BUDGETS, DESKTOP, GOALS, OWN, STANDARD, purpose_of
from disktuner.vocabulary.messages import text


def add_tune(parser: Parser) -> None:
    """Declare ``tune``."""
    minutes = tuple(
        text("budget-at-most", budget=budget.id, seconds=budget.limits.seconds) for budget in BUDGETS.values()
    )
    budgets = text("help-budget", budgets=minutes, default=STANDARD.id)
    goals = text("help-tune-goal", goals=tuple(GOALS), default=DESKTOP.id)
    parser.add_argument("target", metavar="TARGET", nargs="?", default="", help=text("help-target"))
    parser.add_argument("--after", metavar="RESULT", help=text("help-after"))
    parser.add_argument("--goal", metavar="GOAL", choices=list(GOALS), help=goals)
    parser.add_argument("--budget", metavar="BUDGET", choices=list(BUDGETS), default=STANDARD.id, help=budgets)
    parser.add_argument("--workloads", type=names, metavar="ID,…", help=text("help-only-workloads"))
    parser.add_argument("--seed", type=SEED, help=text("help-seed"))
    parser.add_argument("--out", type=Path, metavar="FILE", help=text("help-out"))
    parser.add_argument("--image", type=Path, metavar="FILE", help=text("help-image"))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    add_own(parser)
    parser.set_defaults(run=run_tune)


def run_tune(args: argparse.Namespace) -> int:
    """Announce, measure, judge, print: both stages, or the second one after a result."""
    check_image(args.image)
    tuning = Tuning(_request(args), environment())
    with shown_progress() as progress:
        if not args.after:
            remark(text("tune-in-two-stages", seconds=BUDGETS[args.budget].limits.seconds))
        announced = progress.announce
        tuned = run_cancellable(lambda: tuning.run(progress, announced), tuning.cancel)
    try:
        if args.json:
            print_json(_document(tuned))
        else:
            show_tuned(tuned)
    finally:  # an output that is gone does not cost the picture
        code = save_image(tuned.judged, args.image)
    return code


def _request(args: argparse.Namespace) -> Request:
    """Return the request. Raises ``UsageError`` if nothing names a disk."""
    after = result_file(args.after) if args.after is not None else None
    if not args.target and after is None:
        raise UsageError("name-what-to-tune")
    definition = definition_of(args)
    if definition and after:
        raise UsageError("tunes-as-it-was")
    goal = OWN.id if definition else args.goal or (load(after).plan.goal if after else None)
    return Request(
        target=args.target,
        goal=goal if goal and purpose_of(goal) else DESKTOP.id,
        budget=args.budget,
        workloads=args.workloads,
        seed=args.seed,
        out=args.out,
        after=after,
        own=definition,
    )


def _document(tuned: Tuned) -> dict[str, Any]:
    plain = {"plain": judged_document(tuned.plain)} if tuned.plain else {}
    return {**judged_document(tuned.judged), **plain}


def show_tuned(tuned: Tuned) -> None:
    """Draw the result of each stage, and how to apply it."""
    if tuned.plain:
        show_answer(Screen(), present(tuned.plain.result, tuned.plain.verdict))
    show_judged(tuned.judged, present(tuned.judged.result, tuned.judged.verdict))
