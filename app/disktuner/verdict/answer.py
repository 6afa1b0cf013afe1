# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the answer: a verdict in whole sentences, each figure next to the name of what was measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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
    Estimate,
    More,
    Side,
    SideState,
    Verdict,
)
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.differences import (
    FAR,
    bound_message,
    difference_of_gain,
    gain_message,
    loss_message,
    value_message,
)
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import BESIDE, COUNTED, Better, Metric, Wording, words_of
from disktuner.vocabulary.questions import Question, nothing_decides
from disktuner.vocabulary.states import DiskState
from disktuner.vocabulary.units import rounded_up
from disktuner.vocabulary.workloads import as_declared, declared, known_metric, label_of

_WORSE = math.log(SAME[0])
_LEAST = math.log(1.005)
"""A bound below this would read as "no difference"."""
_USUAL = ("wall_s", "bytes_per_s")
"""Metrics of imported results that are named by what was done."""
_WRITTEN = "bytes_per_s"


def answer_of(result: Result, evidence: Evidence, verdict: Verdict) -> Answer:
    """Return the answer of a result."""
    filling = Filling(evidence, verdict, result)
    obstacle = filling.obstacle() if verdict.decision is Decision.UNDECIDED else None
    notes = tuple(_cut_off(result))
    if obstacle:
        answer = Answer(filling.action(), filling.summary(), obstacle, notes=notes)
    else:
        answer = filling.answer(filling.effort(), notes)
    return _of_exhausted(answer) if result.plan.state is DiskState.EXHAUSTED else answer


def _of_exhausted(answer: Answer) -> Answer:
    """Return an answer that says in which state of the disk it holds."""
    summary = message("headline-of-exhausted", answer=answer.summary)
    return replace(answer, summary=summary, parts=(*answer.parts, message("answer-of-exhausted")))


def subject_of(metric: Metric, question: Question) -> Message:
    """Return what was done, where a metric stands for its workload or for its background load; else the metric's name.

    Where several workloads decide, the sentence also names the one that the background load ran with.
    """
    workload = declared(metric.workload)
    if metric.last in BESIDE and not metric.last.startswith("load"):
        done = "reading" if metric.last.startswith("read") else "writing"
        if workload is None or question.deciding_workloads == (metric.workload,):
            return message(f"{done}-meanwhile")
        return message(f"{done}-beside", activity=workload.activity)
    deciding = workload.deciding if workload else None
    stands_for_it = metric.last == deciding or (metric.last in _USUAL and metric.name in question.metrics)
    if workload is not None and stands_for_it:
        return message("activity", activity=workload.activity)
    return message("figure", label=label_of(metric))


@dataclass(frozen=True, slots=True)
class Filling:
    """The sentences of one verdict on a result."""

    evidence: Evidence
    verdict: Verdict
    result: Result

    def answer(self, effort: Message | None, notes: tuple[Message, ...] = ()) -> Answer:
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
            self.verdict.decision is Decision.KEEP and self._all(self._is_near),
        )

    def action(self) -> Message:
        """Return what to do, in a few words."""
        verdict = self.verdict
        baseline, winner = verdict.baseline.name, verdict.winner.name if verdict.winner else None
        if verdict.leader is not None:
            return message("glance-leads", leader=verdict.leader.name)
        if verdict.decision is Decision.KEEP and self.result.plan.tunes:
            return message(
                "answer-tuning-keep" if self.result.had_baseline else "answer-tuning-take", baseline=baseline
            )
        return message(f"answer-{verdict.decision}", winner=winner, baseline=baseline, count=len(verdict.open))

    def summary(self) -> Message:
        """Return the answer and its gain on one line, for a list of results."""
        verdict, winner = self.verdict, self._winner
        if winner is None:
            return message("headline-leads", leader=verdict.leader.name) if verdict.leader else self.action()
        comparison, count = self._leading(winner), len(verdict.open)
        estimate, words = (
            (comparison.measured, comparison.metric.words) if comparison else (winner.estimate, self._words)
        )
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
        """The metric of the headline's figure."""
        return self.verdict.leading if self.verdict.about or self.verdict.bound else None

    def _known(self) -> Iterator[Message]:
        """Yield the headline, then what is known of the other parts, if anything."""
        if self.verdict.about is not None:
            about = self.evidence.by_setting[self.verdict.about]
            yield self._gained(about) if self.verdict.winner else self._so_far(about)
            yield from self._parts(about)
        elif self.verdict.decision is Decision.KEEP:
            yield from self._kept()
        else:
            bound = math.log(self.verdict.bound or math.inf)
            if bound < math.log(2) and self._of_one(bound) <= math.log(FAR):
                yield self._no_more(bound)

    def _gained(self, winner: Assessment) -> Message:
        """Return the gain of the part that shows it, or of the mean of all parts."""
        name, comparison = winner.setting.name, self._leading(winner)
        if comparison is None:
            difference = _gain(self._words, winner.estimate)
            return message("only-mean-gains", winner=name, difference=difference)
        difference, subject = _gain(comparison.metric.words, comparison.measured), self._subject(comparison.metric.name)
        if comparison.value is None:
            return message("winner-gains", winner=name, difference=difference, subject=subject)
        if self.result.was_daily_use:
            return message("glance-gain-daily-use", difference=difference, **self._values(comparison))
        return message("measured-differs", subject=subject, difference=difference, **self._values(comparison))

    def _so_far(self, leader: Assessment) -> Message:
        comparison = self._leading(leader)
        if comparison is None or comparison.value is None:
            difference = difference_of_gain(self._words, ratio_of(leader.gain))
            return message("mean-so-far", leader=leader.setting.name, difference=difference)
        return message("measured-so-far", subject=self._subject(comparison.metric.name), **self._values(comparison))

    def _parts(self, about: Assessment) -> Iterator[Message]:
        """Yield what is known of the other deciding parts; a loss beyond its tolerance is reported as a price."""
        for part in sorted(about.parts, key=lambda part: -self.evidence.question.weights()[part.metric]):
            comparison = self.verdict.comparison(part.metric, about.setting)
            is_price = self.verdict.winner is not None and part.state is SideState.BEYOND
            if part.metric == self.verdict.leading or is_price or comparison is None or comparison.measured is None:
                continue
            subject, difference = self._subject(part.metric), _differs(comparison)
            if comparison.value is None:
                yield message("part-is", subject=subject, difference=difference)
            elif comparison.outcome in (Outcome.BETTER, Outcome.WORSE):
                yield message("measured-differs", subject=subject, difference=difference, **self._values(comparison))
            else:
                id_ = "measured-same" if comparison.outcome is Outcome.SAME else "measured-unclear"
                yield message(id_, subject=subject, **self._values(comparison))

    def _priced(self, about: Assessment) -> tuple[str, ...]:
        """Return the metrics of the conditions, or else of the prices, in their order."""
        if self.verdict.decision is Decision.CONDITIONAL:
            return tuple(side.metric for side in self.verdict.open)
        beyond = sorted(about.sides(SideState.BEYOND), key=lambda side: side.gain)
        worst = None if beyond else self._worst(about)
        return (worst.metric.name,) if worst else tuple(side.metric for side in beyond)

    def _prices(self, about: Assessment) -> Iterator[Message]:
        """Yield everything beyond its tolerance; if nothing is, the largest proven loss."""
        beyond = about.sides(SideState.BEYOND)
        for side in sorted(beyond, key=lambda side: side.gain):
            subject, words = self._subject(side.metric), self._metric(side.metric).words
            most = loss_message(words, 1 / ratio_of(self._measured(side.metric, side.least)))
            comparison = self.verdict.comparison(side.metric, about.setting)
            if comparison and comparison.value is not None:
                yield message("glance-price-beyond", subject=subject, most=most, **self._values(comparison))
            else:
                difference = difference_of_gain(words, ratio_of(side.gain))
                yield message("price-beyond", subject=subject, most=most, difference=difference)
        if not beyond and (worst := self._worst(about)):
            subject = self._subject(worst.metric.name)
            if worst.value is None:
                yield message("price", subject=subject, difference=_differs(worst))
            else:
                yield message("glance-price", subject=subject, **self._values(worst))

    def _worst(self, about: Assessment) -> Comparison | None:
        """Return the largest proven loss: of a price, or else of what the background load writes."""
        question, prices = self.evidence.question, {price.metric for price in self.evidence.question.prices}
        lost = [
            comparison
            for comparison in self.verdict.comparisons
            if (comparison.setting, comparison.outcome) == (about.setting, Outcome.WORSE)
            and comparison.metric.name not in question.deciding
        ]
        written = [comparison for comparison in lost if comparison.metric.unit == _WRITTEN]
        beside = [comparison for comparison in written if comparison.metric.workload in question.deciding_workloads]
        priced = [comparison for comparison in lost if comparison.metric.name in prices]
        return min(priced or beside, key=attrgetter("gain"), default=None)

    def _condition(self, side: Side) -> Message:
        """Say what would have to be accepted: the largest loss that is not ruled out, and the measured one."""
        subject, words = self._subject(side.metric), self._metric(side.metric).words
        worst, gain = (self._measured(side.metric, log) for log in (side.low, side.gain))
        if side.effect is None:
            return message("if-unmeasured", subject=subject)
        if -worst > math.log(FAR):
            return message("if-unknown", subject=subject)
        most, likely = loss_message(words, rounded_up(ratio_of(-worst))), difference_of_gain(words, ratio_of(gain))
        return message("if-so-much", subject=subject, worst=most, difference=likely)

    def _choice(self) -> Message:
        # A tuned winner may be a setting that the disk has never had.
        is_new = not self.result.had_baseline
        winner = self.verdict.winner.name if self.verdict.winner else None
        id_ = "your-call-of-tuning" if is_new else "your-call"
        return message(id_, winner=winner, baseline=self.verdict.baseline.name)

    def _others(self) -> Iterator[Message]:
        """Name settings that gain more but at a price, that are worse than the one kept, or that were dropped early."""
        assessments, winner = self.evidence.by_setting.values(), self._winner
        if self.verdict.decision is Decision.KEEP:
            lost = (about for about in assessments if about.score and about.score.high(ALPHA / 2) < 0)
            worse = tuple(about.setting.name for about in lost if not self._is_same(about))
            if worse and not self._is_unfelt:
                yield message("are-worse", schedulers=worse, count=len(worse))
        elif self.verdict.decision is Decision.SWITCH and winner:
            dear = [
                assessment for assessment in assessments if assessment.is_better and assessment.sides(SideState.BEYOND)
            ]
            best = max(dear, key=lambda assessment: assessment.gain, default=None)
            if best and best.gain > winner.gain + math.log(SAME[1]):
                yield message("gains-more", scheduler=best.setting.name)
                yield from self._prices(best)
        behind = tuple(setting.name for setting in self.verdict.left_out if setting != self.verdict.about)
        if behind:
            yield message("left-out-early", settings=behind, count=len(behind))

    def _is_same(self, about: Assessment) -> bool:
        """Whether a setting is shown to be the same in everything that decides."""
        made = (self.verdict.comparison(part.metric, about.setting) for part in about.parts)
        return all(comparison and comparison.outcome is Outcome.SAME for comparison in made)

    def _kept(self) -> Iterator[Message]:
        """Say which gain no setting exceeds, and which single parts gain."""
        verdict = self.verdict
        if self.result.plan.tunes:
            yield message("tuning-gains-nothing")
        bound = math.log(verdict.bound or 1.0)
        if self._all(self._is_near):
            id_ = "nothing-felt" if self._is_unfelt else "no-gain-felt"
            yield message(id_ if self._are_schedulers else "nothing-noticed", baseline=verdict.baseline.name)
            yield from self._present_values()
        elif max(bound, self._of_one(bound)) > math.log(verdict.worth) + 1e-9:
            yield message("nothing-noticed", baseline=verdict.baseline.name)
        else:
            yield self._no_more(bound)
        if verdict.leading is None:
            yield from self._better_alone()

    def _no_more(self, bound: float) -> Message:
        """Say which gain no setting exceeds, in the only part or in the mean of all."""
        is_single = len(self.evidence.question.parts) == 1
        values: dict[str, Message | str] = {"baseline": self.verdict.baseline.name}
        if is_single:
            values["subject"] = self._subject(self.evidence.question.deciding[0])
        if bound < _LEAST:
            return message("nothing-better" if is_single else "nothing-better-in-all", **values)
        alike = all(_WORSE <= assessment.gain <= -_WORSE for assessment in self.evidence.by_setting.values())
        values["difference"] = bound_message(self._words, ratio_of(self._of_one(bound)))
        if alike and self.verdict.decision is Decision.KEEP:
            return message("no-practical-difference" if is_single else "no-practical-difference-in-all", **values)
        return message("no-more-than" if is_single else "no-more-than-in-all", **values)

    def _of_one(self, gain: float) -> float:
        """Return a gain as measured, if a single part decides; a gain of several parts unchanged."""
        parts = self.evidence.question.deciding
        return self._measured(parts[0], gain) if len(parts) == 1 else gain

    @property
    def _is_unfelt(self) -> bool:
        """Whether people feel everything that decides, and no setting differs by as much as they would notice."""
        return self._all(self._is_unnoticed)

    def _all(self, fits: Callable[[Comparison], bool]) -> bool:
        """Whether something decides, and all comparisons of what decides fit."""
        deciding = self.evidence.question.deciding
        compared = [comparison for comparison in self.verdict.comparisons if comparison.metric.name in deciding]
        return bool(compared) and all(map(fits, compared))

    @property
    def _are_schedulers(self) -> bool:
        """Whether schedulers were compared, not only a scheduler's tunables."""
        others = {setting.scheduler for setting in self.evidence.by_setting} - {self.verdict.baseline.scheduler}
        return bool(others) and not self.result.plan.tunes

    def _is_near(self, comparison: Comparison) -> bool:
        """Whether a setting seems to differ by less than people notice; gains that they would are ruled out by then."""
        scale, alike = self.evidence.levels.scale(comparison.metric.name), (Outcome.SAME, Outcome.UNDECIDED)
        if comparison.value is None or comparison.now is None or scale.unit in COUNTED:
            return False
        return abs(comparison.value - comparison.now) < scale.unnoticed and comparison.outcome in alike

    def _is_unnoticed(self, comparison: Comparison) -> bool:
        """Whether a loss that is felt is ruled out, too."""
        estimate = comparison.estimate
        if not self._is_near(comparison) or comparison.now is None or estimate is None:
            return False
        least = self.evidence.levels.scale(comparison.metric.name).noticed(comparison.now)[1]
        return comparison.outcome is Outcome.SAME or estimate.low >= min(least, -self.evidence.min_gain)

    def _present_values(self) -> Iterator[Message]:
        """Yield the present value of each deciding metric, and its value with the setting that gains most."""
        for name in self.evidence.question.deciding:
            compared = [
                comparison
                for comparison in self.verdict.comparisons
                if comparison.metric.name == name and comparison.value is not None
            ]
            best, baseline = max(compared, key=attrgetter("gain"), default=None), self.verdict.baseline.name
            if best is not None:
                setting, subject = best.setting.name, self._subject(name)
                yield message("values-alike", subject=subject, baseline=baseline, setting=setting, **self._values(best))

    def _better_alone(self) -> Iterator[Message]:
        """Yield the best setting's gain in each part, where the mean of all parts shows none."""
        better = [
            comparison
            for comparison in self.verdict.comparisons
            if comparison.outcome is Outcome.BETTER and comparison.value is not None
        ]
        for name in self.evidence.question.deciding:
            best = max(
                (comparison for comparison in better if comparison.metric.name == name),
                key=attrgetter("gain"),
                default=None,
            )
            if best and not self._is_unfelt:
                setting, subject = best.setting.name, self._subject(name)
                yield message("better-alone", setting=setting, subject=subject, **self._values(best))

    def effort(self) -> Message | None:
        """Return how much more must be measured to decide, or to settle what is open."""
        more, decision = self.verdict.more, self.verdict.decision
        if more is None and decision is not Decision.UNDECIDED:
            return None
        if self.result.was_daily_use:
            return message("more-use", seconds=more.seconds) if more and more.seconds else message("more-use-unknown")
        return self._rounds(more) if more else self._hopeless()

    def _hopeless(self) -> Message:
        missing = tuple(
            assessment.setting.name for assessment in self.evidence.by_setting.values() if assessment.score is None
        )
        if missing:
            return message("not-all-measured", settings=missing)
        return message("runs-vary-too-much", count=MOST_ROUNDS)

    def _rounds(self, more: More) -> Message:
        if not more.seconds:
            return message("more-rounds", count=more.rounds)
        id_ = "more-would-tell" if self.verdict.decision is Decision.CONDITIONAL else "more-rounds-in-time"
        return message(id_, count=more.rounds, seconds=more.seconds)

    def obstacle(self) -> Message | None:
        """Return why no number of rounds would help, and what would."""
        result, baseline = self.result, self.verdict.baseline
        measured = {sample.setting for sample in result.samples}
        valid = {sample.setting for sample in result.samples if sample.valid}
        uncounted = valid and baseline in {*result.plan.settings, *measured} - valid
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
            return nothing_decides(self.result.plan.goal)
        wrong = [name for name in self.evidence.question.deciding if name in self.evidence.levels.impossible]
        scored = any(assessment.score for assessment in self.evidence.by_setting.values())
        return message("impossible-values", label=label_of(self._metric(wrong[0]))) if wrong and not scored else None

    @property
    def _words(self) -> Wording:
        """The words for a difference in all that decides."""
        return words_of(map(self._metric, self.evidence.question.deciding))

    def _values(self, comparison: Comparison) -> dict[str, Message]:
        return values_of(comparison, self.verdict)

    def _subject(self, name: str) -> Message:
        return subject_of(self._metric(name), self.evidence.question)

    def _metric(self, name: str) -> Metric:
        """Return a metric, whether measured or only declared."""
        metric = self.result.metrics.get(name) or known_metric(name)
        return as_declared(metric) if metric else Metric(name, "", Better.LOWER, name)

    def _measured(self, name: str, gain: float) -> float:
        """Convert a gain on the deciding scale into a gain over the baseline's typical value."""
        levels = self.evidence.levels
        now = levels.typical(name, self.verdict.baseline)
        return gain if now is None else levels.scale(name).measured(now, gain)


def values_of(comparison: Comparison, verdict: Verdict) -> dict[str, Message]:
    """Return the value and the present value, in the unit of the metric's largest where possible, as its rows do."""
    made = verdict.of_metric(comparison.metric.name).values()
    known = [value for other in made for value in (other.value, other.now) if value and math.isfinite(value)]
    largest = max(known, default=0.0)
    return {
        "value": value_message(comparison.value or 0.0, comparison.metric, largest),
        "now": value_message(comparison.now or 0.0, comparison.metric, largest),
    }


def _differs(comparison: Comparison) -> Message:
    return difference_of_gain(comparison.metric.words, ratio_of(comparison.gain))


def _gain(words: Wording, estimate: Estimate | None, *, short: bool = False) -> Message:
    """Return a gain with its lower bound."""
    estimate = estimate or Estimate(0.0)
    least = ratio_of(estimate.low) if estimate.low > 0 else 1.0
    return gain_message(words, least, ratio_of(estimate.gain), short=short)


def _cut_off(result: Result) -> Iterator[Message]:
    """Say how far an unfinished result came."""
    if not result.finished:
        begun = result.rounds
        yield message("cut-off-in-round", round=begun) if begun else message("cut-off-before-first-round")
