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
    """What to do: change the scheduler, keep the one there is, choose between a gain and its price, or measure on."""

    SWITCH = "switch"
    TRADE_OFF = "trade-off"
    KEEP = "keep"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One scheduler against the baseline on one metric.

    ``ratio`` is the typical value of the scheduler divided by the baseline's; ``ci_low`` and ``ci_high``
    bound it, with family-wise 95 % confidence over the comparisons that decide (None where ``n`` is too
    small).
    """

    metric: str
    scheduler: str
    n: int
    ratio: float | None
    ci_low: float | None
    ci_high: float | None
    outcome: Outcome


class KnownKind(StrEnum):
    """What kind of fact is known."""

    GAINS = "gains"
    """Proved better than the baseline."""

    LOSES = "loses"
    """Proved worse."""

    NO_MORE_THAN = "no-more-than"
    """A larger gain is ruled out."""


@dataclass(frozen=True, slots=True)
class Known:
    """One fact on a metric that decides, proved or ruled out.

    ``scheduler`` None stands for all but the baseline. ``low`` and ``high`` are gains: how many times better than the
    baseline (below 1 is worse) with 95 % confidence; of what is ruled out only ``high`` says something.
    """

    metric: str
    scheduler: str | None
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

    ``winner`` is of a switch the one to take, of a trade-off the one that gains. ``worth`` is the least gain that is
    worth a change, as a factor; ``bound`` the gain that nothing exceeds with 95 % confidence (None where there is no
    bound, or there is a winner). Of an undecided one, ``leader`` is the scheduler that is estimated, not shown, to gain
    most, and enough to change, and ``chance`` how probable it is that it does (None before the first look). Of a
    tuning, ``left_out`` are the settings that had fewer rounds than others, since they were behind or ruled out.
    """

    decision: Decision
    winner: str | None
    baseline: str
    why: tuple[Message, ...]
    comparisons: tuple[Contrast, ...]
    ties: tuple[tuple[str, ...], ...]
    worth: float
    known: tuple[Known, ...] = ()
    leader: str | None = None
    chance: float | None = None
    more: More | None = None
    bound: float | None = None
    left_out: tuple[str, ...] = ()

    @property
    def more_rounds(self) -> int | None:
        """How many more rounds would decide; None where that is not known, or none would."""
        return self.more.rounds if self.more else None
