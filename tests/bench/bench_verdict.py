# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the verdict is wrong, how soon it is right, and how long it takes: ``./dev bench bench_verdict``.

Prints the table of docs/method.md (``--write FILE`` puts it there) and fails where a promise is broken. The figures of
the method before this one, for the same situations, are kept in verdict_before.tsv.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from disktuner.verdict.judge import judge
from tests.bench.calibration import UNEQUAL, always
from tests.bench.playing import played
from tests.bench.simulation import Cell, cells, disktuner, draw, fixed, wald

EXPERIMENTS = 4000
PLAYED = 60
ALWAYS, ALWAYS_ROUNDS = 2500, 200
FOLLOWED, FOLLOWED_ROUNDS = 200, 400
"""How many experiments are followed until they are right, and for how many rounds at most."""
PROMISED = ("log-normal", "heavy tails")
"""The noises for which speed is promised; the others have to be as safe, but may be slower."""
BEFORE = Path(__file__).with_name("verdict_before.tsv")
BEGIN, END = "<!-- simulated: begin -->", "<!-- simulated: end -->"
HEAD = (
    "| situation | noise | rounds at most | wrong switch %: before | now | right answer %: before | now | fixed n "
    "| coverage %: before | now | device time ÷ fixed n | rounds ÷ Wald (Wald) |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one cell; rates from 0 to 1, device time against all rounds of all four schedulers.

    ``until_right`` and ``wald`` are rounds until the right answer, without a limit, ours and Wald's.
    """

    cell: Cell
    wrong: float
    right: float
    fixed: float
    covered: float
    spared: float
    until_right: float | None
    wald: float | None

    def text(self, before: Mapping[tuple[str, str, str], tuple[str, str, str]]) -> str:
        """The line of the table."""
        cell = self.cell
        old = before.get((cell.name, cell.noise, str(cell.rounds)), ("", "", ""))
        now = [f"{100 * rate:.1f}" for rate in (self.wrong, self.right, self.fixed, self.covered)]
        rates = (old[0], now[0], old[1], now[1], now[2], old[2], now[3])
        ratio = f"{self.until_right / self.wald:.1f} ({self.wald:.1f})" if self.until_right and self.wald else ""
        return f"| {' | '.join((cell.name, cell.noise, str(cell.rounds), *rates))} | {self.spared:.2f} | {ratio} |"

    def broken(self) -> list[str]:
        """Which promises this cell breaks."""
        cell = self.cell
        found = [f"wrong switches {self.wrong:.3f}"] if self.wrong > 0.05 else []
        found += [f"coverage {self.covered:.3f}"] if self.covered < 0.94 else []
        if cell.rounds == 6 and cell.noise in PROMISED and self.right < 0.95:
            found.append(f"only {self.right:.3f} found within six rounds")
        return [f"{cell.name_and_noise}: {each}" for each in found]


def before() -> dict[tuple[str, str, str], tuple[str, str, str]]:
    """Wrong, right and covered of the method before, in percent, by situation, noise and rounds."""
    with BEFORE.open() as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {(r["situation"], r["noise"], r["rounds"]): (r["wrong"], r["right"], r["coverage"]) for r in rows}


def row(cell: Cell, seed: int) -> Row:
    """Simulate one cell."""
    logs = draw(cell, EXPERIMENTS, seed)
    ours = disktuner(logs, cell.ratios)
    once = fixed(logs)
    until_right, known = until(cell, seed) if cell.rounds >= 8 and cell.noise == "log-normal" else (None, None)
    return Row(
        cell,
        ours.wrong(cell),
        ours.is_right(cell),
        once.is_right(cell),
        ours.covered(cell.truth),
        float(np.mean(ours.seconds)) / sum(cell.ratios) / cell.rounds,
        until_right,
        known,
    )


def until(cell: Cell, seed: int) -> tuple[float | None, float | None]:
    """The mean rounds until the right answer, ours and Wald's, where nearly all get there."""
    logs = draw(replace(cell, rounds=FOLLOWED_ROUNDS), FOLLOWED, seed)
    ours, known = disktuner(logs, cell.ratios), wald(logs, cell)
    right = ours.were_right(cell)
    if right.mean() < 0.9 or np.isnan(known).mean() > 0.1:
        return None, None
    return float(ours.rounds[right].mean()), float(np.nanmean(known))


def summary(rows: Sequence[Row]) -> str:
    """How often there is an answer, and in what time."""
    told = [each for each in rows if each.cell.noise in PROMISED and each.cell.rounds == 12]
    known = [each.until_right / each.wald for each in rows if each.until_right and each.wald and each.wald >= 3]
    return (
        f"Twelve rounds at most, log-normal noise and heavy tails: right in "
        f"{100 * float(np.mean([each.right for each in told])):.1f} % on average, in "
        f"{float(np.mean([each.spared for each in told])):.2f} of the device time of all rounds. Wrong switches: at "
        f"most {100 * max(each.wrong for each in rows):.1f} % in any line. Coverage of single intervals: "
        f"{100 * min(each.covered for each in rows):.1f} % at least. Where Wald's test needs three rounds or more: "
        f"{min(known):.1f} to {max(known):.1f} times as many as that, {float(np.mean(known)):.1f} on average."
    )


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
    metrics = ("launch-under-writes.wall_s", "read-latency-under-writes.slowest_tenth_s", "copy-contended.wall_s")
    spreads = ((0.02,) * 4, (0.05, 0.05, 0.05, 0.4), (0.3, 0.1, 0.1, 0.2))
    wrong = done = 0
    for seed, (spread, noise) in enumerate(product(spreads, PROMISED)):
        logs = [draw(Cell("", noise, spread, rounds=rounds), count, 100 * seed + at) for at in range(len(metrics))]
        for each in zip(*logs, strict=True):
            found = judge(played(dict(zip(metrics, each, strict=True)), "desktop"))
            wrong += found.decision in ("switch", "trade-off")
            done += 1
    return wrong / done, done


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit 1 if a cell breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the marks in this file")
    args = parser.parse_args(arguments)
    print(HEAD)
    rows, old = [], before()
    for seed, cell in enumerate(cells()):
        rows.append(row(cell, seed))
        print(rows[-1].text(old), flush=True)
    always_table, broken = for_ever(ALWAYS)
    goals = [(rounds, *whole_goal(rounds, PLAYED)) for rounds in (5, 10)]
    found = summary(rows) + "".join(
        f" A whole goal of two deciding figures and a price, {rounds} rounds at most, all equal: {100 * wrong:.1f} % "
        f"wrong switches or trade-offs in {count} comparisons played through the program."
        for rounds, wrong, count in goals
    )
    print(f"\n{found}")
    if args.write:
        head, _, rest = args.write.read_text().partition(BEGIN)
        table = "\n".join([HEAD, *(each.text(old) for each in rows)])
        lasting = f"Looked at after every round up to {ALWAYS_ROUNDS}, {ALWAYS:,} comparisons a line:"
        tables = f"{found}\n\n{lasting}\n\n{always_table}\n\n{table}"
        args.write.write_text(f"{head}{BEGIN}\n{tables}\n{END}{rest.partition(END)[2]}")
    broken += [each for found_row in rows for each in found_row.broken()]
    broken += [f"a whole goal of {rounds} rounds: {wrong:.3f}" for rounds, wrong, _ in goals if wrong > 0.05]
    print(*broken, f"{len(broken)} promises are broken.", sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
