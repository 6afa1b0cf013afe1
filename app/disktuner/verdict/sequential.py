# SPDX-License-Identifier: GPL-3.0-or-later
"""What to measure next: rounds go on while something that decides is open, without those that have clearly lost.

The guarantee holds because the intervals hold at all looks at once (see ``interval``): stopping on them, or leaving
out a scheduler because of them, adds no error. Racing: O. Maron and A. W. Moore, "Hoeffding races", NIPS 1993.
What the rounds that are left would hardly settle (see ``forecast``) is not run either.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from disktuner.results.model import Result
from disktuner.verdict.analysis import MISSED, SAME_HIGH, Analysis, Standing, analyse, worth
from disktuner.verdict.forecast import HOPELESS, Horizon, chance_of_answer
from disktuner.verdict.interval import FIRST_LOOK
from disktuner.verdict.judge import simplest
from disktuner.verdict.model import Outcome
from disktuner.vocabulary.metrics import Better

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def next_schedulers(result: Result) -> tuple[str, ...]:
    """Return those to be measured in the next round, in the plan's order; empty when the comparison is finished.

    The baseline is always among them; who was left out once does not return.
    """
    analysis = analyse(result)
    if _used_up(analysis):
        return ()
    racing = _race(analysis)
    if not any(_is_open(analysis, s, racing) for s in racing) and not _tie_matters(analysis):
        return ()
    return (analysis.baseline, *(s for s in racing if _may_win(analysis, s, racing)))


def rounds_done(result: Result) -> int:
    """Return how many rounds have a valid sample; a round that was wholly in vain is made again."""
    return len({sample.round for sample in result.samples if sample.valid})


def _used_up(analysis: Analysis) -> bool:
    planned = analysis.result.plan.rounds
    return not analysis.others or (planned is not None and rounds_done(analysis.result) >= planned)


def _race(analysis: Analysis) -> list[str]:
    """Return those that were not left out before and have not lost."""
    return [s for s in analysis.others if not _was_left_out(analysis.result, s) and not _has_lost(analysis, s)]


def _may_win(analysis: Analysis, scheduler: str, racing: list[str]) -> bool:
    return analysis.standings[scheduler] is Standing.BETTER or _is_open(analysis, scheduler, racing)


def _was_left_out(result: Result, scheduler: str) -> bool:
    last = max((sample.round for sample in result.samples), default=None)
    return last is not None and all(s.scheduler != scheduler for s in result.samples if s.round == last)


def _is_open(analysis: Analysis, scheduler: str, racing: list[str]) -> bool:
    """Say whether something is not known of a scheduler that the rounds left may settle."""
    deciding = analysis.criteria.deciding
    gains = any(analysis.outcome(metric, scheduler) is Outcome.BETTER for metric in deciding)
    if analysis.standings[scheduler] is Standing.OPEN and (gains or not deciding):
        return True
    unsettled = [metric for metric in deciding if not analysis.is_settled(metric, scheduler)]
    return any(_may_be_settled(analysis, metric, scheduler, racing) for metric in unsettled)


def _may_be_settled(analysis: Analysis, metric: str, scheduler: str, racing: list[str]) -> bool:
    """Say whether the rounds left have a chance to settle it; nothing is given up before the first look."""
    planned = analysis.table.planned
    gains = _gains(analysis, metric, scheduler, analysis.baseline)
    if planned is None or len(gains) < FIRST_LOOK:
        return True
    best = max(racing, key=lambda s: _mean(_gains(analysis, metric, s, analysis.baseline)))
    lags = _gains(analysis, metric, scheduler, best)
    if len(lags) < FIRST_LOOK:
        return True
    horizon = Horizon(planned - rounds_done(analysis.result), analysis.alphas[metric], 2 * MISSED, planned)
    chance = chance_of_answer(gains, lags, horizon, worth(analysis.result.metrics[metric]))
    return float(chance) >= HOPELESS


def _gains(analysis: Analysis, metric: str, ours: str, theirs: str) -> NDArray[np.float64]:
    differences = analysis.table.differences(metric, ours, theirs)
    return -differences if analysis.result.metrics[metric].better is Better.LOWER else differences


def _mean(gains: NDArray[np.float64]) -> float:
    return float(gains.mean()) if len(gains) else -math.inf


def _has_lost(analysis: Analysis, scheduler: str) -> bool:
    """Say whether a scheduler cannot win any more: worse or too dear, without a gain, or beaten by a better one."""
    standing = analysis.standings[scheduler]
    if standing in (Standing.TOO_DEAR, Standing.NO_GAIN):
        return True
    better = [s for s in analysis.others if analysis.standings[s] is Standing.BETTER]
    return any(_is_overtaken(analysis, scheduler, winner) for winner in better)


def _tie_matters(analysis: Analysis) -> bool:
    """Say whether the simplest of the winners looks more than 5 % behind the best, and more rounds may settle it."""
    better = [s for s in analysis.others if analysis.standings[s] is Standing.BETTER]
    if len(better) < 2:
        return False
    best = max(better, key=analysis.gain)
    unbeaten = [s for s in better if not any(analysis.beaten_by(s, b) for b in better)]
    winner = simplest(unbeaten or [best])
    if analysis.gain(best) - analysis.gain(winner) <= SAME_HIGH:
        return False
    return any(_may_be_distinguished(analysis, metric, best, winner) for metric in analysis.criteria.deciding)


def _may_be_distinguished(analysis: Analysis, metric: str, best: str, winner: str) -> bool:
    planned, gains = analysis.table.planned, _gains(analysis, metric, best, winner)
    if planned is None or len(gains) < FIRST_LOOK:
        return True
    horizon = Horizon(planned - rounds_done(analysis.result), analysis.rival_alpha, 2 * MISSED, planned)
    chance = chance_of_answer(gains, 0 * gains, horizon, worth(analysis.result.metrics[metric]))
    return float(chance) >= HOPELESS


def _is_overtaken(analysis: Analysis, scheduler: str, winner: str) -> bool:
    """Say whether a winner beats a scheduler somewhere and looks at most 5 % behind it where else it counts."""
    if not analysis.beaten_by(scheduler, winner):
        return False
    gains = [[analysis.gain_at(m, s) for m in analysis.criteria.deciding] for s in (scheduler, winner)]
    return all(ours is None or (its or 0.0) >= ours - SAME_HIGH for ours, its in zip(*gains, strict=True))
