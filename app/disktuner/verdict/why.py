# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a verdict is what it is, as whole sentences: the winner, by how much, its price; or what is known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from disktuner.results.model import Result
from disktuner.verdict.effects import ALPHA, ratio_of
from disktuner.verdict.findings import Finding, Findings, Side, State
from disktuner.verdict.model import MOST_ROUNDS, SAME, Decision, Verdict
from disktuner.vocabulary.differences import FAR, difference_of_gain, gain_message
from disktuner.vocabulary.goals import Goal, purpose_of
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import BESIDE, Metric, Wording, words_of
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.workloads import as_declared, declared, known_metric, label_of

_WORSE = math.log(SAME[0])
_LEAST = 1.005
"""A bound that is nearer to 1 would be said as no difference."""
_USUAL = ("wall_s", "bytes_per_s")
"""Metrics of other programs' results that may be called by what was done."""


def why(result: Result, found: Findings, verdict: Verdict) -> tuple[Message, ...]:
    """Return the sentences that say why; of a result that was cut off, that one first."""
    said = _Why(purpose_of(result.plan.goal), result.metrics, found, verdict, result)
    return (*_cut_off(result), *said.sentences(), *_left_out(verdict))


def reasons(goal: str, found: Findings, verdict: Verdict) -> tuple[Message, ...]:
    """Return the sentences on a verdict that is no single result's, without what it would take to decide."""
    metrics = {name: metric for name in found.question.metrics if (metric := known_metric(name))}
    return tuple(_Why(purpose_of(goal), metrics, found, verdict).known())


def subject_of(metric: Metric, question: Question) -> Message:
    """Return what was done where a metric stands for its workload or says what went on meanwhile; else its own name."""
    if metric.last in BESIDE:
        return message("reading-meanwhile" if metric.last.startswith("read") else "writing-meanwhile")
    workload = declared(metric.workload)
    known = workload.deciding if workload else None
    stands_for_it = metric.last == known or (metric.last in _USUAL and metric.name in question.metrics)
    if workload is not None and stands_for_it:
        return message("activity", activity=workload.activity)
    return message("figure", label=label_of(metric))


@dataclass(frozen=True, slots=True)
class _Why:
    """The sentences on one verdict; ``goal`` None is not among ours, ``result`` None where it is on several."""

    goal: Goal | None
    metrics: Mapping[str, Metric]
    found: Findings
    verdict: Verdict
    result: Result | None = None

    def sentences(self) -> Iterator[Message]:
        """Yield all of them."""
        is_undecided = self.verdict.decision is Decision.UNDECIDED
        if is_undecided and self.result and (obstacle := self._obstacle(self.result)):
            yield obstacle
            return
        yield from self.known()
        if is_undecided or self.verdict.more:
            was_daily_use = self.result is not None and self.result.was_daily_use
            yield self._more_use() if was_daily_use else self._effort()

    def known(self) -> Iterator[Message]:
        """Yield what is known, without what it would take to decide."""
        verdict = self.verdict
        winner = self.found.by_setting.get(verdict.winner) if verdict.winner else None
        if winner is not None:
            yield from self._gained(winner)
        elif verdict.decision is Decision.KEEP:
            yield from self._kept()
        else:
            yield from self._so_far()

    def _gained(self, winner: Finding) -> Iterator[Message]:
        verdict = self.verdict
        yield from self._gain(winner)
        yield from self._prices(winner)
        if verdict.decision is Decision.SWITCH:
            yield from self._dearer(winner)
        elif verdict.decision is Decision.CONDITIONAL:
            yield from map(self._condition, winner.sides(State.OPEN))
        else:
            # What is tuned may be a winner that the disk has never had.
            is_new = self.result and self.result.plan.tunes and not self.result.had_baseline
            call = "your-call-of-tuning" if is_new else "your-call"
            yield message(call, winner=winner.setting.name, baseline=verdict.baseline.name)

    def _gain(self, winner: Finding) -> Iterator[Message]:
        """Say what is gained over all that decides; and the parts by themselves where they do not all gain."""
        leading, figure = self.verdict.leading, self.verdict.figures.get(winner.setting)
        if figure is not None:
            difference = gain_message(self._words, figure.ci_low or 1.0, figure.ratio)
            yield message("winner-gains", winner=winner.setting.name, difference=difference, subject=self._about)
        if not winner.gains or any(part.effect and part.effect.gain < _WORSE for part in winner.parts):
            for part in winner.parts:
                if part.metric != leading and part.effect and abs(part.effect.gain) >= math.log(_LEAST):
                    yield message("part-is", **self._told(part))

    def _prices(self, winner: Finding) -> Iterator[Message]:
        """Say what gets worse: what is beyond its tolerance with that, of the rest only the worst that is shown."""
        beyond = [side for side in winner.prices if side.state is State.BEYOND]
        for side in beyond:
            most = self._difference(side.metric, side.least)
            yield message("price-beyond", **self._told(side), most=most)
        lost = [
            side
            for side in winner.prices
            if side.state is State.INSIDE and side.effect and side.effect.gain < _WORSE and side.high < 0
        ]
        if lost and not beyond:
            yield message("price", **self._told(min(lost, key=lambda side: side.high)))

    def _told(self, side: Side) -> dict[str, Message]:
        """Return by how much a part or a price differs, and what it is about."""
        difference = self._difference(side.metric, side.effect.gain if side.effect else 0.0)
        return {"difference": difference, "subject": self._subject(side.metric)}

    def _condition(self, side: Side) -> Message:
        """Say what would have to be accepted: the worst that is not excluded, and what was measured."""
        if -side.low > math.log(FAR):
            return message("if-unknown", subject=self._subject(side.metric))
        return message("if-so-much", worst=self._difference(side.metric, side.low), **self._told(side))

    def _dearer(self, winner: Finding) -> Iterator[Message]:
        """Say who gains more than the winner, but at a price."""
        dear = [each for each in self.found.by_setting.values() if each.gains and each.sides(State.BEYOND)]
        best = max(dear, key=lambda each: each.gain, default=None)
        figures = self.verdict.figures
        if best is not None and figures[best.setting].ratio > figures[winner.setting].ratio * SAME[1]:
            difference = gain_message(self._words, 1.0, figures[best.setting].ratio)
            yield message("gains-more", scheduler=best.setting.name, difference=difference, subject=self._about)
            yield from self._prices(best)

    def _kept(self) -> Iterator[Message]:
        verdict = self.verdict
        if self.result and self.result.plan.tunes:
            yield message("tuning-gains-nothing")
        bound, every = verdict.bound or 1.0, self.found.by_setting.values()
        if bound < _LEAST:
            yield message("nothing-better", baseline=verdict.baseline.name, subject=self._purpose)
        else:
            alike = all(_WORSE <= each.gain <= -_WORSE for each in every)
            difference = gain_message(self._words, 1.0, bound)
            id_ = "no-practical-difference" if alike else "no-more-than"
            yield message(id_, difference=difference, baseline=verdict.baseline.name, subject=self._purpose)
        worse = tuple(each.setting.name for each in every if each.score and each.score.high(ALPHA / 2) < 0)
        if worse:
            yield message("are-worse", schedulers=worse, count=len(worse))

    def _so_far(self) -> Iterator[Message]:
        """Say what is known though nothing is decided: who leads, and how probable it is that it is worth a change."""
        verdict, worth = self.verdict, self.found.question.worth
        if verdict.leader is not None and verdict.chance is not None:
            chance = min(max(verdict.chance, 0.01), 0.99)
            yield message("leads", leader=verdict.leader.name, worth=worth, chance=chance)
        elif verdict.bound and verdict.bound < 2:
            difference = gain_message(self._words, 1.0, verdict.bound)
            yield message("no-more-than", difference=difference, baseline=verdict.baseline.name, subject=self._purpose)

    def _effort(self) -> Message:
        more = self.verdict.more
        missing = tuple(each.setting.name for each in self.found.by_setting.values() if each.score is None)
        if more is None and missing:
            return message("not-all-measured", settings=missing, count=len(missing))
        if more is None:
            return message("runs-vary-too-much", count=MOST_ROUNDS)
        if self.verdict.decision is Decision.CONDITIONAL:
            return message("more-would-tell", count=more.rounds, seconds=more.seconds or 0.0)
        if more.seconds:
            return message("more-rounds-in-time", count=more.rounds, seconds=more.seconds)
        return message("more-rounds", count=more.rounds)

    def _more_use(self) -> Message:
        more = self.verdict.more
        return message("more-use", seconds=more.seconds) if more and more.seconds else message("more-use-unknown")

    def _obstacle(self, result: Result) -> Message | None:
        """Return why no number of rounds would help, and what does."""
        baseline = self.verdict.baseline
        measured = {sample.setting for sample in result.samples}
        valid = {sample.setting for sample in result.samples if sample.valid}
        uncounted = valid and baseline in measured - valid
        if uncounted or (not result.finished and not valid > {baseline}):
            return message("too-little-measured")
        if not valid:
            return message("no-valid-sample")
        if baseline not in measured:
            return message("baseline-not-measured", baseline=baseline.name)
        if measured == {baseline}:
            return message("only-baseline-measured", baseline=baseline.name)
        if not self.found.question.parts:
            goal = self.goal
            return message("nothing-decides", purpose=goal.purpose) if goal else message("nothing-decides-without-goal")
        wrong = [name for name in self.found.question.deciding if name in self.found.levels.impossible]
        scored = any(each.score for each in self.found.by_setting.values())
        return message("impossible-values", label=label_of(self._metric(wrong[0]))) if wrong and not scored else None

    @property
    def _words(self) -> Wording:
        leading = self.verdict.leading
        return words_of(map(self._metric, [leading] if leading else self.found.question.deciding))

    @property
    def _about(self) -> Message:
        """What the figures are about that stand for the answer."""
        return self._subject(self.verdict.leading) if self.verdict.leading else self._purpose

    @property
    def _purpose(self) -> Message:
        """What the verdict is about: the goal's purpose, or the one activity that decided."""
        goal, question = self.goal, self.found.question
        if len(question.parts) == 1:
            return self._subject(question.deciding[0])
        return message("purpose", purpose=goal.purpose) if goal else message("all-that-decides")

    def _subject(self, name: str) -> Message:
        return subject_of(self._metric(name), self.found.question)

    def _metric(self, name: str) -> Metric:
        return as_declared(self.metrics[name])

    def _difference(self, name: str, gain: float) -> Message:
        return difference_of_gain(self._metric(name).words, ratio_of(gain))


def _cut_off(result: Result) -> Iterator[Message]:
    """Say how far it came where a result has no end: it was cut off, unless it is just being measured."""
    begun = len({sample.round for sample in result.samples})
    if not result.finished:
        yield message("cut-off-in-round", round=begun) if begun else message("cut-off-before-first-round")


def _left_out(verdict: Verdict) -> Iterator[Message]:
    """Name the settings that were not measured to the end."""
    behind = tuple(each.name for each in verdict.left_out if each not in (verdict.winner, verdict.leader))
    if behind:
        yield message("left-out-early", settings=behind, count=len(behind))
