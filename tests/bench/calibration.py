# SPDX-License-Identifier: GPL-3.0-or-later
"""How often intervals miss that are looked at after every round: ``./dev bench calibration`` prints it.

Normal noise without a difference, two to five schedulers, all alike or one of them up to twenty times as variable as
the others. ``verdict.interval`` spends (``SPENT``, ``SPENT_ALONE``, ``ONCE``) as much as keeps the promise where all
are alike; where one is noisier, what its variance borrows from the others costs something, which is shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from disktuner.verdict.analysis import FAMILY_ALPHA, GAIN_SHARE, MISSED
from disktuner.verdict.interval import Errors, looks, running

Floats = NDArray[np.float64]
UNEQUAL: tuple[tuple[float, ...], ...] = (
    (1, 20, 1, 1),
    (20, 1, 1, 1),
    (1, 4, 1, 1),
    (1, 2, 1, 1),
    (2, 1, 1, 1),
    (1, 20, 1),
)
"""Deviations of the baseline, of the scheduler that is compared with it, and of the others, against each other."""
DEVIATION = 0.1
AT_ONCE = 250


def drawn(deviations: Sequence[float], count: int, most: int, seed: int) -> Iterator[Floats]:
    """Yield experiments without a difference, some at a time: by experiment, scheduler and round."""
    source = np.random.default_rng(seed)
    for begin in range(0, count, AT_ONCE):
        shape = (min(AT_ONCE, count - begin), len(deviations), most)
        yield DEVIATION * source.standard_normal(shape) * np.array(deviations)[:, None]


def always(deviations: Sequence[float], count: int, rounds: int, seed: int, looked: bool = True) -> tuple[float, float]:
    """Return how often any interval of a family misses, and how often a gain that is just worth a change is ruled out.

    ``looked``: at any look up to so many rounds; else at the only one, after all of them.
    """
    others = len(deviations) - 1
    alpha = FAMILY_ALPHA / others
    errors, each = Errors(alpha * (1 - GAIN_SHARE), alpha * GAIN_SHARE), Errors(MISSED, MISSED)
    family, single = 0, 0
    for logs in drawn(deviations, count, rounds, seed):
        missed = np.zeros(len(logs), bool)
        for one in range(1, others + 1):
            rest = [s for s in range(1, others + 1) if s != one]
            seen = looks(logs[:, one], logs[:, 0], logs[:, rest], 2 if looked else rounds)
            found = running(seen, errors, looked)
            missed |= ((found.low > 0) | (found.high < 0)).any(axis=1)
            if one == 1:
                single += int((running(seen, each, looked).low > 0).any(axis=1).sum())
        family += int(missed.sum())
    return family / count, single / count


def main() -> None:
    """Print how often it misses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for deviations in (*((1.0,) * k for k in (2, 3, 4, 5)), *UNEQUAL):
        family, single = always(deviations, args.experiments, args.rounds, args.seed)
        once = [always(deviations, args.experiments, n, args.seed, looked=False)[0] for n in (2, 3, 5, 8, 25)]
        print(
            f"{deviations}: any interval {100 * family:.1f} %, one end {100 * single:.1f} %;",
            "one look after 2, 3, 5, 8, 25 rounds:",
            *(f"{100 * each:.1f}" for each in once),
            flush=True,
        )


if __name__ == "__main__":
    main()
