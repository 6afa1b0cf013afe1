# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines with disks of one model, and the verdict on them: what rounds are to a result, machines are here.

Machines' scores are pooled, not made anew of pooled parts: on a machine that differs from others all parts do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from disktuner.fleet.disagreeing import disagreeing
from disktuner.fleet.pooling import merged, merged_by_metric, pool, repeated
from disktuner.fleet.run import Run
from disktuner.verdict.answer import answer_of_machines
from disktuner.verdict.effects import Effect
from disktuner.verdict.evidence import Effects, Evidence, evidence, of_setting, score_of
from disktuner.verdict.judge import compared, decide, more_rounds
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import MOST_ROUNDS, Answer, Decision, Estimate, More, Verdict
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.questions import Question, question_of_others
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import known_metric

_COMMON_SHARE = 0.5
"""What fewer machines than this share of them have measured is not judged for their model."""
_FEW_DISAGREE = 0.1
"""A verdict with which more machines disagree than this share is nothing to be rolled out."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One disk in its machine, which counts once, however often it was measured.

    ``files`` were measured there, and ``is_known`` is whether they name the disk.
    """

    files: tuple[str, ...]
    is_known: bool
    effects: Effects

    def scores(self, question: Question) -> dict[Setting, Effect]:
        """Return what each setting gains over all that decides, where all of that was measured."""
        settings = dict.fromkeys(each for by_setting in self.effects.values() for each in by_setting)
        found = {each: score_of(of_setting(self.effects, each), question) for each in settings}
        return {setting: score for setting, score in found.items() if score}


@dataclass(frozen=True, slots=True)
class Group:
    """What is known of a disk model under a kernel series for a goal.

    ``machines`` are all that were measured, ``disagreeing`` those among them that do not fit the others and on which
    the verdict does not rest; its ``more`` is how many more machines would decide.
    """

    model: str
    kernel: str
    goal: str
    question: Question
    machines: tuple[Machine, ...]
    disagreeing: tuple[Machine, ...]
    verdict: Verdict

    @property
    def shown(self) -> Setting | None:
        """The setting that stands for the verdict: the winner, else the one that scores best; None where none does."""
        scores = {setting: known.gain for setting, known in self.verdict.assessments.items() if known.score}
        return self.verdict.winner or max(scores, key=scores.__getitem__, default=None)

    @property
    def score(self) -> Estimate | None:
        """What that one gains over all that decides."""
        return self.verdict.assessments[self.shown].estimate if self.shown else None

    @property
    def is_clear(self) -> bool:
        """Whether it says what to use on such disks: it is decided without a price, and hardly a machine disagrees."""
        decided = self.verdict.decision in (Decision.SWITCH, Decision.KEEP)
        return decided and len(self.disagreeing) <= _FEW_DISAGREE * len(self.machines)

    @property
    def unknown(self) -> int:
        """How many files do not say which disk they are about: together they count as one machine."""
        return sum(len(machine.files) for machine in self.machines if not machine.is_known)


def group_of(runs: Sequence[Run]) -> Group:
    """Return what runs of one model, kernel series and goal come to, all compared with the same baseline."""
    model, kernel, goal = runs[0].key
    machines = tuple(_machines(runs))
    question = _question(goal, machines)
    scores = [machine.scores(question) for machine in machines]
    settings = _compared(scores)
    odd = disagreeing(scores, settings)
    agreeing = [at for at in range(len(machines)) if at not in odd]
    effects = merged_by_metric([machines[at].effects for at in agreeing], pool)
    pooled = merged((scores[at] for at in agreeing), pool)
    known = evidence(question, runs[0].baseline, settings, effects, Levels(), scores=pooled)
    verdict = _verdict(goal, known, effects, len(agreeing))
    return Group(model, kernel, goal, question, machines, tuple(machines[at] for at in odd), verdict)


def _machines(runs: Sequence[Run]) -> Iterator[Machine]:
    """Yield each disk; those that are not named may all be one, so they are taken for one."""
    by_disk: dict[str | None, list[Run]] = defaultdict(list)
    for run in runs:
        by_disk[run.disk].append(run)
    for disk, same in by_disk.items():
        effects = merged_by_metric([run.effects for run in same], repeated)
        yield Machine(tuple(run.file for run in same), disk is not None, effects)


def _question(goal: str, machines: Sequence[Machine]) -> Question:
    """Return what the goal asks today of what most machines have measured."""
    there = Counter(metric for machine in machines for metric, by_setting in machine.effects.items() if by_setting)
    most = max(there.values())
    common = [known_metric(name) for name, count in there.items() if count >= most * _COMMON_SHARE]
    return question_of_others(goal, filter(None, common), ())


def _compared(scores: Sequence[Mapping[Setting, Effect]]) -> tuple[Setting, ...]:
    """Return the settings that most machines have compared, and two at least where there are two."""
    counts = Counter(setting for each in scores for setting in each)
    least = max(len(scores) * _COMMON_SHARE, min(len(scores), 2))
    return tuple(each for each in sorted(counts, key=attrgetter("name")) if counts[each] >= least)


def _verdict(goal: str, known: Evidence, effects: Effects, machines: int) -> Verdict:
    """Decide as for a result; of one machine nobody knows how much others differ, so nothing leads there."""
    comparisons = tuple(
        compared(metric, setting, of_setting(effects, setting).get(metric.name))
        for metric in filter(None, map(known_metric, known.question.metrics))
        for setting in known.by_setting
    )
    verdict = decide(known)  # of several parts, none stands for the answer: scores are pooled, not made of pooled parts
    verdict = replace(verdict, comparisons=comparisons, ties=())
    if machines == 1:
        verdict = replace(verdict, leader=None, chance=None)
    more = more_rounds(known, verdict)
    verdict = replace(verdict, more=More(more, None) if more else None)
    if not known.by_setting:
        return replace(verdict, answer=_nothing_in_common(verdict.answer))
    return replace(verdict, answer=answer_of_machines(goal, known, verdict, _effort(verdict, machines)))


def _nothing_in_common(answer: Answer) -> Answer:
    return replace(answer, headline=message("machines-nothing-in-common"))


def _effort(verdict: Verdict, machines: int) -> Message | None:
    if verdict.more is not None:
        return message("one-machine" if machines == 1 else "more-machines", count=verdict.more.rounds)
    is_undecided = verdict.decision is Decision.UNDECIDED
    return message("machines-differ-too-much", count=MOST_ROUNDS) if is_undecided else None
