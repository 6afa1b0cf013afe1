# SPDX-License-Identifier: GPL-3.0-or-later
"""All that supports a result's answer: every workload in a row, what it rests on, cautions, fine-tuning, all charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QPushButton, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.continuing import request_to_tune, settings_to_try
from disktuner.comparison.tasks import plain_winner
from disktuner.gui.access import read_after
from disktuner.gui.intents import Intents
from disktuner.gui.models import TextTable
from disktuner.gui.plots.charts import panel_chart
from disktuner.gui.plots.curves import Chart, CurveChart, distributions, scaling
from disktuner.gui.plots.marks import Legend
from disktuner.gui.state import Leave
from disktuner.gui.style import SMALL, look, text_role
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import Fold, button, card, column, heading, label, plain, row, table
from disktuner.presentation import Presented, Row, Tried, other_goals, samples
from disktuner.verdict.model import Outcome
from disktuner.vocabulary.goals import STANDARD
from disktuner.vocabulary.messages import named, text
from disktuner.vocabulary.settings import Setting

_ROWS_MEASURED = 200
"""How many rows decide the width of a column."""

_SAMPLE_COLUMNS = ("column-run", "column-round", "scheduler", "column-metric", "column-value", "column-counts")

_MOST_SETTINGS = 4
"""How many stand side by side in the table of workloads."""

_NAMES = 6
"""How wide the names of workloads are at least there, in units of ``wide``."""

_TONES = {Outcome.BETTER: "good", Outcome.WORSE: "bad"}


class Details(QWidget):
    """What it rests on. ``head`` is its first heading, ``tune_button`` leads to fine-tuning where that makes sense,
    ``folds`` unfold charts and samples.
    """

    def __init__(self, presented: Presented, intents: Intents, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presented, self._intents, self._target = presented, intents, target
        self._disks: Sequence[Disk] = ()
        self._path: Path | None = None
        self.folds: list[QPushButton] = []
        self.head = heading(text("every-workload"))
        self.head.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # so that Tab goes on from there
        self._tuning, self.tune_button = label(wrap=True), button(text("tune-now"), self._tune)
        self._proving, self.prove_button = label(text("prove-offer"), wrap=True), button(text("prove-now"), self._prove)
        content: QVBoxLayout = column(
            card(column(self.head, _workloads(presented), gap=look().medium)), self._measured(), gap=look().small
        )
        content.addWidget(self._next())
        self._add_charts(content)
        self.setLayout(content)

    def _measured(self) -> QWidget:
        """Why, what was measured and when, and what is to be known of it."""
        shown = self._presented
        facts = (shown.measured, " · ".join(shown.setup), " · ".join(shown.run), shown.method)
        told = [shown.why, *shown.cautions, *filter(None, (shown.priorities,))]
        content = column(heading(text("what-was-measured")), gap=look().small)
        for each in told:
            content.addWidget(label(each, wrap=True))
        for each in facts:
            content.addWidget(label(each, tone="muted", wrap=True))
        return card(content)

    def _next(self) -> QWidget:
        """What else these samples answer, and what could be measured next."""
        goals = other_goals(self._presented.result)
        asked = [button(named(goal.name), partial(self._intents.judge_for, self._presented, goal.id)) for goal in goals]
        content = column(gap=look().small)
        if asked:
            content.addWidget(heading(text("judge-for")))
            content.addLayout(Flow(asked, look().small))
        content.addLayout(row(self._tuning, self.tune_button, gap=look().large, wide=0))
        content.addLayout(row(self._proving, self.prove_button, gap=look().large, wide=0))
        self._next_card = card(content)
        self._asks = bool(asked)
        return self._next_card

    def offer(self, disks: Sequence[Disk], path: Path | None, leave: Leave) -> None:
        """Offer fine-tuning where there is an answer, and settings that could gain more on these disks."""
        self._disks, self._path = disks, path
        result, verdict = self._presented.result, self._presented.verdict
        tunes = path is not None and not result.was_daily_use
        found = settings_to_try(result, verdict, disks) if tunes else ()
        for each in (self._tuning, self.tune_button):
            each.setVisible(bool(found))
        proves = len(disks) == 1 and len(self._pair) == 2 and not result.was_daily_use
        for each in (self._proving, self.prove_button):
            each.setVisible(proves)
        self._next_card.setVisible(bool(found) or proves or self._asks)
        seconds = STANDARD.limits.seconds
        self._tuning.setText(text("tune-offer", plain=plain_winner(verdict).name, count=len(found), seconds=seconds))
        for each, about in ((self.tune_button, self._tuning), (self.prove_button, self._proving)):
            each.setEnabled(bool(leave))
            each.setToolTip(plain(leave.reason))
            each.setAccessibleDescription(leave.reason or about.text())

    @property
    def _pair(self) -> tuple[Setting, ...]:
        """The current setting and the one to try, where that is another one."""
        return tuple(dict.fromkeys(filter(None, (self._presented.verdict.baseline, self._presented.candidate))))

    def _prove(self) -> None:
        self._intents.prove(self._disks, self._pair)

    def _tune(self) -> None:
        if self._path is not None:
            request = request_to_tune(self._presented.result, self._path)
            self._intents.measure(self._disks, replace(request, target=self._target))

    def _add_charts(self, content: QVBoxLayout) -> None:
        shown = self._presented
        if shown.tried:
            self._add_fold(content, text("tried", count=len(shown.tried)), partial(_tried, shown.tried))
        if shown.panels:
            self._add_fold(content, text("all-metrics"), partial(_panels, shown))
        if points := sum(len(run.times_s) for run in shown.result.series):
            self._add_fold(content, text("live-figures", count=points), self._course)
        self._add_curves(content, text("latencies"), text("latencies-hint"), distributions(shown.result))
        self._add_curves(content, text("scaling"), text("scaling-hint"), scaling(shown))
        self._add_fold(content, text("all-samples", count=len(shown.result.samples)), self._samples)

    def _add_curves(self, content: QVBoxLayout, name: str, hint: str, charts: tuple[Chart, ...]) -> None:
        if charts:
            self._add_fold(content, name, lambda: card(_curves(name, hint, charts)))

    def _samples(self) -> QWidget:
        shown, model = samples(self._presented.result), TextTable(_SAMPLE_COLUMNS, right=(0, 1, 4))
        model.show(shown)
        made = table(model, text("all-samples", count=len(shown)))
        model.setParent(made)
        text_role(made)
        made.setMinimumHeight(look().wide * 10)
        header = made.horizontalHeader()
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        made.resizeColumnsToContents()
        return made

    def _course(self) -> QWidget:
        from disktuner.gui.plots.course import CoursePlot  # noqa: PLC0415 - only this graph needs pyqtgraph

        return CoursePlot(self._presented.result)

    def _add_fold(self, content: QVBoxLayout, name: str, make: Callable[[], QWidget]) -> None:
        """A part that is made when it is first wanted."""
        place, made = QWidget(), list[QWidget]()
        place.setLayout(column())
        place.hide()

        def toggle(on: bool) -> None:
            if not made:
                made.append(make())
                layout = place.layout()
                assert layout is not None
                layout.addWidget(made[0])
                read_after(fold, made[0])
            place.setVisible(on)

        fold = Fold(name, toggle, flat=True)
        self.folds.append(fold)
        content.addLayout(row(fold, None))
        content.addWidget(place)


def _workloads(presented: Presented) -> QGridLayout:
    """A row per figure: what each setting reached, and what that is against the baseline, in words and colour."""
    settings = _side_by_side(presented)
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().large)
    grid.setVerticalSpacing(look().small)
    grid.setColumnStretch(0, 1)
    grid.setColumnMinimumWidth(0, look().wide * _NAMES)
    for place, each in enumerate(settings, start=1):
        is_now = each == presented.verdict.baseline
        known = text("now-in-use", setting=each.name) if is_now else each.words
        grid.addWidget(label(known, bold=True, wrap=True), 0, place)
    for number, panel in enumerate(presented.panels, start=1):
        grid.addWidget(label(panel.label, bold=panel.decides, wrap=True), number, 0, Qt.AlignmentFlag.AlignTop)
        rows = {row.setting: row for row in panel.rows}
        for place, each in enumerate(settings, start=1):
            if each in rows:
                grid.addLayout(_figure(rows[each]), number, place)
    return grid


def _side_by_side(presented: Presented) -> list[Setting]:
    """The baseline and what the answer is about first, then the others in the order of the plan."""
    verdict = presented.verdict
    first = [verdict.baseline, *filter(None, (verdict.winner or verdict.leader,))]
    return list(dict.fromkeys((*first, *presented.result.plan.settings)))[:_MOST_SETTINGS]


def _figure(found: Row) -> QVBoxLayout:
    tone = _TONES.get(found.outcome, "muted") if found.outcome else "muted"
    lines = column(label(found.value), gap=0)
    if not found.is_baseline:
        lines.addWidget(label(found.words, SMALL, tone=tone, wrap=True))
    lines.addStretch(1)
    return lines


def _tried(tried: Sequence[Tried]) -> QWidget:
    """Each setting with its reason and where that is said."""
    lines = column(gap=look().medium)
    for each in tried:
        more = (label(said, SMALL, tone="muted", wrap=True) for said in (each.source, each.left_out) if said)
        name, reason = label(each.setting.words, bold=True, wrap=True), label(each.reason, wrap=True)
        lines.addLayout(column(name, reason, *more, gap=look().tight))
    return card(lines)


def _panels(shown: Presented) -> QWidget:
    return card(column(*(panel_chart(panel, shown.about) for panel in shown.panels), gap=look().large))


def _curves(name: str, hint: str, charts: tuple[Chart, ...]) -> QVBoxLayout:
    content = column(label(hint, tone="muted", wrap=True), gap=look().medium)
    for chart in charts:
        legend = Legend([curve.setting for curve in chart.curves])
        content.addLayout(column(heading(chart.name, wrap=True), legend, CurveChart(name, chart)))
    return content
