# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of schedulers in each round: each follows each other equally often, and a seed repeats it."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise

import pytest

from disktuner.experiment.rounds import orders


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_each_follows_each_other_equally_often(count: int) -> None:
    names = [f"s{i}" for i in range(count)]
    cycle = count if count % 2 == 0 else 2 * count
    for seed in range(5):
        found = list(islice(orders(names, seed), cycle))
        assert all(sorted(order) == names for order in found)
        follows = Counter(pair for order in found for pair in pairwise(order))
        assert len(set(follows.values())) == 1
        assert len(follows) == count * (count - 1)


def test_a_seed_repeats_and_seeds_differ() -> None:
    names = ("none", "mq-deadline", "kyber", "bfq")
    first = [tuple(islice(orders(names, seed), 12)) for seed in (1, 1, 2)]
    assert first[0] == first[1] != first[2]
