# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side as people see them."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row, compared_row, figure, make_panel
from disktuner.presentation.presented import result_title
from disktuner.verdict.between import Between
from disktuner.vocabulary.messages import literal, text
from disktuner.vocabulary.metrics import Metric
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
        found.why,
        (
            text("first-answer", title=result_title(found.first), why=first.why),
            text("second-answer", title=result_title(found.second), why=second.why),
        ),
        found.differences,
        tuple(_panel(found, metrics[name]) for name in dict.fromkeys(row.comparison.metric for row in found.rows)),
        tuple(
            text("not-compared", label=metrics[name].label, reason=literal(reason))
            for name, reason in found.left_out.items()
        ),
        text("not-in-turns"),
    )


def _panel(found: Between, metric: Metric) -> Panel:
    rows = tuple(_row(found, metric, at) for at, row in enumerate(found.rows) if row.comparison.metric == metric.name)
    return make_panel(metric, rows, text("against-first"))


def _row(found: Between, metric: Metric, at: int) -> Row:
    row = found.rows[at]
    value = text("from-to", before=figure(row.before, metric), after=figure(row.after, metric))
    return compared_row(metric, row.comparison, text("first"), value, row.after)
