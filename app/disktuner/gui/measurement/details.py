# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that supports a result's answer: workloads, basis, cautions, fine-tuning and all charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.continuing import request_to_tune, settings_to_try
from disktuner.comparison.tasks import plain_winner
from disktuner.gui.access import read_after
from disktuner.gui.models import TextTable
from disktuner.gui.plots.charts import panel_chart
from disktuner.gui.plots.curves import Chart, CurveChart, distributions, scaling
from disktuner.gui.plots.marks import Legend
from disktuner.gui.shell import Shell
from disktuner.gui.state import Leave
from disktuner.gui.style import SMALL, look, text_role
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import Fold, button, card, column, filled, heading, label, permit, row, table
from disktuner.presentation import Panel, Presented, Row, Tried, for_goal, other_goals, present, result_title, samples
from disktuner.verdict.outcomes import Outcome
from disktuner.vocabulary.goals import STANDARD, Goal
from disktuner.vocabulary.messages import named, text
from disktuner.vocabulary.settings import Setting

_ROWS_MEASURED = 200
"""The number of rows that decide a column's width."""

_SAMPLE_COLUMNS = ("column-run", "column-round", "scheduler", "column-metric", "column-value", "column-counts")

_MOST_SETTINGS = 4
"""The most settings side by side in the table of workloads."""

_NAMES = 6
"""The least width of the workloads' names there, in units of ``wide``."""

_TONES = {Outcome.BETTER: "good", Outcome.WORSE: "bad"}


class Details(QWidget):
    """What an answer is based on, in three parts that are made on first use.

    ``sections`` unfold these, ``folds`` unfold what is within them. ``tune_button`` leads to fine-tuning if that makes
    sense, ``prove_button`` to a trial in daily use.
    """

    def __init__(self, presented: Presented, shell: Shell, target: str) -> None:
        super().__init__()
        self._presented, self._shell, self._target = presented, shell, target
        self._disks: Sequence[Disk] = ()
        self._path: Path | None = None
        self.folds: list[Fold] = []
        self._tuning, self.tune_button = label(wrap=True), button(text("tune-now"), self._tune)
        self._proving, self.prove_button = label(text("prove-offer"), wrap=True), button(text("prove-now"), self._prove)
        self._goals = other_goals(presented.result)
        following = self._next()
        makes: tuple[tuple[str, Callable[[], QWidget]], ...] = (
            ("all-figures", self._figures),
            ("samples-and-curves", self._charts),
            ("other-purposes", lambda: following),
        )
        parts = [_folded(text(name), make) for name, make in makes]
        self.sections = [fold for fold, _ in parts]
        parts[-1][1].layout().addWidget(following)  # type: ignore[union-attr]  # made at once: it is asked what it offers
        lines = (column(row(fold, None), place, gap=look().small) for fold, place in parts)
        self.setLayout(column(*lines, gap=0))

    def _figures(self) -> QWidget:
        """All workloads, and how they were measured."""
        presented = self._presented
        settings = (
            [bar.setting for bar in presented.bars.bars] if presented.bars else list(presented.result.plan.settings)
        )
        settings = settings[:_MOST_SETTINGS]
        telling = [panel for panel in presented.panels if _tells(panel)]
        alike = [panel for panel in presented.panels if not _tells(panel)]
        content = column(_workloads(presented, telling or alike, settings), gap=look().medium)
        if telling and alike:
            others, name = column(), text("figures-alike", count=len(alike))
            self._add_fold(others, name, lambda: filled(_workloads(presented, alike, settings)))
            content.addLayout(others)
        return filled(column(card(content), self._basis(), gap=look().small))

    def _basis(self) -> QWidget:
        """The reason, what was measured and when, and cautions."""
        presented = self._presented
        facts = (presented.measured, " · ".join(presented.setup), " · ".join(presented.run), presented.method_drawn)
        notes = [presented.why, *presented.cautions, *filter(None, (presented.priorities,))]
        content = column(heading(text("what-was-measured")), gap=look().small)
        for line in notes:
            content.addWidget(label(line, wrap=True))
        for line in facts:
            content.addWidget(label(line, tone="muted", wrap=True))
        return card(content)

    def _next(self) -> QWidget:
        """Other questions that these samples answer, and what to measure next."""
        buttons = [button(named(goal.name), partial(self._judge_for, goal)) for goal in self._goals]
        content = column(gap=look().small)
        if buttons:
            content.addWidget(heading(text("judge-for")))
            content.addLayout(Flow(buttons, look().small))
        content.addLayout(row(self._tuning, self.tune_button, gap=look().large, wide=0))
        content.addLayout(row(self._proving, self.prove_button, gap=look().large, wide=0))
        return card(content)

    def _judge_for(self, goal: Goal) -> None:
        """Show the answer of these samples for another goal."""
        result = self._presented.result
        title = text("judged-for", title=result_title(result), goal=goal.name)
        self._shell.read(lambda: present(for_goal(result, goal.id)), partial(self._shell.open_result, title=title))

    def offer(self, disks: Sequence[Disk], path: Path | None, leave: Leave) -> None:
        """Offer fine-tuning if there is an answer and settings that could gain more on these disks."""
        self._disks, self._path = disks, path
        result, verdict = self._presented.result, self._presented.verdict
        tunes = path is not None and not result.was_daily_use
        settings = settings_to_try(result, verdict, disks) if tunes else ()
        for widget in (self._tuning, self.tune_button):
            widget.setVisible(bool(settings))
        proves = len(disks) == 1 and len(self._pair) == 2 and not result.was_daily_use
        for widget in (self._proving, self.prove_button):
            widget.setVisible(proves)
        self.sections[-1].setVisible(bool(settings) or proves or bool(self._goals))
        seconds = STANDARD.limits.seconds
        self._tuning.setText(text("tune-offer", plain=plain_winner(verdict).name, count=len(settings), seconds=seconds))
        for widget, about in ((self.tune_button, self._tuning), (self.prove_button, self._proving)):
            permit(widget, leave.reason, about=about.text())

    @property
    def _pair(self) -> tuple[Setting, ...]:
        """The current setting and the one to try, if they differ."""
        return tuple(dict.fromkeys(filter(None, (self._presented.verdict.baseline, self._presented.candidate))))

    def _prove(self) -> None:
        self._shell.prove(self._disks, self._pair)

    def _tune(self) -> None:
        if self._path is not None:
            request = request_to_tune(self._presented.result, self._path)
            self._shell.measure(self._disks, replace(request, target=self._target))

    def _charts(self) -> QWidget:
        presented, content = self._presented, column()
        if presented.tried:
            self._add_fold(content, text("tried", count=len(presented.tried)), partial(_candidates, presented.tried))
        if presented.panels:
            self._add_fold(content, text("all-metrics"), partial(_panels, presented))
        if points := sum(len(run.times_s) for run in presented.result.series):
            self._add_fold(content, text("live-figures", count=points), self._course)
        self._add_curves(content, text("latencies"), text("latencies-hint"), distributions(presented.result))
        self._add_curves(content, text("scaling"), text("scaling-hint"), scaling(presented))
        self._add_fold(content, text("all-samples", count=len(presented.result.samples)), self._samples)
        return filled(content)

    def _add_curves(self, content: QVBoxLayout, name: str, hint: str, charts: tuple[Chart, ...]) -> None:
        if charts:
            self._add_fold(content, name, lambda: card(_curves(name, hint, charts)))

    def _add_fold(self, content: QVBoxLayout, name: str, make: Callable[[], QWidget]) -> None:
        fold, place = _folded(name, make)
        self.folds.append(fold)
        content.addLayout(row(fold, None))
        content.addWidget(place)

    def _samples(self) -> QWidget:
        lines, model = samples(self._presented.result), TextTable(_SAMPLE_COLUMNS, right=(0, 1, 4))
        model.show(lines)
        view = table(model, text("all-samples", count=len(lines)))
        model.setParent(view)
        text_role(view)
        view.setMinimumHeight(look().wide * 10)
        header = view.horizontalHeader()
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        view.resizeColumnsToContents()
        return view

    def _course(self) -> QWidget:
        from disktuner.gui.plots.course import CoursePlot  # noqa: PLC0415 - 0.3 s: only this graph needs pyqtgraph

        return CoursePlot(self._presented.result)


def _folded(name: str, make: Callable[[], QWidget]) -> tuple[Fold, QWidget]:
    """Return the button that unfolds a part, and the part's place; the part is made on first use."""
    layout = column()
    place = filled(layout)
    place.hide()

    def toggle(on: bool) -> None:
        if not layout.count():
            layout.addWidget(part := make())
            read_after(fold, part)
        place.setVisible(on)

    fold = Fold(name, toggle, flat=True)
    return fold, place


def _tells(panel: Panel) -> bool:
    """Whether any setting has a certain outcome; figures that decide are always shown."""
    return panel.decides or any(row.outcome not in (None, Outcome.UNDECIDED) for row in panel.rows)


def _workloads(presented: Presented, panels: Sequence[Panel], settings: Sequence[Setting]) -> QGridLayout:
    """A row per figure: each setting's value and how it compares with the baseline, in words and colour."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().large)
    grid.setVerticalSpacing(look().small)
    grid.setColumnStretch(0, 2)
    grid.setColumnMinimumWidth(0, look().wide * _NAMES)
    for place, setting in enumerate(settings, start=1):
        is_now = setting == presented.verdict.baseline and presented.result.had_baseline
        column_title = text("now-in-use", setting=setting.name) if is_now else setting.words
        grid.addWidget(label(column_title, bold=True, wrap=True), 0, place)
        grid.setColumnStretch(place, 1)
    for number, panel in enumerate(panels, start=1):
        grid.addWidget(label(panel.label, bold=panel.decides, wrap=True), number, 0, Qt.AlignmentFlag.AlignTop)
        rows = {row.setting: row for row in panel.rows}
        for place, setting in enumerate(settings, start=1):
            if setting in rows:
                grid.addLayout(_figure(rows[setting]), number, place)
    return grid


def _figure(panel_row: Row) -> QVBoxLayout:
    tone = _TONES.get(panel_row.outcome, "muted") if panel_row.outcome else "muted"
    lines = column(label(panel_row.value), gap=0)
    if not panel_row.is_baseline:
        lines.addWidget(label(panel_row.words, SMALL, tone=tone, wrap=True))
    lines.addStretch(1)
    return lines


def _candidates(candidates: Sequence[Tried]) -> QWidget:
    """Each setting with its reason and the source of that."""
    lines = column(gap=look().medium)
    for candidate in candidates:
        more = (
            label(remark, SMALL, tone="muted", wrap=True) for remark in (candidate.source, candidate.left_out) if remark
        )
        name, reason = label(candidate.setting.words, bold=True, wrap=True), label(candidate.reason, wrap=True)
        lines.addLayout(column(name, reason, *more, gap=look().tight))
    return card(lines)


def _panels(presented: Presented) -> QWidget:
    return card(column(*(panel_chart(panel, presented.about) for panel in presented.panels), gap=look().large))


def _curves(name: str, hint: str, charts: tuple[Chart, ...]) -> QVBoxLayout:
    content = column(label(hint, tone="muted", wrap=True), gap=look().medium)
    for chart in charts:
        legend = Legend([curve.setting for curve in chart.curves])
        content.addLayout(column(heading(chart.name, wrap=True), legend, CurveChart(name, chart)))
    return content
