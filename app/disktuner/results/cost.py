# SPDX-License-Identifier: GPL-3.0-or-later
"""What every run costs the processors: two metrics that each workload has besides its own."""

from __future__ import annotations

from disktuner.vocabulary.metrics import Better, Metric

COSTS = (
    Metric("cpu_s_per_gib", "s", Better.LOWER, "CPU time per GiB"),
    Metric("cpu_s_per_1000", "s", Better.LOWER, "CPU time per 1,000 reads and writes"),
)
"""The time that all processors were busy with whatever, per GiB and per 1,000 requests that the disk served.

The whole machine's time, because a scheduler works in interrupts and kernel threads, too. A goal may guard them;
otherwise they are told and not compared, so that they widen no interval.
"""

_NAMES = frozenset(metric.name for metric in COSTS)


def is_cost(name: str) -> bool:
    """Whether a metric (``dd-write.cpu_s_per_gib``) is one of these."""
    return name.rpartition(".")[2] in _NAMES
