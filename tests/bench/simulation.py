# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of experiments at once: noise, drift, early stopping and racing as the program does them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.analysis import FAMILY_ALPHA, MISSED, SAME_HIGH, SAME_LOW
from disktuner.verdict.forecast import HOPELESS, Horizon, chance_of_answer
from disktuner.verdict.interval import FIRST_LOOK, running

Floats = NDArray[np.float64]
LOG_WORTH = float(np.log(0.95))


@dataclass(frozen=True, slots=True)
class Cell:
    """One situation: times in logarithms, the baseline first; ``deviations`` are those of single runs."""

    name: str
    noise: str
    deviations: tuple[float, float, float, float]
    ratios: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    rounds: int = 12

    @property
    def name_and_noise(self) -> str:
        """What it is, in one line."""
        return f"{self.name}, {self.noise}, {self.rounds} rounds"

    @property
    def has_difference(self) -> bool:
        """Whether the schedulers differ."""
        return set(self.ratios) != {1.0}

    @property
    def right(self) -> tuple[int, ...]:
        """The numbers of those that a right switch chooses; none where a right answer keeps the baseline."""
        best = min(self.ratios)
        return tuple(s for s in range(1, 4) if self.ratios[s] == best < 1)

    @property
    def truth(self) -> Floats:
        """Logarithms of the true ratios to the baseline."""
        return np.log(self.ratios[1:])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of every experiment of a cell.

    ``winner`` is -1 for none, else the scheduler's number; ``keep`` whether the answer was to keep the baseline;
    ``seconds`` the device time in runs of the baseline, each other's run as long as it typically is.
    """

    winner: NDArray[np.int64]
    keep: NDArray[np.bool_]
    runs: NDArray[np.int64]
    seconds: Floats
    low: Floats
    high: Floats

    def wrong(self, cell: Cell) -> float:
        """The share of switches to a scheduler that is not the best."""
        return float((~np.isin(self.winner, (-1, *cell.right))).mean())

    def is_right(self, cell: Cell) -> float:
        """The share of right answers: the best was chosen or, where none is better, the baseline is kept."""
        return float((np.isin(self.winner, cell.right) if cell.right else self.keep).mean())

    def covered(self, truth: Floats) -> float:
        """The share of intervals that hold the truth."""
        there = ~np.isnan(self.low)
        held = (self.low <= truth) & (truth <= self.high)
        return float(held[there].mean())


def draw(cell: Cell, count: int, seed: int) -> Floats:
    """Logarithms of wall times, by experiment, scheduler and round, with a drift over the order of runs."""
    source = np.random.default_rng(seed)
    shape = (count, 4, cell.rounds)
    noise = _noise(cell.noise, source, shape) * np.array(cell.deviations)[:, None]
    order = source.permuted(np.broadcast_to(np.arange(4)[:, None], shape), axis=1)
    place = np.arange(cell.rounds) * 4 + order
    slope = source.uniform(-0.25, 0.25, (count, 1, 1))
    walk = np.cumsum(source.normal(0, 0.004, (count, cell.rounds * 4)), axis=1)
    drift = slope * place / (cell.rounds * 4) + np.take_along_axis(walk, place.reshape(count, -1), 1).reshape(shape)
    return np.log(cell.ratios)[:, None] + noise + drift


def _noise(kind: str, source: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    if kind == "log-normal":
        return source.standard_normal(shape)
    if kind == "heavy tails":
        return source.standard_t(3, shape) / 3**0.5
    if kind == "outliers":
        return source.standard_normal(shape) + (source.random(shape) < 0.05) * source.exponential(10.0, shape)
    return source.integers(0, 2, shape) * 2.0 - 1 + 0.3 * source.standard_normal(shape)  # two modes


def disktuner(logs: Floats, ratios: Sequence[float] = (1, 1, 1, 1)) -> Outcome:
    """Looks after every round, stops when all is decided, leaves out what has lost: as ``verdict.sequential``."""
    count, _, rounds = logs.shape
    planned = rounds if rounds >= FIRST_LOOK else None
    state = _State.fresh(count)
    for n in range(1, rounds + 1):
        running_now = np.concatenate([state.going[:, None], state.going[:, None] & state.racing], axis=1)
        state.runs += running_now.sum(axis=1)
        state.seconds += running_now @ np.array(ratios, float)
        if n >= 2 and (planned or n == rounds):
            _look(state, logs[:, :, :n], planned)
        if not state.going.any():
            break
    return Outcome(_winner(state), _kept(state), state.runs, state.seconds, state.low, state.high)


@dataclass(slots=True)
class _State:
    going: NDArray[np.bool_]
    racing: NDArray[np.bool_]
    better: NDArray[np.bool_]
    told: NDArray[np.bool_]
    without: NDArray[np.bool_]
    beaten: NDArray[np.bool_]
    centre: Floats
    low: Floats
    high: Floats
    runs: NDArray[np.int64]
    seconds: Floats

    @classmethod
    def fresh(cls, count: int) -> _State:
        three = (count, 3)
        nothing = [np.full(three, np.nan) for _ in range(3)]
        no = [np.zeros(three, bool) for _ in range(3)]
        beaten = np.zeros((count, 3, 3), bool)
        yes = [np.ones(count, bool), np.ones(three, bool)]
        return cls(*yes, *no, beaten, *nothing, np.zeros(count, np.int64), np.zeros(count))


def _look(state: _State, logs: Floats, planned: int | None) -> None:
    alpha, n = FAMILY_ALPHA / 3, logs.shape[2]
    at = np.flatnonzero(state.going)
    logs = logs[at]
    found = running(logs[:, 1:], logs[:, :1], alpha, planned)
    fresh = state.racing[at]
    for kept, seen in ((state.centre, found.centre), (state.low, found.low), (state.high, found.high)):
        kept[at] = np.where(fresh, seen, kept[at])
    centre, low, high = state.centre[at], state.low[at], state.high[at]
    same = (low >= SAME_LOW) & (high <= SAME_HIGH)
    better = (high < 0) & ~same & (centre <= LOG_WORTH)
    state.without[at] = np.where(fresh, _without_gain(logs, planned), state.without[at])
    told = better | same | (low > 0) | (high < 0) | state.without[at]
    state.better[at], state.told[at] = better, told
    _compare_rivals(state, at, logs, planned)
    lost = (told & ~better) | (state.beaten[at] & better[:, None, :]).any(axis=2)
    racing = fresh & ~lost
    still_open = racing & ~told
    if planned and n >= FIRST_LOOK:
        gains = logs[:, :1] - logs[:, 1:]
        best = np.where(racing, gains.mean(axis=2), -np.inf).argmax(axis=1)
        lags = gains - gains[np.arange(len(gains)), best][:, None]
        chance = chance_of_answer(gains, lags, Horizon(planned - n, alpha, 2 * MISSED, planned), -LOG_WORTH)
        still_open &= chance >= HOPELESS
    state.racing[at] = racing & (better | still_open)
    state.going[at] = still_open.any(axis=1) | _tie_matters(state, at, logs, planned)


def _without_gain(logs: Floats, planned: int | None) -> NDArray[np.bool_]:
    """Whether a gain that is worth a change is ruled out."""
    return np.asarray(running(logs[:, 1:], logs[:, :1], 2 * MISSED, planned).low > LOG_WORTH)


def _compare_rivals(state: _State, at: NDArray[np.int64], logs: Floats, planned: int | None) -> None:
    """Hold each of those that still run against each other: the first of a pair is beaten by the second."""
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = state.racing[at, one] & state.racing[at, other]
        here = at[both]
        rival = running(logs[both, 1 + other], logs[both, 1 + one], 2 * FAMILY_ALPHA / 3, planned)
        state.beaten[here, one, other], state.beaten[here, other, one] = rival.high < 0, rival.low > 0


def _tie_matters(state: _State, at: NDArray[np.int64], logs: Floats, planned: int | None) -> NDArray[np.bool_]:
    """Whether the simplest of the winners looks more than 5 % behind the best of them, and more rounds may tell."""
    better, here, left = state.better[at], np.arange(len(at)), (planned or 0) - logs.shape[2]
    gains = np.where(better, -state.centre[at], -np.inf)
    best, winner = gains.argmax(axis=1), np.maximum(_winner(state)[at] - 1, 0)
    behind = gains.max(axis=1) - np.where(better.any(axis=1), gains[here, winner], 0)
    apart = logs[here, 1 + winner] - logs[here, 1 + best]
    chance = chance_of_answer(apart, 0 * apart, Horizon(left, 2 * FAMILY_ALPHA / 3, 2 * MISSED, planned), -LOG_WORTH)
    return (better.sum(axis=1) > 1) & (behind > SAME_HIGH) & (chance >= HOPELESS)


def _winner(state: _State) -> NDArray[np.int64]:
    """The simplest of those that cannot be told apart from the best: the numbers are in order of simplicity."""
    gains = np.where(state.better, -state.centre, -np.inf)
    best = gains.argmax(axis=1)
    beaten = (state.beaten & state.better[:, None, :]).any(axis=2)
    equal = state.better & ~beaten
    equal[np.arange(len(best)), best] |= state.better.any(axis=1)
    return np.where(state.better.any(axis=1), equal.argmax(axis=1) + 1, -1)


def _kept(state: _State) -> NDArray[np.bool_]:
    """Whether the answer is to keep the baseline, which needs all to be told."""
    return state.told.all(axis=1) & ~state.better.any(axis=1)


def highest_mean(logs: Floats, ratios: Sequence[float] = (1, 1, 1, 1), runs: int = 5) -> Outcome:
    """What the write-ups did: the best mean of a few runs wins, whatever it was before."""
    times = np.exp(logs[:, :, :runs])
    best = times.mean(axis=2).argmin(axis=1)
    nothing = np.full((len(logs), 3), np.nan)
    spent, seconds = (np.full(len(logs), each * times.shape[2]) for each in (4, sum(ratios)))
    return Outcome(np.where(best == 0, -1, best), best == 0, spent, seconds, nothing, nothing)


def fixed(logs: Floats, ratios: Sequence[float] = (1, 1, 1, 1)) -> Outcome:
    """The same intervals looked at once, after all rounds of all schedulers."""
    state = _State.fresh(len(logs))
    state.runs += 4 * logs.shape[2]
    state.seconds += sum(ratios) * logs.shape[2]
    _look(state, logs, planned=None)
    return Outcome(_winner(state), _kept(state), state.runs, state.seconds, state.low, state.high)


KINDS = ("log-normal", "heavy tails", "outliers", "two modes")
ROUNDS = (3, 5, 8, 10, 12)


def cells() -> Sequence[Cell]:
    """All situations that docs/method.md shows."""
    spreads = {
        "2 %": (0.02,) * 4,
        "10 %": (0.10,) * 4,
        "40 %": (0.40,) * 4,
        "2, 2, 2, 40 %": (0.02, 0.02, 0.02, 0.40),
        "40, 2, 5, 10 %": (0.40, 0.02, 0.05, 0.10),
    }
    equal = [
        Cell(f"all equal, CV {name}", noise, spread, rounds=rounds)
        for noise in KINDS
        for name, spread in spreads.items()
        for rounds in ROUNDS
    ]
    effects = {
        "bfq 1.3× faster, CV 5 %": ((0.05,) * 4, (1, 1, 1, 1 / 1.3)),
        "bfq 1.3× faster, CV 15 %": ((0.15,) * 4, (1, 1, 1, 1 / 1.3)),
        "bfq 1.15× faster, CV 5 %": ((0.05,) * 4, (1, 1, 1, 1 / 1.15)),
        "bfq 6.5× faster, its CV 40 %": ((0.02, 0.02, 0.02, 0.40), (1, 0.7, 0.9, 1 / 6.5)),
        "none and kyber 1.3× slower, bfq 1.1×, CV 5 %": ((0.05,) * 4, (1, 1.3, 1.3, 1.1)),
        "as on a hard disk, CV 2 to 10 %": ((0.03, 0.05, 0.05, 0.10), (1, 0.7, 0.91, 0.154)),
    }
    first = next(iter(effects))
    soon = [Cell(first, noise, *effects[first], rounds=6) for noise in KINDS]
    return equal + soon + [Cell(name, noise, *effect) for noise in KINDS for name, effect in effects.items()]
