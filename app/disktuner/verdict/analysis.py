# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result to what is known about each scheduler: the comparisons, and where each stands for the goal."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from disktuner.results.model import Result
from disktuner.verdict.criteria import Criteria, criteria, duration_of, tolerance
from disktuner.verdict.halving import least_bound
from disktuner.verdict.interval import Errors
from disktuner.verdict.model import SAME, Contrast, Outcome
from disktuner.verdict.table import LARGEST_LOG, Estimate, Table
from disktuner.vocabulary.metrics import Better, Metric, is_cost

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FAMILY_ALPHA = 0.05
GAIN_SHARE = 0.9
"""The share of the error that is spent where something would be gained: a switch rests on that end of an interval."""
MISSED = 0.05
"""How often a gain that is just worth a change may be ruled out, or a price be taken for settled, wrongly."""
SAME_LOW, SAME_HIGH = map(math.log, SAME)


class Standing(StrEnum):
    """What is known about one scheduler for the goal, compared with the baseline."""

    BETTER = "better"
    """Proved better where it counts, by as much as is worth a change; nothing forbids it."""

    TRADE_OFF = "trade-off"
    """The same gain, but something else that decides is proved worse, or a price is estimated beyond its tolerance."""

    NO_GAIN = "no-gain"
    """A gain that is worth a change is ruled out wherever it counts."""

    OPEN = "open"
    """Not known yet."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything a decision is drawn from.

    ``estimates`` are logarithms by metric and scheduler, family-wise over what decides; ``errors`` those of one
    comparison by metric. ``singles`` are the same where each end alone may miss with ``MISSED``, for what decides and
    for prices; of a tuning, those of what decides have the better end only (``halving``). ``worth`` is the logarithm
    of the least gain that is worth a change.
    """

    result: Result
    table: Table
    criteria: Criteria
    worth: float
    baseline: str
    others: tuple[str, ...]
    errors: Mapping[str, Errors]
    estimates: Mapping[tuple[str, str], Estimate]
    singles: Mapping[tuple[str, str], Estimate]
    comparisons: tuple[Contrast, ...]

    def outcome(self, metric: str, scheduler: str) -> Outcome:
        """Return what one comparison with the baseline shows."""
        return outcome_of(self.result.metrics[metric], self.estimates[metric, scheduler])

    def standing(self, scheduler: str) -> Standing:
        """Return where one scheduler stands."""
        deciding = self.criteria.deciding
        if not any(self.gains_at(metric, scheduler) for metric in deciding):
            ruled_out = all(self.without_gain(metric, scheduler) for metric in deciding)
            return Standing.NO_GAIN if deciding and ruled_out else Standing.OPEN
        if any(self.is_doubtful(metric, scheduler) for metric in deciding):
            return Standing.OPEN
        worse = any(self.loses_at(metric, scheduler) for metric in deciding)
        return Standing.TRADE_OFF if worse or self.prices_beyond(scheduler) else Standing.BETTER

    def gains_at(self, metric: str, scheduler: str) -> bool:
        """Say whether it is proved better at one metric, and estimated to gain what is worth a change."""
        gain = self.gain_at(metric, scheduler)
        return gain is not None and gain >= self.worth and self.outcome(metric, scheduler) is Outcome.BETTER

    def loses_at(self, metric: str, scheduler: str) -> bool:
        """Say whether it is proved worse at one metric, and estimated to be so by more than 5 %."""
        centre = self.estimates[metric, scheduler].centre
        worse = self.outcome(metric, scheduler) is Outcome.WORSE
        return worse and centre is not None and not SAME_LOW <= centre <= SAME_HIGH

    def is_doubtful(self, metric: str, scheduler: str) -> bool:
        """Say whether it looks more than 5 % worse at one metric without being known to be, or is not known at all."""
        gain = self.gain_at(metric, scheduler)
        return self.outcome(metric, scheduler) is Outcome.UNDECIDED and (gain is None or gain < SAME_LOW)

    def most_gain(self, metric: str, scheduler: str) -> float | None:
        """Return the logarithm of the gain that it does not exceed at one metric; None where nothing is ruled out."""
        return _ends(self.result.metrics[metric], self.singles[metric, scheduler])[1]

    def without_gain(self, metric: str, scheduler: str) -> bool:
        """Say whether a gain that is worth a change is ruled out at one metric."""
        most = self.most_gain(metric, scheduler)
        return most is not None and most < self.worth

    def bound(self, metric: str) -> float | None:
        """Return the logarithm of the gain that nothing exceeds at one metric.

        Each bound is missed with ``MISSED``, and so is the largest of them: it is wrong only where that of the
        scheduler which truly gains most is.
        """
        known = [self.most_gain(metric, scheduler) for scheduler in self.others]
        return max((gain for gain in known if gain is not None), default=None) if None not in known else None

    def is_settled(self, metric: str, scheduler: str) -> bool:
        """Say whether one comparison has shown what the decision needs of it.

        Which is whether there is a gain that is worth a change, and beside a gain elsewhere, whether it is worse.
        """
        known = self.gains_at(metric, scheduler) or self.without_gain(metric, scheduler)
        gains = any(self.gains_at(name, scheduler) for name in self.criteria.deciding)
        return not self.is_doubtful(metric, scheduler) if gains else known

    def prices_beyond(self, scheduler: str) -> tuple[str, ...]:
        """Return the prices that are estimated beyond what the goal tolerates."""
        return tuple(metric for metric in self.criteria.prices if self._is_beyond(metric, scheduler))

    def _is_beyond(self, metric: str, scheduler: str) -> bool:
        gain = self.gain_at(metric, scheduler)
        return gain is not None and gain < self.least_gain(metric, scheduler)

    def may_lose(self, metric: str, scheduler: str) -> float:
        """Return the share of its speed that a price may lose with a scheduler."""
        duration = duration_of(metric)
        sooner = self.gain_at(duration, scheduler) if (duration, scheduler) in self.estimates else None
        return self.criteria.may_lose(metric, ratio_of(sooner or 0.0))

    def least_gain(self, metric: str, scheduler: str) -> float:
        """Return the gain (below 0, so a loss) down to which a price is tolerated, as a logarithm."""
        return -abs(math.log(tolerance(self.result.metrics[metric], self.may_lose(metric, scheduler))))

    def is_price_settled(self, metric: str, scheduler: str) -> bool:
        """Say whether it is known, with ``MISSED``, on which side of its tolerance a price is."""
        declared = self.result.metrics[metric]
        least = self.least_gain(metric, scheduler)
        worst, best = _ends(declared, self.singles[metric, scheduler])
        return worst is not None and best is not None and not worst <= least <= best

    def gain(self, scheduler: str) -> float:
        """Return the mean gain over the deciding metrics, as the logarithm of a factor (above 0 is better)."""
        known = [gain for m in self.criteria.deciding if (gain := self.gain_at(m, scheduler)) is not None]
        return sum(known) / len(known) if known else -math.inf

    def largest_gain(self, scheduler: str) -> tuple[float, str]:
        """Return the largest gain at any deciding metric, and that metric."""
        known = [(gain, m) for m in self.criteria.deciding if (gain := self.gain_at(m, scheduler)) is not None]
        return max(known, key=lambda pair: pair[0], default=(-math.inf, ""))

    def gain_at(self, metric: str, scheduler: str) -> float | None:
        """Return the gain at one metric, as the logarithm of a factor."""
        return benefit(self.result.metrics[metric], self.estimates[metric, scheduler].centre)

    def ends_at(self, metric: str, scheduler: str) -> tuple[float | None, float | None]:
        """Return the least and the largest gain that the interval at one metric holds, as logarithms."""
        return _ends(self.result.metrics[metric], self.estimates[metric, scheduler])

    @property
    def rival_error(self) -> float:
        """The one-sided error of one comparison between two rivals."""
        return FAMILY_ALPHA / max(1, len(self.others)) / max(1, len(self.criteria.deciding))

    def beaten_by(self, scheduler: str, best: str) -> bool:
        """Say whether ``best`` is shown to be better than ``scheduler`` on a metric that decides.

        Source: J. C. Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best",
        Annals of Statistics 12, 1984: the truly best of k is wrongly beaten by any other with at most 5 %.
        """
        if scheduler == best:
            return False
        errors = Errors(self.rival_error, self.rival_error)
        for metric in self.criteria.deciding:
            least, _ = _ends(self.result.metrics[metric], self.table.compare(metric, best, scheduler, errors))
            if least is not None and least > 0:
                return True
        return False


def analyse(result: Result) -> Analysis:
    """Compare all schedulers with the baseline on all metrics."""
    seen = dict.fromkeys((*result.plan.schedulers, *(sample.scheduler for sample in result.samples)))
    there = {sample.metric for sample in result.samples}
    return analysis_of(result, Table.of(result), criteria(result), tuple(seen), there)


def analysis_of(
    result: Result, table: Table, found: Criteria, schedulers: Sequence[str], there: Collection[str]
) -> Analysis:
    """Compare these schedulers with the baseline, by a table that has the metrics which are ``there``."""
    baseline = result.plan.baseline
    others = tuple(scheduler for scheduler in schedulers if scheduler != baseline)
    first = dict.fromkeys((*found.deciding, *found.prices, *result.metrics))
    counted = {*found.deciding, *found.prices}
    metrics = [name for name in first if name in there and (name in counted or not is_cost(name))]
    errors = errors_of(result.metrics, metrics, found, len(others))
    estimates = {(m, s): table.compare(m, s, baseline, errors[m]) for m in metrics for s in others}
    each = Errors(MISSED, MISSED)
    singles = {(m, s): table.compare(m, s, baseline, each) for m in metrics if m in counted for s in others}
    if result.plan.tunes:
        singles |= {pair: single for m in found.deciding for pair, single in _bounds(result, table, m, others)}
    comparisons = tuple(comparison_of(result.metrics[m], s, estimates[m, s]) for m in metrics for s in others)
    worth = math.log(found.worth)
    return Analysis(result, table, found, worth, baseline, others, errors, estimates, singles, comparisons)


def _bounds(
    result: Result, table: Table, metric: str, others: tuple[str, ...]
) -> Iterator[tuple[tuple[str, str], Estimate]]:
    """Return what settings gain at most, those that were left out early among them: the better end of each interval."""
    declared, baseline = result.metrics[metric], result.plan.baseline
    known = least_bound(gains_of(declared, table.levels(metric, (baseline, *others))))
    for name, most in zip(others, known[1:], strict=True):
        gain = None if math.isnan(most) else float(most)
        end = benefit(declared, gain)
        lower = declared.better is Better.LOWER
        count = table.rounds(metric, name)
        yield (metric, name), Estimate(count, None, end if lower else None, None if lower else end)


def gains_of(metric: Metric, logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms so that larger is better."""
    return -logs if metric.better is Better.LOWER else logs


def errors_of(metrics: Mapping[str, Metric], names: list[str], found: Criteria, others: int) -> dict[str, Errors]:
    """Share the error of the family among the comparisons that decide, most of it to the end where something is gained.

    So do prices among themselves, and what is only shown: that somebody's price differs from the baseline's is a
    finding like any other, and there are many that might. What a price is *settled* by are ``singles``.
    """
    shown = [name for name in names if name not in found.deciding and name not in found.prices]
    families = (found.deciding, tuple(found.prices), shown)
    alphas = {name: FAMILY_ALPHA / max(1, others) / len(family) for family in families for name in family}
    return {name: _of_gain(metrics[name], alphas[name], name in found.deciding) for name in names}


def _of_gain(metric: Metric, alpha: float, decides: bool) -> Errors:
    if not decides:
        return Errors.two_sided(alpha)
    gain, loss = alpha * GAIN_SHARE, alpha * (1 - GAIN_SHARE)
    return Errors(loss, gain) if metric.better is Better.LOWER else Errors(gain, loss)


def outcome_of(metric: Metric, estimate: Estimate) -> Outcome:
    """Read an interval: within ±5 % is the same, beside no difference is better or worse, else undecided."""
    if estimate.low is None or estimate.high is None:
        return Outcome.UNDECIDED
    if estimate.low >= SAME_LOW and estimate.high <= SAME_HIGH:
        return Outcome.SAME
    if estimate.low <= 0 <= estimate.high:
        return Outcome.UNDECIDED
    fell = estimate.high < 0
    return Outcome.BETTER if fell == (metric.better is Better.LOWER) else Outcome.WORSE


def ratio_of(log: float) -> float:
    """Return the ratio of a logarithm, however wild, as a number above 0."""
    return math.exp(max(-LARGEST_LOG, min(LARGEST_LOG, log)))


def comparison_of(metric: Metric, scheduler: str, estimate: Estimate) -> Contrast:
    """Return an estimate as ratios, with what it shows."""
    logs = (estimate.centre, estimate.low, estimate.high)
    ratio, low, high = (None if log is None else ratio_of(log) for log in logs)
    return Contrast(metric.name, scheduler, estimate.n, ratio, low, high, outcome_of(metric, estimate))


def benefit(metric: Metric, log_ratio: float | None) -> float | None:
    """Return the logarithm of a ratio as a gain: above 0 is better."""
    if log_ratio is None:
        return None
    return -log_ratio if metric.better is Better.LOWER else log_ratio


def _ends(metric: Metric, estimate: Estimate) -> tuple[float | None, float | None]:
    """Return the ends of an interval as gains, the least first."""
    ends = benefit(metric, estimate.low), benefit(metric, estimate.high)
    return ends if metric.better is Better.HIGHER else (ends[1], ends[0])
