# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a tuning finds the best setting, and how often it finds what is not there: ``./dev bench bench_tuning``.

Experiments are drawn at random and played through the program itself, round by round, until it asks for nothing more.
Fails where a promise is broken. The tables of docs/method.md come from thousands of experiments of the same kind.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

import numpy as np

from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import DESKTOP
from tests.bench.playing import Floats, played
from tests.bench.simulation import noise

EXPERIMENTS = int(os.environ.get("DISKTUNER_TIMES", "25"))
ROUNDS = 40
FOUND, FALSE = 0.9, 0.05
"""How often the answer must be right, and how often a gain may be told that is none."""
LAUNCH = "launch-under-writes.wall_s"
PROMISED = ("log-normal", "heavy tails")
OTHERS = (1.1, 1.05, 1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
TRUTHS = {
    "best gains 1.5×": (1.5, *OTHERS),
    "best gains 1.35×": (1.35, *OTHERS),
    "five gain 1.25 to 1.4×": (1.4, 1.35, 1.3, 1.3, 1.25, *OTHERS[4:]),
    "none gains": (1.0,) * 12,
    "none gains, some lose": (1.05, 1.02, *OTHERS[1:]),
}
NOISES = ((0.05, "log-normal"), (0.1, "log-normal"), (0.1, "heavy tails"), (0.05, "outliers"), (0.1, "two modes"))


@dataclass(frozen=True, slots=True)
class Field:
    """One situation: how many times faster than the plain winner each setting is, and the deviation of single runs."""

    gains: tuple[float, ...]
    deviation: float
    noise: str

    @property
    def names(self) -> tuple[str, ...]:
        """The plain winner and the settings, as the program calls them."""
        return ("bfq", *(f"bfq:slice_idle={number}" for number in range(len(self.gains))))

    @property
    def right(self) -> set[str]:
        """The best setting and those within what is worth a change of it; none where nothing is worth one."""
        least = max(max(self.gains) / DESKTOP.worth, DESKTOP.worth) - 1e-9
        return {name for name, gain in zip(self.names[1:], self.gains, strict=True) if gain >= least}

    def draw(self, seed: int) -> Floats:
        """Logarithms of times by setting and round, with a drift."""
        source = np.random.default_rng(seed)
        shape = (1 + len(self.gains), ROUNDS)
        drift = source.uniform(-0.25, 0.25) * np.arange(ROUNDS) / ROUNDS
        return -np.log((1.0, *self.gains))[:, None] + noise(self.noise, source, shape) * self.deviation + drift


@dataclass(slots=True)
class Score:
    """What came of some experiments; ``runs`` of how many ``of`` all settings in as many rounds."""

    right: int = 0
    false: int = 0
    runs: int = 0
    of: int = 0

    def play(self, field: Field, seed: int) -> None:
        """Tune once."""
        result = played({LAUNCH: field.draw(seed)}, "desktop", field.names, tunes=True)
        verdict = judge(result)
        gain = dict(zip(field.names[1:], field.gains, strict=True)).get(verdict.winner or "", np.inf)
        self.right += verdict.winner in field.right if field.right else verdict.decision is Decision.KEEP
        self.false += gain <= 1
        self.runs += len(result.samples)
        self.of += len(field.names) * len({sample.round for sample in result.samples})


def main() -> int:
    """Print a line for each situation; 1 where a promise is broken."""
    broken, false = [], 0
    print("| what is true of twelve settings | deviation of a run | noise | right % | false gain % | runs ÷ all |")
    print("|---|---:|---|---:|---:|---:|")
    for deviation, kind in NOISES:
        for name, gains in TRUTHS.items():
            field, score = Field(gains, deviation, kind), Score()
            for seed in range(EXPERIMENTS):
                score.play(field, seed)
            right, wrong = score.right / EXPERIMENTS, score.false / EXPERIMENTS
            row = (f"{deviation:.0%}", kind, f"{right:.1%}", f"{wrong:.1%}", f"{score.runs / score.of:.2f}")
            print(f"| {' | '.join((name, *row))} |", flush=True)
            false += score.false
            if kind in PROMISED and right < FOUND:
                broken.append(f"{name}, {deviation}, {kind}: right {right:.3f}")
    share = false / (EXPERIMENTS * len(NOISES) * len(TRUTHS))
    broken += [f"false gains {share:.3f}"] if share > FALSE else []
    print(*broken, f"{len(broken)} promises are broken.", sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
