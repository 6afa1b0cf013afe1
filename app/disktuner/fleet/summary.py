# SPDX-License-Identifier: GPL-3.0-or-later
"""One verdict per disk model, kernel series and goal, by the rule of a single result's, and what did not count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Protocol

from disktuner.fleet.disagreeing import disagreeing
from disktuner.fleet.gathering import LeftOut
from disktuner.fleet.machine import Machine
from disktuner.fleet.pooling import Effects, merged, merged_by_metric, pool
from disktuner.fleet.run import Run
from disktuner.verdict.deciding import MOST_ROUNDS, decide, more_rounds, simplicity
from disktuner.verdict.effects import Effect
from disktuner.verdict.findings import Findings, findings
from disktuner.verdict.judge import contrast
from disktuner.verdict.model import Decision, More, Verdict
from disktuner.verdict.why import reasons
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.questions import Question, question_for
from disktuner.vocabulary.workloads import known_metric

_COMMON_SHARE = 0.5
"""What fewer machines than this share of them have measured is not judged for their model."""

FEW_DISAGREE = 0.1
"""A verdict with which more machines disagree than this share is nothing to be rolled out."""

Key = tuple[str, str, str]
"""Model, kernel series and goal."""


@dataclass(frozen=True, slots=True)
class Group:
    """What is known of a disk model under a kernel series for a goal.

    ``machines`` are all that were measured, ``disagreeing`` those among them that do not fit the others and on which
    the verdict does not rest. In ``verdict`` and ``findings`` a round is a machine: ``verdict.more_rounds`` is how many
    more machines would decide.
    """

    model: str
    kernel: str
    goal: str
    machines: tuple[Machine, ...]
    disagreeing: tuple[Machine, ...]
    findings: Findings
    verdict: Verdict

    @property
    def shown(self) -> str | None:
        """The setting that stands for the verdict: the winner, else the one that scores best; None where none does."""
        score = self.verdict.score
        return self.verdict.winner or max(score, key=lambda name: score[name].ratio, default=None)

    @property
    def key(self) -> Key:
        """What the group is about."""
        return self.model, self.kernel, self.goal

    @property
    def is_clear(self) -> bool:
        """Whether it says what to use on such disks: it is decided without a price, and hardly a machine disagrees."""
        decided = self.verdict.decision in (Decision.SWITCH, Decision.KEEP)
        return decided and len(self.disagreeing) <= FEW_DISAGREE * len(self.machines)

    @property
    def unknown(self) -> int:
        """How many files do not say which disk they are about: together they count as one machine."""
        return sum(len(machine.files) for machine in self.machines if not machine.is_known)


@dataclass(frozen=True, slots=True)
class Summary:
    """All groups by model, kernel and goal, what was left out, and how many files were read."""

    groups: tuple[Group, ...]
    left_out: tuple[LeftOut, ...]
    files: int


class Files(Protocol):
    """Where runs come from: a folder of files."""

    def runs(self) -> Iterator[Run | LeftOut]:
        """Yield what each file says."""

    def again(self, run: Run, baseline: str) -> Run | LeftOut:
        """Return what a file says compared with another baseline."""


def summarise(folder: Files, goal: str | None = None) -> Summary:
    """Summarise all result files of a folder, or those for a goal. Raises ``UsageError`` where there is no folder."""
    found = list(folder.runs())
    once = list(_each_once([each for each in found if isinstance(each, Run)]))
    left_out = [each for each in (*found, *once) if isinstance(each, LeftOut)]
    by_key: dict[Key, list[Run]] = defaultdict(list)
    for run in once:
        if isinstance(run, Run) and goal in (None, run.goal):
            by_key[run.model, run.kernel, run.goal].append(run)
    groups = []
    for key in sorted(by_key, key=_order):
        comparable, others = _comparable(by_key[key], folder)
        left_out += others
        if comparable:
            groups.append(_group(key, comparable))
    return Summary(tuple(groups), tuple(sorted(left_out, key=attrgetter("file"))), len(found))


def _order(key: Key) -> tuple[object, ...]:
    model, kernel, goal = key
    return model.casefold(), model, *map(int, kernel.split(".")), goal


def _each_once(runs: Sequence[Run]) -> Iterator[Run | LeftOut]:
    """Yield each measurement once: that of a continued one which holds most, and none of those that were changed."""
    most: dict[bytes, Run] = {}
    for run in runs:
        known = most.get(run.first_round)
        if known is None or run.samples > known.samples:
            most[run.first_round] = run
    ids = Counter(run.id for run in most.values() if run.id)
    for run in runs:
        kept = most[run.first_round]
        if kept is not run:
            yield LeftOut(run.file, message("unfit-same", other=kept.file))
        elif ids[run.id] > 1:
            yield LeftOut(run.file, message("unfit-same-id", result=run.id))
        else:
            yield run


def _comparable(runs: Sequence[Run], folder: Files) -> tuple[list[Run], list[LeftOut]]:
    """Return the runs of a group, all compared with the baseline that most of them have, and the files that cannot be.

    Where what decides was measured on any, what only stands in for it does not count.
    """
    found: list[Run] = []
    left_out: list[LeftOut] = []
    proper = any(not run.question.stands_in for run in runs)
    counts = Counter(run.baseline for run in runs)
    most = max(counts.values())
    baseline = min((name for name, count in counts.items() if count == most), key=simplicity)
    for run in runs:
        if proper and run.question.stands_in:
            left_out.append(LeftOut(run.file, message("unfit-stand-in")))
            continue
        same = run if run.baseline == baseline else folder.again(run, baseline)
        if isinstance(same, LeftOut):
            left_out.append(same)
        else:
            found.append(same)
    return found, left_out


def _group(key: Key, runs: Sequence[Run]) -> Group:
    machines = tuple(Machine.of(each) for each in _by_disk(runs))
    question = _question(key[2], machines)
    scores = [machine.scores(question) for machine in machines]
    settings = _compared(scores)
    odd = disagreeing(scores, settings)
    agreeing = [at for at in range(len(machines)) if at not in odd]
    effects = merged_by_metric([machines[at].effects for at in agreeing], pool)
    pooled = merged((scores[at] for at in agreeing), pool)
    found = findings(question, runs[0].baseline, settings, effects, scores=pooled, looked=False)
    verdict = _verdict(key[2], found, effects, len(agreeing))
    return Group(*key, machines, tuple(machines[at] for at in odd), found, verdict)


def _by_disk(runs: Sequence[Run]) -> Iterable[list[Run]]:
    """Return the runs of each disk; those that do not name theirs may all be of one, so they are taken for one."""
    found: dict[str | None, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.disk].append(run)
    return found.values()


def _question(goal: str, machines: Sequence[Machine]) -> Question:
    """Return what the goal asks today of what most machines have measured."""
    there = Counter(metric for machine in machines for metric, effects in machine.effects.items() if effects)
    most = max(there.values())
    names = [name for name, count in there.items() if count >= most * _COMMON_SHARE]
    return question_for(goal, (metric for name in names if (metric := known_metric(name)) is not None))


def _compared(scores: Sequence[Mapping[str, Effect]]) -> tuple[str, ...]:
    """Return the settings that most machines have compared, and two at least where there are two."""
    counts = Counter(name for each in scores for name in each)
    least = max(len(scores) * _COMMON_SHARE, min(len(scores), 2))
    return tuple(name for name in sorted(counts) if counts[name] >= least)


def _verdict(goal: str, found: Findings, effects: Effects, machines: int) -> Verdict:
    """Decide as for a result, from machines in the place of rounds; one alone is no group, so it leads nowhere."""
    verdict = replace(decide(found), ties=())
    if machines == 1:
        verdict = replace(verdict, leader=None, chance=None)
    more = more_rounds(found, verdict.decision, verdict.winner)
    compared = tuple(
        contrast(metric, name, effects.get(metric.name, {}).get(name), looked=False)
        for metric in map(known_metric, found.question.metrics)
        for name in found.by_setting
        if metric is not None
    )
    verdict = replace(verdict, comparisons=compared, more=More(more, None) if more else None)
    return replace(verdict, why=tuple(_why(goal, found, verdict, machines)))


def _why(goal: str, found: Findings, verdict: Verdict, machines: int) -> Iterator[Message]:
    if not found.by_setting:
        yield message("machines-nothing-in-common")
        return
    yield from reasons(goal, found, verdict)
    more, is_open = verdict.more_rounds, verdict.decision in (Decision.UNDECIDED, Decision.CONDITIONAL)
    if is_open and more is not None:
        yield message("one-machine" if machines == 1 else "more-machines", count=more)
    elif verdict.decision is Decision.UNDECIDED:
        yield message("machines-differ-too-much", count=MOST_ROUNDS)
