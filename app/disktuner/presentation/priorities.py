# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether schedulers honour I/O priorities on a disk: a fact per scheduler, shown next to the verdict."""

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
"""If a copy slows a reader down less than this, priorities cannot show an effect."""

NOT_HONOURED, HONOURED = 1.7, 2.0
"""How much faster reads are during a copy of low priority than during a normal one. On a simulated hard disk: 0.9 to
1.5 if the scheduler knows no priorities, 2.5 to 60 if it does."""

AGREE = 2 / 3
"""The share of runs that must agree."""


class Honoured(StrEnum):
    """Whether a priority is honoured."""

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
    """The findings for one setting, for ``ionice -c 3`` and ``ionice -c 2 -n 7``."""

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
    return tuple(_fact(setting, list(runs[setting].values())) for setting in order if setting in runs)


def priorities_found(result: Result) -> tuple[Message, ...]:
    """Return the facts of all schedulers as sentences; none if priorities were not measured."""
    return tuple(sentence for fact in priority_facts(result) for sentence in _sentences(fact))


def honoured(gain: float | None, slowdown: float | None) -> Honoured:
    """Answer for one run, whose ``gain`` is how much faster reads were during the copy of low priority."""
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
    by_answer = {answer: tuple(command for command, given in answers.items() if given is answer) for answer in Honoured}
    return [
        message(_SENTENCES[answer], scheduler=fact.setting.name, commands=commands)
        for answer, commands in by_answer.items()
        if commands
    ]
