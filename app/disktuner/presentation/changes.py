# SPDX-License-Identifier: GPL-3.0-or-later
"""What the setting in question costs, in a compact row per figure; its gains are in the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disktuner.presentation.panels import Panel
from disktuner.results.model import Result
from disktuner.verdict.answer import subject_of
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Outcome
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.metrics import BESIDE
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import Setting

MOST_PRICES = 5
_WORST_FIRST = (Outcome.WORSE, Outcome.UNDECIDED, None, Outcome.SAME)


@dataclass(frozen=True, slots=True)
class Change:
    """One figure: ``values`` are the current and the new one ("48 → 9 MB/s"), ``words`` how they differ.

    ``can_turn``: the answer depends on it, since it exceeds what the goal accepts or is not proved to be within that.
    """

    metric: str
    label: str
    values: str
    words: str
    outcome: Outcome | None
    can_turn: bool


def changes_of(result: Result, verdict: Verdict, shown: Sequence[Panel]) -> tuple[Change, ...]:
    """Return what the winner (or leader) costs, the worst first: all on which the answer depends, and some more.

    For a leader, undecided figures are left out.
    """
    if verdict.about is None:
        return ()
    question, panels = result.question, {panel.metric.name: panel for panel in shown}
    workloads = question.deciding_workloads
    of_deciding = {name: panel.metric for name, panel in panels.items() if panel.metric.workload in workloads}
    beside = [name for name, metric in of_deciding.items() if metric.last in BESIDE]
    turning = {side.metric for side in (*verdict.open, *verdict.beyond)}
    priced = (price.metric for price in question.prices)
    named = dict.fromkeys((*turning, *verdict.answer.priced, *priced, *beside))
    names = [name for name in named if name in panels and name != verdict.leading]
    changes = [_change(panels[name], verdict.about, question, name in turning) for name in names]
    unknown = {Outcome.BETTER} if verdict.winner else {Outcome.BETTER, Outcome.UNDECIDED}
    prices = [change for change in changes if change.outcome not in unknown]
    prices.sort(key=lambda change: (not change.can_turn, _WORST_FIRST.index(change.outcome)))
    return tuple(prices[: max(MOST_PRICES, sum(price.can_turn for price in prices))])


def _change(panel: Panel, setting: Setting, question: Question, can_turn: bool) -> Change:
    rows = {row.setting: row for row in panel.rows}
    row, now = rows.get(setting), next((row for row in panel.rows if row.is_baseline), None)
    values, words, outcome = "", text("graph-empty"), None
    if row is not None and now is not None and row.estimate is not None:
        words = row.difference if row.outcome in (Outcome.BETTER, Outcome.WORSE) else row.finding
        values, outcome = text("from-to", before=_short(now.value, row.value), after=row.value), row.outcome
    name = panel.metric.name
    return Change(name, say(subject_of(panel.metric, question)), values, words, outcome, can_turn)


def _short(value: str, other: str) -> str:
    """Return a value without its unit if the other has the same."""
    number, _, unit = value.rpartition(" ")
    return number if number and unit == other.rpartition(" ")[2] else value
