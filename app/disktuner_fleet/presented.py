# SPDX-License-Identifier: GPL-3.0-or-later
"""Many machines' results as people see them: an answer per disk model, and every machine on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disktuner.presentation.glance import score_comparison
from disktuner.presentation.panels import Row, compared_row, difference
from disktuner.presentation.scale import Scale, scale_of
from disktuner.verdict.effects import ALPHA, ratio_of
from disktuner.verdict.model import Comparison, Estimate
from disktuner.vocabulary.differences import difference_of_gain
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.metrics import Metric, higher, words_of
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import known_metric, label_of
from disktuner_fleet.group import Group, GroupMember

MOST_NAMED, MOST_DRAWN = 24, 80
"""With more machines, lines have no names; beyond the second number, only some are drawn."""


@dataclass(frozen=True, slots=True)
class OnForest:
    """The gain on one machine, or on all that agree together (``is_all``)."""

    name: str
    estimate: Estimate
    is_odd: bool = False
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Forest:
    """The score of one setting on all machines.

    ``title`` says what is drawn, ``remark`` if it is not all. ``lines`` are the machines, the largest gain first, then
    all that agree. Lines of many machines have no names. ``worth`` is the least gain worth a change.
    """

    title: str
    remark: str
    setting: Setting
    scale: Scale
    lines: tuple[OnForest, ...]
    worth: float


@dataclass(frozen=True, slots=True)
class PresentedGroup:
    """A disk model under a kernel series for a goal.

    ``facts`` are kernel and number of machines, ``difference`` is the answer's score, ``remarks`` are on machines that
    disagree or are unidentified. ``rows`` have the label of their figure, with scores of several parts first.
    """

    model: str
    goal: str
    facts: tuple[str, ...]
    answer: str
    difference: str
    why: tuple[str, ...]
    remarks: tuple[str, ...]
    rows: tuple[tuple[str, Row], ...]
    forest: Forest | None


def present_group(group: Group, personal: bool = False) -> PresentedGroup:
    """Return a group as people see it. Files, whose names may identify machines, are named only if ``personal``."""
    verdict, goal = group.verdict, GOALS[group.goal].name
    score = group.score
    return PresentedGroup(
        group.model,
        text("goal-name", goal=goal),
        (text("of-kernel", release=group.kernel), text("machines", count=len(group.machines))),
        say(verdict.answer.action),
        difference(_measure(group).words, score.gain) if score else "",
        tuple(map(say, verdict.answer.sentences)),
        tuple(_remarks(group, personal)),
        tuple(_rows(group)),
        _forest(group, personal),
    )


def _measure(group: Group) -> Metric:
    """Return the score as a metric, named after its part if there is only one."""
    parts = _parts(group)
    label = say(label_of(parts[0])) if len(parts) == 1 else text("glance-score")
    return higher("score", "", label, words_of(parts))


def _parts(group: Group) -> list[Metric]:
    return [metric for name in group.question.deciding if (metric := known_metric(name))]


def _rows(group: Group) -> Iterator[tuple[str, Row]]:
    if len(_parts(group)) > 1:
        measure = _measure(group)
        for setting, assessment in group.verdict.assessments.items():
            if assessment.estimate:
                yield measure.label, _row(score_comparison(measure, setting, assessment.estimate))
    for made in group.verdict.comparisons:
        yield say(label_of(made.metric)), _row(made)


def _row(made: Comparison) -> Row:
    row = compared_row(made, "", None)
    return row if made.measured and made.measured.is_bounded else replace(row, interval=text("too-few-machines"))


def _remarks(group: Group, personal: bool) -> Iterator[str]:
    count = len(group.disagreeing)
    if count and personal:
        files = tuple(file for machine in group.disagreeing for file in machine.files)
        yield text("machines-disagree-named", count=count, files=files)
    elif count:
        yield text("machines-disagree", count=count)
    if several := sum(machine.of_several_disks for machine in group.machines):
        yield text("machines-of-several-disks", count=several)
    if group.unknown:
        yield text("machines-unknown", count=group.unknown)


def _forest(group: Group, personal: bool) -> Forest | None:
    setting, verdict, measure = group.shown_setting, group.verdict, _measure(group)
    if setting is None:
        return None
    lines = sorted(_machine_lines(group, setting, personal), key=lambda line: line.estimate.gain, reverse=True)
    drawn = _some(lines)
    shown = [*drawn, *_all_line(group.score)]
    gains = [ratio_of(line.estimate.gain) for line in shown]
    ends = [ratio_of(end) for line in shown for end in (line.estimate.low, line.estimate.high)]
    worth = verdict.worth
    scale = scale_of(gains, ends, worth, lambda gain: say(difference_of_gain(measure.words, gain)))
    title = text("forest-title", scheduler=setting.name, baseline=verdict.baseline.name, label=measure.label)
    remark = text("forest-some", count=len(lines), shown=len(drawn)) if len(drawn) < len(lines) else ""
    return Forest(title, remark, setting, scale, tuple(shown), worth)


def _machine_lines(group: Group, setting: Setting, personal: bool) -> Iterator[OnForest]:
    names = len(group.machines) <= MOST_NAMED
    for number, machine in enumerate(group.machines, start=1):
        score = machine.scores(group.question).get(setting)
        if score is None:
            continue
        estimate = Estimate(score.gain, score.low(ALPHA / 2), score.high(ALPHA / 2), score.n)
        name = _name(machine, number, personal) if names else ""
        yield OnForest(name, estimate, machine in group.disagreeing)


def _name(machine: GroupMember, number: int, personal: bool) -> str:
    return machine.files[0] if personal else text("machine-number", number=number)


def _some(lines: Sequence[OnForest]) -> list[OnForest]:
    """Return as many machines as have room, spaced evenly by gain, and all that disagree."""
    if len(lines) <= MOST_DRAWN:
        return list(lines)
    kept = {round(at * (len(lines) - 1) / (MOST_DRAWN - 1)) for at in range(MOST_DRAWN)}
    odd = [at for at, line in enumerate(lines) if line.is_odd][:MOST_DRAWN]
    return [lines[at] for at in sorted(kept.union(odd))]


def _all_line(score: Estimate | None) -> Iterator[OnForest]:
    if score and score.is_bounded:
        yield OnForest(text("machines-together"), score, is_all=True)
