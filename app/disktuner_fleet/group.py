# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines with disks of one model, and the verdict on them: machines take the place of rounds.

Machines' scores are pooled rather than computed from pooled parts, since an odd machine differs in all parts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from disktuner.results.model import FileSystem, Machine, PlanRecord, Result
from disktuner.verdict.answer import Filling
from disktuner.verdict.effects import Effect
from disktuner.verdict.evidence import Effects, Evidence, evidence, of_setting, scores_of
from disktuner.verdict.judge import compared, decide, more_rounds
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import MOST_ROUNDS, Answer, Estimate, More, Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.questions import Question, question_of_others
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import known_metric
from disktuner_fleet.disagreeing import disagreeing
from disktuner_fleet.pooling import combine_repeats, merge_by_metric, merge_effects, pool
from disktuner_fleet.run import Run

_COMMON_SHARE = 0.5
"""What fewer than this share of the machines have measured is not judged for their model."""
_FEW_DISAGREE = 0.1
"""A verdict with which more than this share of the machines disagrees is not rolled out."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One disk in its machine, which counts once however often it was measured.

    ``files`` are its results, ``is_known`` is whether they identify the disk, ``of_several_disks`` how many of them
    are of several disks measured together.
    """

    files: tuple[str, ...]
    is_known: bool
    effects: Effects
    of_several_disks: int

    def scores(self, question: Question) -> dict[Setting, Effect]:
        """Return each setting's gain over everything that decides, if all of it was measured."""
        settings = dict.fromkeys(setting for by_setting in self.effects.values() for setting in by_setting)
        by_setting = scores_of(self.effects, question, settings)
        return {setting: score for setting, score in by_setting.items() if score}


@dataclass(frozen=True, slots=True)
class Group:
    """What is known of a disk model under a kernel series for a goal.

    ``machines`` are all that were measured; those ``disagreeing`` with the others do not count towards the verdict,
    whose ``more`` is how many more machines would decide.
    """

    model: str
    kernel: str
    goal: str
    question: Question
    machines: tuple[GroupMember, ...]
    disagreeing: tuple[GroupMember, ...]
    verdict: Verdict

    @property
    def shown_setting(self) -> Setting | None:
        """The winner, else the setting with the best score; None if nothing was scored."""
        scores = {setting: known.gain for setting, known in self.verdict.assessments.items() if known.score}
        return self.verdict.winner or max(scores, key=scores.__getitem__, default=None)

    @property
    def score(self) -> Estimate | None:
        """The gain of ``shown_setting`` over everything that decides."""
        return self.verdict.assessments[self.shown_setting].estimate if self.shown_setting else None

    @property
    def is_clear(self) -> bool:
        """Whether the verdict can be rolled out: decided without a price, and hardly any machine disagrees."""
        decided = self.verdict.decision in (Decision.SWITCH, Decision.KEEP)
        return decided and len(self.disagreeing) <= _FEW_DISAGREE * len(self.machines)

    @property
    def unknown(self) -> int:
        """How many files do not identify their disk; together they count as one machine."""
        return sum(len(machine.files) for machine in self.machines if not machine.is_known)


def group_of(runs: Sequence[Run]) -> Group:
    """Return the group of runs with one model, kernel series, goal and baseline."""
    model, kernel, goal = runs[0].key
    machines = tuple(_machines(runs))
    question = _question(goal, machines)
    scores = [machine.scores(question) for machine in machines]
    settings = _compared_settings(scores)
    odd = disagreeing(scores, settings)
    agreeing = [at for at in range(len(machines)) if at not in odd]
    effects = merge_by_metric([machines[at].effects for at in agreeing], pool)
    pooled = merge_effects((scores[at] for at in agreeing), pool)
    known = evidence(
        question, runs[0].baseline, {setting: pooled.get(setting) for setting in settings}, effects, Levels()
    )
    verdict = _verdict(known, effects, len(agreeing))
    return Group(model, kernel, goal, question, machines, tuple(machines[at] for at in odd), verdict)


def _machines(runs: Sequence[Run]) -> Iterator[GroupMember]:
    """Yield each disk; unidentified ones may all be the same, so they count as one."""
    by_disk: dict[str | None, list[Run]] = defaultdict(list)
    for run in runs:
        by_disk[run.disk].append(run)
    for disk, same in by_disk.items():
        effects = merge_by_metric([run.effects for run in same], combine_repeats)
        several = sum(run.of_several_disks for run in same)
        yield GroupMember(tuple(run.file for run in same), disk is not None, effects, several)


def _question(goal: str, machines: Sequence[GroupMember]) -> Question:
    """Return the goal's current question about what most machines have measured."""
    counts = Counter(metric for machine in machines for metric, by_setting in machine.effects.items() if by_setting)
    most = max(counts.values())
    common = [known_metric(name) for name, count in counts.items() if count >= most * _COMMON_SHARE]
    return question_of_others(goal, filter(None, common), ())


def _compared_settings(scores: Sequence[Mapping[Setting, Effect]]) -> tuple[Setting, ...]:
    """Return the settings that most machines, and at least two if there are two, have compared."""
    counts = Counter(setting for by_setting in scores for setting in by_setting)
    least = max(len(scores) * _COMMON_SHARE, min(len(scores), 2))
    return tuple(setting for setting in sorted(counts, key=attrgetter("name")) if counts[setting] >= least)


def _verdict(known: Evidence, effects: Effects, machines: int) -> Verdict:
    """Decide as for a result; one machine does not show how much others differ, so it has no leader."""
    comparisons = tuple(
        compared(metric, setting, of_setting(effects, setting).get(metric.name), known.levels, known.baseline)
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
    return replace(verdict, answer=_answer(known, verdict, _effort(verdict, machines)))


def _answer(known: Evidence, verdict: Verdict, effort: Message | None) -> Answer:
    """Fill it as that of a result without samples; no part of several stands for the others."""
    plan = PlanRecord(None, None, (), known.baseline, (), 0)
    answer = Filling(known, verdict, Result("", "", "", Machine(), {}, FileSystem(), plan, {}, ())).answer(effort)
    if answer.headline.id != "only-mean-gains":
        return answer
    return replace(answer, headline=message("mean-gains", **answer.headline.values))


def _nothing_in_common(answer: Answer) -> Answer:
    return replace(answer, headline=message("machines-nothing-in-common"))


def _effort(verdict: Verdict, machines: int) -> Message | None:
    if verdict.more is not None:
        return message("one-machine" if machines == 1 else "more-machines", count=verdict.more.rounds)
    is_undecided = verdict.decision is Decision.UNDECIDED
    return message("machines-differ-too-much", count=MOST_ROUNDS) if is_undecided else None
