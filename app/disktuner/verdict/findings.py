# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of each setting for the question: its score, its parts and its prices, each with its bounds.

The score is the weighted mean of the gains of what decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from disktuner.results.model import Result
from disktuner.verdict.effects import ALPHA, Effect, Levels, combined, ratio_of
from disktuner.vocabulary.questions import Price, Question
from disktuner.vocabulary.settings import Setting

Effects = Mapping[str, Mapping[Setting, Effect]]
"""Gains over the baseline by metric and setting."""
PARTS_SHARE = 0.2
"""The part of the error that may prove a single part better; the score has the rest."""
DEAR = math.log(1.5)
"""A part that gains so much makes another one that is lost a choice, whatever the score says."""
OVER = math.log(1.25)
"""How far beyond what is tolerated a price may be at worst that looks tolerated, however much is gained for it."""
AS_SAID = 0.004
"""A gain is ruled out where what bounds it is no more than what is worth it as it is said, to the hundredth."""


class State(StrEnum):
    """Where a price or a part stands: within its tolerance, beyond it, or not known."""

    INSIDE = "inside"
    BEYOND = "beyond"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Side:
    """A part or a price of a setting: all logarithms of gains. ``effect`` None is not measured.

    ``low`` and ``high`` bound the gain with 95 % each over all looks; ``least`` is the gain down to which it is
    tolerated. ``proved`` says of a part that it is better.
    """

    metric: str
    effect: Effect | None
    low: float
    high: float
    least: float
    state: State
    proved: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of one setting against the baseline: logarithms of gains.

    ``low`` holds for all settings that compete together (95 %); ``high`` for this one. ``score`` is None where
    something that decides was not measured.
    """

    setting: Setting
    score: Effect | None
    low: float
    high: float
    worth: float
    parts: tuple[Side, ...]
    prices: tuple[Side, ...]

    @property
    def gain(self) -> float:
        """The estimated score, the lowest of all where it is not known."""
        return self.score.gain if self.score else -math.inf

    @property
    def gains(self) -> bool:
        """Whether it is shown to gain, by an estimate of what is worth a change."""
        return self.gain >= self.worth and (self.low > 0 or any(part.proved for part in self.parts))

    @property
    def ruled_out(self) -> bool:
        """Whether a gain that is worth a change is ruled out."""
        return self.high < self.worth + AS_SAID

    @property
    def is_dear(self) -> bool:
        """Whether one part is proved to gain much, and another is proved to be lost."""
        gained = any(part.proved and part.effect and part.effect.gain >= DEAR for part in self.parts)
        return gained and any(part.state is State.BEYOND for part in self.parts)

    def sides(self, state: State) -> tuple[Side, ...]:
        """Return the parts and prices that stand there."""
        return tuple(side for side in (*self.parts, *self.prices) if side.state is state)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything a decision is drawn from, by setting.

    ``effects`` are by metric and setting, ``levels`` what they come from, if that is one result.
    """

    question: Question
    baseline: Setting
    by_setting: Mapping[Setting, Finding]
    effects: Effects
    levels: Levels

    @property
    def worth(self) -> float:
        """The least gain that is worth a change, as a logarithm."""
        return math.log(self.question.worth)

    def is_behind(self, setting: Setting, best: Setting) -> bool:
        """Say whether a setting is shown to score less than another one (Hsu 1984: comparison with the best)."""
        ahead = {
            metric: effect
            for metric in self.question.deciding
            if (effect := self.levels.effects(metric, setting, self.worth).get(best))
        }
        score = score_of(ahead, self.question)
        return score is not None and score.low(ALPHA / max(1, len(self.by_setting))) > 0


def findings_of(result: Result) -> Findings:
    """Compare all settings with the baseline."""
    question, levels, baseline = result.question, Levels.of(result), result.plan.baseline
    effects = effects_of(levels, question, baseline)
    seen = dict.fromkeys((*result.plan.settings, *(sample.setting for sample in result.samples)))
    others = [each for each in seen if each != baseline]
    return findings(question, baseline, others, effects, levels)


def effects_of(levels: Levels, question: Question, baseline: Setting) -> dict[str, dict[Setting, Effect]]:
    """Return what the settings gain over the baseline, by metric that the question is about and setting."""
    worth = math.log(question.worth)
    asked = {price.beside: worth for price in question.prices if price.beside}
    asked |= {price.metric: math.log(price.least_gain()) for price in question.prices}
    asked |= dict.fromkeys(question.deciding, worth)
    return {metric: levels.effects(metric, baseline, difference) for metric, difference in asked.items()}


def findings(
    question: Question,
    baseline: Setting,
    others: Sequence[Setting],
    effects: Effects,
    levels: Levels,
    *,
    scores: Mapping[Setting, Effect] | None = None,
) -> Findings:
    """Return what effects, by metric and setting, say of the settings; ``scores`` None are combined from them."""
    found = {}
    for each in others:
        own = of_setting(effects, each)
        total = score_of(own, question) if scores is None else scores.get(each)
        found[each] = _finding(question, each, ALPHA / len(others), own, total)
    return Findings(question, baseline, found, effects, levels)


def of_setting(effects: Effects, setting: Setting) -> dict[str, Effect]:
    """Return the effects of one setting by metric, out of those by metric and setting."""
    return {metric: effect for metric, by_setting in effects.items() if (effect := by_setting.get(setting))}


def score_of(effects: Mapping[str, Effect], question: Question) -> Effect | None:
    """Return the weighted mean of what decides; None where some of it is not known, or nothing decides."""
    weights = question.weights()
    known = [(effects[metric], weight) for metric, weight in weights.items() if metric in effects]
    if not known or len(known) < len(weights):
        return None
    return combined([effect for effect, _ in known], [weight for _, weight in known])


def _finding(
    question: Question, setting: Setting, family: float, own: Mapping[str, Effect], total: Effect | None
) -> Finding:
    """Return what is known of a setting; ``family`` is its share of the error that all others have together."""
    worth = math.log(question.worth)
    low, high = (total.low((1 - PARTS_SHARE) * family), total.high()) if total else (-math.inf, math.inf)
    of_part = PARTS_SHARE * family / max(1, len(question.parts))
    parts = tuple(_side(metric, own.get(metric), -worth, alpha=of_part) for metric in question.deciding)
    # Half of the logarithm, so the root of the factor: beside a gain of 4 times a loss of 2 times at most.
    worst = -max(0.0, low) / 2
    prices = tuple(_price(price, own, worst) for price in question.prices)
    return Finding(setting, total, low, high, worth, parts, prices)


def _price(price: Price, own: Mapping[str, Effect], worst: float) -> Side:
    """Return where a price stands: a program done sooner excuses what is shown of that, and nothing is beyond that what
    seems so of it would excuse."""
    program = own.get(price.beside) if price.beside else None
    shown, seeming = (ratio_of(program.low()), ratio_of(program.gain)) if program else (1.0, 1.0)
    least, beyond = math.log(price.least_gain(shown)), math.log(price.least_gain(max(shown, seeming)))
    return _side(price.metric, own.get(price.metric), least, worst=max(worst, least - OVER), beyond=beyond)


def _side(
    metric: str,
    effect: Effect | None,
    least: float,
    *,
    worst: float = -math.inf,
    beyond: float = math.inf,
    alpha: float = 0.0,
) -> Side:
    """Return where a part or a price stands; ``alpha`` is the error that may prove it better.

    It is inside its tolerance where that is shown, or where it looks so and does not lose more than ``worst``; beyond it
    where that is shown, of ``beyond``, too. What decides is weighed by the score; beside it, only a part counts that is
    lost or seems to be.
    """
    if effect is None:
        return Side(metric, None, -math.inf, math.inf, least, State.OPEN)
    low, high = effect.low(), effect.high()
    inside = low >= least or (effect.gain >= least and low >= worst)
    state = State.INSIDE if inside else State.BEYOND if high < min(least, beyond) else State.OPEN
    return Side(metric, effect, low, high, least, state, proved=effect.low(alpha) > 0)
