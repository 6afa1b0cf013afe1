# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run cost the processors, and that a run that hardly moved anything has no such figure."""

from __future__ import annotations

import os

import pytest

from disktuner.block.counters import parse_stat
from disktuner.experiment.conditions import Conditions, Observation
from disktuner.experiment.sampler import cpu_cost

TICKS = os.sysconf("SC_CLK_TCK")


def seen(requests: int, mib: float, total_s: float, idle_s: float) -> Observation:
    counters = parse_stat(f"{requests} 0 {int(mib * 2048)} 0 0 0 0 0 0 0 0", 1.0)
    return Observation(counters, {}, {}, Conditions(round(total_s * TICKS), round(idle_s * TICKS)), False)


NOTHING = seen(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("requests", "mib", "figures"),
    [
        (99, 15.9, set()),
        (99, 16, {"cpu_s_per_gib"}),
        (100, 0.4, {"cpu_s_per_1000"}),
        (100, 16, {"cpu_s_per_gib", "cpu_s_per_1000"}),
        (0, 0, set()),
    ],
)
def test_a_disk_that_hardly_moved_has_no_cpu_cost(requests: int, mib: float, figures: set[str]) -> None:
    assert cpu_cost(NOTHING, seen(requests, mib, 8, 5)).keys() == figures
