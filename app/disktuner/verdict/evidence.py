# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of each setting for the question: its score, its parts and its prices, each with its bounds.

The score is the weighted mean of the gains of what decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disktuner.results.model import Result
from disktuner.verdict.effects import ALPHA, Effect, combined, ratio_of
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import Assessment, Side, State
from disktuner.vocabulary.questions import Price, Question
from disktuner.vocabulary.settings import Setting

Effects = Mapping[str, Mapping[Setting, Effect]]
"""Gains over the baseline by metric and setting."""
PARTS_SHARE = 0.2
"""The part of the error that may prove a single part better; the score has the rest."""
OVER = math.log(1.25)
"""How far beyond what is tolerated a price may be at worst that looks tolerated, however much is gained for it."""
Noticed = Mapping[str, tuple[float, float]]
"""By metric, from which gain on, and down to which loss, anybody notices a difference; logarithms."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a decision is drawn from, by setting.

    ``effects`` are by metric and setting, ``levels`` what they come from, if that is one result.
    """

    question: Question
    baseline: Setting
    by_setting: Mapping[Setting, Assessment]
    effects: Effects
    levels: Levels

    @property
    def min_gain(self) -> float:
        """The least gain that is worth a change, as a logarithm."""
        return math.log(self.question.worth)

    def is_behind(self, setting: Setting, best: Setting) -> bool:
        """Say whether a setting is shown to score less than another one (Hsu 1984: comparison with the best)."""
        ahead = {
            metric: effect
            for metric in self.question.deciding
            if (effect := self.levels.effects(metric, setting, self.min_gain).get(best))
        }
        score = score_of(ahead, self.question)
        return score is not None and score.low(ALPHA / max(1, len(self.by_setting))) > 0


def evidence_of(result: Result) -> Evidence:
    """Compare all settings with the baseline."""
    question, levels, baseline = result.question, Levels.of(result), result.plan.baseline
    effects = effects_of(levels, question, baseline)
    measured = dict.fromkeys((*result.plan.settings, *(sample.setting for sample in result.samples)))
    others = [setting for setting in measured if setting != baseline]
    return evidence(question, baseline, others, effects, levels)


def effects_of(levels: Levels, question: Question, baseline: Setting) -> dict[str, dict[Setting, Effect]]:
    """Return what the settings gain over the baseline, by metric that the question is about and setting."""
    min_gain = math.log(question.worth)
    asked = {price.beside: min_gain for price in question.prices if price.beside}
    asked |= {price.metric: math.log(price.least_gain()) for price in question.prices}
    asked |= dict.fromkeys(question.deciding, min_gain)
    return {metric: levels.effects(metric, baseline, difference) for metric, difference in asked.items()}


def evidence(
    question: Question,
    baseline: Setting,
    others: Sequence[Setting],
    effects: Effects,
    levels: Levels,
    *,
    scores: Mapping[Setting, Effect] | None = None,
) -> Evidence:
    """Return what effects, by metric and setting, say of the settings; ``scores`` None are combined from them."""
    noticed = {
        metric: levels.scale(metric).noticed(now)
        for metric in question.metrics
        if (now := levels.typical(metric, baseline)) is not None
    }
    by_setting, min_gain, family = {}, math.log(question.worth), ALPHA / max(1, len(others))
    of_part = _Limits(-min_gain, -math.inf, -min_gain, PARTS_SHARE * family / max(1, len(question.parts)))
    for setting in others:
        gains = of_setting(effects, setting)
        score = score_of(gains, question) if scores is None else scores.get(setting)
        parts = tuple(_side(name, gains.get(name), of_part, noticed, is_price=False) for name in question.deciding)
        felt = _mean_of_felt(parts, question, score)
        low = min(mean.low((1 - PARTS_SHARE) * family) for mean in (score, felt or score)) if score else -math.inf
        high = score.high() if score else math.inf
        # Half of the logarithm, so the root of the factor: beside a gain of 4 times a loss of 2 times at most.
        prices = tuple(_price(price, gains, noticed, -max(0.0, low) / 2) for price in question.prices)
        by_setting[setting] = Assessment(setting, score, low, high, min_gain, parts, prices, felt)
    return Evidence(question, baseline, by_setting, effects, levels)


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


def _mean_of_felt(parts: Sequence[Side], question: Question, score: Effect | None) -> Effect | None:
    """Return the weighted mean of the parts whose gain can be noticed, by their estimates; None where there is none.

    So what nobody notices, however sure it is, never makes noise in what people feel look like a gain. Where all can be
    noticed, that is the score.
    """
    felt = [part for part in parts if part.effect and (not part.noticed or part.gain >= part.noticed)]
    if len(felt) == len(parts):
        return score
    weights = question.weights()
    total = sum(weights[part.metric] for part in felt)
    effects = [part.effect for part in felt if part.effect]
    return combined(effects, [weights[part.metric] / total for part in felt]) if felt else None


def _price(price: Price, gains: Mapping[str, Effect], noticed: Noticed, worst: float) -> Side:
    """Return where a price stands; beside a gain that allows a loss of ``worst``, it may be so far beyond.

    A program done sooner excuses what is shown of that. Beyond is only what even its estimate would not excuse.
    """
    program = gains.get(price.beside) if price.beside else None
    shown, estimated = (program.low(), max(program.gain, program.low())) if program else (0.0, 0.0)
    least, beyond = (math.log(price.least_gain(ratio_of(sooner))) for sooner in (shown, estimated))
    limits = _Limits(least, max(worst, least - OVER), beyond)
    return _side(price.metric, gains.get(price.metric), limits, noticed, is_price=True)


@dataclass(frozen=True, slots=True)
class _Limits:
    """What is tolerated: a gain down to ``least`` where it is shown, ``worst`` where it looks so; what is shown to be
    below ``beyond`` is not. ``alpha`` is the error that may prove a part better."""

    least: float
    worst: float
    beyond: float
    alpha: float = 0.0


def _side(metric: str, effect: Effect | None, limits: _Limits, noticed: Noticed, *, is_price: bool) -> Side:
    """Return where a part or a price stands.

    It is inside its tolerance where that is shown, or where it looks so and does not lose more than the worst; a loss
    that nobody notices is always tolerated. What decides is weighed by the score; beside it, only a part counts that is
    lost or seems to be.
    """
    better, worse = noticed.get(metric, (0.0, 0.0))
    least = min(limits.least, worse)
    if effect is None:
        return Side(metric, None, -math.inf, math.inf, least, State.OPEN, is_price, noticed=better)
    low, high = effect.low(), effect.high()
    inside = low >= least or (effect.gain >= least and low >= limits.worst)
    state = State.INSIDE if inside else State.BEYOND if high < min(least, limits.beyond) else State.OPEN
    return Side(metric, effect, low, high, least, state, is_price, effect.low(limits.alpha) > 0, better)
