# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a scheduler honours I/O priorities on a disk: a fact per scheduler, shown beside the verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from disktuner.results.model import Result
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import workload_of
from disktuner.vocabulary.settings import Setting

WORKLOAD = "priorities"
_GAINS = ("idle_gain", "low_gain")
SLOWED = 1.5
"""A reader that a copy slows down less than this leaves a priority nothing to show."""

NOT_HONOURED, HONOURED = 1.7, 2.0
"""Reads beside a copy of low priority, against a normal one. On a simulated hard disk: 0.9 to 1.5 where the scheduler
knows no priorities, 2.5 to 60 where it does."""

AGREE = 2 / 3
"""The share of runs that must say the same."""


class Honoured(StrEnum):
    """The answer."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "cannot tell"


_SENTENCES = {
    Honoured.YES: "priority-honoured",
    Honoured.NO: "priority-ignored",
    Honoured.UNKNOWN: "priority-unclear",
}


@dataclass(frozen=True, slots=True)
class PriorityFact:
    """What was found out under one setting, for ``ionice -c 3`` and ``ionice -c 2 -n 7``."""

    setting: Setting
    idle: Honoured
    low: Honoured


def priority_facts(result: Result) -> tuple[PriorityFact, ...]:
    """Return the facts of all schedulers with valid runs of ``priorities``, in the plan's order."""
    runs: dict[Setting, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for sample in result.samples:
        if sample.valid and workload_of(sample.metric) == WORKLOAD:
            runs[sample.setting][sample.order][sample.metric.rpartition(".")[2]] = sample.value
    order = dict.fromkeys((*result.plan.settings, *runs))
    return tuple(_fact(each, list(runs[each].values())) for each in order if each in runs)


def priorities_found(result: Result) -> tuple[Message, ...]:
    """Return the facts of all schedulers as sentences, none where priorities were not measured."""
    return tuple(sentence for fact in priority_facts(result) for sentence in _sentences(fact))


def honoured(gain: float | None, slowdown: float | None) -> Honoured:
    """Answer for one run: how much faster reads were beside the copy of low priority than beside a normal one."""
    if gain is None or slowdown is None or slowdown < SLOWED:
        return Honoured.UNKNOWN
    if gain >= HONOURED:
        return Honoured.YES
    return Honoured.NO if gain < NOT_HONOURED else Honoured.UNKNOWN


def _fact(setting: Setting, runs: Sequence[dict[str, float]]) -> PriorityFact:
    answers = [_agreed([honoured(run.get(gain), run.get("slowdown")) for run in runs]) for gain in _GAINS]
    return PriorityFact(setting, *answers)


def _agreed(answers: Sequence[Honoured]) -> Honoured:
    most, count = Counter(answers).most_common(1)[0]
    return most if count >= AGREE * len(answers) else Honoured.UNKNOWN


def _sentences(fact: PriorityFact) -> list[Message]:
    answers = {"ionice -c 3 (idle)": fact.idle, "ionice -c 2 -n 7 (low)": fact.low}
    found = {answer: tuple(command for command, its in answers.items() if its is answer) for answer in Honoured}
    return [
        message(_SENTENCES[answer], scheduler=fact.setting.name, commands=commands)
        for answer, commands in found.items()
        if commands
    ]
