# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills an answer: what a verdict says in whole sentences, each figure beside the name of what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from disktuner.results.model import Result
from disktuner.verdict.effects import ALPHA, ratio_of
from disktuner.verdict.evidence import Evidence
from disktuner.verdict.model import (
    MOST_ROUNDS,
    SAME,
    Answer,
    Assessment,
    Comparison,
    Decision,
    Estimate,
    More,
    Outcome,
    Side,
    State,
    Verdict,
)
from disktuner.vocabulary.differences import (
    FAR,
    bound_message,
    difference_of_gain,
    gain_message,
    value_message,
)
from disktuner.vocabulary.goals import Goal, purpose_of
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import BESIDE, COUNTED, Better, Metric, Wording, words_of
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.workloads import as_declared, declared, known_metric, label_of

_WORSE = math.log(SAME[0])
_LEAST = math.log(1.005)
"""A bound that is nearer to none would be said as no difference."""
_USUAL = ("wall_s", "bytes_per_s")
"""Metrics of other programs' results that may be called by what was done."""
_WRITTEN = "bytes_per_s"


def answer_of(result: Result, evidence: Evidence, verdict: Verdict) -> Answer:
    """Return the answer of a result."""
    filling = _Filling(purpose_of(result.plan.goal), result.metrics, evidence, verdict, result)
    obstacle = filling.obstacle() if verdict.decision is Decision.UNDECIDED else None
    notes = tuple(_cut_off(result))
    if obstacle:
        return Answer(filling.action(), filling.summary(), obstacle, notes=notes)
    return filling.answer(filling.effort(), notes)


def answer_of_machines(goal: str, evidence: Evidence, verdict: Verdict, effort: Message | None) -> Answer:
    """Return the answer of a verdict that is no single result's."""
    metrics = {name: metric for name in evidence.question.metrics if (metric := known_metric(name))}
    return _Filling(purpose_of(goal), metrics, evidence, verdict).answer(effort)


def subject_of(metric: Metric, question: Question) -> Message:
    """Return what was done where a metric stands for its workload or says what went on meanwhile; else its own name.

    Beside what it went on is said where that may be one of several workloads.
    """
    workload = declared(metric.workload)
    if metric.last in BESIDE and not metric.last.startswith("load"):
        done = "reading" if metric.last.startswith("read") else "writing"
        if workload is None or question.deciding_workloads == (metric.workload,):
            return message(f"{done}-meanwhile")
        return message(f"{done}-beside", activity=workload.activity)
    known = workload.deciding if workload else None
    stands_for_it = metric.last == known or (metric.last in _USUAL and metric.name in question.metrics)
    if workload is not None and stands_for_it:
        return message("activity", activity=workload.activity)
    return message("figure", label=label_of(metric))


@dataclass(frozen=True, slots=True)
class _Filling:
    """What is said of one verdict; ``goal`` None is not among ours, ``result`` None where it is on several."""

    goal: Goal | None
    metrics: Mapping[str, Metric]
    evidence: Evidence
    verdict: Verdict
    result: Result | None = None

    def answer(self, effort: Message | None, notes: tuple[Message, ...] = ()) -> Answer:
        """Return all of it."""
        headline, *parts = tuple(self._known()) or (effort or message("nothing-shown"),)
        winner = self._winner
        return Answer(
            self.action(),
            self.summary(),
            headline,
            self._subject_of_headline,
            message("glance-sure") if winner else None,
            tuple(parts),
            tuple(self._prices(winner)) if winner else (),
            tuple(map(self._condition, self.verdict.open)) if self.verdict.decision is Decision.CONDITIONAL else (),
            self._choice() if self.verdict.decision is Decision.TRADE_OFF else None,
            tuple(self._others()),
            effort if headline != effort else None,
            notes,
            self._priced(winner) if winner else (),
            self.verdict.decision is Decision.KEEP and self._is_unfelt,
        )

    def action(self) -> Message:
        """Return what to do, in a few words."""
        verdict = self.verdict
        baseline, winner = verdict.baseline.name, verdict.winner.name if verdict.winner else None
        if verdict.leader is not None:
            return message("glance-leads", leader=verdict.leader.name)
        if verdict.decision is Decision.KEEP and self.result and self.result.plan.tunes:
            return message(
                "answer-tuning-keep" if self.result.had_baseline else "answer-tuning-take", baseline=baseline
            )
        return message(f"answer-{verdict.decision}", winner=winner, baseline=baseline, count=len(verdict.open))

    def summary(self) -> Message:
        """Return the answer and its gain in as few words, for a line of a list of results."""
        verdict, winner = self.verdict, self._winner
        if winner is None:
            return message("headline-leads", leader=verdict.leader.name) if verdict.leader else self.action()
        made, count = self._leading(winner), len(verdict.open)
        estimate, words = (made.measured, made.metric.words) if made else (winner.estimate, self._words)
        difference = _gain(words, estimate, short=True)
        return message(f"headline-{verdict.decision}", winner=winner.setting.name, difference=difference, count=count)

    def _leading(self, about: Assessment) -> Comparison | None:
        """Return the comparison that stands for the answer; None where that is the mean of all."""
        return self.verdict.comparison(self.verdict.leading or "", about.setting)

    @property
    def _winner(self) -> Assessment | None:
        winner = self.verdict.winner
        return self.evidence.by_setting[winner] if winner else None

    @property
    def _subject_of_headline(self) -> str | None:
        """What the headline has a figure of."""
        return self.verdict.leading if self.verdict.about or self.verdict.bound else None

    def _known(self) -> Iterator[Message]:
        """Yield the headline, then what is known of the other parts; nothing where nothing is."""
        if self.verdict.about is not None:
            about = self.evidence.by_setting[self.verdict.about]
            yield self._gained(about) if self.verdict.winner else self._so_far(about)
            yield from self._parts(about)
        elif self.verdict.decision is Decision.KEEP:
            yield from self._kept()
        else:
            bound = self.verdict.bound
            if bound and bound < 2:
                yield self._no_more(math.log(bound))

    def _gained(self, winner: Assessment) -> Message:
        """Return what is gained: of the part that shows it, else in the mean of all."""
        name, made = winner.setting.name, self._leading(winner)
        if made is None:
            difference = _gain(self._words, winner.estimate)
            return message("only-mean-gains" if self.result else "mean-gains", winner=name, difference=difference)
        difference, subject = _gain(made.metric.words, made.measured), self._subject(made.metric.name)
        if made.value is None:
            return message("winner-gains", winner=name, difference=difference, subject=subject)
        if self.result and self.result.was_daily_use:
            return message("glance-gain-daily-use", difference=difference, **values_of(made))
        return message("measured-differs", subject=subject, difference=difference, **values_of(made))

    def _so_far(self, leader: Assessment) -> Message:
        made = self._leading(leader)
        if made is None or made.value is None:
            difference = difference_of_gain(self._words, ratio_of(leader.gain))
            return message("mean-so-far", leader=leader.setting.name, difference=difference)
        return message("measured-so-far", subject=self._subject(made.metric.name), **values_of(made))

    def _parts(self, about: Assessment) -> Iterator[Message]:
        """Yield what is known of all else that decides; what is lost beyond its tolerance is a price."""
        for part in sorted(about.parts, key=lambda part: -self.evidence.question.weights()[part.metric]):
            made = self.verdict.comparison(part.metric, about.setting)
            is_price = self.verdict.winner is not None and part.state is State.BEYOND
            if part.metric == self.verdict.leading or is_price or made is None or made.measured is None:
                continue
            subject, difference = self._subject(part.metric), _differs(made)
            if made.value is None:
                yield message("part-is", subject=subject, difference=difference)
            elif made.outcome in (Outcome.BETTER, Outcome.WORSE):
                yield message("measured-differs", subject=subject, difference=difference, **values_of(made))
            else:
                id_ = "measured-same" if made.outcome is Outcome.SAME else "measured-unclear"
                yield message(id_, subject=subject, **values_of(made))

    def _priced(self, about: Assessment) -> tuple[str, ...]:
        """Return what conditions, else prices, are about, in their order."""
        if self.verdict.decision is Decision.CONDITIONAL:
            return tuple(side.metric for side in self.verdict.open)
        beyond = sorted(about.sides(State.BEYOND), key=lambda side: side.gain)
        worst = None if beyond else self._worst(about)
        return (worst.metric.name,) if worst else tuple(side.metric for side in beyond)

    def _prices(self, about: Assessment) -> Iterator[Message]:
        """Yield what is beyond its tolerance; else the worst that is shown to get worse.

        Where nothing that counts does, it is what is written meanwhile.
        """
        beyond = about.sides(State.BEYOND)
        for side in sorted(beyond, key=lambda side: side.gain):
            subject, words = self._subject(side.metric), self._metric(side.metric).words
            most = difference_of_gain(words, ratio_of(self._measured(side.metric, side.least)))
            made = self.verdict.comparison(side.metric, about.setting)
            if made and made.value is not None:
                yield message("glance-price-beyond", subject=subject, most=most, **values_of(made))
            else:
                difference = difference_of_gain(words, ratio_of(side.gain))
                yield message("price-beyond", subject=subject, most=most, difference=difference)
        if not beyond and (worst := self._worst(about)):
            subject = self._subject(worst.metric.name)
            if worst.value is None:
                yield message("price", subject=subject, difference=_differs(worst))
            else:
                yield message("glance-price", subject=subject, **values_of(worst))

    def _worst(self, about: Assessment) -> Comparison | None:
        """Return what is shown to get worse most, of prices first."""
        question, prices = self.evidence.question, {price.metric for price in self.evidence.question.prices}
        lost = [
            made
            for made in self.verdict.comparisons
            if (made.setting, made.outcome) == (about.setting, Outcome.WORSE)
            and made.metric.name not in question.deciding
        ]
        written = [made for made in lost if made.metric.unit == _WRITTEN]
        beside = [made for made in written if made.metric.workload in question.deciding_workloads]
        priced = [made for made in lost if made.metric.name in prices]
        return min(priced or beside, key=attrgetter("gain"), default=None)

    def _condition(self, side: Side) -> Message:
        """Say what would have to be accepted: the worst that is not excluded, and what was measured."""
        subject, words = self._subject(side.metric), self._metric(side.metric).words
        worst, gain = (self._measured(side.metric, log) for log in (side.low, side.gain))
        if side.effect is None:
            return message("if-unmeasured", subject=subject)
        if -worst > math.log(FAR):
            return message("if-unknown", subject=subject)
        likely, most = (difference_of_gain(words, ratio_of(log)) for log in (gain, worst))
        return message("if-so-much", subject=subject, worst=most, difference=likely)

    def _choice(self) -> Message:
        # What is tuned may be a winner that the disk has never had.
        is_new = self.result and self.result.plan.tunes and not self.result.had_baseline
        winner = self.verdict.winner.name if self.verdict.winner else None
        id_ = "your-call-of-tuning" if is_new else "your-call"
        return message(id_, winner=winner, baseline=self.verdict.baseline.name)

    def _others(self) -> Iterator[Message]:
        """Say who gains more than the winner but at a price, who is worse than what is kept, who was left out early."""
        assessments, winner = self.evidence.by_setting.values(), self._winner
        if self.verdict.decision is Decision.KEEP:
            scored = [(known.setting.name, known.score) for known in assessments if known.score]
            worse = tuple(name for name, score in scored if score.high(ALPHA / 2) < 0)
            if worse and not self._is_unfelt:
                yield message("are-worse", schedulers=worse, count=len(worse))
        elif self.verdict.decision is Decision.SWITCH and winner:
            dear = [known for known in assessments if known.is_better and known.sides(State.BEYOND)]
            best = max(dear, key=lambda known: known.gain, default=None)
            if best and best.gain > winner.gain + math.log(SAME[1]):
                yield message("gains-more", scheduler=best.setting.name)
                yield from self._prices(best)
        behind = tuple(setting.name for setting in self.verdict.left_out if setting != self.verdict.about)
        if behind:
            yield message("left-out-early", settings=behind, count=len(behind))

    def _kept(self) -> Iterator[Message]:
        """Say what nothing exceeds, and which part of all gains by itself."""
        verdict = self.verdict
        if self.result and self.result.plan.tunes:
            yield message("tuning-gains-nothing")
        bound = math.log(verdict.bound or 1.0)
        if self._is_unfelt:
            yield message("nothing-felt")
            yield from self._present_values()
        elif bound > math.log(verdict.worth) + 1e-9 or math.isinf(self._of_one(bound)):
            yield message("nothing-noticed", baseline=verdict.baseline.name)
        else:
            yield self._no_more(bound)
        if verdict.leading is None:
            yield from self._better_alone()

    def _no_more(self, bound: float) -> Message:
        """Say what no setting exceeds: of the one part, else in the mean of all."""
        one = len(self.evidence.question.parts) == 1
        values: dict[str, Message | str] = {"baseline": self.verdict.baseline.name}
        if one:
            values["subject"] = self._subject(self.evidence.question.deciding[0])
        if bound < _LEAST:
            return message("nothing-better" if one else "nothing-better-in-all", **values)
        alike = all(_WORSE <= known.gain <= -_WORSE for known in self.evidence.by_setting.values())
        values["difference"] = bound_message(self._words, ratio_of(self._of_one(bound)))
        if alike and self.verdict.decision is Decision.KEEP:
            return message("no-practical-difference" if one else "no-practical-difference-in-all", **values)
        return message("no-more-than" if one else "no-more-than-in-all", **values)

    def _of_one(self, gain: float) -> float:
        """Return a gain of the one part that decides as it was measured; that of several as it is."""
        parts = self.evidence.question.deciding
        return self._measured(parts[0], gain) if len(parts) == 1 else gain

    @property
    def _is_unfelt(self) -> bool:
        """Whether everything that decides is something that people feel, and no setting differs in it by that much."""
        deciding = self.evidence.question.deciding
        compared = [made for made in self.verdict.comparisons if made.metric.name in deciding]
        return bool(compared) and all(map(self._is_unnoticed, compared))

    def _is_unnoticed(self, made: Comparison) -> bool:
        scale = self.evidence.levels.scale(made.metric.name)
        if made.value is None or made.now is None or scale.unit in COUNTED:
            return False
        is_near = abs(made.value - made.now) < scale.unnoticed
        return is_near and made.outcome in (Outcome.SAME, Outcome.UNDECIDED)

    def _present_values(self) -> Iterator[Message]:
        """Yield what everything that decides takes now, and with the setting that gains most."""
        for name in self.evidence.question.deciding:
            compared = [
                made for made in self.verdict.comparisons if made.metric.name == name and made.value is not None
            ]
            best, baseline = max(compared, key=attrgetter("gain"), default=None), self.verdict.baseline.name
            if best is not None:
                setting, subject = best.setting.name, self._subject(name)
                yield message("values-alike", subject=subject, baseline=baseline, setting=setting, **values_of(best))

    def _better_alone(self) -> Iterator[Message]:
        """Say of each part what the best setting gains in it, which the mean of all does not show."""
        better = [
            made for made in self.verdict.comparisons if made.outcome is Outcome.BETTER and made.value is not None
        ]
        for name in self.evidence.question.deciding:
            best = max((made for made in better if made.metric.name == name), key=attrgetter("gain"), default=None)
            if best and not self._is_unfelt:
                yield message("better-alone", setting=best.setting.name, subject=self._subject(name), **values_of(best))

    def effort(self) -> Message | None:
        """Return what it would take to decide, or to settle what is open."""
        more, decision = self.verdict.more, self.verdict.decision
        if more is None and decision is not Decision.UNDECIDED:
            return None
        if self.result is not None and self.result.was_daily_use:
            return message("more-use", seconds=more.seconds) if more and more.seconds else message("more-use-unknown")
        return self._rounds(more) if more else self._hopeless()

    def _hopeless(self) -> Message:
        missing = tuple(known.setting.name for known in self.evidence.by_setting.values() if known.score is None)
        if missing:
            return message("not-all-measured", settings=missing, count=len(missing))
        return message("runs-vary-too-much", count=MOST_ROUNDS)

    def _rounds(self, more: More) -> Message:
        if self.verdict.decision is Decision.CONDITIONAL:
            return message("more-would-tell", count=more.rounds, seconds=more.seconds or 0.0)
        if more.seconds:
            return message("more-rounds-in-time", count=more.rounds, seconds=more.seconds)
        return message("more-rounds", count=more.rounds)

    def obstacle(self) -> Message | None:
        """Return why no number of rounds would help, and what does."""
        result, baseline = self.result, self.verdict.baseline
        if result is None:
            return None
        measured = {sample.setting for sample in result.samples}
        valid = {sample.setting for sample in result.samples if sample.valid}
        uncounted = valid and baseline in measured - valid
        if uncounted or (not result.finished and not valid > {baseline}):
            return message("too-little-measured")
        if not valid:
            return message("no-valid-sample")
        if baseline not in measured or measured == {baseline}:
            is_alone = baseline in measured
            return message("only-baseline-measured" if is_alone else "baseline-not-measured", baseline=baseline.name)
        return self._nothing_decides()

    def _nothing_decides(self) -> Message | None:
        if not self.evidence.question.parts:
            goal = self.goal
            return message("nothing-decides", purpose=goal.purpose) if goal else message("nothing-decides-without-goal")
        wrong = [name for name in self.evidence.question.deciding if name in self.evidence.levels.impossible]
        scored = any(known.score for known in self.evidence.by_setting.values())
        return message("impossible-values", label=label_of(self._metric(wrong[0]))) if wrong and not scored else None

    @property
    def _words(self) -> Wording:
        """How a difference in all that decides is said."""
        return words_of(map(self._metric, self.evidence.question.deciding))

    def _subject(self, name: str) -> Message:
        return subject_of(self._metric(name), self.evidence.question)

    def _metric(self, name: str) -> Metric:
        """Return a metric that was measured, or that is only declared."""
        metric = self.metrics.get(name) or known_metric(name)
        return as_declared(metric) if metric else Metric(name, "", Better.LOWER, name)

    def _measured(self, name: str, gain: float) -> float:
        """Return a gain over the baseline's typical value as it was measured, from the scale that decides."""
        levels = self.evidence.levels
        now = levels.typical(name, self.verdict.baseline)
        return gain if now is None else levels.scale(name).measured(now, gain)


def values_of(made: Comparison) -> dict[str, Message]:
    """Return what there is instead of what there was, in one unit where that can be."""
    value, now = made.value or 0.0, made.now or 0.0
    largest = max(value, now)
    return {
        "value": value_message(value, made.metric, largest),
        "now": value_message(now, made.metric, largest),
    }


def _differs(made: Comparison) -> Message:
    return difference_of_gain(made.metric.words, ratio_of(made.gain))


def _gain(words: Wording, estimate: Estimate | None, *, short: bool = False) -> Message:
    """Return a gain that something rests on, with what it is at least."""
    estimate = estimate or Estimate(0.0)
    least = ratio_of(estimate.low) if estimate.low > 0 else 1.0
    return gain_message(words, least, ratio_of(estimate.gain), short=short)


def _cut_off(result: Result) -> Iterator[Message]:
    """Say how far it came where a result has no end: it was cut off, unless it is just being measured."""
    if not result.finished:
        begun = result.rounds
        yield message("cut-off-in-round", round=begun) if begun else message("cut-off-before-first-round")
