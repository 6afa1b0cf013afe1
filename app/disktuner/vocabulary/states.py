# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of a disk with a fast cache, and what is worth comparing in which."""

from __future__ import annotations

from enum import StrEnum

from disktuner.vocabulary.goals import DESKTOP, GOALS
from disktuner.vocabulary.schedulers import scheduler
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import deciding


class DiskState(StrEnum):
    """Before and after the end of a disk's fast cache."""

    RESTED = "rested"
    EXHAUSTED = "exhausted"


SETTLE_S, REFILL_S = 8.0, 2.0
"""How long a scheduler is in place before its runs: bfq only knows after so long how slow the disk is now. Before that,
its reads waited ten times as long in half of all runs (docs/portrait.md). With others only the queue fills again."""


def settle_s(setting: Setting) -> float:
    """Return how many seconds a setting is in place before its runs."""
    return SETTLE_S if scheduler(setting.scheduler).settles else REFILL_S


def is_fast(bytes_per_s: float, fast: float, slow: float) -> bool:
    """Whether a speed is that before the end of a cache rather than that after it: above their geometric mean."""
    return bytes_per_s * bytes_per_s > fast * slow


BESIDE_A_WRITER = frozenset({"launch-office", "launch-under-reads", "read-latency-under-writes", "stream-under-copy"})
"""Workloads that are waited for while a file is written: only these can be measured while one writer never pauses."""


def workloads_exhausted(goal: str) -> tuple[str, ...]:
    """Return the workloads that decide a goal while the cache is used up, most important first."""
    return tuple(id_ for id_ in deciding(goal) if id_ in BESIDE_A_WRITER)


GOALS_EXHAUSTED = tuple(goal for goal in GOALS if workloads_exhausted(goal))
"""The goals that can be compared for while the cache is used up."""

GOALS_OF_BIG_COPY = frozenset({DESKTOP.id})
"""Those of them whose complaint is about a big copy, during which a fast cache ends."""
