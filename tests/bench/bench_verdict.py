# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the verdict is wrong, how often it is right, and after how many runs: ``./dev bench bench_verdict``.

Experiments are drawn at random and played through the program itself, round by round, until it asks for nothing more:
comparisons, whole goals and tunings. Fails where a promise is broken. ``DISKTUNER_TIMES`` is how many are played of
each situation (else 25); the tables of docs/method.md come from thousands of the same kind.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from disktuner.verdict.analysis import FAMILY_ALPHA, GAIN_SHARE, MISSED
from disktuner.verdict.interval import Errors, looks, running

from disktuner.verdict.judge import judge
from disktuner.vocabulary.goals import DESKTOP
from tests.bench.playing import SCHEDULERS, Floats, played

TIMES = int(os.environ.get("DISKTUNER_TIMES", "25"))
METRICS = (
    "launch-under-writes.wall_s",
    "read-latency-under-writes.slowest_tenth_s",
    "copy-contended.wall_s",
)
NOISES = ("log-normal", "heavy tails", "outliers", "two modes")
PROMISED = NOISES[:2]
"""The noises for which speed is promised; the others have to be as safe, but may be slower."""
WRONG, FOUND = 0.05, 0.9
"""How often a gain may be told that is none, and how often what is clear must be found."""
ALWAYS, ALWAYS_ROUNDS, AT_ONCE = 100 * TIMES, 200, 100
ALIKE = tuple((1.0,) * count for count in (2, 3, 4, 5))
UNEQUAL = ((1, 20, 1, 1), (20, 1, 1, 1), (1, 4, 1, 1), (1, 2, 1, 1), (2, 1, 1, 1), (1, 20, 1))
"""Deviations of the baseline, of the scheduler that is compared with it, and of the others, against each other."""


@dataclass(frozen=True, slots=True)
class Situation:
    """How many times faster each is than the first, and the deviation of single runs; ``is_clear``: it must be seen."""

    name: str
    gains: tuple[float, ...]
    deviations: tuple[float, ...] | float
    rounds: int = 12
    is_clear: bool = False
    tunes: bool = False
    metrics: tuple[str, ...] = METRICS[:1]

    @property
    def names(self) -> tuple[str, ...]:
        """Schedulers, or the plain winner and its settings, as the program calls them."""
        return ("bfq", *(f"bfq:slice_idle={at}" for at in range(len(self.gains) - 1))) if self.tunes else SCHEDULERS

    @property
    def right(self) -> set[str | None]:
        """The best and, in a tuning, those within what is worth a change of it; None where nothing is worth one."""
        best = max(self.gains)
        least = max(best / DESKTOP.worth if self.tunes else best, DESKTOP.worth) - 1e-9
        return {name for name, gain in zip(self.names, self.gains, strict=True) if gain >= least} or {None}

    def draw(self, kind: str, seed: int) -> dict[str, Floats]:
        """Logarithms of times by metric, of scheduler and round, with a drift over the rounds."""
        source = np.random.default_rng(seed)
        shape = (len(self.gains), self.rounds)
        drift = source.uniform(-0.25, 0.25) * np.arange(self.rounds) / self.rounds
        spread = np.broadcast_to(self.deviations, (len(self.gains),))[:, None]
        return {
            name: -np.log(self.gains)[:, None] + noise(kind, source, shape) * spread + drift for name in self.metrics
        }


def noise(kind: str, source: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Draw noise of a kind, of a deviation of about 1."""
    if kind == "log-normal":
        return source.standard_normal(shape)
    if kind == "heavy tails":
        return source.standard_t(3, shape) / 3**0.5
    if kind == "outliers":
        return source.standard_normal(shape) + (source.random(shape) < 0.05) * source.exponential(10.0, shape)
    return source.integers(0, 2, shape) * 2.0 - 1 + 0.3 * source.standard_normal(shape)  # two modes


EQUAL, SOME = (1.0,) * 4, (1.05, 1.0, 1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
SITUATIONS = (
    Situation("all equal", EQUAL, 0.02, is_clear=True),
    Situation("all equal", EQUAL, 0.1),
    Situation("all equal", EQUAL, 0.4),
    Situation("all equal, the baseline varies 40 %", EQUAL, (0.4, 0.02, 0.05, 0.1)),
    Situation("all equal, five rounds", EQUAL, 0.1, rounds=5),
    Situation("all equal, a whole goal with a price", EQUAL, (0.3, 0.1, 0.1, 0.2), metrics=METRICS),
    Situation("bfq 1.3× faster, six rounds", (1, 1, 1, 1.3), 0.05, rounds=6, is_clear=True),
    Situation("bfq 1.3× faster", (1, 1, 1, 1.3), 0.1, is_clear=True),
    Situation("bfq 1.15× faster", (1, 1, 1, 1.15), 0.05),
    Situation("as on a hard disk", (1, 1.43, 1.1, 6.5), (0.03, 0.05, 0.05, 0.1), is_clear=True),
    Situation("one of twelve settings 1.35× faster", (1, 1.35, *SOME), 0.1, 40, is_clear=True, tunes=True),
    Situation("five settings faster", (1, 1.4, 1.35, 1.3, 1.3, 1.25, *SOME[4:]), 0.1, 40, is_clear=True, tunes=True),
    Situation("no setting faster", (1,) * 13, 0.05, 40, is_clear=True, tunes=True),
)


def line(each: Situation, kind: str) -> tuple[str, list[str]]:
    """Play one situation; returns the table's line, and which promises it breaks."""
    right = wrong = runs = grid = 0
    for seed in range(TIMES):
        result = played(each.draw(kind, seed), "desktop", each.names, tunes=each.tunes)
        verdict = judge(result)
        gain = dict(zip(each.names, each.gains, strict=True)).get(verdict.winner or "", np.inf)
        right += verdict.winner in each.right and (verdict.winner or verdict.decision) in (*each.right, "keep")
        wrong += gain <= 1
        runs += len(result.samples)
        grid += len(each.names) * len(each.metrics) * each.rounds
    found, false = right / TIMES, wrong / TIMES
    spread = "unequal" if isinstance(each.deviations, tuple) else f"{each.deviations:.0%}"
    text = f"| {each.name} | {spread} | {kind} | {found:.1%} | {false:.1%} | {runs / grid:.2f} |"
    broken = [f"{each.name}, {kind}: right {found:.2f}"] if each.is_clear and kind in PROMISED and found < FOUND else []
    if false > WRONG + 2 * (WRONG / TIMES) ** 0.5:
        broken.append(f"{each.name}, {kind}: wrong {false:.2f}")
    return text, broken


def always(deviations: Sequence[float], seed: int) -> tuple[float, float]:
    """How often any interval of a family misses at any look, and how often a gain just worth a change is ruled out."""
    others = len(deviations) - 1
    alpha = FAMILY_ALPHA / others
    errors, each = Errors(alpha * (1 - GAIN_SHARE), alpha * GAIN_SHARE), Errors(MISSED, MISSED)
    source, family, single = np.random.default_rng(seed), 0, 0
    for _ in range(ALWAYS // AT_ONCE):
        logs = source.normal(0, 0.1, (AT_ONCE, len(deviations), ALWAYS_ROUNDS)) * np.array(deviations)[:, None]
        missed = np.zeros(len(logs), bool)
        for one in range(1, others + 1):
            rest = [other for other in range(1, others + 1) if other != one]
            seen = looks(logs[:, one], logs[:, 0], logs[:, rest], 2)
            found = running(seen, errors, True)
            missed |= ((found.low > 0) | (found.high < 0)).any(axis=1)
            if one == 1:
                single += int((running(seen, each, True).low > 0).any(axis=1).sum())
        family += int(missed.sum())
    return family / ALWAYS, single / ALWAYS


def main() -> int:
    """Print a line for each situation; 1 where a promise is broken."""
    broken = []
    print(
        "| what is true | deviation of a run | noise | right | false gain | runs ÷ all |\n|---|---:|---|---:|---:|---:|"
    )
    for each, kind in product(SITUATIONS, NOISES):
        text, bad = line(each, kind)
        print(text, flush=True)
        broken += bad
    print("\n| deviations, the baseline's first | any interval misses, ever | a gain worth a change ruled out, ever |")
    print("|---|---:|---:|")
    for seed, deviations in enumerate((*ALIKE, *UNEQUAL)):
        family, single = always(deviations, seed)
        shown = " : ".join(f"{one:g}" for one in deviations)
        print(f"| {shown} | {family:.1%} | {single:.1%} |", flush=True)
        bounds = (0.05, 0.05) if deviations in ALIKE else (1.0, 0.075 if max(deviations) == 20 else 1.0)
        if any(share > most + 2 * (most / ALWAYS) ** 0.5 for share, most in zip((family, single), bounds, strict=True)):
            broken.append(f"looked at for ever, {shown}: {family:.3f}, {single:.3f}")
    print(*broken, f"{len(broken)} promises are broken.", sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
