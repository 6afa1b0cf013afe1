# SPDX-License-Identifier: GPL-3.0-or-later
"""``workloads``, ``bench`` and ``compare``: what can be measured, and measuring it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from disktuner.cli.arguments import Parser
from disktuner.cli.asking import ask_to_write
from disktuner.cli.glance import show_glance, steps_after
from disktuner.cli.own import add_own, definition_of
from disktuner.cli.progress import Progress, run_cancellable
from disktuner.cli.results import show_figures
from disktuner.cli.saving import check_image, save_image
from disktuner.cli.screen import WIDE, Column, Screen, cell, table
from disktuner.cli.streams import print_json, remark
from disktuner.cli.usage import SEED, begin_with_examples, within
from disktuner.comparison.comparison import Bench, Comparison
from disktuner.comparison.real import real_environment, require_free
from disktuner.comparison.request import Announcement, BenchRequest, Environment, JudgedResult, Request
from disktuner.helper_client.text_agent import text_agent
from disktuner.presentation import Presented, present
from disktuner.presentation.priorities import priority_facts
from disktuner.report.documents import verdict_document
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import Answered, UsageError
from disktuner.vocabulary.goals import BUDGETS, DESKTOP, FELT, GOALS, OWN, QUICK
from disktuner.vocabulary.messages import Message, named, say, text
from disktuner.vocabulary.settings import parse_setting
from disktuner.vocabulary.states import DiskState
from disktuner.vocabulary.units import NOTHING
from disktuner.vocabulary.workloads import WORKLOADS, WorkloadFacts, goals_of, metrics_of
from disktuner.workloads.catalogue import catalogue
from disktuner.workloads.dd import RawRead
from disktuner.writing import NotSaved

# ---- workloads -----------------------------------------------------------------------------------------------------


def add_workloads(parser: argparse.ArgumentParser) -> None:
    """Declare ``workloads``."""
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.set_defaults(run=run_workloads)


def run_workloads(args: argparse.Namespace) -> int:
    """Print the workloads, their programs, goals and metrics."""
    missing = {workload.id: workload.unavailable() for workload in catalogue()}
    known = [WORKLOADS[id_] for id_ in missing]
    if args.json:
        print_json({"workloads": [_document(facts, missing[facts.id]) for facts in known]})
        return 0
    screen = Screen()
    columns = [
        Column(text("head-workload"), "bold"),
        Column(text("head-program")),
        Column(text("head-what-it-does"), cut=True),
    ]
    if screen.width >= WIDE:
        columns.append(Column(text("head-goals")))
    rows = [
        (cell(facts.id, "dim" if missing[facts.id] else ""), facts.program, named(facts.activity), _goals(facts.id))
        for facts in known
    ]
    screen.show(table(columns, (row[: len(columns)] for row in rows), screen.width))
    notes = [text("workload-for-bench", workload=facts.id) for facts in known if not facts.roles]
    notes += [text("workload-missing", workload=id_, why=why) for id_, why in missing.items() if why]
    screen.show("", *notes)
    return 0


def _goals(workload: str) -> str:
    goals = goals_of(workload)
    return text("all-goals") if len(goals) == len(GOALS) else " ".join(goals) or NOTHING


def _document(facts: WorkloadFacts, unavailable: Message | None) -> dict[str, Any]:
    return {
        "id": facts.id,
        "summary": facts.summary,
        "program": facts.program,
        "package": facts.package,
        "available": unavailable is None,
        "unavailable": say(unavailable) if unavailable else None,
        "metrics": {
            name: {"name": name, "unit": metric.unit, "better": metric.better.value, "label": metric.label}
            for name, metric in metrics_of(facts).items()
        },
        "deciding": f"{facts.id}.{facts.deciding}",
        "goals": list(goals_of(facts.id)),
        "source": facts.origin,
    }


# ---- bench ---------------------------------------------------------------------------------------------------------


def add_bench(parser: Parser) -> None:
    """Declare ``bench``."""
    parser.add_argument("target", metavar="TARGET", help=text("help-target"))
    parser.add_argument("--workload", metavar="ID", help=text("help-workload"))
    parser.add_argument("--rounds", type=within(int, 1, 1000), default=3, metavar="N", help=text("help-rounds"))
    parser.add_argument("--seconds", type=within(float, 0.1, 600), default=5.0, help=text("help-seconds"))
    parser.add_argument("--felt", metavar="FOLDER", default="", help=text("help-bench-felt"))
    parser.add_argument("--seed", type=SEED, help=text("help-seed"))
    parser.add_argument("--out", type=Path, metavar="FILE", help=text("help-out"))
    parser.add_argument("--json", action="store_true", help=text("help-json-result"))
    add_own(parser)
    parser.set_defaults(run=run_bench, goal=None, workloads=None)


def run_bench(args: argparse.Namespace) -> int:
    """Announce, measure, print."""
    definition = definition_of(args)
    if bool(definition) == bool(args.workload):
        raise UsageError("name-a-workload")
    request = BenchRequest(
        args.target, args.workload or "", args.rounds, args.seconds, args.seed, args.out, definition, args.felt
    )
    asking = text_agent() if args.workload == RawRead.id else nullcontext()
    with asking, Bench(request, real_environment()) as bench, shown_progress() as progress:

        def work() -> Result:
            progress.announce(bench.announce(progress))
            return bench.run(progress)

        result = run_cancellable(work, bench.cancel)
    if args.json:
        print(encode(result))
    else:
        show_figures(Screen(), present(result))
    if invalid := len({sample.order for sample in result.samples if not sample.valid}):
        remark(text("runs-not-counted", count=invalid))
    return 0 if bench.saved else NotSaved.exit_code


_COMPARE_EXAMPLES = {
    "disktuner compare ~": "example-compare",
    "disktuner compare sda --goal copying --budget thorough": "example-compare-goal",
    "disktuner compare --continue 0758": "example-compare-continue",
}


# ---- compare -------------------------------------------------------------------------------------------------------


def add_compare(parser: Parser) -> None:
    """Declare ``compare``."""
    goals = text("help-goal", goals=tuple(GOALS), default=DESKTOP.id)
    minutes = tuple(
        text("budget-at-most", budget=budget.id, seconds=budget.limits.seconds) for budget in BUDGETS.values()
    )
    budgets = text("help-budget", budgets=minutes, default=QUICK.id)
    begin_with_examples(parser, _COMPARE_EXAMPLES)
    parser.add_argument("target", metavar="TARGET", nargs="?", default="", help=text("help-target"))
    parser.add_argument("--continue", dest="continues", metavar="RESULT", help=text("help-continue"))
    parser.add_argument("--goal", metavar="GOAL", choices=list(GOALS), help=goals)
    parser.add_argument("--budget", metavar="BUDGET", choices=list(BUDGETS), default=QUICK.id, help=budgets)
    with parser.only_one():
        parser.add_argument("--schedulers", dest="settings", type=names, metavar="A,B,…", help=text("help-schedulers"))
        parser.add_argument("--settings", nargs="+", metavar="SETTING", help=text("help-settings"))
    parser.add_argument("--workloads", type=names, metavar="ID,…", help=text("help-only-workloads"))
    parser.add_argument("--felt", metavar="FOLDER", default="", help=text("help-felt"))
    states = text("help-state", states=tuple(DiskState), default=DiskState.RESTED)
    parser.add_argument("--state", metavar="STATE", choices=[str(state) for state in DiskState], help=states)
    parser.add_argument("--yes", action="store_true", help=text("help-compare-yes"))
    parser.add_argument("--seed", type=SEED, help=text("help-seed"))
    parser.add_argument("--out", type=Path, metavar="FILE", help=text("help-out"))
    parser.add_argument("--image", type=Path, metavar="FILE", help=text("help-image"))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    add_own(parser)
    parser.set_defaults(run=run_compare)


def run_compare(args: argparse.Namespace) -> int:
    """Announce, measure, judge, print."""
    check_image(args.image)
    definition = definition_of(args)
    if args.felt and (definition or args.goal or args.workloads):
        raise UsageError("felt-has-no-goal")
    request = Request(
        target=args.target,
        goal=OWN.id if definition else FELT.id if args.felt else args.goal or DESKTOP.id,
        budget=args.budget,
        settings=tuple(map(parse_setting, args.settings)) if args.settings else None,
        workloads=args.workloads,
        seed=args.seed,
        out=args.out,
        continues=_continued(args),
        own=definition,
        felt=args.felt,
        state=DiskState(args.state) if args.state else None,
    )
    with Comparison(request, environment()) as comparison, shown_progress() as progress:

        def announce() -> Announcement:
            announced = comparison.announce(progress)
            progress.announce(announced)
            return announced

        try:
            ask_to_exhaust(run_cancellable(announce, comparison.cancel), may_write=args.yes)
            outcome = run_cancellable(lambda: comparison.run(progress), comparison.cancel)
        except Answered as known:
            _show_answered(str(known), as_json=args.json)
            return known.exit_code
    try:
        if args.json:
            document = judged_document(outcome)
            if facts := priority_facts(outcome.result):
                document["priorities"] = {fact.setting.name: {"idle": fact.idle, "low": fact.low} for fact in facts}
            print_json(document)
        else:
            show_judged(outcome, present(outcome.result, outcome.verdict))
    finally:  # an output that is gone does not cost the picture
        code = save_image(outcome, args.image)
    return code


def ask_to_exhaust(announced: Announcement, *, may_write: bool) -> None:
    """Ask before a fast cache is used up on a disk that wears. Raises like ``ask_to_write``."""
    most_bytes, disk = announced.plan.bytes_written, announced.target.disk
    if announced.asks_first and not may_write:
        ask_to_write(disk, most_bytes, most_bytes / max(1, disk.size_bytes))


def environment() -> Environment:
    """Return the real environment; a busy disk is reported before anything is planned."""
    return replace(real_environment(text_agent), require_free=require_free)


def _show_answered(answer: str, *, as_json: bool) -> None:
    """Print what is known without measuring."""
    if as_json:
        print_json({"file": None, "verdict": None, "answer": answer})
    else:
        Screen().show(*(cell(line) for line in f"= {answer}".splitlines()))


def judged_document(judged: JudgedResult) -> dict[str, Any]:
    """Return an answer and its result's path as plain JSON values."""
    file = str(judged.path) if judged.path else None
    return {"file": file, "state": judged.result.plan.state, "verdict": verdict_document(judged.verdict)}


def show_judged(judged: JudgedResult, shown: Presented) -> None:
    """Draw the result just measured, and the next commands."""
    name = Store().short_ids().get(judged.result.id, str(judged.path or ""))
    steps = tuple(steps_after(shown, name, [disk.name for disk in judged.disks]))
    show_glance(Screen(), shown, steps, just_measured=True)


def _continued(args: argparse.Namespace) -> Path | None:
    """Return the file of the result to continue, if any. Raises ``UsageError`` for conflicting options."""
    if args.continues is None:
        if not args.target:
            raise UsageError("name-a-target")
        return None
    if args.settings or args.workloads or args.goal or args.felt or args.seed is not None:
        raise UsageError("continues-as-it-was")
    return result_file(args.continues)


def result_file(named: str) -> Path:
    """Return the file of a result named by its file or id."""
    return Store().file_of(named)


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Yield a progress display, cleared at the end."""
    progress = Progress()
    try:
        yield progress
    finally:
        progress.close()


def names(given: str) -> tuple[str, ...]:
    """Parse ``A,B,C``."""
    words = tuple(word for word in given.split(",") if word)
    if not words:
        raise argparse.ArgumentTypeError(text("name-at-least-one"))
    return words
