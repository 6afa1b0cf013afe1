# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a result from its raw samples. The method and how often it errs are described in docs/method.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.deciding import decide, more_rounds
from disktuner.verdict.effects import Effect, Levels, ratio_of
from disktuner.verdict.findings import ALPHA, Findings, findings_of, level
from disktuner.verdict.model import SAME, Contrast, More, Outcome, Verdict
from disktuner.verdict.why import why
from disktuner.vocabulary.differences import ratio_of_gain
from disktuner.vocabulary.metrics import Better, Metric, is_cost
from disktuner.vocabulary.settings import Setting


def judge(result: Result) -> Verdict:
    """Judge a result; never raises for whatever a sound result may hold."""
    found = findings_of(result)
    verdict = replace(decide(found), comparisons=tuple(_comparisons(result, found)), left_out=_left_out(result, found))
    verdict = replace(verdict, more=_more(result, found, verdict))
    return replace(verdict, why=why(result, found, verdict))


def contrast(metric: Metric, setting: Setting, effect: Effect | None, looked: bool = True) -> Contrast:
    """Return one comparison with its own interval, and what it shows."""
    if effect is None:
        return Contrast(metric.name, setting, 0, None, None, None, Outcome.UNDECIDED)
    return contrast_at(metric, setting, effect, ALPHA / 2 * level(effect.n, looked))


def contrast_at(metric: Metric, setting: Setting, effect: Effect, alpha: float) -> Contrast:
    """Return one comparison whose interval misses with a chance of ``alpha`` to each side; none where that is 0."""
    reach = effect.reach(alpha)
    ends = (None, None) if math.isinf(reach) else (effect.gain - reach, effect.gain + reach)
    low, high = (_ratio(metric, end) for end in (ends if metric.better is Better.HIGHER else ends[::-1]))
    return Contrast(metric.name, setting, effect.n, _ratio(metric, effect.gain), low, high, outcome(*ends))


def outcome(low: float | None, high: float | None) -> Outcome:
    """Read the ends of a gain (logarithms): within ±5 % is the same, beside no difference is better or worse."""
    if low is None or high is None:
        return Outcome.UNDECIDED
    if math.log(SAME[0]) <= low and high <= math.log(SAME[1]):
        return Outcome.SAME
    return Outcome.UNDECIDED if low <= 0 <= high else Outcome.BETTER if low > 0 else Outcome.WORSE


def _ratio(metric: Metric, gain: float | None) -> float | None:
    return None if gain is None else ratio_of_gain(metric, ratio_of(gain))


def _comparisons(result: Result, found: Findings) -> Iterator[Contrast]:
    """Yield all comparisons, what the question asks about first; what costs the processors only where it is asked."""
    levels, asked = found.levels or Levels.of(result), found.question.metrics
    for name in dict.fromkeys((*asked, *result.metrics)):
        if name in levels.gains and (name in asked or not is_cost(name)):
            effects = found.effects.get(name) or levels.effects(name, found.baseline, found.worth)
            for setting in found.by_setting:
                yield contrast(result.metrics[name], setting, effects.get(setting), found.looked)


def _left_out(result: Result, found: Findings) -> tuple[Setting, ...]:
    """Return which settings a tuning measured in fewer rounds than others."""
    if not result.plan.tunes:
        return ()
    rounds = {each.setting: each.score.n if each.score else 0 for each in found.by_setting.values()}
    most = max(rounds.values(), default=0)
    return tuple(setting for setting, count in rounds.items() if count < most)


def _more(result: Result, found: Findings, verdict: Verdict) -> More | None:
    rounds = more_rounds(found, verdict.decision, verdict.winner)
    if rounds is None:
        return None
    asked = {side.metric for side in verdict.open} or set(found.question.deciding)
    return More(rounds, rounds * _round_s(result, {name.rpartition(".")[0] for name in asked}) or None)


def _round_s(result: Result, workloads: set[str]) -> float:
    """Return how long one round of some workloads took on average (0 where not recorded)."""
    taken: dict[str, dict[int, dict[int, float]]] = {name: {} for name in workloads}
    for sample in result.samples:
        if (rounds := taken.get(sample.metric.rpartition(".")[0])) is not None:
            rounds.setdefault(sample.round, {})[sample.order] = sample.duration_s
    return sum(sum(sum(each.values()) for each in rounds.values()) / len(rounds) for rounds in taken.values() if rounds)
