# SPDX-License-Identifier: GPL-3.0-or-later
"""Works out what a run cost the processors, from what the kernel said before and after it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from disktuner.experiment.guard import Observation

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_GIB = 1 << 30


def cpu_cost(before: Observation, after: Observation) -> Mapping[str, float]:
    """The ``COSTS``; nothing where a disk is gone, moved nothing, or no CPU time was counted."""
    first, last = before.counters, after.counters
    if first is None or last is None:
        return {}
    spent, earlier = after.conditions, before.conditions
    idle = spent.cpu_idle - earlier.cpu_idle + spent.cpu_steal - earlier.cpu_steal
    busy_s = (spent.cpu_total - earlier.cpu_total - idle) / _TICKS_PER_S
    moved = last.read_bytes + last.written_bytes - first.read_bytes - first.written_bytes
    served = last.reads + last.writes - first.reads - first.writes
    if busy_s <= 0 or moved <= 0 or served <= 0:
        return {}
    return {"cpu_s_per_gib": busy_s * _GIB / moved, "cpu_s_per_1000": busy_s * 1000 / served}
