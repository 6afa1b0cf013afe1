# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of each setting: its score, its parts and its prices, each with its bounds.

The score is the weighted mean of the gains in the deciding metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from disktuner.results.model import Result
from disktuner.verdict.effects import ALPHA, EARLY, Effect, combined, ratio_of
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import Assessment, Side, SideState
from disktuner.vocabulary.questions import Price, Question
from disktuner.vocabulary.settings import Setting

Effects = Mapping[str, Mapping[Setting, Effect]]
"""Gains over the baseline by metric and setting."""
PARTS_SHARE = 0.2
"""The share of the error spent on proving single parts better; the score has the rest."""
OVER = math.log(1.25)
"""How far beyond its tolerance the bound of a price may lie while its estimate is tolerated, however large the gain."""
Noticed = Mapping[str, tuple[float, float]]
"""By metric, the least gain and the least loss that anybody notices; logarithms."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a decision rests on, by setting. ``levels`` are what the effects come from, if that is one result."""

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
        """Whether a setting is shown to score less than another (Hsu 1984: comparison with the best)."""
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
    return evidence(question, baseline, scores_of(effects, question, others), effects, levels)


def effects_of(levels: Levels, question: Question, baseline: Setting) -> dict[str, dict[Setting, Effect]]:
    """Return the settings' gains over the baseline in the question's metrics."""
    min_gain = math.log(question.worth)
    asked = {price.beside: min_gain for price in question.prices if price.beside}
    asked |= {price.metric: math.log(price.least_gain()) for price in question.prices}
    asked |= dict.fromkeys(question.deciding, min_gain)
    return {metric: levels.effects(metric, baseline, difference) for metric, difference in asked.items()}


def evidence(
    question: Question,
    baseline: Setting,
    scores: Mapping[Setting, Effect | None],
    effects: Effects,
    levels: Levels,
) -> Evidence:
    """Assess the settings by their effects; ``scores`` are None where unknown."""
    noticed = {
        metric: levels.scale(metric).noticed(now)
        for metric in question.metrics
        if (now := levels.typical(metric, baseline)) is not None
    }
    by_setting, min_gain, family = {}, math.log(question.worth), ALPHA / max(1, len(scores))
    of_part = _Limits(-min_gain, -math.inf, -min_gain, PARTS_SHARE * family / max(1, len(question.parts)))
    for setting, score in scores.items():
        gains = of_setting(effects, setting)
        parts = tuple(_side(name, gains.get(name), of_part, noticed, is_price=False) for name in question.deciding)
        felt = _mean_of_felt(parts, question, score)
        low = min(mean.low((1 - PARTS_SHARE) * family) for mean in (score, felt or score)) if score else -math.inf
        high = score.high() if score else math.inf
        # Half of the logarithm is the root of the factor: a gain of 4 times allows a loss of 2 times at most.
        prices = tuple(_price(price, gains, noticed, -max(0.0, low) / 2) for price in question.prices)
        by_setting[setting] = Assessment(setting, score, low, high, min_gain, parts, prices, felt)
    return Evidence(question, baseline, by_setting, effects, levels)


def of_setting(effects: Effects, setting: Setting) -> dict[str, Effect]:
    """Return one setting's effects by metric."""
    return {metric: effect for metric, by_setting in effects.items() if (effect := by_setting.get(setting))}


def scores_of(effects: Effects, question: Question, settings: Iterable[Setting]) -> dict[Setting, Effect | None]:
    """Return the score of each setting, out of effects by metric and setting."""
    return {setting: score_of(of_setting(effects, setting), question) for setting in settings}


def score_of(effects: Mapping[str, Effect], question: Question) -> Effect | None:
    """Return the weighted mean of the deciding metrics; None where one was not measured, or nothing decides."""
    weights = question.weights()
    weighted = [(effects[metric], weight) for metric, weight in weights.items() if metric in effects]
    if not weighted or len(weighted) < len(weights):
        return None
    return combined([effect for effect, _ in weighted], [weight for _, weight in weighted])


def _mean_of_felt(parts: Sequence[Side], question: Question, score: Effect | None) -> Effect | None:
    """Return the weighted mean of the parts whose estimated gain can be noticed; None where there is none.

    Thus a gain that nobody notices, however certain, never makes noise in what people feel look like a gain.
    """
    felt = [part for part in parts if part.effect and (not part.noticed or part.gain >= part.noticed)]
    if len(felt) == len(parts):
        return score
    weights = question.weights()
    total = sum(weights[part.metric] for part in felt)
    effects = [part.effect for part in felt if part.effect]
    return combined(effects, [weights[part.metric] / total for part in felt]) if felt else None


def _price(price: Price, gains: Mapping[str, Effect], noticed: Noticed, worst: float) -> Side:
    """Return where a price stands, given a gain that allows a loss of ``worst``.

    A faster program excuses a loss as far as its speedup is proven; a loss is beyond its tolerance only if not even the
    estimated speedup excuses it.
    """
    program = gains.get(price.beside) if price.beside else None
    shown, estimated = (program.low(), max(program.gain, program.low())) if program else (0.0, 0.0)
    least, beyond = (math.log(price.least_gain(ratio_of(speedup))) for speedup in (shown, estimated))
    limits = _Limits(least, max(worst, least - OVER), beyond)
    effect = gains.get(price.metric)
    effect = effect and replace(effect, peak=EARLY)
    return _side(price.metric, effect, limits, noticed, is_price=True)


@dataclass(frozen=True, slots=True)
class _Limits:
    """What is tolerated: a proven gain down to ``least``, an estimated one down to ``worst``; a gain proven to be below
    ``beyond`` is not. ``alpha`` is the error allowed in proving a part better."""

    least: float
    worst: float
    beyond: float
    alpha: float = 0.0


def _side(metric: str, effect: Effect | None, limits: _Limits, noticed: Noticed, *, is_price: bool) -> Side:
    """Return where a part or a price stands.

    It is inside its tolerance where that is proven, or where the estimate is and the bound does not lose more than the
    worst; a loss that nobody notices is always tolerated.
    """
    better, worse = noticed.get(metric, (0.0, 0.0))
    least = min(limits.least, worse)
    if effect is None:
        return Side(metric, None, -math.inf, math.inf, least, SideState.OPEN, is_price, noticed=better)
    low, high = effect.low(), effect.high()
    inside = low >= least or (effect.gain >= least and low >= limits.worst)
    state = SideState.INSIDE if inside else SideState.BEYOND if high < min(least, limits.beyond) else SideState.OPEN
    return Side(metric, effect, low, high, least, state, is_price, effect.low(limits.alpha) > 0, better)
