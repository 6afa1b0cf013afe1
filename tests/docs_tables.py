# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of docs/, made of what the vocabulary declares and what was measured, and how long the helper is, for
reviewers: ``./dev docs`` writes them, tests compare them.

A table stands in its document between ``<!-- table: NAME -->`` and ``<!-- end of table -->``.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from disktuner.presentation import present
from disktuner.report.exporting import FORMATS, render
from disktuner.results.codec import load
from disktuner.vocabulary.checks import CHECKS, RULES, Check
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.keys import KEYS
from disktuner.vocabulary.kinds import KINDS, StartingPoint
from disktuner.vocabulary.metrics import COSTS
from disktuner.vocabulary.reasons import REASONS, Reason
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tuning import CANDIDATES, Candidate
from disktuner.vocabulary.workloads import WORKLOADS, Duty, Price, WorkloadFacts, deciding, goals_of, price_list
from tests.bench import family, felt, replays_table, states
from tests.bench.disks import lines_of

DOCS = Path(__file__).parents[1] / "docs"
MEASURED = DOCS / "measured"
HELPER = DOCS.parent / "helper"
REVIEW = DOCS.parent / "packaging/REVIEW.md"
PLACE = re.compile(r"\{[^}]*\}")
BLOCK = re.compile(r"(<!-- table: (?P<name>[a-z-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def goals() -> str:
    """What decides each goal, and what its winner may cost."""
    return _table(
        ("goal", "decides (weight)", "why", "worth a change", "why that much", "stands in",
         "may cost at most (share of its speed)"),
        (
            (f"`{goal.id}`", _weighed(deciding(goal.id)), goal.why, f"{goal.worth:.2f}×", goal.worth_why,
             _stand_ins(goal.id), _prices(price_list(goal.id)))
            for goal in GOALS.values()
        ),
    )  # fmt: skip


def _weighed(weights: Mapping[str, float]) -> str:
    """Name what decides, with weights unless they are equal."""
    alike = len(set(weights.values())) == 1
    return ", ".join(f"`{id_}`" if alike else f"`{id_}` ({weight:g})" for id_, weight in weights.items())


def _stand_ins(goal: str) -> str:
    return ", ".join(f"`{id_}`" for id_ in deciding(goal, Duty.STANDS_IN))


def workloads() -> str:
    """What each workload does, needs, yields and serves."""
    return _table(
        ("workload", "what it does", "program (package)", "figures, first the one that stands for it", "goals"),
        (
            (f"`{facts.id}`", facts.summary, _program(facts), _figures(facts), _names(goals_of(facts.id)) or "–")
            for facts in WORKLOADS.values()
        ),
    )


def kinds() -> str:
    """How each kind of disk is recognised."""
    alike: dict[str, list[str]] = {}
    for kind in KINDS.values():
        alike.setdefault(kind.known_by, []).append(f"`{kind.id}` ({kind.name})")
    return _table(("kind", "recognised by"), ((", ".join(names), known_by) for known_by, names in alike.items()))


def starting_points() -> str:
    """What to try first on each kind of disk."""
    alike: dict[tuple[StartingPoint, ...], list[str]] = {}
    for kind in KINDS.values():
        alike.setdefault(kind.starting_points, []).append(kind.id)
    rows = ((_names(names), "<br>".join(map(_starting_point, points)) or "–") for points, names in alike.items())
    return _table(("kinds", "try first (source)"), rows)


def reasons() -> str:
    """Why a run does not count, or what disturbed it, and what follows."""
    return _table(("reason", "what the sample says", "the run"), map(_reason, REASONS.values()))


def tuning() -> str:
    """Which settings compete when a disk is tuned."""
    return _table(
        ("setting", "for", "disks", "why it is tried", "source"),
        (
            (f"`{_setting(candidate)}`", _names(candidate.goals) if len(candidate.goals) < len(GOALS) else "all goals",
             _names(kind.id for kind in candidate.kinds) or _DISKS[candidate.rotates],
             candidate.reason, candidate.source)
            for candidate in CANDIDATES
        ),
    )  # fmt: skip


_DISKS = {None: "all", True: "those that rotate", False: "those that do not"}


def _setting(candidate: Candidate) -> str:
    """Return the setting as written, with the winner's scheduler as …."""
    name = candidate.beside(Setting("none")).name
    return name if candidate.scheduler else f"…{name.removeprefix('none')}"


def checks() -> str:
    """What a check-up looks for, its usual cost, its evidence and the source."""
    return _table(
        (
            "check",
            "severity",
            "what it says",
            "what it costs as a rule",
            "measured by (goal)",
            "kinds of disks",
            "source",
        ),
        map(_check, CHECKS.values()),
    )


def rules() -> str:
    """The kernel's rules that a check-up compares with."""
    rows = ((f"`{rule.id}`", _said(f"rule-{rule.id}"), rule.source) for rule in RULES.values())
    return _table(("rule", "what the kernel does", "source"), rows)


def keys() -> str:
    """The keys that work on every page of the window."""
    return _table(("keys", "what they do"), ((", ".join(key.keys), key.about) for key in KEYS.values()))


def measured(file: Path) -> str:
    """The answer of a result file and all its figures, judged anew, below its exported picture."""
    form = next(export_format for export_format in FORMATS if export_format.suffix == ".md")
    result = load(file)
    return f"![{present(result).title}](measured/{file.stem}.png)\n\n{render(form, result).decode()}"


TABLES: Mapping[str, Callable[[], str]] = {
    "keys": keys,
    "goals": goals,
    "workloads": workloads,
    "kinds": kinds,
    "starting-points": starting_points,
    "reasons": reasons,
    "tuning": tuning,
    "checks": checks,
    "kernel-rules": rules,
    "replays": lambda: replays_table.table(replays_table.read_kept(replays_table.KEPT)),
    "launches": lambda: replays_table.predictions(replays_table.read_kept(replays_table.KEPT)),
    "family": lambda: family.outcomes(family.Book(family.FOUND)),
    "states": lambda: states.outcomes(states.StatesBook(states.FOUND)),
    "felt": lambda: felt.table(lines_of(felt.FOUND)),
    **{f"measured-{file.stem}": partial(measured, file) for file in sorted(MEASURED.glob("*.json"))},
}


def renewed(text: str) -> str:
    """Return a document with all its tables up to date. Raises ``KeyError`` for an unknown table."""
    return BLOCK.sub(lambda match: f"{match[1]}{TABLES[match['name']]()}{match[3]}", text)


def counted(review: str) -> str:
    """Return what reviewers read, with the helper's current number of lines, in hundreds."""
    count = sum(map(_code_lines, HELPER.rglob("*.py")))
    return re.sub(r"some [\d,]+ lines of code", f"some {round(count, -2):,} lines of code", review)


def _code_lines(source: Path) -> int:
    """Count the lines that are neither empty nor comments nor docstrings."""
    with source.open("rb") as opened:
        tokens = [
            token
            for token in tokenize.tokenize(opened.readline)
            if token.string.strip() and token.type != tokenize.COMMENT
        ]
    lines = {line for token in tokens[1:] for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _said(id_: str) -> str:
    """Return a sentence of the catalogue with its placeholders left open."""
    template = TEXTS[id_]
    return PLACE.sub("…", template if isinstance(template, str) else template[1])


def _check(check: Check) -> tuple[str, ...]:
    says = f"{_said(f'check-{check.id}')} {_said(f'check-{check.id}-why')}"
    costs = _said(f"check-{check.id}-cost")
    evidence = f"{_names(check.shown.workloads)} ({check.shown.goal})" if check.shown else "–"
    return f"`{check.id}`", check.severity, says, costs, evidence, _names(kind.id for kind in check.kinds), check.source


def _reason(reason: Reason) -> tuple[str, str, str]:
    ends = "ends the measurement" if reason.ends else "ends it after three in a row" if reason.lasting else ""
    counts = "does not count" if reason.invalid else "counts"
    return f"`{reason.id}`", _said(reason.id), f"{counts}, {ends}" if ends else counts


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _starting_point(point: StartingPoint) -> str:
    goals_ = f" for {_names(point.goals)}" if point.goals else ""
    return f"`{point.scheduler}`{goals_}: {point.reason} ({point.source})"


def _prices(prices: Iterable[Price]) -> str:
    """Group the figures that may lose the same share, strictest first."""
    shares: dict[tuple[float, str], list[str]] = {}
    for price in prices:
        labels = {metric.name: f"{metric.label} of " for metric in (*COSTS, *WORKLOADS[price.workload].metrics)}
        shares.setdefault((price.may_lose, labels.get(price.metric or "", "")), []).append(price.workload)
    return "; ".join(f"{100 * share:.0f} %: {of}{_names(names)}" for (share, of), names in sorted(shares.items()))


def _program(facts: WorkloadFacts) -> str:
    return f"{facts.program} ({facts.package})" if facts.package else facts.program


def _figures(facts: WorkloadFacts) -> str:
    """Merge the figures of a workload that runs with several numbers of threads into one curve."""
    labels = [metric.label for metric in facts.metrics if metric.name == facts.deciding]
    labels += [metric.label for metric in facts.metrics if metric.name != facts.deciding]
    curve = [label for label in labels if " thread" in label and label != labels[0]]
    plain = [label for label in labels if label not in curve]
    return "; ".join([*plain, "throughput and p95 latency for each number of threads"] if curve else plain)


if __name__ == "__main__":
    for document in sorted(DOCS.glob("*.md")):
        document.write_text(renewed(document.read_text()))
    REVIEW.write_text(counted(REVIEW.read_text()))
