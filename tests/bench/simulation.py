# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of experiments at once: noise, drift, early stopping and racing as the program does them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.analysis import FAMILY_ALPHA, GAIN_SHARE, MISSED, SAME_HIGH
from disktuner.verdict.forecast import HOPELESS, Horizon, Noise, chance_of_answer
from disktuner.verdict.interval import FIRST_LOOK, Bounds, Errors, Looks, bounds, cut, looks
from disktuner.vocabulary.goals import DESKTOP

Floats = NDArray[np.float64]
WORTH = float(np.log(DESKTOP.worth))
OF_THREE = FAMILY_ALPHA / 3
GAIN = OF_THREE * GAIN_SHARE
ERRORS = Errors(OF_THREE - GAIN, GAIN)
"""Of one comparison of three, of times: the high end shows a gain."""
RIVALS = Errors(OF_THREE, OF_THREE)
EACH = Errors(MISSED, MISSED)


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
    def best(self) -> tuple[int, ...]:
        """The numbers of those that are fastest, none where that is the baseline."""
        least = min(self.ratios)
        return tuple(s for s in range(1, 4) if self.ratios[s] == least < 1)

    @property
    def right(self) -> tuple[int, ...]:
        """The numbers of those that a right switch chooses; none where a right answer keeps the baseline."""
        return self.best if min(self.ratios) <= 1 / DESKTOP.worth else ()

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
    rounds: NDArray[np.int64]
    low: Floats
    high: Floats

    def wrong(self, cell: Cell) -> float:
        """The share of switches to a scheduler that is not the best."""
        return float((~np.isin(self.winner, (-1, *cell.best))).mean())

    def is_right(self, cell: Cell) -> float:
        """The share of right answers: the best was chosen or, where none is worth a change, the baseline is kept."""
        return float(self.were_right(cell).mean())

    def were_right(self, cell: Cell) -> NDArray[np.bool_]:
        """Which answers are right."""
        return np.isin(self.winner, cell.right) if cell.right else self.keep

    def covered(self, truth: Floats) -> float:
        """The share of intervals that hold the truth."""
        there = ~np.isnan(self.low)
        held = (self.low <= truth) & (truth <= self.high)
        return float(held[there].mean())


def draw(cell: Cell, count: int, seed: int) -> Floats:
    """Logarithms of wall times, by experiment, scheduler and round, with a drift over the order of runs."""
    source = np.random.default_rng(seed)
    shape = (count, 4, cell.rounds)
    apart = noise(cell.noise, source, shape) * np.array(cell.deviations)[:, None]
    order = source.permuted(np.broadcast_to(np.arange(4)[:, None], shape), axis=1)
    place = np.arange(cell.rounds) * 4 + order
    slope = source.uniform(-0.25, 0.25, (count, 1, 1))
    walk = np.cumsum(source.normal(0, 0.004, (count, cell.rounds * 4)), axis=1)
    drift = slope * place / (cell.rounds * 4) + np.take_along_axis(walk, place.reshape(count, -1), 1).reshape(shape)
    return np.log(cell.ratios)[:, None] + apart + drift


def noise(kind: str, source: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Draw noise of a kind, of a deviation of about 1."""
    if kind == "log-normal":
        return source.standard_normal(shape)
    if kind == "heavy tails":
        return source.standard_t(3, shape) / 3**0.5
    if kind == "outliers":
        return source.standard_normal(shape) + (source.random(shape) < 0.05) * source.exponential(10.0, shape)
    return source.integers(0, 2, shape) * 2.0 - 1 + 0.3 * source.standard_normal(shape)  # two modes


def disktuner(logs: Floats, ratios: Sequence[float] = (1, 1, 1, 1)) -> Outcome:
    """Looks after every round, stops when all is decided, leaves out what has lost: as ``verdict.sequential``."""
    planned = logs.shape[2]
    state = _State.fresh(logs)
    for n in range(1, planned + 1):
        measured = np.concatenate([state.going[:, None], state.going[:, None] & state.racing], axis=1)
        state.logs[:, :, n - 1] = np.where(measured, logs[:, :, n - 1], np.nan)
        state.runs += measured.sum(axis=1)
        state.rounds += state.going
        state.seconds += measured @ np.array(ratios, float)
        if n >= 2:
            _look(state, n, planned, looked=True)
        if not state.going.any():
            break
    return state.outcome()


@dataclass(slots=True)
class _State:
    """All experiments: what was measured (NaN where not), who still runs, and what the looks so far allow.

    ``ends`` holds the largest low and smallest high end of the looks so far, of comparisons with the baseline, of the
    same with single errors, and of pairs of rivals.
    """

    logs: Floats
    going: NDArray[np.bool_]
    racing: NDArray[np.bool_]
    better: NDArray[np.bool_]
    told: NDArray[np.bool_]
    beaten: NDArray[np.bool_]
    centre: Floats
    low: Floats
    high: Floats
    ends: dict[object, tuple[Floats, Floats]]
    runs: NDArray[np.int64]
    rounds: NDArray[np.int64]
    seconds: Floats

    @classmethod
    def fresh(cls, logs: Floats) -> _State:
        count = len(logs)
        three = (count, 3)
        nothing = [np.full(three, np.nan) for _ in range(3)]
        no = [np.zeros(three, bool) for _ in range(2)]
        counts = [np.zeros(count, np.int64) for _ in range(2)]
        yes = [np.ones(count, bool), np.ones(three, bool)]
        measured = np.full(logs.shape, np.nan)
        return cls(measured, *yes, *no, np.zeros((count, 3, 3), bool), *nothing, {}, *counts, np.zeros(count))

    def outcome(self) -> Outcome:
        """What came of it."""
        return Outcome(_winner(self), _kept(self), self.runs, self.seconds, self.rounds, self.low, self.high)

    def compare(self, key: object, at: NDArray[np.int64], last: Bounds, looked: bool) -> Bounds:
        """What all looks allow at some experiments, given the last one."""
        if not looked:
            return last
        nothing = np.full(len(self.logs), np.nan), np.full(len(self.logs), np.nan)
        low, high = self.ends.setdefault(key, nothing)
        low[at], high[at] = np.fmax(low[at], last.low), np.fmin(high[at], last.high)
        return cut(last, low[at], high[at])


def _look(state: _State, n: int, planned: int, looked: bool) -> None:
    for one in (1, 2, 3):
        _compare(state, one, n, looked)
    at = np.flatnonzero(state.going)
    fresh = state.racing[at]
    better = (state.high[at] < 0) & (state.centre[at] <= -WORTH)
    state.better[at] = better
    told = better | state.told[at]
    for pair in ((1, 2), (1, 3), (2, 3)):
        _compare_rivals(state, *pair, n, looked)
    ahead = state.centre[at][:, None, :] <= state.centre[at][:, :, None] + SAME_HIGH
    overtaken = (state.beaten[at] & better[:, None, :] & ahead).any(axis=2)
    racing = fresh & ~(state.told[at] & ~better) & ~overtaken
    still_open = racing & ~told
    if n >= FIRST_LOOK:
        still_open &= _chances(state, at, racing & fresh, n, planned) >= HOPELESS
    state.racing[at] = racing & (better | still_open)
    state.going[at] = still_open.any(axis=1) | _tie_matters(state, at, n, planned)


def _seen(state: _State, at: NDArray[np.int64], ours: int, theirs: int, n: int) -> Looks:
    logs = state.logs[at, :, :n]
    rest = [s for s in range(4) if s not in (ours, theirs)]
    return looks(logs[:, ours], logs[:, theirs], logs[:, rest], n)


def _compare(state: _State, one: int, n: int, looked: bool) -> None:
    """Compare one that still runs with the baseline; ``told`` is that no gain is left which is worth a change."""
    at = np.flatnonzero(state.going & state.racing[:, one - 1])
    seen = _seen(state, at, one, 0, n)
    found = state.compare(one, at, _only(bounds(seen, ERRORS, looked)), looked)
    for kept, each in ((state.centre, found.centre), (state.low, found.low), (state.high, found.high)):
        kept[at, one - 1] = each
    single = state.compare((one, "each"), at, _only(bounds(seen, EACH, looked)), looked)
    state.told[at, one - 1] = single.low > -WORTH


def _only(found: Bounds) -> Bounds:
    """The one look."""
    return Bounds(found.centre[..., -1], found.low[..., -1], found.high[..., -1])


def _chances(state: _State, at: NDArray[np.int64], racing: NDArray[np.bool_], n: int, planned: int) -> Floats:
    """The chance of an answer in the rounds that are left."""
    logs = state.logs[at, :, :n]
    gains = logs[:, :1] - logs[:, 1:]
    best = np.where(racing, gains.mean(axis=2), -np.inf).argmax(axis=1)
    lags = gains - gains[np.arange(len(gains)), best][:, None]
    chance = np.zeros((len(at), 3))
    for one in (1, 2, 3):
        here = np.flatnonzero(racing[:, one - 1])
        seen = _seen(state, at[here], one, 0, n)
        noise = Noise(seen.error[:, -1] * n**0.5, seen.freedom[:, -1])
        each = gains[here, one - 1], lags[here, one - 1]
        chance[here, one - 1] = chance_of_answer(*each, noise, Horizon(planned - n, GAIN, MISSED), WORTH)
    return chance


def _compare_rivals(state: _State, one: int, other: int, n: int, looked: bool) -> None:
    """Hold two that still run against each other: the first of a pair is beaten by the second."""
    at = np.flatnonzero(state.going & state.racing[:, one - 1] & state.racing[:, other - 1])
    last = _only(bounds(_seen(state, at, other, one, n), RIVALS, looked))
    rival = state.compare((one, other), at, last, looked)
    state.beaten[at, one - 1, other - 1], state.beaten[at, other - 1, one - 1] = rival.high < 0, rival.low > 0


def _tie_matters(state: _State, at: NDArray[np.int64], n: int, planned: int) -> NDArray[np.bool_]:
    """Whether the simplest of the winners looks more than 5 % behind the best of them, and more rounds may tell."""
    better = state.better[at]
    gains = np.where(better, -state.centre[at], -np.inf)
    best, winner = gains.argmax(axis=1), np.maximum(_winner(state)[at] - 1, 0)
    here = np.arange(len(at))
    behind = gains.max(axis=1) - np.where(better.any(axis=1), gains[here, winner], 0)
    matters = (better.sum(axis=1) > 1) & (behind > SAME_HIGH)
    for place in np.flatnonzero(matters):
        pair = 1 + best[place], 1 + winner[place]
        one = at[place : place + 1]
        logs = state.logs[one, :, :n]
        common = ~np.isnan(logs[0, pair[0]] + logs[0, pair[1]])
        if common.sum() < FIRST_LOOK:
            continue
        logs = logs[:, :, common]
        rest = [s for s in range(4) if s not in pair]
        seen = looks(logs[:, pair[0]], logs[:, pair[1]], logs[:, rest], int(common.sum()))
        noise = Noise(seen.error[:, -1] * common.sum() ** 0.5, seen.freedom[:, -1])
        apart = logs[:, pair[1]] - logs[:, pair[0]]
        chance = chance_of_answer(apart, 0 * apart, noise, Horizon(planned - n, OF_THREE, MISSED), SAME_HIGH)
        matters[place] = chance[0] >= HOPELESS
    return matters


def _winner(state: _State) -> NDArray[np.int64]:
    """The simplest of those that cannot be told apart from the best: the numbers are in order of simplicity."""
    gains = np.where(state.better, -state.centre, -np.inf)
    best = gains.argmax(axis=1)
    beaten = (state.beaten & state.better[:, None, :]).any(axis=2)
    equal = state.better & ~beaten
    equal[np.arange(len(best)), best] |= state.better.any(axis=1)
    return np.where(state.better.any(axis=1), equal.argmax(axis=1) + 1, -1)


def _kept(state: _State) -> NDArray[np.bool_]:
    """Whether the answer is to keep the baseline, which needs a gain to be ruled out for all."""
    return (state.told & ~state.better).all(axis=1)


def fixed(logs: Floats, ratios: Sequence[float] = (1, 1, 1, 1)) -> Outcome:
    """The same intervals looked at once, after all rounds of all schedulers."""
    state = _State.fresh(logs)
    state.logs[:] = logs
    state.runs += 4 * logs.shape[2]
    state.rounds += logs.shape[2]
    state.seconds += sum(ratios) * logs.shape[2]
    _look(state, logs.shape[2], logs.shape[2], looked=False)
    return state.outcome()


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
        "bfq 1.3× faster, CV 10 %": ((0.10,) * 4, (1, 1, 1, 1 / 1.3)),
        "bfq 1.15× faster, CV 5 %": ((0.05,) * 4, (1, 1, 1, 1 / 1.15)),
        "bfq 6.5× faster, its CV 40 %": ((0.02, 0.02, 0.02, 0.40), (1, 0.7, 0.9, 1 / 6.5)),
        "none and kyber 1.3× slower, bfq 1.1×, CV 5 %": ((0.05,) * 4, (1, 1.3, 1.3, 1.1)),
        "as on a hard disk, CV 2 to 10 %": ((0.03, 0.05, 0.05, 0.10), (1, 0.7, 0.91, 0.154)),
    }
    first = next(iter(effects))
    soon = [Cell(first, noise, *effects[first], rounds=6) for noise in KINDS]
    return equal + soon + [Cell(name, noise, *effect) for noise in KINDS for name, effect in effects.items()]
