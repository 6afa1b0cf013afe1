# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the decision: switch, trade-off, keep or undecided, the winner, its ties, and the sentences that say why.

The method, its sources and its error rates by simulation are described in docs/method.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.analysis import Analysis, Standing, analyse, ratio_of
from disktuner.verdict.forecast import chance_of_worth, more_rounds, round_s
from disktuner.verdict.model import Decision, Known, KnownKind, More, Outcome, Verdict
from disktuner.verdict.why import why
from disktuner.vocabulary.schedulers import scheduler


def judge(result: Result) -> Verdict:
    """Judge a result from its raw samples; never raises for whatever a sound result may hold."""
    analysis = analyse(result)
    verdict = decide(analysis)
    behind = tuple(s for s in verdict.left_out if s not in (verdict.winner, verdict.leader))
    verdict = replace(verdict, left_out=behind)
    return replace(verdict, why=why(analysis, verdict))


def decide(analysis: Analysis) -> Verdict:
    """Return the verdict without its sentences."""
    nothing = Verdict(
        Decision.UNDECIDED,
        None,
        analysis.baseline,
        (),
        analysis.comparisons,
        (),
        analysis.criteria.worth,
        tuple(_known(analysis)),
        left_out=_left_out(analysis),
    )
    standings = {s: analysis.standing(s) for s in analysis.others}
    better, dear, still_open = (
        [s for s, standing in standings.items() if standing is wanted]
        for wanted in (Standing.BETTER, Standing.TRADE_OFF, Standing.OPEN)
    )
    if better:
        return _switch(analysis, better, nothing)
    if dear:
        return replace(nothing, decision=Decision.TRADE_OFF, winner=max(dear, key=analysis.gain))
    bound = _bound(analysis)
    if still_open or not analysis.others:
        return replace(_undecided(analysis, still_open, nothing), bound=bound)
    equals = [s for s in analysis.others if _is_same(analysis, s)]
    ties = ((analysis.baseline, *equals),) if equals else ()
    return replace(nothing, decision=Decision.KEEP, ties=ties, bound=bound)


def simplest(schedulers: Sequence[str]) -> str:
    """Return the one with the least machinery."""
    return min(schedulers, key=lambda name: (scheduler(name).rank, name))


def leading(analysis: Analysis, schedulers: Sequence[str]) -> str | None:
    """Return who of these is estimated to gain most anywhere it counts, None where that is worth no change."""
    best = max(schedulers, key=lambda s: analysis.largest_gain(s)[0], default=None)
    return best if best is not None and analysis.largest_gain(best)[0] >= analysis.worth else None


def _known(analysis: Analysis) -> Iterator[Known]:
    """Return what is proved and ruled out where it decides."""
    kinds = {Outcome.BETTER: KnownKind.GAINS, Outcome.WORSE: KnownKind.LOSES}
    for metric in analysis.criteria.deciding:
        for name in analysis.others:
            kind, (low, high) = kinds.get(analysis.outcome(metric, name)), analysis.ends_at(metric, name)
            if kind is not None and low is not None and high is not None:
                yield Known(metric, name, kind, ratio_of(low), ratio_of(high))
        most = analysis.bound(metric)
        if most is not None:
            yield Known(metric, None, KnownKind.NO_MORE_THAN, 0.0, ratio_of(most))


def _left_out(analysis: Analysis) -> tuple[str, ...]:
    """Return which settings a tuning measured in fewer rounds than others."""
    if not analysis.result.plan.tunes:
        return ()
    rounds = {s: sum(analysis.table.rounds(m, s) for m in analysis.criteria.deciding) for s in analysis.others}
    most = max(rounds.values(), default=0)
    return tuple(s for s, count in rounds.items() if count < most)


def _bound(analysis: Analysis) -> float | None:
    """Return the gain that nothing exceeds anywhere it counts, as a factor."""
    most = [analysis.bound(metric) for metric in analysis.criteria.deciding]
    known = [gain for gain in most if gain is not None]
    return ratio_of(max(known)) if known and len(known) == len(most) else None


def _undecided(analysis: Analysis, still_open: list[str], nothing: Verdict) -> Verdict:
    leader = leading(analysis, still_open)
    chance = chance_of_worth(analysis, analysis.largest_gain(leader)[1], leader) if leader else None
    rounds = more_rounds(analysis, still_open) if analysis.criteria.deciding and still_open else None
    more = More(rounds, rounds * round_s(analysis) or None) if rounds else None
    return replace(nothing, leader=leader, chance=chance, more=more)


def _switch(analysis: Analysis, better: list[str], nothing: Verdict) -> Verdict:
    best = max(better, key=analysis.gain)
    equals = [s for s in analysis.others if s == best or _is_equal(analysis, s, better)]
    winner = simplest([s for s in equals if s in better])
    ties = (tuple(equals),) if len(equals) > 1 else ()
    return replace(nothing, decision=Decision.SWITCH, winner=winner, ties=ties)


def _is_equal(analysis: Analysis, scheduler: str, better: list[str]) -> bool:
    """Say whether nothing shows that one of the better ones beats this one, be it in rounds of long ago."""
    measured = all(analysis.table.rounds(metric, scheduler) for metric in analysis.criteria.deciding)
    known_worse = analysis.standing(scheduler) in (Standing.TRADE_OFF, Standing.NO_GAIN)
    loses = any(analysis.loses_at(metric, scheduler) for metric in analysis.criteria.deciding)
    return measured and not known_worse and not loses and not any(analysis.beaten_by(scheduler, b) for b in better)


def _is_same(analysis: Analysis, scheduler: str) -> bool:
    return all(analysis.outcome(metric, scheduler) is not Outcome.WORSE for metric in analysis.criteria.deciding)
