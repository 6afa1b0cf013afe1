# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a verdict is what it is, as whole sentences: the winner, by how much, how sure, at what price; or what to do."""

from __future__ import annotations

from collections.abc import Iterator

from disktuner.results.model import Result
from disktuner.verdict.analysis import Analysis, Standing, outcome_of, ratio_of
from disktuner.verdict.forecast import MOST_ROUNDS, round_s
from disktuner.verdict.model import SAME, Decision, Outcome
from disktuner.vocabulary.differences import difference_message, gain_of, interval_message
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Metric, Wording, is_cost
from disktuner.vocabulary.workloads import WORKLOADS, as_declared

_USUAL = ("wall_s", "bytes_per_s")
"""Metrics of foreign results that may be called by what was done."""


def why(
    analysis: Analysis, decision: Decision, winner: str | None, tie: tuple[str, ...], more: int | None
) -> tuple[Message, ...]:
    """Return the sentences that say why; of a result that was cut off, that one first."""
    return (*_cut_off(analysis.result), *_reasons(analysis, decision, winner, tie, more))


def _reasons(
    analysis: Analysis, decision: Decision, winner: str | None, tie: tuple[str, ...], more: int | None
) -> Iterator[Message]:
    if decision is Decision.SWITCH and winner is not None:
        yield _gain(analysis, winner)
        yield from _prices(analysis, winner)
        yield from _ties(analysis, winner, tie)
    elif decision is Decision.KEEP:
        yield from _nothing_better(analysis)
        yield message("keep-it", baseline=analysis.baseline)
    else:
        yield _obstacle(analysis) or _too_few(analysis, more)


def _cut_off(result: Result) -> Iterator[Message]:
    """Say how far it came where a result has no end: it was cut off, unless it is just being measured."""
    begun = len({sample.round for sample in result.samples})
    if result.finished:
        return
    if not begun:
        yield message("cut-off-before-first-round")
    elif result.plan.rounds:
        yield message("cut-off-in-round-of", round=begun, rounds=result.plan.rounds)
    else:
        yield message("cut-off-in-round", round=begun)


def _gain(analysis: Analysis, winner: str) -> Message:
    """Say the largest gain that is shown."""
    name = max(
        (m for m in analysis.criteria.deciding if analysis.outcome(m, winner) is Outcome.BETTER),
        key=lambda m: abs(analysis.estimates[m, winner].centre or 0),
    )
    metric, estimate = as_declared(analysis.result.metrics[name]), analysis.estimates[name, winner]
    return message(
        "winner-gains",
        winner=winner,
        difference=difference_message(metric, ratio_of(estimate.centre or 0.0)),
        interval=interval_message(metric, ratio_of(estimate.low or 0.0), ratio_of(estimate.high or 0.0)),
        subject=_subject(analysis, metric),
    )


def _ties(analysis: Analysis, winner: str, tie: tuple[str, ...]) -> Iterator[Message]:
    """Name those that may be as good, and why they were not taken."""
    shown = tuple(s for s in tie if s != winner and analysis.standings[s] is Standing.BETTER)
    half = analysis.gain(winner) / 2
    rest = tuple(s for s in tie if s != winner and s not in shown and analysis.gain(s) > half)
    if shown:
        yield message("simplest-of-equals", others=shown, winner=winner)
    if rest:
        yield message("perhaps-as-good", others=rest)


def _prices(analysis: Analysis, scheduler: str) -> list[Message]:
    """Say what is shown to get worse, and of what decides or is a price also what is estimated to, beyond ``SAME``.

    Of a workload's other metrics only the worst is named: with two to 32 threads they all say the same.
    """
    found: dict[object, tuple[float, Message]] = {}
    counted = (*analysis.criteria.deciding, *analysis.criteria.prices)
    for name, declared in analysis.result.metrics.items():
        estimate = analysis.estimates.get((name, scheduler))
        if estimate is None or estimate.centre is None:
            continue
        metric, ratio = as_declared(declared), ratio_of(estimate.centre)
        outcome, gain = outcome_of(metric, estimate), gain_of(metric, ratio)
        if outcome is Outcome.WORSE and gain < 1:
            key = name if name in counted else (metric.workload, is_cost(name))
            if key not in found or gain < found[key][0]:
                found[key] = gain, _price(analysis, scheduler, metric, ratio, proved=True)
        elif outcome is Outcome.UNDECIDED and gain < SAME[0] and name in counted:
            found[name] = gain, _price(analysis, scheduler, metric, ratio, proved=False)
    return [price for _, price in found.values()]


def _price(analysis: Analysis, scheduler: str, metric: Metric, ratio: float, proved: bool) -> Message:
    of_cpu = is_cost(metric.name)
    if proved:
        id_ = "price-in-cpu-time" if of_cpu else "price"
    else:
        id_ = "perhaps-price-in-cpu-time" if of_cpu else "perhaps-price"
    subject = _subject(analysis, metric)
    return message(id_, scheduler=scheduler, difference=difference_message(metric, ratio), subject=subject)


def _subject(analysis: Analysis, metric: Metric) -> Message:
    """Return what was done where a metric stands for its workload; others are called by their own names."""
    workload = WORKLOADS.get(metric.workload)
    if workload is None:
        return message("figure", label=metric.label)
    counts = metric.name in (*analysis.criteria.deciding, *analysis.criteria.prices) or metric.last in _USUAL
    stands_for_it = metric.last == workload.deciding or (counts and metric.words is not Wording.QUALITY)
    return message("activity", activity=workload.activity) if stands_for_it else message("figure", label=metric.label)


def _nothing_better(analysis: Analysis) -> Iterator[Message]:
    baseline, subject = analysis.baseline, _purpose(analysis)
    worse = tuple(s for s in analysis.others if analysis.standings[s] is Standing.TOO_DEAR)
    dear = tuple(s for s in worse if _gains_somewhere(analysis, s))
    if _all_same(analysis):
        yield message("no-practical-difference", subject=subject)
    elif not worse:
        yield message("nothing-worth-a-change", baseline=baseline, subject=subject)
    elif dear:
        yield message("gains-but-costs", schedulers=dear, count=len(dear))
        yield from _prices(analysis, dear[0])
    else:
        yield message("nothing-better", baseline=baseline, subject=subject)
        yield message("are-worse", schedulers=worse, count=len(worse))


def _all_same(analysis: Analysis) -> bool:
    pairs = [(metric, scheduler) for metric in analysis.criteria.deciding for scheduler in analysis.others]
    return all(analysis.outcome(*pair) is Outcome.SAME for pair in pairs)


def _gains_somewhere(analysis: Analysis, scheduler: str) -> bool:
    return any(analysis.outcome(metric, scheduler) is Outcome.BETTER for metric in analysis.criteria.deciding)


def _purpose(analysis: Analysis) -> Message:
    """Return what the verdict is about: the goal's purpose, or the one activity that decided."""
    goal, deciding = GOALS.get(analysis.result.plan.goal or ""), analysis.criteria.deciding
    if goal is not None and not analysis.criteria.stood_in and len(deciding) > 1:
        return message("purpose", purpose=goal.purpose)
    return _subject(analysis, as_declared(analysis.result.metrics[deciding[0]]))


def _too_few(analysis: Analysis, more: int | None) -> Message:
    if more is None:
        return message("runs-vary-too-much", most=MOST_ROUNDS)
    seconds = more * round_s(analysis.result)
    if seconds:
        return message("more-rounds-in-time", count=more, seconds=seconds)
    return message("more-rounds", count=more)


def _obstacle(analysis: Analysis) -> Message | None:
    """Return why no number of rounds would help, and what does."""
    result, baseline = analysis.result, analysis.baseline
    measured = {sample.scheduler for sample in result.samples}
    valid = {sample.scheduler for sample in result.samples if sample.valid}
    if not result.finished and not valid > {baseline}:
        return message("too-little-measured")
    if not valid:
        return message("no-valid-sample")
    if baseline not in measured:
        return message("baseline-not-measured", baseline=baseline)
    if measured == {baseline}:
        return message("only-baseline-measured", baseline=baseline)
    if not analysis.criteria.deciding:
        goal = GOALS.get(result.plan.goal or "")
        return message("nothing-decides", purpose=goal.purpose) if goal else message("nothing-decides-without-goal")
    return _impossible_values(analysis)


def _impossible_values(analysis: Analysis) -> Message | None:
    """Say so where what decides has hardly any value that can be."""
    table, deciding = analysis.table, analysis.criteria.deciding
    found = [metric for metric in deciding if metric in table.impossible]
    if found and all(table.rounds(metric, analysis.baseline) < 2 for metric in found):
        return message("impossible-values", label=as_declared(analysis.result.metrics[found[0]]).label)
    return None
