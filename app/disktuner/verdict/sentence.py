# SPDX-License-Identifier: GPL-3.0-or-later

"""The sentence a person reads: winner, by how much, how sure, at what price; or why there is none and what to do."""

from __future__ import annotations

import math

from disktuner.results.model import Result
from disktuner.verdict.analysis import Analysis, Standing, outcome_of
from disktuner.verdict.forecast import MOST_ROUNDS, round_s
from disktuner.verdict.goals import rule_for
from disktuner.verdict.model import Decision, Outcome
from disktuner.verdict.table import Estimate
from disktuner.vocabulary.metrics import Better, Metric, is_cost

ACTIVITIES = {
    "dd-write": "writing one big file",
    "dd-read": "reading one big file",
    "raw-read": "reading the raw disk",
    "copy": "copying one file",
    "copy-contended": "copying",
    "launch-under-writes": "starting programs while files are written",
    "launch-under-reads": "starting programs while files are read and written",
    "read-latency-under-writes": "reading small pieces while files are written",
    "stream-under-copy": "playing a film beside a copy",
    "unpack": "unpacking a source tree",
    "small-files": "working with many small files",
    "many-clients": "serving many clients",
    "commit-log": "committing to a log",
    "oltp": "small mixed database work",
    "scan": "scanning a database",
    "pgbench": "PostgreSQL",
    "sql-oltp": "SQL transactions",
    "priorities": "reading beside a copy of low priority",
}
_WRITER = "writing while a program starts"


def sentence(analysis: Analysis, decision: Decision, winner: str | None, tie: tuple[str, ...], more: int | None) -> str:
    """Put a verdict into words; of a result that was cut off, say so first."""
    return f"{_cut_off(analysis.result)}{_answer(analysis, decision, winner, tie, more)}"


def _answer(analysis: Analysis, decision: Decision, winner: str | None, tie: tuple[str, ...], more: int | None) -> str:
    if decision is Decision.SWITCH and winner is not None:
        return _switch(analysis, winner, tie)
    if decision is Decision.KEEP:
        return _keep(analysis)
    return _undecided(analysis, more)


def _cut_off(result: Result) -> str:
    """Say how far it came where a result has no end: it was cut off, unless it is just being measured."""
    if result.finished:
        return ""
    begun = len({sample.round for sample in result.samples})
    where = f"in round {begun}" if begun else "before its first round"
    of = f" of {result.plan.rounds}" if begun and result.plan.rounds else ""
    return f"Interrupted {where}{of} (unless it is still being measured). "


def activity(metric: Metric) -> str:
    """Return what was done when a metric was measured, as a gerund without a capital."""
    workload, _, name = metric.name.rpartition(".")
    if workload == "launch-under-writes" and name.startswith("write"):
        return _WRITER
    return ACTIVITIES.get(workload, metric.label or metric.name)


def named(scheduler: str) -> str:
    """Return a scheduler's name for a sentence: the one that is called none must not be taken for nothing."""
    return "“none”" if scheduler == "none" else scheduler


def amount(factor: float) -> str:
    """Return a factor above 1 as people say it: ``26 %`` or, from 2 up, ``4.5×``."""
    if factor < 2:
        return f"{(factor - 1) * 100:.0f} %"
    return f"{factor:.1f}×" if factor < 100 else f"{factor:.0f}×"


def _switch(analysis: Analysis, winner: str, tie: tuple[str, ...]) -> str:
    metric_name = max(
        (m for m in analysis.roles.deciding if analysis.outcome(m, winner) is Outcome.BETTER),
        key=lambda m: abs(analysis.estimates[m, winner].centre or 0),
    )
    metric, estimate = analysis.result.metrics[metric_name], analysis.estimates[metric_name, winner]
    parts = [f"{named(winner)} {_gain(metric, estimate)}", *_prices(analysis, winner)]
    return "; ".join(parts) + "." + _tie(analysis, winner, tie)


def _tie(analysis: Analysis, winner: str, tie: tuple[str, ...]) -> str:
    """Name those that may be as good, and why they were not taken."""
    shown = [s for s in tie if s != winner and analysis.standings[s] is Standing.BETTER]
    half = analysis.gain(winner) / 2
    rest = [s for s in tie if s != winner and s not in shown and analysis.gain(s) > half]
    text = f" {_listed(shown)} cannot be told apart from it; {named(winner)} is the simplest." if shown else ""
    if rest:
        text += f" {_listed(rest)} may be as good, but that is not shown."
    return text


def _gain(metric: Metric, estimate: Estimate) -> str:
    factors = [_factor(metric, x) for x in (estimate.low, estimate.high, estimate.centre) if x is not None]
    low, high, typical = *sorted(factors[:2]), factors[2]
    if typical < 2:
        sure = f"95 % sure: {(low - 1) * 100:.0f}–{(high - 1) * 100:.0f} %"
    else:
        sure = f"95 % sure: {low:.1f}–{high:.1f}×"
    if metric.name.startswith("launch-under-"):
        what = ACTIVITIES[metric.name.rpartition(".")[0]].removeprefix("starting programs ")
        return f"starts programs {amount(typical)} faster {what} ({sure})"
    return f"is {amount(typical)} {_comparative(metric)} at {activity(metric)} ({sure})"


def _is_timed(metric: Metric) -> bool:
    return metric.unit in ("s", "ms") or "per_s" in metric.unit or metric.name.endswith(("_s", "tps", "iops"))


def _comparative(metric: Metric) -> str:
    return "faster" if _is_timed(metric) else "better"


def _factor(metric: Metric, log_ratio: float) -> float:
    """Return how many times better: above 1 is better for either direction."""
    return math.exp(min(50.0, max(-50.0, -log_ratio if metric.better is Better.LOWER else log_ratio)))


def _prices(analysis: Analysis, winner: str) -> list[str]:
    """Say what is shown to get worse, and of what decides or guards also what is only estimated to, beyond 5 %.

    Of a workload's other figures only the worst is named: with two to 32 threads they all say the same.
    """
    prices: dict[object, tuple[float, str]] = {}
    counted = (*analysis.roles.deciding, *analysis.roles.guards)
    for name, metric in analysis.result.metrics.items():
        estimate = analysis.estimates.get((name, winner))
        if estimate is None or estimate.centre is None:
            continue
        outcome, factor = outcome_of(metric, estimate), _factor(metric, estimate.centre)
        if outcome is Outcome.WORSE and factor < 1:
            key = name if name in counted else (name.rpartition(".")[0], is_cost(name))
            said = factor, _price(analysis, metric, factor)
            prices[key] = min(prices.get(key, said), said)
        elif outcome is Outcome.UNDECIDED and factor < 0.95 and name in counted:
            prices[name] = factor, f"perhaps {_price(analysis, metric, factor)}"
    return [said for _, said in prices.values()]


def _price(analysis: Analysis, metric: Metric, factor: float) -> str:
    what = activity(metric) if _stands_for_its_workload(analysis, metric) else f"“{metric.label}”"
    if is_cost(metric.name):
        return f"{activity(metric)} costs {amount(1 / factor)}{' as much' if factor <= 1 / 2 else ' more'} CPU time"
    if not _is_timed(metric):
        return f"“{metric.label}” is {amount(1 / factor)} worse"
    if metric.better is Better.LOWER:
        longer = 1 / factor
        return f"{what} takes {amount(longer) + (' as long' if longer >= 2 else ' longer')}"
    return f"{what} is {(1 - factor) * 100:.0f} % slower"


def _stands_for_its_workload(analysis: Analysis, metric: Metric) -> bool:
    """Say whether a figure may be called by what was done; others of the same workload go by their own names."""
    roles = analysis.roles
    return (
        metric.name in roles.deciding
        or metric.name in roles.guards
        or metric.name.endswith((".wall_s", ".bytes_per_s"))
    )


def _keep(analysis: Analysis) -> str:
    baseline, marks = named(analysis.baseline), set(analysis.standings.values())
    all_same = all(
        analysis.outcome(metric, scheduler) is Outcome.SAME
        for metric in analysis.roles.deciding
        for scheduler in analysis.others
    )
    if all_same:
        return f"No practical difference for {_wish(analysis)}: all within 5 %. Keep {baseline}."
    if marks == {Standing.NO_GAIN}:
        return f"Nothing is at least 5 % better than {baseline} for {_wish(analysis)}. Keep {baseline}."
    dear = [s for s in analysis.others if _gains_but_costs(analysis, s)]
    if dear:
        return (
            f"{_listed(dear)} would be faster but cost too much elsewhere{_costs(analysis, dear[0])}. Keep {baseline}."
        )
    return f"Nothing is better than {baseline} for {_wish(analysis)}{_losses(analysis)}. Keep {baseline}."


def _gains_but_costs(analysis: Analysis, scheduler: str) -> bool:
    outcomes = [analysis.outcome(metric, scheduler) for metric in analysis.roles.deciding]
    return analysis.standings[scheduler] is Standing.TOO_DEAR and Outcome.BETTER in outcomes


def _costs(analysis: Analysis, scheduler: str) -> str:
    prices = _prices(analysis, scheduler)
    return f" (with {named(scheduler)}, {'; '.join(prices)})" if prices else ""


def _losses(analysis: Analysis) -> str:
    worse = [s for s in analysis.others if analysis.standings[s] is Standing.TOO_DEAR]
    if len(worse) == len(analysis.others):
        return ": the others are worse" if len(worse) > 1 else f": {named(worse[0])} is worse"
    return f"; {_listed(worse)} {'is' if len(worse) == 1 else 'are'} worse" if worse else ""


def _undecided(analysis: Analysis, more: int | None) -> str:
    reason = _obstacle(analysis)
    if reason:
        return reason
    if more is None:
        return (
            f"The runs vary too much to tell: even {MOST_ROUNDS} more rounds would not. "
            "Close other programs that use the disk and measure again, or keep what you have."
        )
    seconds = more * round_s(analysis.result)
    took = f" ({_minutes(seconds)})" if seconds else ""
    return f"Not enough runs to tell; {more} more {'round' if more == 1 else 'rounds'}{took} would."


def _obstacle(analysis: Analysis) -> str | None:
    """Return why no number of rounds would help, and what does."""
    result, baseline = analysis.result, analysis.baseline
    valid = {sample.scheduler for sample in result.samples if sample.valid}
    if not result.finished and not valid > {baseline}:
        return "Too little was measured to compare anything. Compare again."
    if not valid:
        return "There is no valid sample to judge. Measure again, with nothing else using the disk."
    measured = {sample.scheduler for sample in result.samples}
    if baseline not in measured:
        return f"The baseline {named(baseline)} was not measured, so nothing can be compared with it. Measure it too."
    if measured == {baseline}:
        return f"Only {named(baseline)} was measured, so there is nothing to compare it with. Compare two schedulers."
    if not analysis.roles.deciding:
        return f"Nothing was measured that decides {_for_goal(analysis)}. Compare again with a goal that fits."
    return _hollow(analysis)


def _hollow(analysis: Analysis) -> str | None:
    """Say so where what decides has hardly any value that can be."""
    result, baseline = analysis.result, analysis.baseline
    hollow = [m for m in analysis.roles.deciding if m in analysis.table.impossible]
    if hollow and all(analysis.table.rounds(m, baseline) < 2 for m in hollow):
        label = result.metrics[hollow[0]].label
        return f"The values of '{label}' are zero or negative, which cannot be. Measure again."
    return None


def _for_goal(analysis: Analysis) -> str:
    rule = rule_for(analysis.result.plan.goal)
    return f"for {rule.wish}" if rule else "without a goal"


def _wish(analysis: Analysis) -> str:
    """Return what the verdict is about: the goal's wish, or the one activity that decided."""
    rule = rule_for(analysis.result.plan.goal)
    if rule is not None and not analysis.roles.stood_in and len(analysis.roles.deciding) > 1:
        return rule.wish
    return activity(analysis.result.metrics[analysis.roles.deciding[0]])


def _listed(schedulers: list[str]) -> str:
    names = [named(scheduler) for scheduler in schedulers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
