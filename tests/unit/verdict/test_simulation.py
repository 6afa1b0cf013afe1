# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import numpy as np
import pytest
from tests.bench.simulation import SCHEDULERS, Cell, cells, disktuner, draw, highest_mean
from tests.unit.verdict.making import made

from disktuner.results.model import Better, Metric, Result, Sample
from disktuner.verdict.judge import judge
from disktuner.verdict.sequential import next_schedulers

EQUAL = [cell for cell in cells() if not cell.has_difference]


@pytest.mark.parametrize("cell", EQUAL, ids=lambda cell: f"{cell.name}-{cell.noise}-{cell.rounds}")
def test_equal_schedulers_are_rarely_switched(cell: Cell) -> None:
    logs = draw(cell, 600, 99)
    ours = disktuner(logs)
    wrong = float((ours.winner != -1).mean())
    assert wrong <= 0.05
    assert wrong <= float((highest_mean(logs).winner != -1).mean()) / 10
    assert ours.covered(cell.truth) >= 0.94


def test_a_gain_of_a_third_is_found_within_six_rounds() -> None:
    found = disktuner(draw(Cell("", "log-normal", (0.05,) * 4, (1, 1, 1, 1 / 1.3), 6), 2000, 5))
    assert float((found.winner == 3).mean()) >= 0.95


def test_the_simulation_decides_as_the_program_does() -> None:
    for seed, cell in enumerate(c for c in cells() if c.rounds == 12):
        logs = draw(cell, 4, seed)
        found = disktuner(logs)
        for experiment in range(4):
            result = played(logs[experiment])
            winner = judge(result).winner
            assert (SCHEDULERS.index(winner) if winner else -1) == found.winner[experiment], cell
            assert len(result.samples) == found.runs[experiment], cell


def played(logs: np.ndarray) -> Result:
    """Run an experiment as the engine does: ask before each round who is still to be measured."""
    name = "x.wall_s"
    result = made({}, done=0, planned=logs.shape[1], metrics=())
    samples: tuple[Sample, ...] = ()
    for number in range(logs.shape[1]):
        going = next_schedulers(result) if number else SCHEDULERS
        samples += tuple(
            Sample(name, s, number, number, float(np.exp(logs[SCHEDULERS.index(s), number]))) for s in going
        )
        metrics = {name: Metric(name, "s", Better.LOWER, "x")}
        result = Result(**{f: getattr(result, f) for f in result.__slots__} | {"samples": samples, "metrics": metrics})
    return result
