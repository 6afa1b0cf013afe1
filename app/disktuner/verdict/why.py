# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a verdict is what it is, as whole sentences: the winner, by how much, how sure, its price; or what is known."""

from __future__ import annotations

from collections.abc import Iterator

from disktuner.results.model import Result
from disktuner.verdict.analysis import SAME_HIGH, Analysis, Standing, outcome_of, ratio_of
from disktuner.verdict.criteria import tolerance
from disktuner.verdict.forecast import MOST_ROUNDS
from disktuner.verdict.model import SAME, Decision, Known, KnownKind, Outcome, Verdict
from disktuner.vocabulary.differences import difference_message, gain_of, interval_message
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import Better, Metric, Wording, is_cost
from disktuner.vocabulary.workloads import WORKLOADS, as_declared, label_of

_USUAL = ("wall_s", "bytes_per_s")
"""Metrics of foreign results that may be called by what was done."""


_PRICE = {
    (True, False): "price",
    (True, True): "price-in-cpu-time",
    (False, False): "perhaps-price",
    (False, True): "perhaps-price-in-cpu-time",
}
_PRICE_BEYOND = {
    (True, False): "price-beyond",
    (True, True): "price-beyond-in-cpu-time",
    (False, False): "perhaps-price-beyond",
    (False, True): "perhaps-price-beyond-in-cpu-time",
}
"""The sentences for a price that is proved or not, of processors or not."""

_LEAST = 1.0005
"""A gain that is nearer to 1 would be said as no difference."""

_TELLING = 2.0
"""That nothing gains more than this many times is worth a sentence."""


def why(analysis: Analysis, verdict: Verdict) -> tuple[Message, ...]:
    """Return the sentences that say why; of a result that was cut off, that one first."""
    return (*_cut_off(analysis.result), *_reasons(analysis, verdict), *_left_out(verdict))


def _reasons(analysis: Analysis, verdict: Verdict) -> Iterator[Message]:
    if verdict.decision is not Decision.UNDECIDED:
        yield from that_decided(analysis, verdict)
    elif obstacle := _obstacle(analysis):
        yield obstacle
    else:
        yield from so_far(analysis, verdict)
        yield _effort(verdict)


def that_decided(analysis: Analysis, verdict: Verdict) -> Iterator[Message]:
    """Say what a decision rests on: the gain and its price, or that there is none."""
    winner = verdict.winner
    if verdict.decision is Decision.SWITCH and winner is not None:
        yield _gain(analysis, winner)
        yield from _prices(analysis, winner)
        yield from _ties(analysis, winner, verdict.ties[0] if verdict.ties else ())
        yield from _dearer(analysis, winner)
    elif verdict.decision is Decision.TRADE_OFF and winner is not None:
        yield _gain(analysis, winner)
        yield from _prices(analysis, winner)
        call = "your-call" if _has_it(analysis.result) else "your-call-of-tuning"
        yield message(call, winner=winner, baseline=analysis.baseline)
    elif verdict.decision is Decision.KEEP:
        if analysis.result.plan.tunes:
            yield message("tuning-gains-nothing")
        yield from _nothing_better(analysis)
        yield message("keep-it" if _has_it(analysis.result) else "take-plain", baseline=analysis.baseline)


def _has_it(result: Result) -> bool:
    """Whether the baseline can be kept: what is tuned may be a winner that the disk has never had."""
    return result.had_baseline or not result.plan.tunes


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


def _left_out(verdict: Verdict) -> Iterator[Message]:
    """Name the settings that were not measured to the end."""
    if verdict.left_out:
        yield message("left-out-early", settings=verdict.left_out, count=len(verdict.left_out))


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
    shown = tuple(s for s in tie if s != winner and analysis.standing(s) is Standing.BETTER)
    half = analysis.gain(winner) / 2
    rest = tuple(s for s in tie if s != winner and s not in shown and analysis.gain(s) > half)
    if shown:
        yield message("simplest-of-equals", others=shown, winner=winner)
    if rest:
        yield message("perhaps-as-good", others=rest)


def _dearer(analysis: Analysis, winner: str) -> Iterator[Message]:
    """Say who gains more than the winner, but at a price that is proved or beyond what the goal tolerates."""
    dear = [s for s in analysis.others if analysis.standing(s) is Standing.TRADE_OFF]
    best = max(dear, key=analysis.gain, default=None)
    if best is not None and analysis.gain(best) > analysis.gain(winner) + SAME_HIGH:
        told = _gain(analysis, best).values
        yield message("gains-more", scheduler=best, difference=told["difference"], subject=told["subject"])
        yield from _prices(analysis, best)


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
        proved = outcome is Outcome.WORSE and gain < 1
        if proved or (outcome is Outcome.UNDECIDED and gain < SAME[0] and name in counted):
            key = name if name in counted else (metric.workload, is_cost(name))
            if key not in found or gain < found[key][0]:
                found[key] = gain, _price(analysis, scheduler, metric, ratio, proved)
    return [price for _, price in found.values()]


def _price(analysis: Analysis, scheduler: str, metric: Metric, ratio: float, proved: bool) -> Message:
    """Say one price; one that is beyond what the goal tolerates with that bound."""
    difference, subject = difference_message(metric, ratio), _subject(analysis, metric)
    if metric.name not in analysis.prices_beyond(scheduler):
        id_ = _PRICE[proved, is_cost(metric.name)]
        return message(id_, scheduler=scheduler, difference=difference, subject=subject)
    most = difference_message(metric, tolerance(metric, analysis.may_lose(metric.name, scheduler)))
    id_ = _PRICE_BEYOND[proved, is_cost(metric.name)]
    return message(id_, scheduler=scheduler, difference=difference, subject=subject, most=most)


def _subject(analysis: Analysis, metric: Metric) -> Message:
    """Return what was done where a metric stands for its workload; others are called by their own names."""
    workload = WORKLOADS.get(metric.workload)
    if workload is None:
        return message("figure", label=label_of(metric))
    counts = metric.name in (*analysis.criteria.deciding, *analysis.criteria.prices) or metric.last in _USUAL
    stands_for_it = metric.last == workload.deciding or (counts and metric.words is not Wording.QUALITY)
    return (
        message("activity", activity=workload.activity) if stands_for_it else message("figure", label=label_of(metric))
    )


def _nothing_better(analysis: Analysis) -> Iterator[Message]:
    """Say that nothing gains what is worth a change, and what nothing exceeds."""
    baseline, deciding = analysis.baseline, analysis.criteria.deciding
    bounds = {metric: bound for metric in deciding if (bound := analysis.bound(metric)) is not None}
    most = max(bounds, key=bounds.__getitem__, default=None)
    worse = tuple(s for s in analysis.others if any(analysis.loses_at(m, s) for m in deciding))
    if _all_same(analysis):
        yield message("no-practical-difference", subject=_purpose(analysis))
    elif most is not None and ratio_of(bounds[most]) > _LEAST:
        yield _no_more(analysis, most, ratio_of(bounds[most]), _purpose(analysis))
        yield message("worth-a-change", worth=analysis.criteria.worth)
    else:
        yield message("nothing-better", baseline=baseline, subject=_purpose(analysis))
    if worse:
        yield message("are-worse", schedulers=worse, count=len(worse))


def _no_more(analysis: Analysis, metric: str, gain: float, subject: Message) -> Message:
    """Say what nothing exceeds."""
    declared = as_declared(analysis.result.metrics[metric])
    difference = difference_message(declared, 1 / gain if declared.better is Better.LOWER else gain)
    return message("no-more-than", difference=difference, baseline=analysis.baseline, subject=subject)


def _all_same(analysis: Analysis) -> bool:
    pairs = [(metric, scheduler) for metric in analysis.criteria.deciding for scheduler in analysis.others]
    return all(analysis.outcome(*pair) is Outcome.SAME for pair in pairs)


def _purpose(analysis: Analysis) -> Message:
    """Return what the verdict is about: the goal's purpose, or the one activity that decided."""
    goal, deciding = purpose_of(analysis.result.plan.goal), analysis.criteria.deciding
    if goal is not None and not analysis.criteria.stood_in and len(deciding) > 1:
        return message("purpose", purpose=goal.purpose)
    return _subject(analysis, as_declared(analysis.result.metrics[deciding[0]]))


def so_far(analysis: Analysis, verdict: Verdict) -> Iterator[Message]:
    """Say what is known though nothing is decided: proved, ruled out and likely."""
    proved = [fact for fact in verdict.known if fact.scheduler is not None]
    for fact in proved:
        yield _proved(analysis, fact)
    gained = {fact.metric for fact in proved if fact.kind is KnownKind.GAINS}
    for fact in verdict.known:
        if fact.kind is KnownKind.NO_MORE_THAN and fact.metric not in gained and _LEAST < fact.high <= _TELLING:
            metric = as_declared(analysis.result.metrics[fact.metric])
            yield _no_more(analysis, fact.metric, fact.high, _subject(analysis, metric))
    yield from _likely(analysis, verdict)


def _proved(analysis: Analysis, fact: Known) -> Message:
    metric = as_declared(analysis.result.metrics[fact.metric])
    ends = (1 / fact.high, 1 / fact.low) if metric.better is Better.LOWER else (fact.low, fact.high)
    return message(
        "is-proved",
        scheduler=fact.scheduler,
        interval=interval_message(metric, *ends),
        subject=_subject(analysis, metric),
    )


def _likely(analysis: Analysis, verdict: Verdict) -> Iterator[Message]:
    """Say who leads, and who gains about as much as is worth a change, or seems to lose elsewhere."""
    worth, deciding = analysis.criteria.worth, analysis.criteria.deciding
    if verdict.leader is not None and verdict.chance is not None:
        yield message("leads", leader=verdict.leader, worth=worth, chance=min(max(verdict.chance, 0.01), 0.99))
    for scheduler in analysis.others:
        better = [metric for metric in deciding if analysis.outcome(metric, scheduler) is Outcome.BETTER]
        if better and not any(analysis.gains_at(metric, scheduler) for metric in better):
            yield message("gains-about-worth", scheduler=scheduler, worth=worth)
        elif better:
            doubtful = [metric for metric in deciding if analysis.is_doubtful(metric, scheduler)]
            for metric in (as_declared(analysis.result.metrics[name]) for name in doubtful):
                ratio = ratio_of(analysis.estimates[metric.name, scheduler].centre or 0.0)
                yield _price(analysis, scheduler, metric, ratio, proved=False)


def _effort(verdict: Verdict) -> Message:
    more = verdict.more
    if more is None:
        return message("runs-vary-too-much", count=MOST_ROUNDS)
    if more.seconds:
        return message("more-rounds-in-time", count=more.rounds, seconds=more.seconds)
    return message("more-rounds", count=more.rounds)


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
        goal = purpose_of(result.plan.goal)
        return message("nothing-decides", purpose=goal.purpose) if goal else message("nothing-decides-without-goal")
    return _impossible_values(analysis)


def _impossible_values(analysis: Analysis) -> Message | None:
    """Say so where what decides has hardly any value that can be."""
    table, deciding = analysis.table, analysis.criteria.deciding
    found = [metric for metric in deciding if metric in table.impossible]
    if found and all(table.rounds(metric, analysis.baseline) < 2 for metric in found):
        return message("impossible-values", label=label_of(as_declared(analysis.result.metrics[found[0]])))
    return None
