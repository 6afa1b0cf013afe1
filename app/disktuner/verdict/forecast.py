# SPDX-License-Identifier: GPL-3.0-or-later
"""How many more rounds would tell, if the runs go on to vary as they did; and how long they would take."""

from __future__ import annotations

from collections.abc import Iterable

from disktuner.results.model import Result
from disktuner.verdict.analysis import MISSED, Analysis, worth
from disktuner.verdict.interval import FIRST_LOOK, LEAST_DEVIATION, least_half, level, quantile
from disktuner.verdict.table import Estimate

MOST_ROUNDS = 400
_STEPS: tuple[int, ...] = (*range(1, 25), *range(25, 100, 5), *range(100, MOST_ROUNDS + 1, 20))


def more_rounds(analysis: Analysis, schedulers: Iterable[str]) -> int | None:
    """Return how many more rounds would decide all open comparisons of these schedulers; None if too many."""
    needed = 1
    for scheduler in schedulers:
        for metric in analysis.roles.deciding:
            if not analysis.is_told(metric, scheduler):
                estimate = analysis.estimates[metric, scheduler]
                gain = analysis.gain_at(metric, scheduler)
                least = worth(analysis.result.metrics[metric])
                steps = _steps(estimate, gain, least, analysis.alphas[metric], analysis.table.planned)
                if steps is None:
                    return None
                needed = max(needed, steps)
    return needed


def round_s(result: Result) -> float:
    """Return how long one round took on average, from the durations of its runs (0 where not recorded)."""
    runs = {(sample.round, sample.order): sample.duration_s for sample in result.samples}
    rounds = {number for number, _ in runs}
    return sum(runs.values()) / len(rounds) if rounds else 0.0


def _steps(estimate: Estimate, gain: float | None, least: float, alpha: float, planned: int | None) -> int | None:
    """Return after how many more rounds the interval would exclude no gain, or a gain of the ``least`` that counts."""
    if estimate.n < 2 or estimate.deviation is None or gain is None:
        return max(1, FIRST_LOOK - estimate.n)
    for more in _STEPS:
        n = estimate.n + more
        if level(n, alpha, planned):
            to_show, to_rule_out = (_half(n, error, planned, estimate.deviation) for error in (alpha, 2 * MISSED))
            if to_show < gain or gain + to_rule_out < least:
                return more
    return None


def _half(n: int, alpha: float, planned: int | None, deviation: float) -> float:
    """Return half an interval of so many rounds."""
    spread = max(deviation, LEAST_DEVIATION) / float(n**0.5)
    return max(quantile(level(n, alpha, planned), n - 1) * spread, least_half(n, planned))
