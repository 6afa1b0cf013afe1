# SPDX-License-Identifier: GPL-3.0-or-later
"""How often comparisons are right on disks whose fast cache is used up, and how long they take.

``./dev bench states`` compares on the disks ``DISKTUNER_SEEDS`` (0-29; tests/simdisk/states.py), each for the goal and
with the baseline drawn with it, in ``DISKTUNER_STATES``: exhausted, and rested; on a third of them another scheduler is
best in the one than in the other. Their portraits are written down, up to a tenth wrong, not made.
``DISKTUNER_KEPT=FILE`` keeps all that is found, a line each, and goes on from there. Fails where less is right, or it
takes longer, than is promised.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path

from disktuner.results.portrait import Portraits
from disktuner.vocabulary.states import DiskState, workloads_exhausted
from tests.bench.disks import chosen, compared, kept_file, percent, root, say, seeds, stoppable, whole
from tests.bench.family import Answer, Book, Rows
from tests.bench.truth import Truth, asked, measure, quick, times, truth
from tests.simdisk.states import draw, keep_portrait, member

STATES = tuple(DiskState)[::-1]
FOUND = Path(__file__).parents[1] / "data/states.jsonl"
RIGHT, WRONG, MEDIAN_S = 0.9, 0.025, 300.0
"""What is promised of comparisons with the cache used up: the shares, and the seconds they take."""


class StatesBook(Book):
    """What was found of these disks; figures have the state before the metric."""

    def missing(self, seed: int, state: str) -> dict[str, float]:
        """Return how long each workload whose truth is not known yet is measured."""
        goal = draw(seed).goal
        names = workloads_exhausted(goal) if state == DiskState.EXHAUSTED else quick(goal)
        wanted = times(asked(goal, names))
        known = {metric.rpartition(".")[0] for metric in self.figures.get(seed, ())}
        return {name: seconds for name, seconds in wanted.items() if f"{state}/{name}" not in known}

    def truth_in(self, seed: int, state: str) -> Truth:
        """Return what is true of a disk in a state for its goal."""
        of_state = {name.partition("/")[2]: values for name, values in self.figures[seed].items()
                    if name.startswith(f"{state}/")}  # fmt: skip
        workloads = {metric.rpartition(".")[0] for metric in of_state}
        return truth(asked(draw(seed).goal, workloads), draw(seed).baseline, of_state)

    def rows(self, state: str) -> Rows:
        """Return all answers in a state whose truth is known, with their grades."""
        answers = [answer for key, answer in sorted(self.answers.items()) if answer.state == state]
        return [
            (answer, self.truth_in(answer.seed, state).grade(answer.decision, answer.winner))
            for answer in answers
            if any(name.startswith(f"{state}/") for name in self.figures.get(answer.seed, ()))
        ]


def find_truth(book: StatesBook, seed: int, state: str) -> None:
    """Measure what is missing of the truth of a disk."""
    drawn, wanted = draw(seed), book.missing(seed, state)
    exhaustion = drawn.exhaustion if state == DiskState.EXHAUSTED else None
    for name, seconds in wanted.items():
        with tempfile.TemporaryDirectory() as folder, whole(member(root(), Path(folder), drawn, state)) as disk:
            figures = measure(disk, root(), name, seconds, exhaustion)
        book.add(seed=seed, figures={f"{state}/{metric}": values for metric, values in figures.items()})
    if wanted:
        say(f"{drawn}, {state}: {book.truth_in(seed, state)}")


def compare(seed: int, state: str) -> Answer:
    """Make a disk and compare on it as a user would."""
    drawn, portraits = draw(seed), Portraits()
    with tempfile.TemporaryDirectory() as folder, whole(member(root(), Path(folder), drawn, state)) as disk:
        portrait = keep_portrait(disk, drawn, portraits)
        try:
            comparison = compared(disk.folder, drawn.goal, seed, also=("--state", state, "--yes"))
        finally:
            portraits.file_of(portrait).unlink()
    samples = comparison.result.get("samples", ())
    decision, winner, why = (comparison.verdict[name] for name in ("decision", "winner", "why"))
    rounds = 1 + max((sample["round"] for sample in samples), default=-1)
    left = sum((sample.get("reason") or {}).get("id") == "state-left" for sample in samples)
    return Answer(seed, state, "", decision, winner, round(comparison.took_s, 1), rounds, ("state-left",) * left, why)


def table(book: StatesBook) -> Iterator[str]:
    """Yield a line for each comparison."""
    yield "| disk | state | truth | answer | |"
    yield "|---|---|---|---|---|"
    for state in STATES:
        for answer, grade in book.rows(state):
            decision = f"{answer.decision} {answer.winner or ''}".strip()
            cost = f"{answer.took_s:.0f} s, {answer.rounds} rounds"
            truth_in_state = book.truth_in(answer.seed, state)
            yield f"| {draw(answer.seed)} | {state} | {truth_in_state} | {decision}: {grade} | {cost} |"


def outcomes(book: StatesBook) -> str:
    """Return what came of each state, and of disks whose states differ."""
    lines = [f"- {state}, {len(rows)} disks: {summary(rows)[0]}" for state in STATES if (rows := book.rows(state))]
    grades = {(answer.seed, answer.state): grade for state in STATES for answer, grade in book.rows(state)}
    both = [seed for seed, state in grades if state == STATES[0] and (seed, STATES[1]) in grades]
    if unlike := [seed for seed in both if _is_unlike(book, seed)]:
        right = percent(all(grades[seed, state] == "right" for state in STATES) for seed in unlike)
        lines.append(f"- Of the disks whose states differ, both were right on {right}.")
    return "\n".join([*lines, ""])


def _is_unlike(book: StatesBook, seed: int) -> bool:
    """Whether what is best in one state is not worth it, or not the best, in the other."""
    best = [max(known.scores, key=known.scores.__getitem__) if known.is_gain else ""
            for known in (book.truth_in(seed, state) for state in STATES)]  # fmt: skip
    return best[0] != best[1]


def summary(rows: Rows) -> tuple[str, bool]:
    """Return all of one state in a sentence, and whether what is promised is kept."""
    grades, times_s = [grade for _, grade in rows], [answer.took_s for answer, _ in rows]
    median_s = statistics.median(times_s)
    is_kept = grades.count("right") >= RIGHT * len(rows) and grades.count("wrong") <= WRONG * len(rows)
    shares = ", ".join(f"{name} {percent(grade == name for grade in grades)}" for name in dict.fromkeys(sorted(grades)))
    left = sum(len(answer.unpriced) for answer, _ in rows)
    sentence = (
        f"{shares}; {median_s:.0f} s (median), {max(times_s):.0f} s (most); figures of runs in another state: {left}."
    )
    return sentence, is_kept and median_s <= (MEDIAN_S if rows[0][0].state == DiskState.EXHAUSTED else math.inf)


def main() -> int:
    """Do what is missing, then print the table; 1 where a promise is not kept."""
    stoppable()
    book, states = StatesBook(kept_file()), chosen("DISKTUNER_STATES", STATES)
    for seed, state in product(seeds("0-29"), states):
        find_truth(book, seed, state)
        known = book.answers.get((seed, state, ""))
        if known is None or known.decision == "failed":
            answer = compare(seed, state)
            book.add(**asdict(answer))
            grade = book.truth_in(seed, state).grade(answer.decision, answer.winner)
            say(f"{draw(seed)}, {state}: {answer.decision} {answer.winner or ''} [{grade}], {answer.took_s:.0f} s"
                f"{f': {answer.why}' if answer.decision == 'failed' else ''}")  # fmt: skip
    print(*table(book), "", outcomes(book), sep="\n")
    rows = book.rows(DiskState.EXHAUSTED)
    return 0 if not rows or summary(rows)[1] else 1


if __name__ == "__main__":
    sys.exit(main())
