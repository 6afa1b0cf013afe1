# SPDX-License-Identifier: GPL-3.0-or-later
"""How often whole comparisons are right on a family of simulated disks, and how long they take.

``./dev bench family`` compares on the members among the disks ``DISKTUNER_SEEDS`` (0-72; tests/simdisk/family.py) of
the kinds ``DISKTUNER_DISKS`` (all), each for the goal and with the baseline drawn with it, in ``DISKTUNER_STATES``:
quiet, and busy (two processes take half of a processor each, at random times); none of them: only the truth. About half
of them have something to gain; what is promised is promised of each half. ``DISKTUNER_PROGRAM=DIR`` compares with
another checkout's program. ``DISKTUNER_KEPT=FILE`` keeps all that is found, a line each, and goes on from there. Fails
where less is right, or it takes longer, than is promised.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.bench import disks
from tests.bench.disks import Compared, chosen, compared, kept_file, percent, root, say, seeds, stoppable, whole
from tests.bench.truth import GRADES, Figures, Truth, asked, measure, quick, times, truth
from tests.simdisk.family import KINDS, busy, draw, member

STATES = ("quiet", "busy")
RIGHT = {("gain", "quiet"): 0.95, ("gain", "busy"): 0.90, ("nothing", "quiet"): 0.95, ("nothing", "busy"): 0.95}
"""What is promised to be right: of the comparisons with something to gain, and of those with nothing."""
WRONG, MEDIAN_S, NINE_OF_TEN_S = 0.025, 75.0, 150.0
"""What is promised of all: how many are wrong at most, and how many seconds they take."""
HALVES = {"gain": "something to gain", "nothing": "nothing to gain"}
CPUS_OF_A_SLOW_DISK, CPUS_OF_A_FAST_DISK = 0.5, 4.0
FOUND = Path(__file__).parents[1] / "data/family.jsonl"


@dataclass(frozen=True, slots=True)
class Answer:
    """A comparison's answer; ``unpriced`` are the prices of a switch that were never measured."""

    seed: int
    state: str
    program: str
    decision: str
    winner: str | None
    took_s: float
    rounds: int
    unpriced: tuple[str, ...]
    why: Any

    @property
    def key(self) -> tuple[int, str, str]:
        """The identity of a comparison, which is not done twice."""
        return self.seed, self.state, self.program


class Book:
    """All findings, in memory and, a line each, in a file.

    Attributes: ``answers`` by key; ``figures`` of long runs by seed.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.answers: dict[tuple[int, str, str], Answer] = {}
        self.figures: dict[int, dict[str, Mapping[str, list[float]]]] = {}
        for values in disks.lines_of(file):
            self._take(values)

    def _take(self, values: dict[str, Any]) -> None:
        if "figures" in values:
            self.figures.setdefault(values["seed"], {}).update(values["figures"])
        else:
            answer = Answer(**values)
            self.answers[answer.key] = answer

    def add(self, **values: Any) -> None:
        self._take(values)
        disks.keep(self._file, values)

    def measured(self, seed: int) -> frozenset[str]:
        """Return the workloads whose truth is known on a disk."""
        return frozenset(metric.rpartition(".")[0] for metric in self.figures.get(seed, ()))

    def truth(self, seed: int) -> Truth:
        """Return what is true of a disk for its goal."""
        return truth(asked(draw(seed).goal, self.measured(seed)), draw(seed).baseline, self.figures[seed])


# ---- what is measured ----------------------------------------------------------------------------------------------


def find_truths(book: Book, wanted: Sequence[int]) -> None:
    """Measure what is missing of the truth; slow disks leave processors for others at the same time."""
    missing: dict[float, list[tuple[int, Mapping[str, float]]]] = {CPUS_OF_A_SLOW_DISK: [], CPUS_OF_A_FAST_DISK: []}
    for seed in wanted:
        drawn = draw(seed)
        wanted_s = times(asked(drawn.goal, quick(drawn.goal)))
        if open_s := {name: seconds for name, seconds in wanted_s.items() if name not in book.measured(seed)}:
            missing[CPUS_OF_A_SLOW_DISK if drawn.is_slow else CPUS_OF_A_FAST_DISK].append((seed, open_s))
    for cpus, tasks in missing.items():
        side_by_side = max(1, int(len(os.sched_getaffinity(0)) / cpus))
        with ProcessPoolExecutor(side_by_side, get_context("spawn"), stoppable) as pool:
            for future in as_completed([pool.submit(figures_of, task) for task in tasks]):
                seed, figures = future.result()
                book.add(seed=seed, figures=figures)
                say(f"{draw(seed)}: {book.truth(seed)}")


def figures_of(wanted: tuple[int, Mapping[str, float]]) -> tuple[int, Figures]:
    """Make a disk and run workloads on it, each for so many seconds."""
    seed, seconds = wanted
    with tempfile.TemporaryDirectory() as folder, whole(member(root(), Path(folder), draw(seed))) as disk:
        measurements = [measure(disk, root(), name, seconds_) for name, seconds_ in seconds.items()]
    return seed, {metric: values for measurement in measurements for metric, values in measurement.items()}


def compare(seed: int, state: str, program: str) -> Answer:
    """Make a disk and compare on it as a user would."""
    drawn = draw(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        whole(member(root(), Path(folder), drawn)) as disk,
        busy(seed) if state == "busy" else nullcontext(),
    ):
        comparison = compared(disk.folder, drawn.goal, seed, program)
    rounds = 1 + max((comparison["round"] for comparison in comparison.result.get("samples", ())), default=-1)
    decision, winner, why = (comparison.verdict[name] for name in ("decision", "winner", "why"))
    unpriced = _unpriced(comparison) if decision == "switch" else ()
    return Answer(seed, state, program, decision, winner, round(comparison.took_s, 1), rounds, unpriced, why)


def _unpriced(comparison: Compared) -> tuple[str, ...]:
    winner, plan = comparison.verdict["winner"], comparison.result["plan"]
    priced = {
        comparison["metric"]
        for comparison in comparison.result["samples"]
        if comparison["scheduler"] == winner and comparison["valid"]
    }
    prices = asked(plan["goal"], plan["workloads"]).prices
    return tuple(price.metric for price in prices if price.metric not in priced)


# ---- what is told --------------------------------------------------------------------------------------------------

Rows = Sequence[tuple[Answer, str]]
"""Answers with their grades."""


def graded(book: Book) -> Rows:
    """Return all answers for disks whose truth is known, with their grades."""
    known = (book.answers[key] for key in sorted(book.answers) if key[0] in book.figures)
    return [(row, book.truth(row.seed).grade(row.decision, row.winner)) for row in known]


def half_of(book: Book, answer: Answer) -> str:
    """Return the one of ``HALVES`` that a comparison belongs to, by the truth."""
    return "gain" if book.truth(answer.seed).is_gain else "nothing"


def table(book: Book) -> str:
    """Return a line for each disk and program."""
    text = [f"| disk | truth | program | {' | '.join(STATES)} |", f"|{'---|' * (3 + len(STATES))}"]
    rows, lines = graded(book), dict[tuple[int, str], dict[str, str]]()
    for entry, grade in rows:
        answer = f"{entry.decision} {entry.winner or ''}".strip()
        outcome = f"{answer}{': ' + grade if grade != answer else ''}, {entry.took_s:.0f} s, {entry.rounds} rounds"
        lines.setdefault((entry.seed, entry.program), {})[entry.state] = outcome
    for (seed, program), by_state in lines.items():
        cells = (draw(seed), book.truth(seed), program or "this", *(by_state.get(state, "") for state in STATES))
        text.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*text, ""])


def outcomes(book: Book) -> str:
    """Return what came of each half, for each program in each state."""
    text, rows = list[str](), graded(book)
    for program, state in product(dict.fromkeys(row.program for row, _ in rows), STATES):
        if of_it := [row for row in rows if (row[0].program, row[0].state) == (program, state)]:
            text.append(f"- {program or 'This program'}, {state}, {len(of_it)} disks. {summary(book, of_it)[0]}")
    return "\n".join([*text, ""])


def summary(book: Book, rows: Rows) -> tuple[str, bool]:
    """Summarise a program in a state in a few sentences; return also whether all promises are kept."""
    times = sorted(row.took_s for row, _ in rows)
    median_s, most_s = statistics.median(times), times[math.ceil(0.9 * len(times)) - 1]
    unpriced = sum(bool(row.unpriced) for row, _ in rows)
    wrong = [grade for _, grade in rows].count("wrong")
    is_promised = wrong <= WRONG * len(rows) and not unpriced and median_s <= MEDIAN_S and most_s <= NINE_OF_TEN_S
    cells = []
    for half, title in HALVES.items():
        of_it = [(row, grade) for row, grade in rows if half_of(book, row) == half]
        grades = [grade for _, grade in of_it]
        shares = ", ".join(f"{name} {percent(grade == name for grade in grades)}" for name in GRADES)
        cells.append(f"With {title}: {shares}.")
        is_promised &= all(grades.count("right") >= RIGHT[half, row.state] * len(of_it) for row, _ in of_it[:1])
    always = percent(book.truth(row.seed).grade("keep", None) == "right" for row, _ in rows)
    cells.append(f"*Always keep* would be right in {always}.")
    took = f"{median_s:.0f} s (median), {most_s:.0f} s (nine of ten); unpriced switches: {unpriced}."
    return " ".join([*cells, took]), is_promised


def main() -> int:
    """Do what is missing, then print the table; 1 if a promise is broken."""
    stoppable()
    book, program = Book(kept_file()), os.environ.get("DISKTUNER_PROGRAM", "")
    kinds, states = chosen("DISKTUNER_DISKS", KINDS), chosen("DISKTUNER_STATES", STATES)
    wanted = [seed for seed in seeds("0-72") if draw(seed).is_member and draw(seed).kind in kinds]
    find_truths(book, wanted)
    for seed, state in product(wanted, states):
        known = book.answers.get((seed, state, program))
        if known is None or known.decision == "failed":
            outcome = compare(seed, state, program)
            book.add(**asdict(outcome))
            grade = book.truth(seed).grade(outcome.decision, outcome.winner)
            say(f"{draw(seed)}, {state}: {outcome.decision} {outcome.winner or ''} [{grade}], {outcome.took_s:.0f} s")
    print(table(book), outcomes(book), sep="\n")
    rows = [row for row in graded(book) if row[0].program == program and row[0].seed in wanted]
    by_state = ([row for row in rows if row[0].state == state] for state in states)
    return 0 if all(summary(book, of_it)[1] for of_it in by_state if of_it) else 1


if __name__ == "__main__":
    sys.exit(main())
