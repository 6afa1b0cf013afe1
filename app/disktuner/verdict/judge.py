# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a result from its raw samples: switch, conditional, trade-off, keep or undecided; what more rounds would do.

The method and how often it errs are described in docs/method.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.effects import ALPHA, Effect, ratio_of
from disktuner.verdict.findings import PARTS_SHARE, Finding, Findings, State, findings_of
from disktuner.verdict.model import (
    MOST_ROUNDS,
    SAME,
    Contrast,
    Decision,
    Known,
    KnownKind,
    More,
    Outcome,
    Score,
    Unsettled,
    Verdict,
)
from disktuner.verdict.why import why
from disktuner.vocabulary.differences import ratio_of_gain
from disktuner.vocabulary.metrics import Better, Metric, is_cost
from disktuner.vocabulary.settings import Setting

BY_EYE = math.log(SAME[1])
"""Of settings that score alike within this, the one with the least machinery is taken."""
_USUAL_ROUNDS = 4
_STEPS = (*range(1, 25), *range(25, 100, 5), *range(100, MOST_ROUNDS + 1, 20))


def judge(result: Result) -> Verdict:
    """Judge a result; never raises for whatever a sound result may hold."""
    found = findings_of(result)
    verdict = replace(decide(found), comparisons=tuple(_comparisons(result, found)), left_out=_left_out(result, found))
    verdict = replace(verdict, more=_more(result, found, verdict))
    return replace(verdict, why=why(result, found, verdict))


def contrast(metric: Metric, setting: Setting, effect: Effect | None, alpha: float = ALPHA / 2) -> Contrast:
    """Return one comparison, and what it shows; its interval misses with a chance of ``alpha`` to each side."""
    if effect is None:
        return Contrast(metric.name, setting, 0, None, None, None, Outcome.UNDECIDED)
    found = _score(effect, effect.low(alpha), effect.high(alpha))
    ends = (found.ci_low, found.ci_high) if metric.better is Better.HIGHER else (found.ci_high, found.ci_low)
    ratio, low, high = (each and ratio_of_gain(metric, each) for each in (found.ratio, *ends))
    return Contrast(metric.name, setting, effect.n, ratio, low, high, outcome(found.ci_low, found.ci_high))


def outcome(low: float | None, high: float | None) -> Outcome:
    """Read the ends of a gain, as factors: within ±5 % is the same, beside no difference is better or worse."""
    if low is None or high is None:
        return Outcome.UNDECIDED
    if SAME[0] <= low and high <= SAME[1]:
        return Outcome.SAME
    return Outcome.UNDECIDED if low <= 1 <= high else Outcome.BETTER if low > 1 else Outcome.WORSE


def _score(effect: Effect, low: float, high: float) -> Score:
    """Return a gain with the ends of its interval as factors."""
    return Score(effect.n, ratio_of(effect.gain), _factor(low), _factor(high))


def _factor(end: float) -> float | None:
    """Return an end of an interval, a logarithm, as a factor; None where there is none."""
    return None if math.isinf(end) else ratio_of(end)


def _comparisons(result: Result, found: Findings) -> Iterator[Contrast]:
    """Yield all comparisons, what the question asks about first; what costs the processors only where it is asked."""
    levels, asked = found.levels, found.question.metrics
    for name in dict.fromkeys((*asked, *result.metrics)):
        if name in levels.gains and (name in asked or not is_cost(name)):
            effects = found.effects.get(name) or levels.effects(name, found.baseline, found.worth)
            for setting in found.by_setting:
                yield contrast(result.metrics[name], setting, effects.get(setting))


def _left_out(result: Result, found: Findings) -> tuple[Setting, ...]:
    """Return which settings a tuning measured in fewer rounds than others."""
    if not result.plan.tunes:
        return ()
    rounds = {each.setting: each.score.n if each.score else 0 for each in found.by_setting.values()}
    most = max(rounds.values(), default=0)
    return tuple(setting for setting, count in rounds.items() if count < most)


def _more(result: Result, found: Findings, verdict: Verdict) -> More | None:
    rounds = more_rounds(found, verdict)
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


def decide(found: Findings) -> Verdict:
    """Return the verdict without its sentences and single comparisons."""
    verdict = _decided(found)
    leading = _leading(found, verdict.winner or verdict.leader)
    single = found.effects[leading] if leading and len(found.question.parts) > 1 else {}
    figures = {each: _score(effect, effect.low(ALPHA / 2), effect.high(ALPHA / 2)) for each, effect in single.items()}
    return replace(verdict, leading=leading, figures=figures or verdict.score)


def _decided(found: Findings) -> Verdict:
    every = tuple(found.by_setting.values())
    nothing = Verdict(
        Decision.UNDECIDED,
        None,
        found.baseline,
        found.question.worth,
        score={each.setting: _score(each.score, each.low, each.high) for each in every if each.score},
        known=tuple(_known(every)),
    )
    for decision, winners in (
        (Decision.SWITCH, [each for each in every if is_free(each)]),
        (Decision.CONDITIONAL, [each for each in every if each.gains and not each.sides(State.BEYOND)]),
        (Decision.TRADE_OFF, [each for each in every if each.gains or each.is_dear]),
    ):
        if winners:
            winner = best_of(winners)
            return replace(
                nothing,
                decision=decision,
                winner=winner.setting,
                ties=_ties(found, winner),
                open=_unsettled(winner, State.OPEN),
                beyond=_unsettled(winner, State.BEYOND),
            )
    nothing = replace(nothing, bound=_factor(max((each.high for each in every), default=math.inf)))
    if every and all(each.ruled_out for each in every):
        equals = tuple(each.setting for each in every if each.high >= 0)
        return replace(nothing, decision=Decision.KEEP, ties=((found.baseline, *equals),) if equals else ())
    leader = max(every, key=lambda each: each.gain, default=None)
    if leader is None or leader.score is None or leader.gain < leader.worth:
        return nothing
    chance = leader.score.chance_above(leader.worth)
    return replace(nothing, leader=leader.setting, chance=chance, beyond=_unsettled(leader, State.BEYOND))


def is_free(finding: Finding) -> bool:
    """Say whether a setting gains, and all that it may cost is known to be tolerated."""
    return finding.gains and all(side.state is State.INSIDE for side in (*finding.parts, *finding.prices))


def best_of(findings: Sequence[Finding]) -> Finding:
    """Return who scores best; of those that score as much by eye, the one with the least machinery."""
    most = max(each.gain for each in findings)
    return min((each for each in findings if each.gain >= most - BY_EYE), key=lambda each: each.setting.simplicity)


def more_rounds(found: Findings, verdict: Verdict) -> int | None:
    """Return how many more rounds would decide, or settle what is open of a conditional winner; None if too many.

    One that seems to gain what is worth a change is enough for an answer; that none does must be known of all.
    """
    if verdict.decision is Decision.CONDITIONAL and verdict.winner:
        sides = found.by_setting[verdict.winner].sides(State.OPEN)
        most = max(_rounds_until(side.effect, above=side.least, below=side.least) for side in sides)
        return most if most <= MOST_ROUNDS else None
    undecided = [each for each in found.by_setting.values() if not each.ruled_out]
    if verdict.decision is not Decision.UNDECIDED or not undecided or any(each.score is None for each in undecided):
        return None
    family = (1 - PARTS_SHARE) * ALPHA / len(found.by_setting)
    shown = [_rounds_until(each.score, above=0.0, alpha=family) for each in undecided if each.gain >= each.worth]
    ruled_out = max(_rounds_until(each.score, below=each.worth) for each in undecided)
    fewest = min((*shown, ruled_out))
    return fewest if fewest <= MOST_ROUNDS else None


def _rounds_until(
    effect: Effect | None, *, above: float = math.inf, below: float = -math.inf, alpha: float = ALPHA
) -> int:
    """Return after how many more rounds a gain is shown to be above a limit (``alpha``) or below another one.

    Of what was not measured nobody knows; of what varies too much it is more than ``MOST_ROUNDS``.
    """
    if effect is None:
        return _USUAL_ROUNDS
    later = ((more, effect.after(more)) for more in _STEPS)
    return next((more for more, it in later if it.low(alpha) > above or it.high() < below), MOST_ROUNDS + 1)


def _leading(found: Findings, about: Setting | None) -> str | None:
    """Return the metric that stands for the answer; None where that is the score of several.

    Of several it is the one with the most weight, where it shows the gain by itself; where not even the score shows
    it, any that does.
    """
    if len(found.question.parts) == 1:
        return found.question.deciding[0]
    finding = found.by_setting.get(about) if about else None
    if finding is None:
        return None
    weights = found.question.weights()
    parts = sorted(finding.parts, key=lambda part: -weights[part.metric])
    shown = parts[:1] if finding.low > 0 else parts
    return next((part.metric for part in shown if part.effect and part.effect.low(ALPHA / 2) > 0), None)


def _ties(found: Findings, winner: Finding) -> tuple[tuple[Setting, ...], ...]:
    """Return those that nothing shows to score less than the winner, with it; none where it stands alone."""
    equals = [
        each.setting
        for each in found.by_setting.values()
        if each is winner
        or (
            each.score
            and not each.ruled_out
            and not each.sides(State.BEYOND)
            and not found.is_behind(each.setting, winner.setting)
        )
    ]
    return (tuple(equals),) if len(equals) > 1 else ()


def _unsettled(finding: Finding, state: State) -> tuple[Unsettled, ...]:
    """Return the parts and prices of a setting that stand there."""
    return tuple(
        Unsettled(
            side.metric,
            ratio_of(side.effect.gain) if side.effect else None,
            _factor(side.low),
            ratio_of(side.least),
            side in finding.prices,
        )
        for side in finding.sides(state)
    )


def _known(every: Sequence[Finding]) -> Iterator[Known]:
    """Return what is shown and ruled out."""
    for each in every:
        if math.isinf(each.high) or math.isinf(each.low):
            continue
        ends = ratio_of(each.low), ratio_of(each.high)
        if each.low > 0:
            yield Known(each.setting, None, KnownKind.GAINS, *ends)
        elif each.ruled_out:
            yield Known(each.setting, None, KnownKind.LOSES if each.high < 0 else KnownKind.NO_MORE_THAN, *ends)
        for part in each.parts:
            if part.proved:
                yield Known(each.setting, part.metric, KnownKind.GAINS, ratio_of(part.low), ratio_of(part.high))
            elif part.state is State.BEYOND:
                yield Known(each.setting, part.metric, KnownKind.LOSES, ratio_of(part.low), ratio_of(part.high))
