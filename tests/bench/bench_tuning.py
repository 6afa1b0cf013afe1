# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a tuning finds the best setting, how often it finds what is not there, and in what part of a full grid.

``./dev bench bench_tuning`` prints the tables of docs/method.md (``--write FILE`` puts them there) and fails where a
promise is broken. The full grid measures all settings in all rounds and looks once, with the same errors; it has the
least rounds with which it is right in nine of ten experiments, whatever is true of these settings.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.halving import Field, Tuned, draw, grid, tuned

EXPERIMENTS = 2000
GRIDS = 500
FOUND = 0.9
"""How often the answer must be right, ours and the full grid's."""
FALSE = 0.05
PART = 1 / 3
PROMISED = ("log-normal", "heavy tails")
BEGIN, END = "<!-- tuned: begin -->", "<!-- tuned: end -->"
OTHERS = (1.1, 1.05, 1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
TRUTHS = {
    "best gains 1.5×": (1.5, *OTHERS),
    "best gains 1.35×": (1.35, *OTHERS),
    "five gain 1.25 to 1.4×": (1.4, 1.35, 1.3, 1.3, 1.25, *OTHERS[4:]),
    "none gains": (1.0,) * 12,
    "none gains, some lose": (1.05, 1.02, *OTHERS[1:]),
}
EDGES = {
    "one gains just what is worth it": (1.2, *(1.0,) * 11),
    "the same, all others half of it": (1.2, *(1.2**0.5,) * 11),
}
NOISES = ((0.05, "log-normal"), (0.1, "log-normal"), (0.1, "heavy tails"), (0.05, "outliers"), (0.1, "two modes"))
HEAD = (
    "| what is true of twelve settings | deviation of a run | noise | right % | false gain % | rounds | runs "
    "| full grid: rounds | device time ÷ full grid | ÷ all in as many rounds |\n"
    "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|"
)


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one situation; ``grid_rounds`` is None where no full grid of as many rounds is right so often."""

    field: Field
    found: Tuned
    grid_rounds: int | None

    @property
    def right(self) -> float:
        """The share of right answers."""
        return self.field.is_right(self.found.winner, self.found.keep)

    @property
    def false(self) -> float:
        """The share of gains that are none."""
        return self.found.false_gains(self.field)

    def part_of(self, rounds: float) -> float:
        """The device time as a part of that of so many rounds of all."""
        return float(self.found.seconds.mean() / rounds / (1 + sum(times(self.field))))

    def text(self) -> str:
        """The line of the table."""
        field, rounds = self.field, float(self.found.rounds.mean())
        cells = (
            field.name, f"{100 * field.deviation:.0f} %", field.noise, f"{100 * self.right:.1f}",
            f"{100 * self.false:.1f}", f"{rounds:.1f}", f"{self.found.runs.mean():.0f}",
            str(self.grid_rounds or f"> {field.rounds}"),
            f"{self.part_of(self.grid_rounds):.2f}" if self.grid_rounds else "", f"{self.part_of(rounds):.2f}",
        )  # fmt: skip
        return f"| {' | '.join(cells)} |"

    def broken(self) -> list[str]:
        """Which promises this line breaks."""
        field = self.field
        found = [f"false gains {self.false:.3f}"] if self.false > FALSE else []
        if field.noise in PROMISED and self.right < FOUND:
            found.append(f"right {self.right:.3f}")
        return [f"{field.name}, {field.deviation}, {field.noise}: {each}" for each in found]


def times(field: Field) -> tuple[float, ...]:
    """How long a run of each setting takes, in those of the plain winner."""
    return tuple(1 / gain for gain in field.gains)


def planned_grid(deviation: float, noise: str) -> int | None:
    """The rounds of a full grid: planned before anybody knows what is true, so enough for each of the truths."""
    fields = [Field(name, gains, deviation, noise) for name, gains in TRUTHS.items()]
    logs = [draw(field, GRIDS, 1000 + at) for at, field in enumerate(fields)]
    for rounds in range(2, fields[0].rounds + 1):
        each = (field.is_right(*grid(gains[:, :, :rounds])) for field, gains in zip(fields, logs, strict=True))
        if all(share >= FOUND for share in each):
            return rounds
    return None


def play(field: Field, seed: int) -> Tuned:
    """All experiments of one situation."""
    return tuned(draw(field, EXPERIMENTS, seed), times(field))


def edges() -> tuple[str, list[str]]:
    """How often a gain that is just worth a change is ruled out, as a table, and which promises are broken."""
    lines = ["| what is true | the best varies | ruled out % |", "|---|---|---:|"]
    broken = []
    for at, (name, gains) in enumerate(EDGES.items()):
        for noisier in (1.0, 2.0, 4.0):
            field = Field(name, gains, 0.05, noisier=noisier)
            missed = float(play(field, 300 + at).keep.mean())
            lines.append(
                f"| {name} | {'as all do' if noisier == 1 else f'{noisier:g} times as much'} | {100 * missed:.1f} |"
            )
            print(lines[-1], flush=True)
            if noisier == 1 and missed > FALSE + 2 * (FALSE / EXPERIMENTS) ** 0.5:
                broken.append(f"{name}: ruled out in {missed:.3f}")
    return "\n".join(lines), broken


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; exit 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the marks in this file")
    args = parser.parse_args(arguments)
    print(HEAD)
    rows: list[Row] = []
    for deviation, noise in NOISES:
        rounds = planned_grid(deviation, noise)
        for at, (name, gains) in enumerate(TRUTHS.items()):
            field = Field(name, gains, deviation, noise)
            rows.append(Row(field, play(field, at), rounds))
            print(rows[-1].text(), flush=True)
    known = [row for row in rows if row.field.noise in PROMISED and row.field.deviation >= 0.1 and row.grid_rounds]
    part = float(np.mean([row.part_of(row.grid_rounds) for row in known if row.grid_rounds]))
    said = f"Deviations of 10 %: {part:.2f} of the device time of the full grid, on average over these lines."
    print(said)
    table, broken = edges()
    broken += [each for row in rows for each in row.broken()]
    broken += [f"{part:.2f} of the full grid"] if part > PART else []
    if args.write:
        head, _, rest = args.write.read_text().partition(BEGIN)
        tables = "\n".join([said, "", HEAD, *(row.text() for row in rows), "", table])
        args.write.write_text(f"{head}{BEGIN}\n{tables}\n{END}{rest.partition(END)[2]}")
    print(*broken, f"{len(broken)} promises are broken.", sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
