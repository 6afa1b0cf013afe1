# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the verdict is right and wrong, by simulation: ``./dev bench bench_verdict``.

Experiments are drawn at random and raced as real ones are, turn by turn, until all is answered or the rounds are used
up; then they are judged. Fails where a promise is broken. ``DISKTUNER_TIMES`` is how many are played of each situation
(else 60); the table of docs/method.md comes from 1,000.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.evidence import Evidence, evidence, scores_of
from disktuner.verdict.judge import decide
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import SideState
from disktuner.verdict.outcomes import Decision
from disktuner.verdict.race import awaiting_price, contenders, is_settled
from disktuner.vocabulary.questions import Part, Price, Question
from disktuner.vocabulary.settings import Setting, setting
from tests.bench.family import FOUND, Book
from tests.bench.truth import asked, truth
from tests.simdisk.family import FOUR, draw

Floats = NDArray[np.float64]
TIMES = int(os.environ.get("DISKTUNER_TIMES", "60"))
WRONG = 0.05
"""How often a loss or no gain may be told for a gain, and a gain that is just worth it be ruled out."""
NOISES = ("log-normal", "heavy tails", "outliers", "two modes", "shocks")
SAFE = NOISES[:2]
"""The noises for which what is promised must hold; the others are shown."""
WORTH, TOLERATED = 1.2, 1 / 3
SHOWN = ("right", *Decision, "wrong", "switch beyond", "missed")
SETTINGS = tuple(map(Setting, ("none", "mq-deadline", "kyber", "bfq")))
PRICE_ROUNDS = 20
"""How often a price is measured at most: until it is settled, as in real comparisons, whose budget ends long before."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What is true: the gain of each setting (the first is the baseline) by part and by price, and how runs vary.

    ``noisier`` says how many times as much the runs of the ``noisy`` setting vary, ``unlike`` by how much settings do
    (the deviation of the logarithm). A ``limit`` of the method, which docs/method.md names, breaks no promise. Prices
    are of what runs ``beside`` the first part. ``least`` is how often the right answer has to come: what the method is
    known to reach.
    """

    name: str
    parts: tuple[tuple[float, ...], ...]
    variation: tuple[float, ...]
    rounds: int = 6
    weights: tuple[float, ...] = ()
    prices: tuple[tuple[float, ...], ...] = ()
    noise: str = "log-normal"
    noisier: float = 1.0
    noisy: int = -1
    limit: bool = False
    unlike: float = 0.0
    beside: bool = False
    always: bool = False
    least: float = 0.0

    @property
    def question(self) -> Question:
        weights = self.weights or (1.0,) * len(self.parts)
        parts = tuple(Part(f"part-{at}.wall_s", weight) for at, weight in enumerate(weights))
        beside = parts[0].metric if self.beside else None
        prices = tuple(Price(f"price-{at}.bytes_per_s", TOLERATED, beside) for at in range(len(self.prices)))
        return Question(parts, prices, WORTH)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Return those that compete."""
        count = len(self.parts[0])
        if count <= len(SETTINGS):
            return SETTINGS[:count]
        return (SETTINGS[0], *(setting("bfq", {"iosched/slice_idle": n}) for n in range(1, count)))

    def scores(self) -> Floats:
        """Return the true scores, as logarithms."""
        weights = np.array(self.weights or (1.0,) * len(self.parts))
        return np.asarray(weights / weights.sum() @ np.log(np.array(self.parts)))

    def right(self) -> set[Setting | None]:
        """Return who may be named: the best ones that are worth it, at no price beyond if there are such; or nobody."""
        scores = self.scores()
        worth = [at for at, score in enumerate(scores) if at and score >= np.log(WORTH) - 1e-9]
        chosen = [at for at in worth if not self.is_beyond(at)] or worth
        best = max((scores[at] for at in chosen), default=0.0)
        return {self.settings[at] for at in chosen if scores[at] >= best - np.log(1.1)} or {None}

    def is_beyond(self, at: int) -> bool:
        """Say whether a setting truly costs more than is tolerated."""
        known = zip(self.question.prices, self.prices, strict=True)
        return any(true[at] < price.least_gain(self.parts[0][at]) for price, true in known)


def drawn(kind: str, source: np.random.Generator, shape: tuple[int, int], deviation: float) -> Floats:
    """Draw noise of a kind by setting and round."""
    if kind == "heavy tails":
        return np.asarray(source.standard_t(3, shape) / 3**0.5 * deviation)
    if kind == "two modes":
        return np.asarray((source.integers(0, 2, shape) * 2.0 - 1 + 0.3 * source.standard_normal(shape)) * deviation)
    noise = source.standard_normal(shape) * deviation
    if kind == "outliers":
        noise -= (source.random(shape) < 0.05) * source.exponential(10 * deviation, shape)
    if kind == "shocks":  # within a round, the disk becomes another one from some run on
        begins = np.where(source.random(shape[1]) < 0.15, source.integers(0, shape[0], shape[1]), shape[0])
        places = np.argsort(source.random(shape), axis=0)
        noise -= 0.5 * (places >= begins)
    return np.asarray(noise)


class Play:
    """One experiment as it is measured, turn by turn."""

    def __init__(self, situation: Situation, seed: int) -> None:
        source = np.random.default_rng(seed)
        self.what, self.question, settings = situation, situation.question, situation.settings
        names = self.question.metrics
        truths = (*situation.parts, *situation.prices)
        spread = (*situation.variation, *[situation.variation[-1]] * len(truths))
        self.all: dict[str, Floats] = {}
        for name, true, deviation in zip(names, truths, spread, strict=False):
            shape = (len(settings), max(situation.rounds, PRICE_ROUNDS))
            noise = drawn(situation.noise, source, shape, deviation)
            noise *= np.exp(situation.unlike * source.standard_normal((len(settings), 1)))
            noise[situation.noisy] *= situation.noisier
            self.all[name] = np.log(np.array(true))[:, None] + noise + source.uniform(-0.2, 0.2, shape[1])
        self.seen = {name: np.full(values.shape, np.nan) for name, values in self.all.items()}
        self.done = Counter[str]()

    def evidence(self) -> Evidence:
        settings, baseline = self.what.settings, self.what.settings[0]
        seen_levels = {name: values[:, : self.done[name]] for name, values in self.seen.items() if self.done[name]}
        rows = {name: dict(zip(settings, map(list, values), strict=True)) for name, values in seen_levels.items()}
        levels = Levels(rows, frozenset())
        floors = {price.metric: np.log(1 - TOLERATED) for price in self.question.prices}
        effects = {name: levels.effects(name, baseline, floors.get(name, np.log(WORTH))) for name in seen_levels}
        scores = scores_of(effects, self.question, settings[1:])
        return evidence(self.question, baseline, scores, effects, levels)

    def measure(self, metrics: tuple[str, ...], settings: tuple[Setting, ...]) -> None:
        """Add a round of some metrics."""
        rows = [at for at, name in enumerate(self.what.settings) if not at or name in settings]
        for metric in metrics:
            number = self.done[metric]
            self.seen[metric][rows, number] = self.all[metric][rows, number]
            self.done[metric] += 1

    def race(self) -> Evidence:
        """Measure until all is answered or the rounds are used up."""
        deciding = self.question.deciding
        self.measure(deciding, self.what.settings)
        while True:
            evidence = self.evidence()
            race, candidate = contenders(evidence), awaiting_price(evidence)
            wanted = [side.metric for side in evidence.by_setting[candidate].sides(SideState.OPEN)] if candidate else []
            prices = tuple(name for name in wanted if name not in deciding and self.done[name] < PRICE_ROUNDS)
            goes_on = not is_settled(evidence, race) and max(self.done[name] for name in deciding) < self.what.rounds
            if goes_on:
                self.measure(deciding, race)
            if candidate:
                self.measure(prices, (candidate,))
            if not goes_on and not prices:
                return evidence


def play(situation: Situation, times: int = TIMES) -> Counter[str]:
    """Play a situation; count what came out, right and wrong, and the runs that it took."""
    outcomes: Counter[str] = Counter()
    scores = dict(zip(situation.settings, situation.scores(), strict=True))
    right = situation.right()
    for seed in range(times):
        trial = Play(situation, seed)
        verdict = decide(trial.race())
        decision, winner = verdict.decision, verdict.winner
        outcomes[decision.value] += 1
        answer = winner if winner or decision is Decision.KEEP else "nobody"
        outcomes["right"] += answer in right
        beyond = winner is not None and situation.is_beyond(situation.settings.index(winner))
        outcomes["wrong"] += winner is not None and scores[winner] <= 0
        outcomes["switch beyond"] += decision is Decision.SWITCH and beyond
        outcomes["missed"] += decision is Decision.KEEP and None not in right
        outcomes["runs"] += sum(int((~np.isnan(values)).sum()) for values in trial.seen.values())
    return outcomes


EQUAL, FASTER = (1.0,) * 4, (1.0, 1.0, 1.0, 1.5)
FINE, BEYOND = (1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 0.55)
TUNED = (1.0, 1.05, 1.0, 1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 1.35)


def situations() -> Iterator[Situation]:
    """Yield all situations: first those of the table of docs/method.md, then what may be broken."""
    two, three = (EQUAL,) * 2, (EQUAL,) * 3
    yield Situation("two decide, all equal", two, (0.1,) * 2, least=0.90)
    yield Situation("three decide, all equal", three, (0.1,) * 3, least=0.97)
    yield Situation("two decide, all equal", two, (0.2,) * 2, 12, least=0.55)
    yield Situation("two decide, all equal", two, (0.1,) * 2, 12, noise="outliers", least=0.75)
    slower = (1.0, 1 / 2.3, 1 / 2.3, 1 / 2.3)
    for variation in (0.2, 0.6):
        yield Situation(
            "others 2.3× slower, reads alike", (slower, EQUAL), (0.1, variation), weights=(2, 1), least=0.95
        )
    yield Situation("1.5×, four rounds", (FASTER,), (0.03,), 4, least=0.97)
    yield Situation("1.5×, a price", (FASTER,), (0.2,), prices=(FINE,), least=0.5)
    yield Situation("two decide, 2×, a price", ((1, 1, 1, 2.0),) * 2, (0.4,) * 2, 12, prices=(FINE,), least=0.9)
    yield Situation("as on a hard disk", ((1, 1.1, 0.9, 2.6), (1, 1, 1, 0.88)), (0.06, 0.4), weights=(2, 1), least=0.95)
    for noise, variation in product(NOISES, (0.03, 0.1, 0.2, 0.4, 1.0)):
        yield Situation("all equal", (EQUAL,), (variation,), 12, noise=noise)
        yield Situation("two decide, all equal", two, (variation,) * 2, 12, noise=noise)
        yield Situation("just worth it", ((1, 1, 1, 1.2),), (variation,), 12, noise=noise)
        yield Situation("1.5×, price beyond", (FASTER,), (variation,), 12, prices=(BEYOND,), noise=noise)
    for noise, rivals in product(NOISES, (2, 3)):
        yield Situation(f"all equal, {rivals} settings", (EQUAL[:rivals],), (0.4,), 12, noise=noise)
    yield Situation("all equal", (EQUAL,), (0.1,), 8, least=0.80)
    yield Situation("1.3×", ((1, 1, 1, 1.3),), (0.15,), 12, least=0.80)
    for gain in (0.999, 1.14):
        yield Situation(f"steady, {gain}×", ((1, 1, 1, gain),), (0.001,), 4, least=0.99)
    yield Situation("equal, one slow and noisy", ((1, 1, 1, 0.2),), (0.05,), 8, noisier=10, least=0.95)
    for variation in (0.1, 0.2, 0.4):
        yield Situation("all equal, unlike noise", (EQUAL,), (variation,), 12, unlike=0.35)
        yield Situation("just worth it, unlike noise", ((1, 1, 1, 1.2),), (variation,), 12, unlike=0.35)
        for gain in (3.0, 6.0, 10.0):
            much = Situation(f"{gain:.0f}×, price beyond", ((1, 1, 1, gain),), (variation,), prices=(BEYOND,))
            yield much
            yield replace(much, name=f"{gain:.0f}×, a price", prices=(FINE,), least=0.8)
        beside = (1.0, 1.0, 1.0, 0.85 / 3)
        yield Situation(
            "2×, the background load beyond", ((1, 1, 1, 2.0),), (variation,), 12, prices=(beside,), beside=True
        )
    for noisier in (4.0, 20.0):
        yield Situation(f"all equal, one varies {noisier:.0f} times as much", (EQUAL,), (0.05,), 12, noisier=noisier)
    for rivals, noisier in product((3, 4, 8), (4.0, 10.0)):
        name = f"all equal, {rivals} settings, the current one varies {noisier:.0f} times as much"
        yield Situation(name, ((1.0,) * rivals,), (0.1,), 12, noisier=noisier, noisy=0, always=True, limit=True)
    for noise in SAFE:
        yield Situation("twelve settings, one 1.35×", (TUNED,), (0.1,), 20, noise=noise, least=0.85)
        yield Situation("twelve settings, none gains", ((1.0,) * 13,), (0.1,), 20, noise=noise, least=0.85)
    for rivals, variation in product((2, 4), (0.1, 0.4)):
        equal = Situation(f"all equal, {rivals} settings, looked at 200 times", (EQUAL[:rivals],), (variation,), 200)
        yield replace(equal, always=True)


def always(situation: Situation) -> Counter[str]:
    """Look after every round, without a race; count a gain that is ever told, and one just worth it that is missed."""
    outcomes: Counter[str] = Counter()
    for seed in range(TIMES):
        equal = Play(situation, seed)
        worth = Play(replace(situation, parts=((*situation.parts[0][:-1], WORTH),)), seed)
        gained = missed = False
        for _ in range(situation.rounds):
            for comparison_ in (equal, worth):
                comparison_.measure(comparison_.question.deciding, situation.settings)
            gained |= any(setting.is_better for setting in equal.evidence().by_setting.values())
            missed |= worth.evidence().by_setting[situation.settings[-1]].is_ruled_out
        outcomes["wrong"] += gained
        outcomes["missed"] += missed
    return outcomes


def line(situation: Situation) -> tuple[str, list[str]]:
    """Play one situation; return the table's line, and the promises that it breaks."""
    outcome = always(situation) if situation.always else play(situation)
    share = {name: count / TIMES for name, count in outcome.items()}
    shares = "".join(f" {100 * share.get(name, 0.0):.1f} |" for name in SHOWN)
    title = f"{situation.name}, {situation.variation[0]:.0%}, {situation.noise}, {situation.rounds} rounds"
    room = 2.5 * (WRONG * (1 - WRONG) / TIMES) ** 0.5
    broken = [
        f"{title}: {name} {share[name]:.3f}"
        for name in ("wrong", "switch beyond", "missed")
        if share.get(name, 0.0) > WRONG + 0.01 + room and situation.noise in SAFE and not situation.limit
    ]
    if share.get("right", 0.0) < situation.least - room:
        broken.append(f"{title}: right {share.get('right', 0.0):.3f}")
    return f"| {title} |{shares} {share.get('runs', 0.0):.0f} |", broken


STEPS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
APART, FEWEST = 0.15, 20


def chances() -> Iterator[tuple[str, bool]]:
    """Yield how often who leads is worth it, by the chance that is told after a few rounds, and whether that holds.

    Settings gain what they do on disks whose truth is known, with any baseline.
    """
    book, source = Book(FOUND), np.random.default_rng(1)
    truths = [
        truth(asked(draw(seed).goal, book.measured(seed)), name, figures)
        for (seed, figures), name in product(book.figures.items(), FOUR)
    ]
    intervals: list[tuple[float, bool]] = []
    for seed in range(10 * TIMES):
        gains = (1.0, *truths[source.integers(len(truths))].scores.values())
        trial = Play(Situation("", (gains,), (float(np.exp(source.uniform(np.log(0.03), np.log(0.5)))),), 12), seed)
        for _ in range(source.integers(2, 9)):
            trial.measure(trial.question.deciding, trial.what.settings)
        verdict = decide(trial.evidence())
        if verdict.leader and verdict.chance is not None:
            intervals.append((verdict.chance, gains[trial.what.settings.index(verdict.leader)] >= WORTH))
    for low, high in pairwise(STEPS):
        if of_it := [pair for pair in intervals if low <= pair[0] <= high]:
            predicted, true = np.mean(of_it, axis=0)
            yield (
                f"| {predicted:.2f} | {true:.2f} | {len(of_it)} |",
                len(of_it) < FEWEST or abs(predicted - true) <= APART,
            )


def main() -> int:
    """Print a line for each situation, then how chances hold; 1 where a promise is broken."""
    print("| what is true, deviation of a run, noise | " + " | ".join(f"{name} %" for name in SHOWN) + " | runs |")
    print("|---|" + "---:|" * (len(SHOWN) + 1))
    broken: list[str] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for text, wrong in pool.map(line, situations()):
            print(text, flush=True)
            broken += wrong
    print("\n| chance told of who leads | true | of |\n|---:|---:|---:|")
    for text, holds in chances():
        print(text, flush=True)
        broken += [] if holds else [f"chance {text}"]
    print(*(f"broken: {promise}" for promise in broken), sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
