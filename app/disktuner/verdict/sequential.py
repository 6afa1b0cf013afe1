# SPDX-License-Identifier: GPL-3.0-or-later
"""What to measure next: rounds go on while something that decides is open, without those that have clearly lost.

The guarantee holds because the intervals hold at all looks at once (see ``interval``): stopping on them, going on, or
leaving out a scheduler because of them adds no error. Racing: O. Maron and A. W. Moore, "Hoeffding races", NIPS 1993.
What the rounds that are left would hardly settle (see ``forecast``) is not run either. Prices are only asked of those
who may win.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from disktuner.results.model import Result, Sample
from disktuner.verdict.analysis import MISSED, SAME_HIGH, Analysis, Standing, analyse, gains_of
from disktuner.verdict.criteria import criteria
from disktuner.verdict.forecast import HOPELESS, Horizon, Noise, chance_of_answer, chance_of_price, gain_error
from disktuner.verdict.halving import FEWEST, left_out, place
from disktuner.verdict.interval import FIRST_LOOK
from disktuner.verdict.judge import leading, simplest
from disktuner.vocabulary.metrics import Better

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHOWN_ROUNDS = 5
"""How often something is measured that is only shown."""

UNPLANNED = 8
"""How many more rounds are reckoned with where nobody says."""


def next_runs(result: Result, horizon_rounds: int | None = None, since: int = 0) -> Mapping[str, tuple[str, ...]]:
    """Return by workload which schedulers are worth another round, the baseline first; empty when all is finished.

    Who was left out of a workload that decides does not return to it. A workload that only prices asks those who are
    proved to gain or lead, as long as it is not settled on which side of its tolerance they are; it may ask one who was
    not asked before. What neither decides nor prices, and all where nothing decides, has ``SHOWN_ROUNDS`` of everybody.
    ``horizon_rounds`` says how many more rounds are reckoned with at most, as planned where None; ``since`` is the
    order of the first run since it is measured on: who was left out before that may return.
    """
    analysis = analyse(result)
    left = _left(result) if horizon_rounds is None else horizon_rounds
    if left <= 0 or not analysis.others:
        return {}
    race = (_Tuning if result.plan.tunes else _Race)(analysis, left, since)
    counted = _workloads(result) if criteria(result, planned=True).deciding else ()
    found = {workload: race.runs(workload) for workload in counted}
    for workload in result.plan.workloads:
        if workload not in counted and (not counted or _rounds_of(result, workload) < SHOWN_ROUNDS):
            found[workload] = analysis.others
    return {workload: (analysis.baseline, *names) for workload, names in found.items() if names}


def _rounds_of(result: Result, workload: str) -> int:
    return len({sample.round for sample in result.samples if sample.valid and _is_of(workload, sample)})


def rounds_done(result: Result) -> int:
    """Return how many rounds have a valid sample; a round that was wholly in vain is made again."""
    return len({sample.round for sample in result.samples if sample.valid})


def _left(result: Result) -> int:
    return result.plan.rounds - rounds_done(result) if result.plan.rounds else UNPLANNED


def _workloads(result: Result) -> tuple[str, ...]:
    """Return the workloads that decide or price, measured yet or not, in the plan's order."""
    found = [criteria(result), criteria(result, planned=True)]
    metrics = [name for each in found for name in (*each.deciding, *each.prices)]
    names = [result.metrics[name].workload for name in metrics]
    return tuple(name for name in dict.fromkeys((*result.plan.workloads, *names)) if name in names)


@dataclass(frozen=True)
class _Race:
    """Who still races, given so many rounds more."""

    analysis: Analysis
    left: int
    since: int = 0

    @cached_property
    def standings(self) -> Mapping[str, Standing]:
        """Where all stand."""
        return {scheduler: self.analysis.standing(scheduler) for scheduler in self.analysis.others}

    @cached_property
    def winners(self) -> tuple[str, ...]:
        """Those that are better at no price."""
        return tuple(s for s, standing in self.standings.items() if standing is Standing.BETTER)

    @cached_property
    def racing(self) -> tuple[str, ...]:
        """Those that may still win: not without a gain, nor beaten by a better one."""
        return tuple(s for s in self.analysis.others if not self._has_lost(s))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Those whose prices matter: proved to gain, or leading with a chance."""
        deciding = self.analysis.criteria.deciding
        gaining = [s for s in self.racing if any(self.analysis.gains_at(m, s) for m in deciding)]
        leader = leading(self.analysis, [s for s in self.racing if s not in gaining])
        may_win = leader is not None and any(self._is_open(metric, leader) for metric in deciding)
        return tuple(s for s in self.racing if s in gaining or (may_win and s == leader))

    @cached_property
    def tie_matters(self) -> bool:
        """Whether the simplest of the winners looks more than 5 % behind the best, and more rounds may settle it."""
        analysis, winners = self.analysis, self.winners
        if len(winners) < 2:
            return False
        best = max(winners, key=analysis.gain)
        unbeaten = [s for s in winners if not any(analysis.beaten_by(s, b) for b in winners)]
        winner = simplest(unbeaten or [best])
        if analysis.gain(best) - analysis.gain(winner) <= SAME_HIGH:
            return False
        return any(self._may_be_distinguished(metric, best, winner) for metric in analysis.criteria.deciding)

    def runs(self, workload: str) -> tuple[str, ...]:
        """Return who is worth another round of a workload, without the baseline."""
        result, metrics = self.analysis.result, self.analysis.result.metrics
        if not any(_is_of(workload, sample) for sample in result.samples):
            decides = any(metrics[name].workload == workload for name in criteria(result, planned=True).deciding)
            return self.analysis.others if decides else self.candidates
        deciding = [name for name in self.analysis.criteria.deciding if metrics[name].workload == workload]
        prices = [name for name in self.analysis.criteria.prices if metrics[name].workload == workload]
        racing = self._still_in(workload)
        wanted = {s for s in racing if any(self._is_open(metric, s) for metric in deciding)}
        if deciding and (wanted or self.tie_matters):
            wanted |= {s for s in racing if s in self.winners}
        wanted |= {s for s in self.candidates if any(self._is_price_open(metric, s) for metric in prices)}
        return tuple(s for s in self.analysis.others if s in wanted)

    def _still_in(self, workload: str) -> Sequence[str]:
        """Return those that race and were not left out of a workload."""
        return [s for s in self.racing if not self._was_left_out(workload, s)]

    def _field(self, workload: str) -> Sequence[str]:
        """Return those among whom the best so far is looked for."""
        return self._still_in(workload)

    def _was_left_out(self, workload: str, scheduler: str) -> bool:
        samples = self.analysis.result.samples
        ours = [sample for sample in samples if sample.order >= self.since and _is_of(workload, sample)]
        last = max((sample.round for sample in ours), default=None)
        return last is not None and all(s.scheduler != scheduler for s in ours if s.round == last)

    def _has_lost(self, scheduler: str) -> bool:
        if self.standings[scheduler] is Standing.NO_GAIN:
            return True
        return any(self._is_overtaken(scheduler, winner) for winner in self.winners)

    def _is_overtaken(self, scheduler: str, winner: str) -> bool:
        """Say whether a winner beats a scheduler somewhere and looks at most 5 % behind it where else it counts."""
        analysis = self.analysis
        if not analysis.beaten_by(scheduler, winner):
            return False
        gains = [[analysis.gain_at(m, s) for m in analysis.criteria.deciding] for s in (scheduler, winner)]
        return all(ours is None or (its or 0.0) >= ours - SAME_HIGH for ours, its in zip(*gains, strict=True))

    def _is_open(self, metric: str, scheduler: str) -> bool:
        """Say whether something is not known of a scheduler that the rounds left may settle."""
        analysis = self.analysis
        if analysis.is_settled(metric, scheduler):
            return False
        if any(analysis.gains_at(name, scheduler) for name in analysis.criteria.deciding):
            return True
        gains = self._gains(metric, scheduler, analysis.baseline)
        if not analysis.table.looked or len(gains) < FIRST_LOOK:
            return True
        field = self._field(analysis.result.metrics[metric].workload) or [scheduler]
        best = max(field, key=lambda s: _mean(self._gains(metric, s, analysis.baseline)))
        lags = self._gains(metric, scheduler, best)
        if len(lags) < FIRST_LOOK:
            return True
        horizon = Horizon(self.left, gain_error(analysis.errors[metric]), MISSED)
        noise = self._noise(metric, scheduler, analysis.baseline)
        lags = lags if best != scheduler else 0 * gains  # no rounds are shared with oneself
        return float(chance_of_answer(gains, lags, noise, horizon, analysis.worth)) >= HOPELESS

    def _is_price_open(self, metric: str, scheduler: str) -> bool:
        """Say whether it is not known on which side of its tolerance a price is, and rounds left may show it."""
        analysis = self.analysis
        rounds = self._gains(metric, scheduler, analysis.baseline)
        if len(rounds) < FIRST_LOOK:
            return True
        if analysis.is_price_settled(metric, scheduler):
            return False
        least = analysis.least_gain(metric, scheduler)
        noise = self._noise(metric, scheduler, analysis.baseline)
        return chance_of_price(rounds, noise, self.left, least) >= HOPELESS

    def _may_be_distinguished(self, metric: str, best: str, winner: str) -> bool:
        analysis, gains = self.analysis, self._gains(metric, best, winner)
        if not analysis.table.looked or len(gains) < FIRST_LOOK:
            return True
        horizon = Horizon(self.left, analysis.rival_error, MISSED)
        noise = self._noise(metric, best, winner)
        return float(chance_of_answer(gains, 0 * gains, noise, horizon, SAME_HIGH)) >= HOPELESS

    def _gains(self, metric: str, ours: str, theirs: str) -> NDArray[np.float64]:
        differences = self.analysis.table.differences(metric, ours, theirs)
        return -differences if self.analysis.result.metrics[metric].better is Better.LOWER else differences

    def _noise(self, metric: str, ours: str, theirs: str) -> Noise:
        """Return the moderated noise of two schedulers that share rounds."""
        seen = self.analysis.table.looks(metric, ours, theirs)
        if seen is None:
            return Noise.of(self._gains(metric, ours, theirs))
        return Noise(seen.error[-1] * seen.rounds[-1] ** 0.5, seen.freedom[-1])


@dataclass(frozen=True)
class _Tuning(_Race):
    """The race of many settings: the worse half leaves it early, and returns where the others don't answer.

    A gain is all that is looked for: once one is shown, only those race on that look still better. Where there is none,
    those who left are measured on as far as their bounds still allow one.
    """

    @cached_property
    def field(self) -> tuple[str, ...]:
        """Those that race and have left no workload that decides."""
        workloads = {self.analysis.result.metrics[metric].workload for metric in self.analysis.criteria.deciding}
        return tuple(s for s in self.racing if not any(self._was_left_out(workload, s) for workload in workloads))

    @cached_property
    def contenders(self) -> tuple[str, ...]:
        """Those of whom more is asked."""
        behind = self._behind()
        staying = tuple(s for s in self.field if s not in behind)
        if self.winners:
            most = max(map(self.analysis.gain, self.winners))
            return tuple(s for s in staying if s in self.winners or self.analysis.gain(s) > most)
        deciding = self.analysis.criteria.deciding
        gaining = Standing.TRADE_OFF in self.standings.values()
        return staying if gaining or any(self._is_open(m, s) for m in deciding for s in staying) else self.racing

    def _still_in(self, _workload: str) -> Sequence[str]:
        return self.contenders

    def _field(self, _workload: str) -> Sequence[str]:
        return self.field

    def _behind(self) -> frozenset[str]:
        """Return the worse half of the field, as far as it is shown to be behind."""
        analysis = self.analysis
        import numpy as np  # noqa: PLC0415 - loaded only when something is judged

        names = (analysis.baseline, *self.field)
        if len(self.field) < 2:
            return frozenset()
        levels = [
            gains_of(analysis.result.metrics[metric], analysis.table.levels(metric, names))
            for metric in analysis.criteria.deciding
        ]
        whole = [each[:, ~np.isnan(each).any(axis=0)] for each in levels]
        if any(each.shape[-1] < FEWEST for each in whole):
            return frozenset()
        out = left_out([place(each) for each in whole], analysis.worth)
        return frozenset(name for name, leaves in zip(names, out, strict=True) if leaves)


def _is_of(workload: str, sample: Sample) -> bool:
    return sample.metric.rpartition(".")[0] == workload


def _mean(gains: NDArray[np.float64]) -> float:
    return float(gains.mean()) if len(gains) else -math.inf
