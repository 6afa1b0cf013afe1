# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that became another one in the middle, and one that only fluctuates."""

from __future__ import annotations

from disktuner.experiment.guard import drift
from disktuner.results.model import Sample
from disktuner.vocabulary.messages import literal

METRIC = "copy.wall_s"


def taken(*rounds: dict[str, float]) -> list[Sample]:
    """One sample per scheduler and round, in the order given."""
    pairs = [(number, name, value) for number, each in enumerate(rounds) for name, value in each.items()]
    return [Sample(METRIC, name, number, order, value) for order, (number, name, value) in enumerate(pairs)]


def test_the_runs_of_the_round_before_that_had_changed_belong_to_it() -> None:
    samples = taken({"bfq": 1.0, "none": 1.2}, {"none": 1.1, "bfq": 1.0}, {"none": 1.2, "bfq": 2.9})
    samples += [Sample(METRIC, "none", 3, 6, 3.3), Sample(METRIC, "bfq", 3, 7, 3.0)]
    found = drift(samples, 3, METRIC)
    assert found is not None
    assert found.orders == {5, 6, 7}


def test_invalid_samples_are_no_measure() -> None:
    samples = taken({"bfq": 1.0, "none": 1.2}, {"bfq": 9.0, "none": 9.0})
    samples[0] = Sample(METRIC, "bfq", 0, 0, 1.0, valid=False, reason=literal("x"))
    assert drift(samples, 1, METRIC) is None
