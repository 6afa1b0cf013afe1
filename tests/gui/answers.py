# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds in which the stand-in's disk gives each of the five answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import More, Verdict
from disktuner.verdict.outcomes import Decision
from tests.gui.stand_ins import LAUNCH, TYPICAL, WRITE, Bench, full_result

_FACTORS: Mapping[Decision, Mapping[tuple[str, str], float]] = {
    Decision.SWITCH: {(LAUNCH, "bfq"): 0.35, (LAUNCH, "kyber"): 0.9, (WRITE, "bfq"): 0.92},
    Decision.CONDITIONAL: {(LAUNCH, "bfq"): 0.35, (LAUNCH, "kyber"): 0.9, (WRITE, "bfq"): 0.7},
    Decision.TRADE_OFF: {(LAUNCH, "bfq"): 0.35, (LAUNCH, "kyber"): 0.95, (WRITE, "bfq"): 0.55},
    Decision.KEEP: {(LAUNCH, "bfq"): 0.97, (LAUNCH, "kyber"): 1.02},
    Decision.UNDECIDED: {(LAUNCH, "bfq"): 0.72, (LAUNCH, "kyber"): 1.9, (WRITE, "bfq"): 0.9},
}
"""The figures' factors of the baseline, unless they are 1."""


def world(decision: Decision) -> Callable[[Result], Result]:
    """Return a function that turns the stand-in's result into one with this answer and the same noise."""
    factors = _FACTORS[decision]

    def changed(result: Result) -> Result:
        samples = []
        for sample in result.samples:
            if (typical := TYPICAL.get(sample.metric)) is not None:
                noise = sample.value / typical[sample.setting.name]
                usual = typical["mq-deadline"] * factors.get((sample.metric, sample.setting.name), 1.0)
                sample = replace(sample, value=usual * noise)  # noqa: PLW2901
            samples.append(replace(sample, duration_s=5.0))
        return replace(result, samples=tuple(samples))

    return changed


def needing(more: More | None) -> Callable[[Result], Verdict]:
    """Return a judge that says of every result that this much more would decide it."""
    return lambda result: replace(judge(result), more=more)


def measured(decision: Decision) -> Result:
    """Return a result with this answer."""
    rounds, noise = _SHAPE.get(decision, _CLEAR)
    return world(decision)(full_result(rounds, noise=noise))


_CLEAR = (6, 0.05)
_SHAPE = {Decision.CONDITIONAL: (3, 0.1), Decision.UNDECIDED: (3, 0.3)}
"""Rounds and noise of clear and of unclear results."""


def put_into(bench: Bench, decision: Decision, more: More | None = None) -> None:
    """Give the bench's next comparisons this answer; ``more`` is what would decide it, if given."""
    bench.rounds, bench.noise = _SHAPE.get(decision, _CLEAR)
    bench.world = world(decision)
    bench.verdict = needing(more) if more is not None else judge
