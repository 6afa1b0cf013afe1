# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict of each kind on the stand-in's result, with all that it may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, More, Verdict
from disktuner.vocabulary.messages import literal

WHY = {
    Decision.SWITCH: ("bfq is 6.6× faster for starting programs while files are written (95 % sure).",),
    Decision.TRADE_OFF: ("bfq is 6.6× faster for starting programs, but writing one big file takes 77 % longer.",),
    Decision.KEEP: ("Nothing is more than 12 % faster; less than 20 % is not worth a change.", "Keep mq-deadline."),
    Decision.UNDECIDED: (
        "bfq is at least 5 % faster for starting programs while files are written.",
        "Nothing but bfq is more than 20 % faster for starting programs while files are written.",
        "bfq leads: with a probability of 87 % it is at least 20 % faster.",
        "6 more rounds (4 minutes) would probably decide.",
    ),
}


def judging(decision: Decision, more: More | None = None) -> Callable[[Result], Verdict]:
    """Return what judges every result so."""
    chosen: Mapping[Decision, dict[str, str | None]] = {
        Decision.SWITCH: {"winner": "bfq", "leader": None},
        Decision.TRADE_OFF: {"winner": "bfq", "leader": None},
        Decision.KEEP: {"winner": None, "leader": None},
        Decision.UNDECIDED: {"winner": None, "leader": "bfq"},
    }

    def verdict(result: Result) -> Verdict:
        found = replace(judge(result), decision=decision, more=more, worth=1.2, **chosen[decision])  # type: ignore[arg-type]
        return replace(found, why=tuple(map(literal, WHY[decision])))

    return verdict
