# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a verdict: the score of each setting, single comparisons with the baseline, and the decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting

SAME = (0.95, 1.05)
"""Ratios to the baseline that make no practical difference."""
MOST_ROUNDS = 400
"""What would take more is said to vary too much."""


class Outcome(StrEnum):
    """What one comparison shows. ``SAME`` is a finding: the whole interval lies within ``SAME``."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNDECIDED = "undecided"


class Decision(StrEnum):
    """What to do: change the setting, or on a condition (something that it may cost could not be settled), keep the one
    there is, choose between a gain and its price, or measure on."""

    SWITCH = "switch"
    CONDITIONAL = "conditional"
    KEEP = "keep"
    TRADE_OFF = "trade-off"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Score:
    """How many times better a setting is than the baseline over all that decides; below 1 is worse.

    ``ci_low`` holds for all settings together, ``ci_high`` for this one alone, 95 % each; None after one round.
    """

    n: int
    ratio: float
    ci_low: float | None
    ci_high: float | None


@dataclass(frozen=True, slots=True)
class Contrast:
    """One setting against the baseline on one metric.

    ``ratio`` is the typical value of the setting divided by the baseline's; ``ci_low`` and ``ci_high`` bound it with
    95 % confidence, of this comparison alone (None where ``n`` is too small).
    """

    metric: str
    setting: Setting
    n: int
    ratio: float | None
    ci_low: float | None
    ci_high: float | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What speaks against a setting, or may: how many times better a metric was measured, None if never.

    Below 1 is worse. At worst it is ``at_worst`` (95 %), tolerated is ``least``; ``is_price`` tells a price from what
    decides.
    """

    metric: str
    measured: float | None
    at_worst: float | None
    least: float
    is_price: bool


class KnownKind(StrEnum):
    """A setting is shown to be better than the baseline, or worse, or a gain that is worth a change is ruled out."""

    GAINS = "gains"
    LOSES = "loses"
    NO_MORE_THAN = "no-more-than"


@dataclass(frozen=True, slots=True)
class Known:
    """One fact: ``low`` and ``high`` bound how many times better a setting is, by its score or by one ``metric``."""

    setting: Setting
    metric: str | None
    kind: KnownKind
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class More:
    """What it would take to decide if runs go on to vary as they did; ``seconds`` None where runs have no durations."""

    rounds: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, with all it rests on. ``why`` are the sentences that a person reads.

    ``winner`` is the setting to take, of a trade-off the one that gains. ``worth`` is the least gain that is worth a
    change, as a factor; ``bound`` the gain that nothing exceeds with 95 % confidence (None where there is no bound, or
    there is a winner). ``open`` is what the winner may cost, ``beyond`` what it, or who leads, is shown to cost beyond
    its tolerance. Of an undecided verdict, ``leader`` is the
    setting that is estimated, not shown, to gain most, and enough to change, and ``chance`` how probable that is.
    ``leading`` is the metric whose ``figures`` stand for the answer, None where those are the score; by setting, they
    are what every sentence, chart and table shows first. ``more`` is what would decide, or settle what is open.
    ``left_out`` are settings of a tuning with fewer rounds than others, since they were behind or ruled out.
    """

    decision: Decision
    winner: Setting | None
    baseline: Setting
    worth: float
    why: tuple[Message, ...] = ()
    score: Mapping[Setting, Score] = field(default_factory=dict)
    leading: str | None = None
    figures: Mapping[Setting, Score] = field(default_factory=dict)
    comparisons: tuple[Contrast, ...] = ()
    ties: tuple[tuple[Setting, ...], ...] = ()
    open: tuple[Unsettled, ...] = ()
    beyond: tuple[Unsettled, ...] = ()
    known: tuple[Known, ...] = ()
    leader: Setting | None = None
    chance: float | None = None
    more: More | None = None
    bound: float | None = None
    left_out: tuple[Setting, ...] = ()
