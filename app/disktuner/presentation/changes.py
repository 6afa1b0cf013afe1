# SPDX-License-Identifier: GPL-3.0-or-later
"""What else the setting in question changes: further figures that decide, and prices, a compact row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row
from disktuner.results.model import Result
from disktuner.verdict.model import Outcome, Verdict
from disktuner.vocabulary.messages import named, text
from disktuner.vocabulary.metrics import BESIDE, Metric
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS

MOST_PRICES = 5
_WORST_FIRST = (Outcome.WORSE, Outcome.UNDECIDED, None, Outcome.SAME)


@dataclass(frozen=True, slots=True)
class Change:
    """One figure: ``values`` are now's and the setting's ("48 → 9 MB/s"), ``words`` how they differ.

    ``decides`` tells a part of the answer from a price. ``can_turn`` says that the answer hangs on it: it is shown to
    be beyond what the goal accepts, or not shown to be within it.
    """

    metric: str
    label: str
    values: str
    words: str
    outcome: Outcome | None
    decides: bool
    can_turn: bool


def changes_of(result: Result, verdict: Verdict, shown: Sequence[Panel]) -> tuple[Change, ...]:
    """Return what the winner (or who leads) changes besides the figure of the answer: what decides, then prices.

    The worst prices come first; what gets better is none. Of who only leads, nothing is named that cannot be told.
    """
    setting = verdict.winner or verdict.leader
    if setting is None:
        return ()
    question, panels = result.question, {panel.metric.name: panel for panel in shown}
    beside = [name for name, panel in panels.items() if _is_beside(panel.metric, question.deciding_workloads)]
    by_name = {name for name in beside if len(beside) > 1}
    turning = {each.metric for each in (*verdict.open, *verdict.beyond)}
    found = [
        _change(panels[name], setting, name in question.deciding, name in turning, name in by_name)
        for name in dict.fromkeys((*question.metrics, *beside))
        if name != verdict.leading and name in panels
    ]
    if verdict.winner is None:
        found = [each for each in found if each.outcome is not Outcome.UNDECIDED]
    prices = [each for each in found if not each.decides and each.outcome is not Outcome.BETTER]
    prices.sort(key=lambda each: (not each.can_turn, _WORST_FIRST.index(each.outcome)))
    return (*(each for each in found if each.decides), *prices[:MOST_PRICES])


def _is_beside(metric: Metric, workloads: Sequence[str]) -> bool:
    return metric.workload in workloads and metric.last in BESIDE


def _change(panel: Panel, setting: Setting, decides: bool, can_turn: bool, by_name: bool) -> Change:
    rows: Mapping[Setting, Row] = {row.setting: row for row in panel.rows}
    row, now = rows.get(setting), next((row for row in panel.rows if row.is_baseline), None)
    values, words, outcome = "", text("graph-empty"), None
    if row is not None and now is not None and row.estimate is not None:
        words = row.difference if row.outcome in (Outcome.BETTER, Outcome.WORSE) else row.finding
        values, outcome = text("from-to", before=_short(now.value, row.value), after=row.value), row.outcome
    label = panel.label if by_name else _label(panel)
    return Change(panel.metric.name, label, values, words, outcome, decides, can_turn)


def _short(value: str, other: str) -> str:
    """Return a value without its unit where the other has the same."""
    number, _, unit = value.rpartition(" ")
    return number if number and unit == other.rpartition(" ")[2] else value


def _label(panel: Panel) -> str:
    """Return what was done where the figure stands for that, else its own name."""
    facts = WORKLOADS.get(panel.metric.workload)
    if panel.metric.last in BESIDE:
        return text("reading-meanwhile" if panel.metric.last.startswith("read") else "writing-meanwhile")
    return named(facts.activity) if facts and facts.deciding == panel.metric.last else panel.label
