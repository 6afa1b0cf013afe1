# SPDX-License-Identifier: GPL-3.0-or-later
"""What to measure next: rounds go on while something that decides is open, without those that have
clearly lost.

The guarantee holds because the intervals hold at all looks at once (see ``interval``): stopping on them,
or leaving out a scheduler because of them, adds no error. Racing: O. Maron and A. W. Moore, "Hoeffding
races", NIPS 1993.
"""

from __future__ import annotations

from disktuner.results.model import Result
from disktuner.verdict.analysis import SAME_HIGH, Analysis, Standing, analyse
from disktuner.verdict.judge import simplest
from disktuner.verdict.model import Outcome


def next_schedulers(result: Result) -> tuple[str, ...]:
    """Return those to be measured in the next round, in the plan's order; empty when the comparison is
    finished.

    The baseline is always among them.
    """
    analysis = analyse(result)
    if _used_up(analysis):
        return ()
    racing = {s for s in analysis.others if not _has_lost(analysis, s)}
    if not any(_is_open(analysis, s) for s in racing) and not _tie_matters(analysis):
        return ()
    return tuple(s for s in (analysis.baseline, *analysis.others) if s in racing or s == analysis.baseline)


def finished(result: Result) -> bool:
    """Say whether everything that decides is known, or the planned rounds are used up."""
    return not next_schedulers(result)


def rounds_done(result: Result) -> int:
    """Return how many rounds have been begun with a sample, valid or not."""
    return len({sample.round for sample in result.samples})


def _used_up(analysis: Analysis) -> bool:
    planned = analysis.result.plan.rounds
    return not analysis.others or (planned is not None and rounds_done(analysis.result) >= planned)


def _is_open(analysis: Analysis, scheduler: str) -> bool:
    outcomes = [analysis.outcome(metric, scheduler) for metric in analysis.roles.deciding]
    return Outcome.UNDECIDED in outcomes or not outcomes or analysis.standings[scheduler] is Standing.OPEN


def _has_lost(analysis: Analysis, scheduler: str) -> bool:
    """Say whether a scheduler cannot win any more: worse or too dear, without a gain, or beaten by a better one."""
    standing = analysis.standings[scheduler]
    if standing in (Standing.TOO_DEAR, Standing.NO_GAIN):
        return True
    better = [s for s in analysis.others if analysis.standings[s] is Standing.BETTER]
    return any(_beaten_everywhere(analysis, scheduler, winner) for winner in better)


def _tie_matters(analysis: Analysis) -> bool:
    """Say whether the simplest of the winners looks more than 5 % behind the best of them: more rounds may tell."""
    better = [s for s in analysis.others if analysis.standings[s] is Standing.BETTER]
    if len(better) < 2:
        return False
    best = max(better, key=analysis.gain)
    unbeaten = [s for s in better if not any(analysis.beaten_by(s, b) for b in better)]
    winner = simplest(unbeaten or [best])
    return analysis.gain(best) - analysis.gain(winner) > SAME_HIGH


def _beaten_everywhere(analysis: Analysis, scheduler: str, winner: str) -> bool:
    one = len(analysis.roles.deciding) == 1
    return scheduler != winner and one and analysis.beaten_by(scheduler, winner)
