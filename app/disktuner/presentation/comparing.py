# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side as people see them."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row, compared_row, figure, make_panel
from disktuner.presentation.presented import result_title
from disktuner.verdict.between import Between, Change
from disktuner.vocabulary.messages import language, named, say, say_all, text
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.units import NOTHING, size
from disktuner.vocabulary.workloads import as_declared


@dataclass(frozen=True, slots=True)
class PresentedBetween:
    """Everything that is shown of two results.

    ``answers`` are sentences on the first and the second, ``differences`` what else is not the same as (what, first,
    second), ``left_out`` sentences on what was not compared. The rows of ``panels`` are the second result's gains over
    the first; their values say both ("70 ms → 60 ms"). ``caveat`` is what a reader must know.
    """

    between: Between
    why: str
    answers: tuple[str, str]
    differences: tuple[tuple[str, str, str], ...]
    panels: tuple[Panel, ...]
    left_out: tuple[str, ...]
    caveat: str


def present_between(found: Between) -> PresentedBetween:
    """Return two compared results as people see them."""
    metrics = {name: as_declared(metric) for name, metric in found.first.metrics.items()}
    first, second = found.verdicts
    return PresentedBetween(
        found,
        say_all(found.why),
        (
            text("first-answer", title=result_title(found.first), why=say_all(first.why)),
            text("second-answer", title=result_title(found.second), why=say_all(second.why)),
        ),
        tuple((named(what), _fact(old), _fact(new)) for what, old, new in found.differences),
        tuple(_panel(found, metrics[name]) for name in dict.fromkeys(each.comparison.metric for each in found.changes)),
        tuple(map(say, found.left_out.values())),
        text("not-in-turns"),
    )


def _fact(fact: str | int) -> str:
    """Return what is not the same: a text, or a number of bytes."""
    shown = size(fact, language().numbers) if isinstance(fact, int) and fact else str(fact or "")
    return shown or NOTHING


def _panel(found: Between, metric: Metric) -> Panel:
    rows = tuple(_row(metric, change) for change in found.changes if change.comparison.metric == metric.name)
    return make_panel(metric, rows, text("against-first"))


def _row(metric: Metric, change: Change) -> Row:
    value = text("from-to", before=figure(change.before, metric), after=figure(change.after, metric))
    return compared_row(metric, change.comparison, value, change.after)
