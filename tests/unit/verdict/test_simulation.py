# SPDX-License-Identifier: GPL-3.0-or-later
"""How often thousands of simulated experiments are decided wrongly, and how soon rightly."""

from __future__ import annotations

import pytest
from tests.bench.playing import SCHEDULERS, played
from tests.bench.simulation import Cell, cells, disktuner, draw, fixed, highest_mean

from disktuner.verdict.judge import judge

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


def test_it_is_as_right_as_ten_fixed_rounds_in_about_half_of_their_time() -> None:
    found = [c for c in cells() if c.has_difference and c.rounds == 12 and c.noise in ("log-normal", "heavy tails")]
    spent, ours, theirs = [], [], []
    for seed, cell in enumerate(found):
        logs = draw(cell, 400, seed)
        quick, once = disktuner(logs, cell.ratios), fixed(logs[:, :, :10], cell.ratios)
        spent.append(quick.seconds.mean() / once.seconds.mean())
        ours.append(quick.is_right(cell))
        theirs.append(once.is_right(cell))
    assert sum(spent) / len(spent) <= 0.52
    assert sum(ours) / len(ours) >= sum(theirs) / len(theirs) - 0.01


def test_the_simulation_decides_as_the_program_does() -> None:
    for seed, cell in enumerate(c for c in cells() if c.rounds == 12):
        logs = draw(cell, 4, seed)
        found = disktuner(logs)
        for experiment in range(4):
            result = played({"x.wall_s": logs[experiment]}, None)
            winner = judge(result).winner
            assert (SCHEDULERS.index(winner) if winner else -1) == found.winner[experiment], cell
            assert len(result.samples) == found.runs[experiment], cell


def test_a_whole_goal_rarely_switches_between_equals() -> None:
    metrics = ("launch-under-writes.wall_s", "read-latency-under-writes.p99_s", "copy-contended.wall_s")
    cells = [Cell("", noise, (d,) * 4, rounds=5) for noise in ("log-normal", "heavy tails") for d in (0.03, 0.15)]
    wrong = 0
    for seed, cell in enumerate(cells):
        logs = [draw(cell, 30, 1000 * seed + at) for at in range(len(metrics))]
        for each in zip(*logs, strict=True):
            wrong += judge(played(dict(zip(metrics, each, strict=True)), "desktop")).decision == "switch"
    assert wrong <= 6  # of 120: 5 %
