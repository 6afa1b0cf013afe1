# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the verdict is wrong, how soon it is right, and how long it takes: ``./dev bench bench_verdict``.

Prints the table of docs/method.md (``--write FILE`` puts it there) and fails where a promise is broken.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from disktuner.verdict.judge import judge
from tests.bench.playing import played
from tests.bench.simulation import Cell, cells, disktuner, draw, fixed, highest_mean

EXPERIMENTS = 4000
PLAYED = 250
PROMISED = ("log-normal", "heavy tails")
"""The noises for which speed is promised; the others have to be as safe, but may be slower."""
AS_RIGHT = 0.005
"""Two rates of right answers within this are alike: about the error of the simulation."""
HARDLY = 0.2
BEGIN, END = "<!-- simulated: begin -->", "<!-- simulated: end -->"
HEAD = (
    "| situation | noise | rounds at most | wrong switch %: Disktuner | fixed n | best mean of 5 "
    "| right answer %: Disktuner | fixed n | coverage % | device time ÷ fixed n | ÷ least n as right (n) |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one cell; rates from 0 to 1, device time in rounds of all four schedulers.

    ``by_n`` is how often the fixed test is right with 2, 3, … rounds.
    """

    cell: Cell
    wrong: tuple[float, float, float, float]
    right: float
    covered: float
    rounds: float
    by_n: tuple[float, ...]

    @property
    def as_right(self) -> int | None:
        """The least n with which the fixed test is right as often; None where both are hardly ever right."""
        if self.right < HARDLY:
            return None
        return next((n for n, right in enumerate(self.by_n, start=2) if right >= self.right - AS_RIGHT), None)

    def text(self) -> str:
        """The line of the table."""
        n, cell = self.as_right, self.cell
        known = f"{self.rounds / n:.2f} ({n})" if n else ""
        rates = [f"{100 * rate:.1f}" for rate in (*self.wrong[:3], self.right, self.by_n[-1], self.covered)]
        return f"| {' | '.join((cell.name, cell.noise, str(cell.rounds), *rates))} | {self.spared:.2f} | {known} |"

    @property
    def spared(self) -> float:
        """Device time against all rounds of all schedulers."""
        return self.rounds / self.cell.rounds

    def broken(self) -> list[str]:
        """Which promises this cell breaks."""
        cell = self.cell
        found = [f"wrong switches {self.wrong[0]:.3f}"] if self.wrong[0] > 0.05 else []
        found += [f"coverage {self.covered:.3f}"] if self.covered < 0.94 else []
        if not cell.has_difference and self.wrong[0] > min(self.wrong[2:]) / 10:
            found.append("wrong switches above a tenth of the best mean's")
        if cell.rounds == 6 and cell.noise in PROMISED and self.right < 0.95:
            found.append(f"only {self.right:.3f} found within six rounds")
        return [f"{cell.name_and_noise}: {each}" for each in found]


def row(cell: Cell, seed: int) -> Row:
    """Simulate one cell."""
    logs = draw(cell, EXPERIMENTS, seed)
    ours = disktuner(logs, cell.ratios)
    means = [highest_mean(logs, runs=runs).wrong(cell) for runs in (5, 4)]
    once = [fixed(logs[:, :, :n]) for n in range(2, cell.rounds + 1)]
    return Row(
        cell,
        (ours.wrong(cell), once[-1].wrong(cell), means[0], means[1]),
        ours.is_right(cell),
        ours.covered(cell.truth),
        float(np.mean(ours.seconds)) / sum(cell.ratios),
        tuple(each.is_right(cell) for each in once),
    )


def one_n(rows: Sequence[Row]) -> tuple[int, float, float]:
    """The least n with which the fixed test is on average right as often as ours, how often that is, and our time.

    The time is our mean device time against that n. Who fixes n does so before anything is known of the disk.
    """
    most = min(each.cell.rounds for each in rows)
    ours = float(np.mean([each.right for each in rows]))
    for n in range(2, most + 1):
        theirs = [each.by_n[n - 2] for each in rows]
        if np.mean(theirs) >= ours - AS_RIGHT / 5:
            break
    return n, ours, float(np.mean([each.rounds for each in rows])) / n


def summary(rows: Sequence[Row]) -> str:
    """Device time against one n for all situations."""
    told = [each for each in rows if each.cell.noise in PROMISED and each.cell.rounds == 12]
    differ = [each for each in told if each.cell.has_difference]
    equal = [each for each in told if not each.cell.has_difference]
    n, right, ratio = one_n(differ)
    idle = float(np.mean([each.rounds for each in equal])) / n
    fewest = max(each.spared for each in differ)
    return (
        f"Twelve rounds at most, log-normal noise and heavy tails. Where schedulers differ Disktuner is right in "
        f"{100 * right:.1f} %; the least n with which the fixed test is right as often is {n}. Device time against it: "
        f"{ratio:.2f} where they differ, {idle:.2f} where all are equal. Against twelve fixed rounds: at most "
        f"{fewest:.2f} in every line where they differ."
    )


def whole_goal(rounds: int, count: int) -> tuple[float, int]:
    """The share of wrong switches when a whole comparison for the desktop is played and all are equal, and how many."""
    metrics = ("launch-under-writes.wall_s", "read-latency-under-writes.p99_s", "copy-contended.wall_s")
    spreads = ((0.02,) * 4, (0.05, 0.05, 0.05, 0.4), (0.3, 0.1, 0.1, 0.2))
    wrong = done = 0
    for seed, (spread, noise) in enumerate(product(spreads, PROMISED)):
        logs = [draw(Cell("", noise, spread, rounds=rounds), count, 100 * seed + at) for at in range(len(metrics))]
        for each in zip(*logs, strict=True):
            wrong += judge(played(dict(zip(metrics, each, strict=True)), "desktop")).decision == "switch"
            done += 1
    return wrong / done, done


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit 1 if a cell breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the marks in this file")
    args = parser.parse_args(arguments)
    print(HEAD)
    rows = []
    for seed, cell in enumerate(cells()):
        rows.append(row(cell, seed))
        print(rows[-1].text(), flush=True)
    goals = [(rounds, *whole_goal(rounds, PLAYED)) for rounds in (5, 10)]
    found = summary(rows) + "".join(
        f" A whole goal of two deciding figures and a price, {rounds} rounds at most, all equal: {100 * wrong:.1f} % "
        f"wrong switches in {count} comparisons played through the program."
        for rounds, wrong, count in goals
    )
    print(f"\n{found}")
    if args.write:
        before, _, rest = args.write.read_text().partition(BEGIN)
        table = "\n".join([HEAD, *(each.text() for each in rows)])
        args.write.write_text(f"{before}{BEGIN}\n{found}\n\n{table}\n{END}{rest.partition(END)[2]}")
    broken = [each for found_row in rows for each in found_row.broken()]
    broken += [f"a whole goal of {rounds} rounds: {wrong:.3f}" for rounds, wrong, _ in goals if wrong > 0.05]
    print(*broken, f"{len(broken)} promises are broken.", sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
