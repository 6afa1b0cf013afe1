# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the decision: switch, keep or undecided, the winner, its ties, and the sentences that say why.

The method, its sources and its error rates by simulation are described in docs/method.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.analysis import WORTH_HIGHER, Analysis, Standing, analyse
from disktuner.verdict.forecast import more_rounds, round_s
from disktuner.verdict.model import Decision, More, Outcome, Verdict
from disktuner.verdict.why import why
from disktuner.vocabulary.schedulers import scheduler


def judge(result: Result) -> Verdict:
    """Judge a result from its raw samples; never raises for whatever a sound result may hold."""
    analysis = analyse(result)
    better = [s for s in analysis.others if analysis.standings[s] is Standing.BETTER]
    if better:
        return _switch(analysis, better)
    still_open = [s for s in analysis.others if analysis.standings[s] is Standing.OPEN]
    if still_open or not analysis.others:
        more = more_rounds(analysis, still_open) if analysis.criteria.deciding and still_open else None
        return replace(_verdict(analysis, Decision.UNDECIDED, None, (), more), leader=_leader(analysis, still_open))
    equals = [s for s in analysis.others if _is_same(analysis, s)]
    return _verdict(analysis, Decision.KEEP, None, (analysis.baseline, *equals) if equals else (), None)


def _leader(analysis: Analysis, still_open: list[str]) -> str | None:
    leading = max(still_open, key=analysis.gain, default=None)
    return leading if leading is not None and analysis.gain(leading) >= WORTH_HIGHER else None


def simplest(schedulers: Sequence[str]) -> str:
    """Return the one with the least machinery."""
    return min(schedulers, key=lambda name: (scheduler(name).rank, name))


def _switch(analysis: Analysis, better: list[str]) -> Verdict:
    best = max(better, key=analysis.gain)
    equals = [s for s in analysis.others if s == best or _is_equal(analysis, s, better)]
    winner = simplest([s for s in equals if s in better])
    return _verdict(analysis, Decision.SWITCH, winner, tuple(equals) if len(equals) > 1 else (), None)


def _is_equal(analysis: Analysis, scheduler: str, better: list[str]) -> bool:
    """Say whether nothing shows that one of the better ones beats this one, be it in rounds of long ago."""
    measured = all(analysis.table.rounds(metric, scheduler) for metric in analysis.criteria.deciding)
    known_worse = analysis.standings[scheduler] in (Standing.TOO_DEAR, Standing.NO_GAIN)
    return measured and not known_worse and not any(analysis.beaten_by(scheduler, b) for b in better)


def _is_same(analysis: Analysis, scheduler: str) -> bool:
    return all(analysis.outcome(metric, scheduler) is not Outcome.WORSE for metric in analysis.criteria.deciding)


def _verdict(
    analysis: Analysis, decision: Decision, winner: str | None, tie: tuple[str, ...], more: int | None
) -> Verdict:
    reasons = why(analysis, decision, winner, tie, more)
    ties = (tie,) if tie else ()
    needed = More(more, more * round_s(analysis.result) or None) if more else None
    worth = analysis.criteria.worth
    return Verdict(decision, winner, analysis.baseline, reasons, analysis.comparisons, ties, worth, more=needed)
