# SPDX-License-Identifier: GPL-3.0-or-later
"""What many machines' results come to, as people see it: an answer per disk model, and every machine on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from disktuner.fleet.pool import Machine
from disktuner.fleet.summary import Group
from disktuner.presentation.panels import Row, compared_row
from disktuner.presentation.presented import answer
from disktuner.presentation.scale import Scale, scale_of_differences
from disktuner.verdict.analysis import benefit, ratio_of
from disktuner.verdict.interval import quantile
from disktuner.verdict.model import Contrast
from disktuner.vocabulary.differences import gain_of
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.workloads import label_of

MOST_NAMED, MOST_DRAWN = 24, 80
"""Of more machines than that, lines have no names; of more than the second, some are drawn."""
_ONE_IN_40 = 0.025
_ENDLESS = 1e6


@dataclass(frozen=True, slots=True)
class Line:
    """One machine, or all that agree together (``is_all``), on the scale of a forest: gains, ends of an interval."""

    name: str
    gain: float
    low: float
    high: float
    is_odd: bool = False
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Forest:
    """A figure of one scheduler on all machines.

    ``title`` says what is drawn, ``remark`` that it is not all. ``lines`` are the machines, the largest gain first, and
    the last one all that agree. Lines of many machines have no names. ``worth`` is the gain that is worth a change.
    """

    title: str
    remark: str
    scheduler: str
    scale: Scale
    lines: tuple[Line, ...]
    worth: float


@dataclass(frozen=True, slots=True)
class PresentedGroup:
    """A disk model under a kernel series for a goal.

    ``facts`` are kernel, goal and machines, ``difference`` is what stands for the answer, ``remarks`` are on machines
    that disagree or are not known. ``rows`` are by the label of their figure.
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
    """Return a group as people see it. Files, which may name machines, are only named where it is ``personal``."""
    verdict, result = group.verdict, group.analysis.result
    goal = GOALS[group.goal].name
    rows = tuple(_rows(group))
    stands = [row.difference for metric, row in rows if group.shown == (metric, row.scheduler)]
    return PresentedGroup(
        group.model,
        text("goal-name", goal=goal),
        (text("of-kernel", release=group.kernel), text("machines", count=len(group.machines))),
        answer(verdict, result),
        next(iter(stands), ""),
        tuple(map(say, verdict.why)),
        tuple(_remarks(group, personal)),
        tuple((say(label_of(result.metrics[metric])), row) for metric, row in rows),
        _forest(group, personal),
    )


def _rows(group: Group) -> Iterator[tuple[str, Row]]:
    for found in group.verdict.comparisons:
        row = compared_row(group.analysis.result.metrics[found.metric], found, "", None)
        yield found.metric, row if found.ci_low is not None else replace(row, interval=text("too-few-machines"))


def _remarks(group: Group, personal: bool) -> Iterator[str]:
    count = len(group.disagreeing)
    if count and personal:
        files = tuple(file for machine in group.disagreeing for file in machine.files)
        yield text("machines-disagree-named", count=count, files=files)
    elif count:
        yield text("machines-disagree", count=count)
    if group.unknown:
        yield text("machines-unknown", count=group.unknown)


def _forest(group: Group, personal: bool) -> Forest | None:
    if group.shown is None:
        return None
    name, scheduler = group.shown
    metric = group.analysis.result.metrics[name]
    lines = sorted(_machine_lines(group, metric, scheduler, personal), key=lambda each: each.gain, reverse=True)
    found = next(each for each in group.verdict.comparisons if (each.metric, each.scheduler) == group.shown)
    drawn = _some(lines)
    shown = [*drawn, *_all_line(metric, found)]
    gains, ends = [each.gain for each in shown], [end for each in shown for end in (each.low, each.high)]
    worth = group.verdict.worth
    scale = scale_of_differences(metric, gains, ends, worth)
    title = text("forest-title", scheduler=scheduler, baseline=group.verdict.baseline, label=label_of(metric))
    remark = text("forest-some", count=len(lines), shown=len(drawn)) if len(drawn) < len(lines) else ""
    return Forest(title, remark, scheduler, scale, tuple(shown), worth)


def _machine_lines(group: Group, metric: Metric, scheduler: str, personal: bool) -> Iterator[Line]:
    names = len(group.machines) <= MOST_NAMED
    reach = float(quantile(_ONE_IN_40, _ENDLESS))
    for number, machine in enumerate(group.machines, start=1):
        difference = machine.differences.get((metric.name, scheduler))
        if difference is None:
            continue
        centre, half = benefit(metric, difference[0]) or 0.0, reach * difference[1] ** 0.5
        is_odd = machine in group.disagreeing
        name = _name(machine, number, personal) if names else ""
        ends = ratio_of(centre - half), ratio_of(centre + half)
        yield Line(name, ratio_of(centre), *ends, is_odd)


def _name(machine: Machine, number: int, personal: bool) -> str:
    return machine.files[0] if personal else text("machine-number", number=number)


def _some(lines: Sequence[Line]) -> list[Line]:
    """Return so many machines as have room, evenly from the largest gain to the smallest, and all that disagree."""
    if len(lines) <= MOST_DRAWN:
        return list(lines)
    kept = {round(at * (len(lines) - 1) / (MOST_DRAWN - 1)) for at in range(MOST_DRAWN)}
    odd = [at for at, each in enumerate(lines) if each.is_odd][:MOST_DRAWN]
    return [lines[at] for at in sorted(kept.union(odd))]


def _all_line(metric: Metric, found: Contrast) -> Iterator[Line]:
    if found.ratio is not None and found.ci_low is not None and found.ci_high is not None:
        low, high = sorted((gain_of(metric, found.ci_low), gain_of(metric, found.ci_high)))
        yield Line(text("machines-together"), gain_of(metric, found.ratio), low, high, is_all=True)
