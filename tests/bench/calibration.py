# SPDX-License-Identifier: GPL-3.0-or-later
"""How much error the views of ``verdict.interval`` may spend: ``./dev bench calibration`` prints its constants anew.

Normal noise without a difference, the two sides up to twenty times as variable as each other. For each number of
rounds and each promised error: the largest share of it which, spent by every view at every look, makes the interval
miss no more often than promised, in the worst of the variances. ``interval`` takes the least over all errors.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from disktuner.verdict.interval import (
    DOUBTED,
    FIRST_LOOK,
    ONCE,
    ONCE_POWER,
    SPENT,
    SPENT_POWER,
    TRIMMED_FROM,
    TRIMMED_SHARE,
    WELCH_SHARE,
)

Floats = NDArray[np.float64]
ERRORS = (0.1, 0.05, 0.0167, 0.005, 0.0017, 0.0006)
UNEQUAL = (1, 2, 3, 4, 6, 8, 12, 20)


def smallest(ours: Floats, theirs: Floats) -> Floats:
    """The error at which the first of the views would miss: the smallest p over its share."""
    n = ours.shape[1]
    found = np.minimum(_paired(ours - theirs), _welch(ours, theirs) / WELCH_SHARE)
    return np.minimum(found, _trimmed(ours - theirs) / TRIMMED_SHARE) if n >= TRIMMED_FROM else found


def _p(t: Floats, freedom: Floats | int) -> Floats:
    return np.asarray(2 * stdtr(freedom, -np.abs(t)))


def _paired(differences: Floats) -> Floats:
    n = differences.shape[1]
    return _p(differences.mean(axis=1) / differences.std(axis=1, ddof=1) * n**0.5, n - 1)


def _welch(ours: Floats, theirs: Floats) -> Floats:
    n = ours.shape[1]
    sides = [side.var(axis=1, ddof=1) for side in (ours, theirs)]
    unequal = DOUBTED * np.maximum(*sides) / np.minimum(*sides)
    t = (ours - theirs).mean(axis=1) / np.sqrt((sides[0] + sides[1]) / n)
    return _p(t, (n - 1) * (1 + unequal) ** 2 / (1 + unequal**2))


def _trimmed(differences: Floats) -> Floats:
    n = differences.shape[1]
    cut = n // 5
    ordered = np.sort(differences, axis=1)
    kept = ordered[:, cut : n - cut]
    deviation = np.clip(ordered, kept[:, :1], kept[:, -1:]).std(axis=1, ddof=1) * n / (n - 2 * cut)
    return _p(kept.mean(axis=1) / deviation * n**0.5, n - 2 * cut - 1)


def shares(count: int, most: int, seed: int) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """The shares for one look at n rounds, and for a look after every round up to n, in the order of ``ERRORS``."""
    source = np.random.default_rng(seed)
    once: dict[int, list[float]] = {}
    spent: dict[int, list[float]] = {}
    for unequal in UNEQUAL:
        ours, theirs = source.standard_normal((count, most)), unequal * source.standard_normal((count, most))
        least = np.full(count, np.inf)
        for n in range(2, most + 1):
            now = smallest(ours[:, :n], theirs[:, :n])
            _lower(once, n, now)
            if n >= FIRST_LOOK:
                least = np.minimum(least, now)
                _lower(spent, n, least)
    return once, spent


def _lower(table: dict[int, list[float]], n: int, found: Floats) -> None:
    new = [float(np.quantile(found, error)) / error for error in ERRORS]
    table[n] = [min(pair) for pair in zip(table.get(n, new), new, strict=True)]


def main() -> None:
    """Print what may be spent, and what is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    once, spent = shares(args.experiments, args.rounds, args.seed)
    print("for errors of", *ERRORS)
    for title, table, power in (("one look", once, ONCE_POWER), ("a look after every round", spent, SPENT_POWER)):
        print(f"{title}: what may be spent, over error ** {power}")
        for n, row in table.items():
            taken = ONCE if table is once else next((share for rounds, share in SPENT.items() if rounds >= n), 0.0)
            scaled = [share / error**power for share, error in zip(row, ERRORS, strict=True)]
            print(f"{n:3d} rounds: {' '.join(f'{x:.3f}' for x in scaled)}; least {min(scaled):.3f}, taken {taken}")


if __name__ == "__main__":
    main()
