# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of tunings at once: many settings, the worse half left out early, as ``verdict.sequential`` does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.analysis import FAMILY_ALPHA, GAIN_SHARE, MISSED
from disktuner.verdict.forecast import HOPELESS, Horizon, Noise, chance_of_answer
from disktuner.verdict.halving import FEWEST, bound, left_out, place
from disktuner.verdict.interval import FIRST_LOOK, Bounds, Errors, Looks, bounds, cut, looks
from disktuner.vocabulary.goals import DESKTOP
from tests.bench.simulation import noise

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
ROUNDS = 40
"""No experiment has more."""
WORTH = float(np.log(DESKTOP.worth))


@dataclass(frozen=True, slots=True)
class Field:
    """One situation: how many times faster than the plain winner each setting is, and the deviation of single runs."""

    name: str
    gains: tuple[float, ...]
    deviation: float
    noise: str = "log-normal"
    rounds: int = ROUNDS
    noisier: float = 1.0
    """How many times as much the first setting varies."""

    @property
    def right(self) -> tuple[int, ...]:
        """The numbers of the best one and of those within what is worth a change; none where nothing is worth one."""
        best = max(self.gains)
        least = max(best / DESKTOP.worth, DESKTOP.worth) - 1e-9
        return tuple(at for at, gain in enumerate(self.gains, 1) if gain >= least)

    def is_right(self, winner: NDArray[np.int64], keep: Flags) -> float:
        """The share of right answers."""
        return float((np.isin(winner, self.right) if self.right else keep).mean())


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of every experiment; ``winner`` is -1 for none, ``runs`` and ``seconds`` (of the baseline's runs)."""

    winner: NDArray[np.int64]
    keep: Flags
    runs: NDArray[np.int64]
    seconds: Floats
    rounds: NDArray[np.int64]

    def false_gains(self, field: Field) -> float:
        """The share of experiments that take a setting which gains nothing."""
        gains = np.array((1.0, *field.gains))
        return float(((self.winner > 0) & (gains[np.maximum(self.winner, 0)] <= 1)).mean())


def draw(field: Field, count: int, seed: int) -> Floats:
    """Gains of single runs as logarithms, by experiment, setting (the baseline first) and round."""
    source = np.random.default_rng(seed)
    shape = (count, 1 + len(field.gains), field.rounds)
    deviations = np.full(shape[1], field.deviation)
    deviations[1] *= field.noisier
    drift = source.uniform(-0.25, 0.25, (count, 1, 1)) * np.arange(field.rounds) / field.rounds
    return np.log((1.0, *field.gains))[:, None] - noise(field.noise, source, shape) * deviations[:, None] + drift


def tuned(gains: Floats, times: tuple[float, ...]) -> Tuned:
    """Play all experiments; ``times`` is how long a run of each takes."""
    state = _State.fresh(gains)
    for n in range(1, gains.shape[2] + 1):
        measured = state.asked & state.going[:, None]
        state.gains[:, :, n - 1] = np.where(measured, gains[:, :, n - 1], np.nan)
        state.runs += measured.sum(axis=1)
        state.rounds += state.going
        state.seconds += measured @ np.array((1.0, *times))
        if n >= FEWEST:
            _look(state, measured, n, gains.shape[2] - n)
        if not state.going.any():
            break
    best = np.where(state.better, state.centre, -np.inf)
    winner = np.where(state.better.any(axis=1), best.argmax(axis=1), -1)
    keep = state.told[:, 1:].all(axis=1) & (winner < 0)
    return Tuned(winner, keep, state.runs, state.seconds, state.rounds)


@dataclass(slots=True)
class _State:
    """All experiments: what was measured, who is asked for more, what is known, and the ends of all looks so far."""

    gains: Floats
    asked: Flags
    going: Flags
    better: Flags
    told: Flags
    centre: Floats
    ends: dict[int, tuple[Floats, Floats]]
    runs: NDArray[np.int64]
    rounds: NDArray[np.int64]
    seconds: Floats

    @classmethod
    def fresh(cls, gains: Floats) -> _State:
        """Nothing measured yet."""
        count, settings = gains.shape[:2]
        no, counts = np.zeros((2, count, settings), bool), np.zeros((2, count), np.int64)
        everyone, going = np.ones((count, settings), bool), np.ones(count, bool)
        nothing = np.full((count, settings), np.nan)
        return cls(np.full(gains.shape, np.nan), everyone, going, *no, nothing, {}, *counts, np.zeros(count))

    def own_rounds(self, one: int, at: NDArray[np.int64], n: int) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Yield experiments in which one setting has as many rounds, with everybody's gains in these rounds."""
        there = ~np.isnan(self.gains[at, one, :n])
        for count in np.unique(there.sum(axis=1)):
            here = there.sum(axis=1) == count
            order = np.argsort(~there[here], axis=1, kind="stable")[:, None, :count]
            yield at[here], np.take_along_axis(self.gains[at[here], :, :n], order, axis=2)


def _look(state: _State, measured: Flags, n: int, left: int) -> None:
    settings = state.gains.shape[1]
    errors = Errors(FAMILY_ALPHA / (settings - 1) * GAIN_SHARE, FAMILY_ALPHA / (settings - 1) * (1 - GAIN_SHARE))
    hopeful = np.ones(measured.shape, bool)
    for one in range(1, settings):
        for at, gains in state.own_rounds(one, np.flatnonzero(measured[:, one]), n):
            if gains.shape[2] >= FEWEST:
                _compare(state, one, at, gains, errors)
    at = np.flatnonzero(state.going)
    state.told[at] |= bound(state.gains[at, :, :n]) < WORTH
    for one in range(1, settings):
        open_ = state.going & ~state.told[:, one] & ~state.better[:, one]
        for here, gains in state.own_rounds(one, np.flatnonzero(open_), n):
            if gains.shape[2] >= FIRST_LOOK:
                hopeful[here, one] = _hope(state, measured, one, here, gains, left, errors.low) >= HOPELESS
    _ask(state, measured, at, n, hopeful)


def _compare(state: _State, one: int, at: NDArray[np.int64], gains: Floats, errors: Errors) -> None:
    last = bounds(_seen(gains, one), errors, looked=True)
    last = Bounds(last.centre[..., -1], last.low[..., -1], last.high[..., -1])
    low, high = state.ends.setdefault(one, (np.full(len(state.gains), np.nan), np.full(len(state.gains), np.nan)))
    low[at], high[at] = np.fmax(low[at], last.low), np.fmin(high[at], last.high)
    found = cut(last, low[at], high[at])
    state.centre[at, one] = found.centre
    state.better[at, one] = (found.low > 0) & (found.centre >= WORTH)


def _seen(gains: Floats, one: int) -> Looks:
    rest = [other for other in range(1, gains.shape[1]) if other != one]
    return looks(gains[:, one], gains[:, 0], gains[:, rest], gains.shape[2])


def _hope(
    state: _State, measured: Flags, one: int, at: NDArray[np.int64], gains: Floats, left: int, error: float
) -> Floats:
    """The chance of an answer; where the best of the field shares less than three rounds with it, there is hope."""
    seen, own = _seen(gains, one), gains[:, one] - gains[:, 0]
    here = np.arange(len(at))
    field = measured[at] & ~state.told[at]
    field[:, 0] = False
    field[~field.any(axis=1), one] = True
    whole = state.gains[at] - state.gains[at, :1]
    best = np.where(field, np.nanmean(np.where(field[..., None], whole, 0.0), axis=2), -np.inf).argmax(axis=1)
    lags = np.where((best == one)[:, None], 0.0, gains[here, one] - gains[here, best])
    chance = np.ones(len(at))
    there = ~np.isnan(lags)
    noise_ = Noise(seen.error[:, -1] * gains.shape[2] ** 0.5, seen.freedom[:, -1])
    for place_ in here[there.sum(axis=1) >= FIRST_LOOK]:
        each = Noise(noise_.deviation[place_], noise_.freedom[place_])
        known = chance_of_answer(own[place_], lags[place_][there[place_]], each, Horizon(left, error, MISSED), WORTH)
        chance[place_] = known
    return chance


def _ask(state: _State, measured: Flags, at: NDArray[np.int64], n: int, hopeful: Flags) -> None:
    """Choose who is measured next: those who stay; once there is a winner, who looks better; else who left."""
    racing = ~state.told | state.better
    racing[:, 0] = False
    field = racing & measured
    staying = field.copy()
    for experiment in at:
        names = np.flatnonzero(field[experiment])
        levels = state.gains[experiment][[0, *names], :n]
        levels = levels[:, ~np.isnan(levels).any(axis=0)]
        if len(names) > 1 and levels.shape[1] >= FEWEST:
            staying[experiment, names[left_out([place(levels)], WORTH)[1:]]] = False
    open_ = racing & ~state.better & hopeful
    best = np.where(state.better, state.centre, -np.inf).max(axis=1)
    won = state.better.any(axis=1)
    ahead = staying & (state.better | (state.centre > best[:, None]))
    back = ~(staying & open_).any(axis=1)
    wanted = open_ & np.where(won[:, None], ahead, np.where(back[:, None], racing, staying))
    going = wanted.any(axis=1)
    wanted |= (state.better & ahead) & going[:, None]
    wanted[:, 0] = True
    state.asked[at] = wanted[at]
    state.going[at] = going[at]


def grid(gains: Floats) -> tuple[NDArray[np.int64], Flags]:
    """All settings in all rounds, looked at once at the end, with the same errors: winners and whether to keep."""
    settings = gains.shape[1]
    error = FAMILY_ALPHA / (settings - 1) * GAIN_SHARE
    better, told = np.zeros((2, len(gains), settings), bool)
    centre = np.full(better.shape, -np.inf)
    for one in range(1, settings):
        found = bounds(_seen(gains, one), Errors(error, MISSED), looked=False)
        centre[:, one] = found.centre[:, -1]
        better[:, one] = (found.low[:, -1] > 0) & (centre[:, one] >= WORTH)
        told[:, one] = found.high[:, -1] < WORTH
    best = np.where(better, centre, -np.inf).argmax(axis=1)
    winner = np.where(better.any(axis=1), best, -1)
    return winner, told[:, 1:].all(axis=1) & (winner < 0)
