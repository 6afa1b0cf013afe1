# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a result from its raw samples: switch, conditional, trade-off, keep or undecided; what more rounds would do.

The method and how often it errs are described in docs/method.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from disktuner.results.model import Result
from disktuner.verdict.effects import Effect, Levels, ratio_of
from disktuner.verdict.findings import ALPHA, PARTS_SHARE, Finding, Findings, Side, State, findings_of, level
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


def contrast(
    metric: Metric, setting: Setting, effect: Effect | None, looked: bool = True, alpha: float | None = None
) -> Contrast:
    """Return one comparison, and what it shows; its interval misses with a chance of ``alpha`` to each side."""
    if effect is None:
        return Contrast(metric.name, setting, 0, None, None, None, Outcome.UNDECIDED)
    reach = effect.reach(ALPHA / 2 * level(effect.n, looked) if alpha is None else alpha)
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


def decide(found: Findings) -> Verdict:
    """Return the verdict without its sentences and single comparisons."""
    verdict = _decided(found)
    leading = _leading(found, verdict.winner or verdict.leader)
    figures = verdict.score if leading is None or len(found.question.parts) == 1 else _figures(found, leading)
    return replace(verdict, leading=leading, figures=figures)


def _decided(found: Findings) -> Verdict:
    every = tuple(found.by_setting.values())
    nothing = Verdict(
        Decision.UNDECIDED,
        None,
        found.baseline,
        found.question.worth,
        score={each.setting: _score(each) for each in every if each.score},
        known=tuple(_known(every)),
    )
    for decision, winners in (
        (Decision.SWITCH, [each for each in every if is_free(each)]),
        (Decision.CONDITIONAL, [each for each in every if each.gains and not each.sides(State.BEYOND)]),
        (Decision.TRADE_OFF, [each for each in every if each.gains or each.is_dear]),
    ):
        if winners:
            winner = best_of(winners)
            ties = _ties(found, winner)
            sides = winner.sides(State.OPEN) if decision is not Decision.SWITCH else ()
            unsettled = tuple(_unsettled(winner, side) for side in sides)
            winning = replace(nothing, decision=decision, winner=winner.setting, ties=ties, open=unsettled)
            return replace(winning, beyond=_beyond(winner))
    bound = max((each.high for each in every), default=math.inf)
    nothing = replace(nothing, bound=ratio_of(bound) if bound < math.inf else None)
    if every and all(each.ruled_out for each in every):
        equals = tuple(each.setting for each in every if each.high >= 0)
        return replace(nothing, decision=Decision.KEEP, ties=((found.baseline, *equals),) if equals else ())
    leader = max(every, key=lambda each: each.gain, default=None)
    if leader is None or leader.score is None or leader.gain < leader.worth:
        return nothing
    chance = leader.score.chance_above(leader.worth)
    return replace(nothing, leader=leader.setting, chance=chance, beyond=_beyond(leader))


def is_free(finding: Finding) -> bool:
    """Say whether a setting gains, and all that it may cost is known to be tolerated."""
    return finding.gains and all(side.state is State.INSIDE for side in (*finding.parts, *finding.prices))


def best_of(findings: Sequence[Finding]) -> Finding:
    """Return who scores best; of those that score as much by eye, the one with the least machinery."""
    most = max(each.gain for each in findings)
    return min((each for each in findings if each.gain >= most - BY_EYE), key=lambda each: each.setting.simplicity)


def more_rounds(found: Findings, decision: Decision, winner: Setting | None) -> int | None:
    """Return how many more rounds would decide, or settle what is open of a conditional winner; None if too many.

    One that seems to gain what is worth a change is enough for an answer; that none does must be known of all.
    """
    if decision is Decision.CONDITIONAL and winner is not None:
        sides = found.by_setting[winner].sides(State.OPEN)
        return _latest(_first(partial(_settles, side, found.looked)) for side in sides)
    undecided = [each for each in found.by_setting.values() if not each.ruled_out]
    if decision is not Decision.UNDECIDED or not undecided or any(each.score is None for each in undecided):
        return None
    family = (1 - PARTS_SHARE) * ALPHA / len(found.by_setting)
    gaining = [each.score for each in undecided if each.score and each.gain >= each.worth]
    others = [each.score for each in undecided if each.score]
    shown = [_first(partial(_is_above, it, 0.0, family, found.looked)) for it in gaining]
    ruled_out = _latest(_first(partial(_is_below, it, found.worth, found.looked)) for it in others)
    return min((each for each in (*shown, ruled_out) if each is not None), default=None)


def _first(answers: Callable[[int], bool]) -> int | None:
    return next((more for more in _STEPS if answers(more)), None)


def _latest(steps: Iterable[int | None]) -> int | None:
    found = list(steps)
    return None if None in found else max(filter(None, found), default=None)


def _is_above(effect: Effect, limit: float, alpha: float, looked: bool, more: int) -> bool:
    later = effect.after(more)
    return later.gain - later.reach(alpha * level(later.n, looked)) > limit


def _is_below(effect: Effect, limit: float, looked: bool, more: int) -> bool:
    later = effect.after(more)
    return later.gain + later.reach(ALPHA * level(later.n, looked)) < limit


def _settles(side: Side, looked: bool, more: int) -> bool:
    if side.effect is None:
        return more >= _USUAL_ROUNDS
    return _is_above(side.effect, side.least, ALPHA, looked, more) or _is_below(side.effect, side.least, looked, more)


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
    return next((part.metric for part in shown if part.effect and _low(part.effect, found.looked) > 0), None)


def _low(effect: Effect, looked: bool) -> float:
    """Return the lower end of a single comparison's interval, a logarithm."""
    return effect.gain - effect.reach(ALPHA / 2 * level(effect.n, looked))


def _figures(found: Findings, metric: str) -> dict[Setting, Score]:
    """Return how many times better each setting is by one metric, with the interval of that comparison alone."""
    figures = {}
    for setting, effect in found.effects.get(metric, {}).items():
        low = _low(effect, found.looked)
        ends = (None, None) if math.isinf(low) else (ratio_of(low), ratio_of(2 * effect.gain - low))
        figures[setting] = Score(effect.n, ratio_of(effect.gain), *ends)
    return figures


def _score(finding: Finding) -> Score:
    assert finding.score is not None
    ends = (None if math.isinf(end) else ratio_of(end) for end in (finding.low, finding.high))
    return Score(finding.score.n, ratio_of(finding.gain), *ends)


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


def _beyond(finding: Finding) -> tuple[Unsettled, ...]:
    return tuple(_unsettled(finding, side) for side in finding.sides(State.BEYOND))


def _unsettled(winner: Finding, side: Side) -> Unsettled:
    measured = ratio_of(side.effect.gain) if side.effect else None
    at_worst = None if math.isinf(side.low) else ratio_of(side.low)
    return Unsettled(side.metric, measured, at_worst, ratio_of(side.least), side in winner.prices)


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
