# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a verdict: estimates, assessments of settings, the decision, and the answer in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    from disktuner.verdict.effects import Effect

METHOD = 4
"""The version of the method (docs/method.md): another one may answer the same samples differently."""
SAME = (0.95, 1.05)
"""Ratios to the baseline that make no practical difference."""
MOST_ROUNDS = 400
"""A comparison that would take more rounds varies too much."""


class SideState(StrEnum):
    """Where a price or a part stands: within its tolerance, beyond it, or not known."""

    INSIDE = "inside"
    BEYOND = "beyond"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A gain from ``n`` rounds with its interval: logarithms, above 0 is better; ends are infinite where unbounded."""

    gain: float
    low: float = -math.inf
    high: float = math.inf
    n: int = 0

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def outcome(self, worse: float = 0.0, better: float = 0.0) -> Outcome:
        """Interpret the interval: within ±5 %, or between a loss and a gain that nobody notices, is the same."""
        if math.isinf(self.low) or math.isinf(self.high):
            return Outcome.UNDECIDED
        if min(worse, math.log(SAME[0])) <= self.low and self.high <= max(better, math.log(SAME[1])):
            return Outcome.SAME
        return Outcome.UNDECIDED if self.low <= 0 <= self.high else Outcome.BETTER if self.low > 0 else Outcome.WORSE


@dataclass(frozen=True, slots=True)
class Comparison:
    """One setting against the baseline on one metric, with its own 95 % interval.

    ``estimate`` is the gain on the deciding scale, on which unnoticed differences hardly count; ``measured`` the same
    gain as a plain ratio to the baseline's typical value (``now``); both None where nothing was compared. ``value`` is
    the setting's typical value, in the metric's unit.
    """

    metric: Metric
    setting: Setting
    outcome: Outcome
    estimate: Estimate | None = None
    measured: Estimate | None = None
    value: float | None = None
    now: float | None = None

    @property
    def gain(self) -> float:
        """The measured gain; 0 where nothing was compared."""
        return self.measured.gain if self.measured else 0.0


@dataclass(frozen=True, slots=True)
class Side:
    """A part or a price of a setting: logarithms of gains on the deciding scale. ``effect`` None: not measured.

    ``low`` and ``high`` bound the gain with 95 % each over all looks; ``least`` is the smallest tolerated gain.
    ``proved``: the part is shown to be better. ``noticed`` is the least gain that anybody notices.
    """

    metric: str
    effect: Effect | None
    low: float
    high: float
    least: float
    state: SideState
    is_price: bool
    proved: bool = False
    noticed: float = 0.0

    @property
    def gain(self) -> float:
        """The estimated gain; 0 where not measured."""
        return self.effect.gain if self.effect else 0.0


TRADE_OFF_GAIN = math.log(1.5)
"""A part with this gain makes another part's loss a choice, whatever the score says."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is known of one setting against the baseline: logarithms of gains.

    ``low`` bounds the score and ``felt`` with 95 % for all competing settings together, ``high`` the score of this
    setting. ``score`` is None where a deciding metric was not measured. ``min_gain`` is the least gain worth a change.
    ``felt`` is the mean of the parts whose estimated gain can be noticed.
    """

    setting: Setting
    score: Effect | None
    low: float
    high: float
    min_gain: float
    parts: tuple[Side, ...]
    prices: tuple[Side, ...]
    felt: Effect | None = None

    @property
    def gain(self) -> float:
        """The estimated score; minus infinity where it is not known."""
        return self.score.gain if self.score else -math.inf

    @property
    def estimate(self) -> Estimate | None:
        """The score with its bounds."""
        return Estimate(self.score.gain, self.low, self.high, self.score.n) if self.score else None

    @property
    def is_noticed(self) -> bool:
        """Whether the estimated gain of any part can be noticed."""
        return not self.parts or self.felt is not None

    @property
    def is_better(self) -> bool:
        """Whether a gain is proven whose estimate is worth a change and can be noticed."""
        is_shown = self.low > 0 or any(part.proved and part.gain >= part.noticed for part in self.parts)
        return self.gain >= self.min_gain and self.is_noticed and is_shown

    @property
    def is_ruled_out(self) -> bool:
        """Whether a gain that is worth a change, or that anybody could notice, is ruled out."""
        unnoticed = all(part.noticed > 0 and part.high < part.noticed for part in self.parts)
        return self.high <= self.min_gain or (bool(self.parts) and unnoticed)

    @property
    def is_trade_off(self) -> bool:
        """Whether one part is proved to gain much, and another is proved to be lost."""
        gained = any(part.proved and part.gain >= max(TRADE_OFF_GAIN, part.noticed) for part in self.parts)
        return gained and any(part.state is SideState.BEYOND for part in self.parts)

    @property
    def is_acceptable(self) -> bool:
        """Whether it gains, and all its costs are known to be tolerated."""
        return self.is_better and all(side.state is SideState.INSIDE for side in (*self.parts, *self.prices))

    def sides(self, state: SideState) -> tuple[Side, ...]:
        """Return the parts and prices in a state."""
        return tuple(side for side in (*self.parts, *self.prices) if side.state is state)


@dataclass(frozen=True, slots=True)
class More:
    """What a decision would still take if runs vary as before; ``seconds`` None where runs have no durations."""

    rounds: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict in sentences, by what they say; a view shows those that it has room for.

    ``action`` is what to do in a few words, ``summary`` the same with its gain, for a list, ``certainty`` how sure it
    is. ``headline`` states the gain, or what is known instead, of one ``subject``: the metric whose own comparison
    shows it; None where only the mean does, or nothing. ``parts`` are the other deciding metrics, ``prices`` what gets
    worse, ``conditions`` what would have to be accepted, ``choice`` what cannot be had together, ``ruled_out`` what is
    known of other settings, ``effort`` how much more to measure, ``notes`` remarks on the result itself. ``priced`` are
    the metrics of ``costs``; ``unfelt``: nobody would feel a gain.
    """

    action: Message
    summary: Message
    headline: Message
    subject: str | None = None
    certainty: Message | None = None
    parts: tuple[Message, ...] = ()
    prices: tuple[Message, ...] = ()
    conditions: tuple[Message, ...] = ()
    choice: Message | None = None
    ruled_out: tuple[Message, ...] = ()
    effort: Message | None = None
    notes: tuple[Message, ...] = ()
    priced: tuple[str, ...] = ()
    unfelt: bool = False

    @property
    def sentences(self) -> tuple[Message, ...]:
        """All sentences in reading order."""
        return tuple(self._all())

    @property
    def costs(self) -> tuple[Message, ...]:
        """What has to be accepted: conditions, else prices."""
        return self.conditions or self.prices

    def _all(self) -> Iterator[Message]:
        yield from self.notes
        yield self.headline
        yield from (*self.parts, *self.prices, *self.conditions)
        if self.choice:
            yield self.choice
        yield from self.ruled_out
        if self.effort:
            yield self.effort


_UNANSWERED = Answer(message("answer-undecided"), message("answer-undecided"), message("nothing-shown"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision, with all it rests on. ``answer`` is what a person reads.

    ``winner`` is the setting to take; in a trade-off, the one that gains. ``worth`` is the least gain worth a change,
    as a factor; ``bound`` the gain that nothing exceeds with 95 % confidence (None without a bound, or with a winner).
    ``assessments`` has each setting but the baseline. If undecided, ``leader`` is the setting with the largest
    estimated gain, if worth a change, and ``chance`` the probability of that. ``leading`` is the metric whose
    comparison stands for the answer; None where the score does. ``more`` is what would decide, or settle what is open.
    ``left_out`` are settings that a tuning dropped early, as they were behind or ruled out.
    """

    decision: Decision
    winner: Setting | None
    baseline: Setting
    worth: float
    answer: Answer = _UNANSWERED
    assessments: Mapping[Setting, Assessment] = field(default_factory=dict)
    leading: str | None = None
    comparisons: tuple[Comparison, ...] = ()
    ties: tuple[tuple[Setting, ...], ...] = ()
    leader: Setting | None = None
    chance: float | None = None
    more: More | None = None
    bound: float | None = None
    left_out: tuple[Setting, ...] = ()
    _by_metric: Mapping[str, Mapping[Setting | None, Comparison]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_metric: dict[str, dict[Setting | None, Comparison]] = {}
        for comparison in self.comparisons:
            by_metric.setdefault(comparison.metric.name, {}).setdefault(comparison.setting, comparison)
        object.__setattr__(self, "_by_metric", by_metric)

    @property
    def about(self) -> Setting | None:
        """The setting that the answer is about: the winner or the leader."""
        return self.winner or self.leader

    @property
    def open(self) -> tuple[Side, ...]:
        """The winner's possible costs."""
        return self.assessments[self.winner].sides(SideState.OPEN) if self.winner else ()

    @property
    def beyond(self) -> tuple[Side, ...]:
        """The proven costs, beyond tolerance, of the winner or leader."""
        return self.assessments[self.about].sides(SideState.BEYOND) if self.about else ()

    def comparison(self, metric: str, setting: Setting | None) -> Comparison | None:
        """Return one comparison; None where it was not made."""
        return self.of_metric(metric).get(setting)

    def of_metric(self, metric: str) -> Mapping[Setting | None, Comparison]:
        """Return the comparisons on one metric."""
        return self._by_metric.get(metric, {})
