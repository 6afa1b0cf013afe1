# SPDX-License-Identifier: GPL-3.0-or-later
"""Random curves of writing, as disks yield them in 75 seconds: with an end of fast writing, or without."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, takewhile

CURVE_S, STEPS = 75.0, 2048
STEP_S = CURVE_S / STEPS


@dataclass(frozen=True, slots=True)
class Drawn:
    """Steps in seconds; the end comes before step ``end`` (0: none), after which a step takes ``slow_s`` on average."""

    kind: str
    steps_s: tuple[float, ...]
    end: int = 0
    slow_s: float = 0.0


def _noise(source: random.Random, count: int, sd: float, correlation: float) -> list[float]:
    """Return correlated logarithms (AR 1)."""
    values, last = [], source.gauss(0, sd)
    for _ in range(count):
        values.append(last)
        last = correlation * last + math.sqrt(1 - correlation**2) * source.gauss(0, sd)
    return values


def _collected(source: random.Random, steps: list[float], share: float, depth: float) -> list[float]:
    """Add garbage collection at random times."""
    return [step * source.uniform(1.5, depth) if source.random() < share else step for step in steps]


def _phases(source: random.Random, steps: list[float]) -> list[float]:
    """Add garbage collection that comes and goes."""
    period, share, depth = source.randint(8, len(steps) // 3), source.uniform(0.1, 0.4), source.uniform(1.5, 5)
    offset = source.randrange(period)
    return [step * depth if (at + offset) % period < share * period else step for at, step in enumerate(steps)]


def _drifting(source: random.Random, steps: list[float], most: float) -> list[float]:
    drift = source.uniform(-most, most)
    return [step * math.exp(drift * at / len(steps)) for at, step in enumerate(steps)]


def _beginning(source: random.Random, steps: list[float]) -> list[float]:
    """Make the first steps differ from the rest."""
    first = source.randint(1, 8)
    return [step * math.exp(source.uniform(-1, 1.5)) if at < first else step for at, step in enumerate(steps)]


def _waving(source: random.Random, steps: list[float]) -> list[float]:
    period, height, begin = source.uniform(10, len(steps)), source.uniform(0.05, 0.25), source.uniform(0, math.tau)
    return [step * math.exp(height * math.sin(begin + math.tau * at / period)) for at, step in enumerate(steps)]


ENDLESS = ("plain", "collects", "phases", "both", "drifts", "begins", "waves")
ENDS = ("plain", "collects", "drifts", "shingled", "varies after")


def draw_endless(seed: int) -> Drawn:
    """Return a curve without an end, of each kind in turn."""
    source, kind = random.Random(f"endless {seed}"), ENDLESS[seed % len(ENDLESS)]
    count = source.choice((400, 800, 1600, STEPS))
    steps = [math.exp(value) for value in _noise(source, count, source.uniform(0.02, 0.25), source.uniform(0, 0.6))]
    match kind:
        case "collects":
            steps = _collected(source, steps, source.uniform(0.01, 0.25), source.uniform(2, 20))
        case "phases":
            steps = _phases(source, steps)
        case "both":
            steps = _collected(source, _phases(source, steps), source.uniform(0.01, 0.25), source.uniform(2, 20))
        case "drifts":
            steps = _drifting(source, steps, 0.7)
        case "begins":
            steps = _beginning(source, steps)
        case "waves":
            steps = _waving(source, steps)
    return Drawn(kind, tuple(CURVE_S / count * step for step in steps))


def draw_ending(seed: int) -> Drawn:
    """Return a curve whose fast writing ends after 3 to 50 seconds, of each kind in turn."""
    source, kind = random.Random(f"ending {seed}"), ENDS[seed % len(ENDS)]
    end, drop = int(source.uniform(3, 50) / STEP_S), math.exp(source.uniform(math.log(1.6), math.log(20)))
    steps = [math.exp(value) for value in _noise(source, 3 * STEPS, source.uniform(0.02, 0.15), source.uniform(0, 0.5))]
    if kind == "collects":
        steps = _collected(source, steps, source.uniform(0.01, 0.1), source.uniform(2, 6))
    if kind == "drifts":
        steps = _drifting(source, steps, 0.4)
    after = list(_slowed(source, kind, steps[end:], drop))
    whole = [STEP_S * step for step in (*steps[:end], *after)]
    times = list(accumulate(whole))
    seen = tuple(whole[: sum(1 for _ in takewhile(lambda time_s: time_s < CURVE_S, times))])
    return Drawn(kind, seen, end, sum(seen[end:]) / len(seen[end:]))


def _slowed(source: random.Random, kind: str, steps: list[float], drop: float) -> Iterator[float]:
    """Slow the steps like a shingled disk, which pays all the time it owes at the end of each band."""
    band, sd = source.randint(2, 16), 0.3 if kind == "varies after" else 0.0
    for at, step in enumerate(steps):
        if kind == "shingled":
            yield step + (band * (drop - 1) if at % band == band - 1 else 0.0)
        else:
            yield step * drop * math.exp(source.gauss(0, sd) - sd * sd / 2)
