# SPDX-License-Identifier: GPL-3.0-or-later
"""Last step: the answer first, then what it rests on, then what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.gui.export import SaveButton
from disktuner.gui.icons import Pictogram
from disktuner.gui.models import TextTable
from disktuner.gui.plots.curves import Chart, CurveChart, distributions, scaling
from disktuner.gui.plots.intervals import IntervalChart
from disktuner.gui.plots.marks import Legend
from disktuner.gui.plots.trade_off import TradeOffChart
from disktuner.gui.style import look, text_role
from disktuner.gui.widgets.layout import Foot, button, card, column, heading, label, row, table, title, with_margin
from disktuner.presentation import Panel, Presented, SampleRow, samples
from disktuner.results.model import Result
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import BUDGETS, QUICK
from disktuner.vocabulary.messages import text

_ROWS_MEASURED = 200
"""How many rows decide the width of a column."""

_LEAVE = {
    Decision.SWITCH: "leave-as-is",
    Decision.TRADE_OFF: "leave-as-is",
    Decision.UNDECIDED: "keep-what-is",
    Decision.KEEP: "done",
}
_PICTURES = {
    Decision.SWITCH: ("check", "good"),
    Decision.TRADE_OFF: ("question", "accent"),
    Decision.KEEP: ("check", "accent"),
    Decision.UNDECIDED: ("question", "caution"),
}


class SamplesModel(TextTable):
    """One row per sample."""

    columns = ("column-run", "column-round", "scheduler", "column-metric", "column-value", "column-counts")
    right = (0, 1, 4)

    def __init__(self, shown: Sequence[SampleRow], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown = shown

    def rows(self) -> int:
        """How many samples there are."""
        return len(self._shown)

    def cells(self, row: int) -> Sequence[str]:
        """A sample."""
        return self._shown[row]


def panel_chart(panel: Panel, beside: Sequence[Panel] = ()) -> QVBoxLayout:
    """A panel under its name and the direction in which it is better, in line with others."""
    chart = IntervalChart()
    chart.show_panel(panel, beside)
    name = column(heading(panel.label, wrap=True), label(panel.direction, tone="muted", wrap=True), gap=0)
    return column(name, chart)


class ResultPage(QWidget):
    """A result. ``foot`` holds its buttons and belongs below what scrolls.

    ``disks`` are those that were measured; a result that was opened later names none of this machine, and can only be
    saved. Signals: ``use`` and ``keep`` carry the scheduler to set (for a try, for good), ``leave``, ``longer`` the id
    of the budget of a longer measurement, ``save`` the form and whether personal data go with it, ``copy`` only the
    latter.
    """

    use = Signal(str)
    keep = Signal(str)
    leave = Signal()
    longer = Signal(str)
    save = Signal(object, bool)
    copy = Signal(bool)

    def __init__(self, presented: Presented, disks: Sequence[Disk] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.presented, self.disks = presented, disks
        self._folds: list[QPushButton] = []
        self.foot = self._make_foot()
        content = column(self._answer(), gap=look().medium)
        if presented.cautions:
            content.addWidget(self._cautions())
        if presented.panels:
            content.addWidget(card(panel_chart(presented.panels[0])))
        if presented.trade_off is not None:
            content.addWidget(self._trade_off(*presented.trade_off))
        self._add_panels(content)
        self._add_course(content)
        self._add_curves(content, text("latencies"), text("latencies-hint"), distributions(presented.result))
        self._add_curves(content, text("scaling"), text("scaling-hint"), scaling(presented))
        self._add_fold(content, text("all-samples", count=len(presented.result.samples)), self._samples)
        content.addWidget(label(presented.method, tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    def _answer(self) -> QWidget:
        shown = self.presented
        picture, tone = _PICTURES[shown.verdict.decision]
        texts = column(title(shown.title), label(shown.why, wrap=True), gap=look().tight)
        if shown.priorities:
            texts.addWidget(label(shown.priorities, wrap=True))
        texts.addWidget(label(shown.measured, tone="muted", wrap=True))
        line = row(column(Pictogram(picture, round(look().wide * 1.5), tone), None), texts, gap=look().medium)
        line.setStretch(1, 1)
        return card(line)

    def _make_foot(self) -> Foot:
        chosen, decision = self.presented.candidate, self.presented.verdict.decision
        undecided = decision is Decision.UNDECIDED
        budget, longer = longer_text(self.presented.result)
        self.longer_button = button(longer, lambda: self.longer.emit(budget), primary=True)
        self.longer_button.setToolTip(text("measure-longer-hint"))
        try_text = text("try-leader", scheduler=chosen) if undecided else text("try-now")
        self.use_button = button(try_text, lambda: self.use.emit(chosen), primary=not undecided)
        self.keep_button = button(text("keep-after-restart"), lambda: self.keep.emit(chosen))
        self.leave_button = button(text(_LEAVE[decision]), self.leave.emit, primary=decision is Decision.KEEP)
        self.save_button = SaveButton()
        self.save_button.save.connect(self.save)
        self.save_button.copy.connect(self.copy)
        offered = {
            self.longer_button: undecided,
            self.use_button: chosen is not None,
            self.keep_button: decision in (Decision.SWITCH, Decision.TRADE_OFF),
            self.leave_button: True,
        }
        shown = [control for control, sensible in offered.items() if sensible and self.disks]
        self.first = shown[0] if shown else self.save_button
        for control in offered.keys() - set(shown):
            control.hide()
        return Foot(list(offered), self.save_button)

    def set_busy(self, busy: bool) -> None:
        """The helper works."""
        for control in (self.longer_button, self.use_button, self.keep_button, self.leave_button):
            control.setEnabled(not busy)

    def _cautions(self) -> QWidget:
        frame = QFrame()
        frame.setProperty("notice", "caution")
        texts = column(label(text("read-first"), bold=True), gap=look().tight)
        for each in self.presented.cautions:
            texts.addWidget(label(each, wrap=True))
        content = row(column(Pictogram("warning", look().large, "caution"), None), texts, gap=look().medium)
        content.setStretch(1, 1)
        frame.setLayout(with_margin(content, look().medium, look().small))
        return frame

    def _trade_off(self, deciding: Panel, other: Panel) -> QWidget:
        hint = label(text("trade-off-hint"), tone="muted", wrap=True)
        return card(column(heading(text("trade-off")), hint, TradeOffChart(deciding, other)))

    def _add_panels(self, content: QVBoxLayout) -> None:
        others = self.presented.panels[1:]
        if others:
            self._add_fold(content, text("all-metrics"), lambda: self._panels(others))

    def _panels(self, panels: Sequence[Panel]) -> QWidget:
        charts = (panel_chart(panel, panels) for panel in panels)
        return card(column(*charts, gap=look().large))

    def _add_curves(self, content: QVBoxLayout, name: str, hint: str, charts: tuple[Chart, ...]) -> None:
        if charts:
            self._add_fold(content, name, lambda: card(_curves(hint, charts)))

    def _samples(self) -> QWidget:
        shown = samples(self.presented.result)
        made = table(model := SamplesModel(shown), text("all-samples", count=len(shown)))
        model.setParent(made)
        text_role(made)
        made.setMinimumHeight(look().wide * 10)
        header = made.horizontalHeader()
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        made.resizeColumnsToContents()
        return made

    def _add_course(self, content: QVBoxLayout) -> None:
        """The live figures of all runs."""
        points = sum(len(run.times_s) for run in self.presented.result.series)
        if points:
            self._add_fold(content, text("live-figures", count=points), self._course)

    def _course(self) -> QWidget:
        from disktuner.gui.plots.course import CoursePlot  # noqa: PLC0415 - only this graph needs pyqtgraph

        return CoursePlot(self.presented.result)

    def _add_fold(self, content: QVBoxLayout, name: str, make: Callable[[], QWidget]) -> None:
        """A part that is made when it is first wanted: most people read no further than the answer."""
        fold = QPushButton(f"▸ {name}")
        fold.setProperty("flat", True)
        fold.setCheckable(True)
        place, made = column(), list[QWidget]()

        def toggle(shown: bool) -> None:
            if not made:
                made.append(make())
                place.addWidget(made[0])
            made[0].setVisible(shown)
            fold.setText(f"{'▾' if shown else '▸'} {name}")

        fold.toggled.connect(toggle)
        self._folds.append(fold)
        content.addLayout(row(fold, None))
        content.addLayout(place)

    @property
    def folds(self) -> tuple[QPushButton, ...]:
        """The buttons that unfold all figures, live figures, curves and samples."""
        return tuple(self._folds)


def _curves(hint: str, charts: tuple[Chart, ...]) -> QVBoxLayout:
    content = column(label(hint, tone="muted", wrap=True), gap=look().medium)
    for chart in charts:
        legend = Legend()
        legend.show_names(tuple(curve.name for curve in chart.curves))
        drawn = CurveChart(chart.curves, chart.across, chart.up, chart.speech)
        content.addLayout(column(heading(chart.name, wrap=True), legend, drawn))
    return content


def longer_text(result: Result) -> tuple[str, str]:
    """The id of the next larger budget where there is one, and what a button says that measures again with it."""
    had = BUDGETS.get(result.plan.budget or "", QUICK)
    larger = [each for each in BUDGETS.values() if each.limits.seconds > had.limits.seconds]
    following = larger[0] if larger else had
    minutes = round(following.limits.seconds / 60)
    return following.id, text("measure-longer" if larger else "measure-again", minutes=minutes)
