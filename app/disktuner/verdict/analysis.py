# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result to what is known about each scheduler: the comparisons, and where each stands for the goal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from disktuner.results.model import Result
from disktuner.verdict.criteria import Criteria, criteria, tolerance
from disktuner.verdict.model import SAME, Contrast, Outcome
from disktuner.verdict.table import LARGEST_LOG, Estimate, Table
from disktuner.vocabulary.metrics import Better, Metric, is_cost

FAMILY_ALPHA = 0.05
DECIDING_SHARE = 0.8
MISSED = 0.05
"""How often a scheduler that gains just what is worth a change may be taken for one without a gain."""
SAME_LOW, SAME_HIGH = map(math.log, SAME)
WORTH_LOWER, WORTH_HIGHER = math.log(0.95), math.log(1.05)


class Standing(StrEnum):
    """What is known about one scheduler for the goal, compared with the baseline."""

    BETTER = "better"
    """At least 5 % better where it counts, nothing that decides is worse, and the price is within bounds."""

    TOO_DEAR = "too-dear"
    """Something that decides is worse, or a price is higher than it may be: known, not guessed."""

    NO_GAIN = "no-gain"
    """Known to gain less than 5 %, or nothing, where it counts."""

    OPEN = "open"
    """Not known yet."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything a decision is drawn from.

    ``estimates`` are logarithms by metric and scheduler; ``alphas`` is the error of one comparison by metric;
    ``without_gain`` holds the deciding comparisons that rule out a gain which is worth a change.
    """

    result: Result
    table: Table
    criteria: Criteria
    baseline: str
    others: tuple[str, ...]
    alphas: Mapping[str, float]
    estimates: Mapping[tuple[str, str], Estimate]
    comparisons: tuple[Contrast, ...]
    standings: Mapping[str, Standing]
    without_gain: frozenset[tuple[str, str]]

    def outcome(self, metric: str, scheduler: str) -> Outcome:
        """Return what one comparison with the baseline shows."""
        return outcome_of(self.result.metrics[metric], self.estimates[metric, scheduler])

    def is_settled(self, metric: str, scheduler: str) -> bool:
        """Say whether one comparison has shown what the decision needs of it.

        Which is whether it is better, or that no gain is left to find; beside a gain elsewhere also how it is worse.
        """
        ruled_out = (metric, scheduler) in self.without_gain
        mark = _mark(self.result.metrics[metric], self.estimates[metric, scheduler], ruled_out)
        gains = any(self.outcome(name, scheduler) is Outcome.BETTER for name in self.criteria.deciding)
        return mark is not Standing.OPEN and (not gains or self.outcome(metric, scheduler) is not Outcome.UNDECIDED)

    def gain(self, scheduler: str) -> float:
        """Return the mean gain over the deciding metrics, as the logarithm of a factor (above 0 is better)."""
        known = [gain for m in self.criteria.deciding if (gain := self.gain_at(m, scheduler)) is not None]
        return sum(known) / len(known) if known else -math.inf

    def gain_at(self, metric: str, scheduler: str) -> float | None:
        """Return the gain at one metric, as the logarithm of a factor."""
        return benefit(self.result.metrics[metric], self.estimates[metric, scheduler].centre)

    @property
    def rival_alpha(self) -> float:
        """The two-sided error of one comparison between two rivals, of which one side counts."""
        return 2 * FAMILY_ALPHA / max(1, len(self.others)) / max(1, len(self.criteria.deciding))

    def beaten_by(self, scheduler: str, best: str) -> bool:
        """Say whether ``best`` is shown to be better than ``scheduler`` on a metric that decides.

        Source: J. C. Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best",
        Annals of Statistics 12, 1984: the truly best of k is wrongly beaten by any other with at most 5 %.
        """
        if scheduler == best:
            return False
        for metric in self.criteria.deciding:
            found = self.table.compare(metric, best, scheduler, self.rival_alpha)
            if found.low is not None and found.high is not None:
                worst = found.high if self.result.metrics[metric].better is Better.LOWER else -found.low
                if worst < 0:
                    return True
        return False


def analyse(result: Result) -> Analysis:
    """Compare all schedulers with the baseline on all metrics and say where each stands."""
    table, found = Table.of(result), criteria(result)
    baseline = result.plan.baseline
    seen = dict.fromkeys((*result.plan.schedulers, *(sample.scheduler for sample in result.samples)))
    others = tuple(scheduler for scheduler in seen if scheduler != baseline)
    there = {sample.metric for sample in result.samples}
    first = dict.fromkeys((*found.deciding, *found.prices, *result.metrics))
    counted = {*found.deciding, *found.prices}
    metrics = [name for name in first if name in there and (name in counted or not is_cost(name))]
    alphas = _alphas(metrics, found.deciding, len(others))
    estimates = {(m, s): table.compare(m, s, baseline, alphas[m]) for m in metrics for s in others}
    comparisons = tuple(comparison_of(result.metrics[m], s, estimates[m, s]) for m in metrics for s in others)
    pairs = [(m, s) for m in found.deciding for s in others]
    without_gain = frozenset(
        p for p in pairs if _rules_out_gain(result.metrics[p[0]], table.compare(*p, baseline, 2 * MISSED))
    )
    standings = {s: _standing(result.metrics, found, estimates, without_gain, s) for s in others}
    return Analysis(result, table, found, baseline, others, alphas, estimates, comparisons, standings, without_gain)


def _alphas(metrics: list[str], deciding: tuple[str, ...], others: int) -> dict[str, float]:
    """Share the error of the family among its comparisons: most of it for what decides, the rest for the prices.

    Source: weights that are set before the data keep Bonferroni's promise (R. Rosenthal and D. B. Rubin,
    "Ensemble-adjusted p values", Psychological Bulletin 94, 1983).
    """
    first = [name for name in metrics if name in deciding]
    rest = [name for name in metrics if name not in deciding]
    parts = ((first, DECIDING_SHARE if rest else 1.0), (rest, 1 - DECIDING_SHARE if first else 1.0))
    return {name: FAMILY_ALPHA * share / (len(part) * max(1, others)) for part, share in parts for name in part}


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


def worth(metric: Metric) -> float:
    """Return the least gain that is worth a change, as ``benefit`` measures it."""
    return -WORTH_LOWER if metric.better is Better.LOWER else WORTH_HIGHER


def _is_worth(metric: Metric, log_ratio: float) -> bool:
    """Say whether a ratio is better by at least 5 % of the baseline."""
    return log_ratio <= WORTH_LOWER if metric.better is Better.LOWER else log_ratio >= WORTH_HIGHER


def _standing(
    metrics: Mapping[str, Metric],
    found: Criteria,
    estimates: Mapping[tuple[str, str], Estimate],
    without_gain: frozenset[tuple[str, str]],
    scheduler: str,
) -> Standing:
    pairs = [(metrics[m], estimates[m, scheduler]) for m in found.deciding]
    prices = [_price(metrics[m], estimates[m, scheduler], may_lose) for m, may_lose in found.prices.items()]
    if not pairs:
        return Standing.OPEN
    marks = [_mark(*pair, (pair[0].name, scheduler) in without_gain) for pair in pairs]
    if Standing.TOO_DEAR in marks or Standing.TOO_DEAR in prices:
        return Standing.TOO_DEAR
    if Standing.BETTER in marks and Standing.OPEN not in prices and not _doubtful(pairs):
        return Standing.BETTER
    return Standing.NO_GAIN if set(marks) == {Standing.NO_GAIN} else Standing.OPEN


def _mark(metric: Metric, estimate: Estimate, without_gain: bool) -> Standing:
    """Where one deciding comparison alone would put the scheduler."""
    outcome = outcome_of(metric, estimate)
    if estimate.centre is None or estimate.low is None or estimate.high is None:
        return Standing.OPEN
    if outcome is Outcome.UNDECIDED:
        return Standing.NO_GAIN if without_gain else Standing.OPEN
    if outcome is Outcome.BETTER and _is_worth(metric, estimate.centre):
        return Standing.BETTER
    if outcome is Outcome.WORSE and not SAME_LOW <= estimate.centre <= SAME_HIGH:
        return Standing.TOO_DEAR
    return Standing.NO_GAIN


def _rules_out_gain(metric: Metric, estimate: Estimate) -> bool:
    """Say whether a whole interval lies where nothing is gained that is worth a change."""
    end = estimate.low if metric.better is Better.LOWER else estimate.high
    return end is not None and not _is_worth(metric, end)


def _doubtful(pairs: list[tuple[Metric, Estimate]]) -> bool:
    """Say whether something that decides looks more than 5 % worse without being known to be."""
    return any(
        outcome_of(metric, estimate) is Outcome.UNDECIDED
        and (estimate.centre is None or (benefit(metric, estimate.centre) or 0) < SAME_LOW)
        for metric, estimate in pairs
    )


def _price(metric: Metric, estimate: Estimate, may_lose: float) -> Standing:
    """Hold one price against its tolerance: kept, broken for sure, or open where only the estimate breaks it."""
    if estimate.centre is None:
        return Standing.NO_GAIN
    worst = benefit(metric, math.log(tolerance(metric, may_lose)))
    ends = [benefit(metric, end) for end in (estimate.low, estimate.high)]
    best_end = max((end for end in ends if end is not None), default=math.inf)
    if worst is not None and best_end < worst:
        return Standing.TOO_DEAR
    centre = benefit(metric, estimate.centre)
    return Standing.OPEN if worst is not None and centre is not None and centre < worst else Standing.NO_GAIN
