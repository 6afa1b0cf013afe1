# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds in which the stand-in's disk gives each of the five answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, More, Verdict
from tests.gui.stand_ins import LAUNCH, TYPICAL, WRITE, Bench, full_result

_FACTORS: Mapping[Decision, Mapping[tuple[str, str], float]] = {
    Decision.SWITCH: {(LAUNCH, "bfq"): 0.35, (LAUNCH, "kyber"): 0.9, (WRITE, "bfq"): 0.92},
    Decision.CONDITIONAL: {(LAUNCH, "bfq"): 0.35, (LAUNCH, "kyber"): 0.9, (WRITE, "bfq"): 0.7},
    Decision.TRADE_OFF: {(LAUNCH, "bfq"): 0.35, (LAUNCH, "kyber"): 0.95, (WRITE, "bfq"): 0.55},
    Decision.KEEP: {(LAUNCH, "bfq"): 0.97, (LAUNCH, "kyber"): 1.02},
    Decision.UNDECIDED: {(LAUNCH, "bfq"): 0.72, (LAUNCH, "kyber"): 1.9, (WRITE, "bfq"): 0.9},
}
"""How many times as much as with the baseline a figure is, where it is not the same."""


def world(decision: Decision) -> Callable[[Result], Result]:
    """Return what turns the stand-in's result into one with this answer; its noise stays."""
    factors = _FACTORS[decision]

    def changed(result: Result) -> Result:
        samples = []
        for each in result.samples:
            if (known := TYPICAL.get(each.metric)) is not None:
                noise = each.value / known[each.setting.name]
                usual = known["mq-deadline"] * factors.get((each.metric, each.setting.name), 1.0)
                each = replace(each, value=usual * noise)  # noqa: PLW2901
            samples.append(replace(each, duration_s=5.0))
        return replace(result, samples=tuple(samples))

    return changed


def needing(more: More | None) -> Callable[[Result], Verdict]:
    """Return what judges every result, and says that so much more would decide it."""
    return lambda result: replace(judge(result), more=more)


def measured(decision: Decision) -> Result:
    """Return a result with this answer."""
    rounds, noise = _SHAPE.get(decision, _CLEAR)
    return world(decision)(full_result(rounds, noise=noise))


_CLEAR = (6, 0.05)
_SHAPE = {Decision.CONDITIONAL: (3, 0.1), Decision.UNDECIDED: (3, 0.3)}
"""Rounds and noise of a result that is clear, and of those that are not."""


def put_into(bench: Bench, decision: Decision, more: More | None = None) -> None:
    """Let the bench's next comparisons have this answer; ``more`` is what would decide, if it is given."""
    bench.rounds, bench.noise = _SHAPE.get(decision, _CLEAR)
    bench.world = world(decision)
    bench.verdict = needing(more) if more is not None else judge
