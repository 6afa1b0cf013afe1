# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the verdict is wrong, how soon it is right, and how long it takes: ``./dev bench bench_verdict``.

Prints the table of docs/method.md (``--write FILE`` puts it there) and fails where a promise is broken. At first it
makes sure that the simulation decides as the program does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from disktuner.verdict.analysis import FAMILY_ALPHA, GAIN_SHARE, MISSED
from disktuner.verdict.interval import Errors, looks, running
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from tests.bench.playing import SCHEDULERS, played
from tests.bench.simulation import Cell, Floats, cells, disktuner, draw, fixed

EXPERIMENTS = 4000
PLAYED = 60
ALWAYS, ALWAYS_ROUNDS = 2500, 200
PROMISED = ("log-normal", "heavy tails")
"""The noises for which speed is promised; the others have to be as safe, but may be slower."""
METRICS = ("launch-under-writes.wall_s", "read-latency-under-writes.slowest_tenth_s", "copy-contended.wall_s")
UNEQUAL: tuple[tuple[float, ...], ...] = (
    (1, 20, 1, 1),
    (20, 1, 1, 1),
    (1, 4, 1, 1),
    (1, 2, 1, 1),
    (2, 1, 1, 1),
    (1, 20, 1),
)
"""Deviations of the baseline, of the scheduler that is compared with it, and of the others, against each other."""
DEVIATION = 0.1
AT_ONCE = 250
BEGIN, END = "<!-- simulated: begin -->", "<!-- simulated: end -->"
HEAD = (
    "| situation | noise | rounds at most | wrong switch % | right answer % | fixed n: right % | coverage % "
    "| device time ÷ fixed n |\n|---|---|---:|---:|---:|---:|---:|---:|"
)


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one cell; rates from 0 to 1, device time against all rounds of all four schedulers."""

    cell: Cell
    wrong: float
    right: float
    fixed: float
    covered: float
    spared: float

    def text(self) -> str:
        """The line of the table."""
        cell = self.cell
        rates = [f"{100 * rate:.1f}" for rate in (self.wrong, self.right, self.fixed, self.covered)]
        return f"| {' | '.join((cell.name, cell.noise, str(cell.rounds), *rates))} | {self.spared:.2f} |"

    def broken(self) -> list[str]:
        """Which promises this cell breaks."""
        cell = self.cell
        found = [f"wrong switches {self.wrong:.3f}"] if self.wrong > 0.05 else []
        found += [f"coverage {self.covered:.3f}"] if self.covered < 0.94 else []
        if cell.rounds == 6 and cell.noise in PROMISED and self.right < 0.95:
            found.append(f"only {self.right:.3f} found within six rounds")
        return [f"{cell.name_and_noise}: {each}" for each in found]


def disagreeing() -> list[str]:
    """Situations in which the program decides otherwise than the simulation of it, or after other runs."""
    found = []
    for seed, cell in enumerate(each for each in cells() if each.rounds == 12):
        logs = draw(cell, 4, seed)
        ours = disktuner(logs)
        for at in range(4):
            result = played({METRICS[0]: logs[at]}, "desktop")
            verdict = judge(result)
            winner = SCHEDULERS.index(verdict.winner) if verdict.winner else -1
            played_out = winner, verdict.decision is Decision.KEEP, len(result.samples)
            if played_out != (ours.winner[at], ours.keep[at], ours.runs[at]):
                found.append(f"{cell.name_and_noise}: the program decides otherwise")
    return found


def row(cell: Cell, seed: int) -> Row:
    """Simulate one cell."""
    logs = draw(cell, EXPERIMENTS, seed)
    ours = disktuner(logs, cell.ratios)
    once = fixed(logs)
    return Row(
        cell,
        ours.wrong(cell),
        ours.is_right(cell),
        once.is_right(cell),
        ours.covered(cell.truth),
        float(np.mean(ours.seconds)) / sum(cell.ratios) / cell.rounds,
    )


def summary(rows: Sequence[Row]) -> str:
    """How often there is an answer, and in what time."""
    told = [each for each in rows if each.cell.noise in PROMISED and each.cell.rounds == 12]
    return (
        f"Twelve rounds at most, log-normal noise and heavy tails: right in "
        f"{100 * float(np.mean([each.right for each in told])):.1f} % on average, in "
        f"{float(np.mean([each.spared for each in told])):.2f} of the device time of all rounds. Wrong switches: at "
        f"most {100 * max(each.wrong for each in rows):.1f} % in any line. Coverage of single intervals: "
        f"{100 * min(each.covered for each in rows):.1f} % at least."
    )


def drawn(deviations: Sequence[float], count: int, most: int, seed: int) -> Iterator[Floats]:
    """Yield experiments without a difference, some at a time: by experiment, scheduler and round."""
    source = np.random.default_rng(seed)
    for begin in range(0, count, AT_ONCE):
        shape = (min(AT_ONCE, count - begin), len(deviations), most)
        yield DEVIATION * source.standard_normal(shape) * np.array(deviations)[:, None]


def always(deviations: Sequence[float], count: int, rounds: int, seed: int) -> tuple[float, float]:
    """Return how often any interval of a family misses, and how often a gain just worth a change is ruled out."""
    others = len(deviations) - 1
    alpha = FAMILY_ALPHA / others
    errors, each = Errors(alpha * (1 - GAIN_SHARE), alpha * GAIN_SHARE), Errors(MISSED, MISSED)
    family, single = 0, 0
    for logs in drawn(deviations, count, rounds, seed):
        missed = np.zeros(len(logs), bool)
        for one in range(1, others + 1):
            rest = [s for s in range(1, others + 1) if s != one]
            seen = looks(logs[:, one], logs[:, 0], logs[:, rest], 2)
            found = running(seen, errors, True)
            missed |= ((found.low > 0) | (found.high < 0)).any(axis=1)
            if one == 1:
                single += int((running(seen, each, True).low > 0).any(axis=1).sum())
        family += int(missed.sum())
    return family / count, single / count


def for_ever(count: int) -> tuple[str, list[str]]:
    """How often anything is ever wrong up to 200 rounds, as a table, and which promises are broken."""
    lines = [
        "| deviations, the baseline's first | any interval misses, ever % | a gain worth a change ruled out, ever % |"
    ]
    lines.append("|---|---:|---:|")
    broken = []
    for seed, deviations in enumerate((*((1.0,) * k for k in (2, 3, 4, 5)), *UNEQUAL)):
        family, single = always(deviations, count, ALWAYS_ROUNDS, seed)
        shown = " : ".join(f"{each:g}" for each in deviations)
        lines.append(f"| {shown} | {100 * family:.1f} | {100 * single:.1f} |")
        print(lines[-1], flush=True)
        alike = len(set(deviations)) == 1
        if alike and max(family, single) > 0.05 + 2 * (0.05 / count) ** 0.5:
            broken.append(f"looked at for ever, {shown}: {family:.3f}, {single:.3f}")
        if max(deviations) == 20 and single > 0.075 + 2 * (0.075 / count) ** 0.5:
            broken.append(f"kept wrongly for ever, {shown}: {single:.3f}")
    return "\n".join(lines), broken


def whole_goal(rounds: int, count: int) -> tuple[float, int]:
    """The share of wrong switches when a whole comparison for the desktop is played and all are equal, and how many."""
    spreads = ((0.02,) * 4, (0.05, 0.05, 0.05, 0.4), (0.3, 0.1, 0.1, 0.2))
    wrong = done = 0
    for seed, (spread, noise) in enumerate(product(spreads, PROMISED)):
        logs = [draw(Cell("", noise, spread, rounds=rounds), count, 100 * seed + at) for at in range(len(METRICS))]
        for each in zip(*logs, strict=True):
            found = judge(played(dict(zip(METRICS, each, strict=True)), "desktop"))
            wrong += found.decision in ("switch", "trade-off")
            done += 1
    return wrong / done, done


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit 1 if a cell breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the marks in this file")
    args = parser.parse_args(arguments)
    broken = disagreeing()
    print(HEAD)
    rows = []
    for seed, cell in enumerate(cells()):
        rows.append(row(cell, seed))
        print(rows[-1].text(), flush=True)
    always_table, ever = for_ever(ALWAYS)
    goals = [(rounds, *whole_goal(rounds, PLAYED)) for rounds in (5, 10)]
    found = summary(rows) + "".join(
        f" A whole goal of two deciding figures and a price, {rounds} rounds at most, all equal: {100 * wrong:.1f} % "
        f"wrong switches or trade-offs in {count} comparisons played through the program."
        for rounds, wrong, count in goals
    )
    print(f"\n{found}")
    if args.write:
        head, _, rest = args.write.read_text().partition(BEGIN)
        table = "\n".join([HEAD, *(each.text() for each in rows)])
        lasting = f"Looked at after every round up to {ALWAYS_ROUNDS}, {ALWAYS:,} comparisons a line:"
        tables = f"{found}\n\n{lasting}\n\n{always_table}\n\n{table}"
        args.write.write_text(f"{head}{BEGIN}\n{tables}\n{END}{rest.partition(END)[2]}")
    broken += ever + [each for found_row in rows for each in found_row.broken()]
    broken += [f"a whole goal of {rounds} rounds: {wrong:.3f}" for rounds, wrong, _ in goals if wrong > 0.05]
    print(*broken, f"{len(broken)} promises are broken.", sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
