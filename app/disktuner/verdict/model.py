# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a verdict: comparisons of schedulers with the baseline, and the decision drawn from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from disktuner.vocabulary.messages import Message

SAME = (0.95, 1.05)
"""Ratios to the baseline that make no practical difference."""


class Outcome(StrEnum):
    """What one comparison shows. ``SAME`` is a finding: the whole interval lies within ``SAME``."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNDECIDED = "undecided"


class Decision(StrEnum):
    """What to do: change the scheduler, keep the one there is, or say that it is not known yet."""

    SWITCH = "switch"
    KEEP = "keep"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One scheduler against the baseline on one metric.

    ``ratio`` is the typical value of the scheduler divided by the baseline's; ``ci_low`` and ``ci_high``
    bound it with family-wise 95 % confidence over the comparisons of the plan (None where ``n`` is too
    small).
    """

    metric: str
    scheduler: str
    n: int
    ratio: float | None
    ci_low: float | None
    ci_high: float | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, with all it rests on. ``why`` are the sentences that a person reads.

    ``leader`` is of an undecided one the scheduler that is estimated, not shown, to gain most, and enough to change.
    """

    decision: Decision
    winner: str | None
    baseline: str
    why: tuple[Message, ...]
    comparisons: tuple[Contrast, ...]
    ties: tuple[tuple[str, ...], ...]
    more_rounds: int | None = None
    leader: str | None = None
