# SPDX-License-Identifier: GPL-3.0-or-later
"""All that supports a result's answer: every workload in a row, what it rests on, cautions, fine-tuning, all charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QVBoxLayout, QWidget

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
from disktuner.presentation import Panel, Presented, Row, Tried, other_goals, samples
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
    """What an answer rests on, in three parts that are made when they are first wanted.

    ``sections`` unfold these, ``folds`` what is folded within them. ``tune_button`` leads to fine-tuning where that
    makes sense, ``prove_button`` to a trial in daily use.
    """

    def __init__(self, presented: Presented, intents: Intents, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presented, self._intents, self._target = presented, intents, target
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
        made = [_folded(text(name), make, flat=True) for name, make in makes]
        self.sections = [fold for fold, _ in made]
        made[-1][1].layout().addWidget(following)  # type: ignore[union-attr]  # made at once: it is asked what it offers
        lines = (column(row(fold, None), place, gap=look().small) for fold, place in made)
        self.setLayout(column(*lines, gap=0))

    def _figures(self) -> QWidget:
        """Every workload, and what was measured how."""
        shown = self._presented
        settings = [bar.setting for bar in shown.bars.bars] if shown.bars else list(shown.result.plan.settings)
        settings = settings[:_MOST_SETTINGS]
        telling = [panel for panel in shown.panels if _tells(panel)]
        alike = [panel for panel in shown.panels if not _tells(panel)]
        content = column(_workloads(shown, telling or alike, settings), gap=look().medium)
        if telling and alike:
            name = text("figures-alike", count=len(alike))
            fold, place = _folded(name, lambda: _filled(_workloads(shown, alike, settings)), flat=True)
            self.folds.append(fold)
            content.addLayout(column(row(fold, None), place))
        return _filled(column(card(content), self._measured(), gap=look().small))

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
        judge = partial(self._intents.judge_for, self._presented)
        asked = [button(named(goal.name), partial(judge, goal.id)) for goal in self._goals]
        content = column(gap=look().small)
        if asked:
            content.addWidget(heading(text("judge-for")))
            content.addLayout(Flow(asked, look().small))
        content.addLayout(row(self._tuning, self.tune_button, gap=look().large, wide=0))
        content.addLayout(row(self._proving, self.prove_button, gap=look().large, wide=0))
        return card(content)

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
        self.sections[-1].setVisible(bool(found) or proves or bool(self._goals))
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

    def _charts(self) -> QWidget:
        shown, content = self._presented, column()
        if shown.tried:
            self._add_fold(content, text("tried", count=len(shown.tried)), partial(_tried, shown.tried))
        if shown.panels:
            self._add_fold(content, text("all-metrics"), partial(_panels, shown))
        if points := sum(len(run.times_s) for run in shown.result.series):
            self._add_fold(content, text("live-figures", count=points), self._course)
        self._add_curves(content, text("latencies"), text("latencies-hint"), distributions(shown.result))
        self._add_curves(content, text("scaling"), text("scaling-hint"), scaling(shown))
        self._add_fold(content, text("all-samples", count=len(shown.result.samples)), self._samples)
        return _filled(content)

    def _add_curves(self, content: QVBoxLayout, name: str, hint: str, charts: tuple[Chart, ...]) -> None:
        if charts:
            self._add_fold(content, name, lambda: card(_curves(name, hint, charts)))

    def _add_fold(self, content: QVBoxLayout, name: str, make: Callable[[], QWidget]) -> None:
        fold, place = _folded(name, make, flat=True)
        self.folds.append(fold)
        content.addLayout(row(fold, None))
        content.addWidget(place)

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


def _folded(name: str, make: Callable[[], QWidget], *, flat: bool = False) -> tuple[Fold, QWidget]:
    """Return what unfolds a part, and the place of the part, which is made when it is first wanted."""
    place = QWidget()
    layout = column()
    place.setLayout(layout)
    place.hide()

    def toggle(on: bool) -> None:
        if not layout.count():
            layout.addWidget(made := make())
            read_after(fold, made)
        place.setVisible(on)

    fold = Fold(name, toggle, flat=flat)
    return fold, place


def _filled(content: QLayout) -> QWidget:
    made = QWidget()
    made.setLayout(content)
    return made


def _tells(panel: Panel) -> bool:
    """Whether something can be told of any setting; what decides is shown in any case."""
    return panel.decides or any(row.outcome not in (None, Outcome.UNDECIDED) for row in panel.rows)


def _workloads(presented: Presented, panels: Sequence[Panel], settings: Sequence[Setting]) -> QGridLayout:
    """A row per figure: what each setting reached, and what that is against the baseline, in words and colour."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().large)
    grid.setVerticalSpacing(look().small)
    grid.setColumnStretch(0, 1)
    grid.setColumnMinimumWidth(0, look().wide * _NAMES)
    for place, each in enumerate(settings, start=1):
        is_now = each == presented.verdict.baseline
        known = text("now-in-use", setting=each.name) if is_now else each.words
        grid.addWidget(label(known, bold=True, wrap=True), 0, place)
    for number, panel in enumerate(panels, start=1):
        grid.addWidget(label(panel.label, bold=panel.decides, wrap=True), number, 0, Qt.AlignmentFlag.AlignTop)
        rows = {row.setting: row for row in panel.rows}
        for place, each in enumerate(settings, start=1):
            if each in rows:
                grid.addLayout(_figure(rows[each]), number, place)
    return grid


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
