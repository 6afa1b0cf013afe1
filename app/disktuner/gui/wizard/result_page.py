# SPDX-License-Identifier: GPL-3.0-or-later
"""Last step: the sentence first, then what it rests on, then what to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QTableView, QVBoxLayout, QWidget

from disktuner.comparison.request import JudgedResult
from disktuner.gui import telling, wording
from disktuner.gui.curves import Chart, distributions, scaling
from disktuner.gui.findings import bars, caption, judged_metrics, trade_off
from disktuner.gui.icons import Pictogram
from disktuner.gui.models.samples import SamplesModel
from disktuner.gui.plots.curve_chart import CurveChart
from disktuner.gui.plots.intervals import IntervalChart
from disktuner.gui.plots.legend import Legend
from disktuner.gui.plots.trade_off import TradeOffChart, gains
from disktuner.gui.style import look, text_role
from disktuner.gui.widgets.foot import Foot
from disktuner.gui.widgets.parts import button, card, column, heading, label, row, title
from disktuner.gui.widgets.save_button import SaveButton
from disktuner.verdict.model import Decision
from disktuner.verdict.priorities import priorities_found
from disktuner.vocabulary.messages import say_all
from disktuner.vocabulary.metrics import Better

_ROWS_MEASURED = 200
"""How many rows decide the width of a column."""

_PICTURES = {
    Decision.SWITCH: ("check", "good"),
    Decision.KEEP: ("check", "accent"),
    Decision.UNDECIDED: ("question", "caution"),
}


class ResultPage(QWidget):
    """An outcome. ``foot`` holds its buttons and belongs below what scrolls.

    Signals: ``use`` and ``keep`` carry the scheduler to set (for a try, for good), ``leave``, ``longer`` the budget of
    a longer measurement, ``save`` the form and whether personal data go with it, ``copy`` only the latter. A result
    that was opened later names no disks of this machine, and has only the last two.
    """

    use = Signal(str)
    keep = Signal(str)
    leave = Signal()
    longer = Signal(object)
    save = Signal(object, bool)
    copy = Signal(bool)

    def __init__(self, outcome: JudgedResult, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.outcome = outcome
        self._folds: list[QPushButton] = []
        self.foot = self._make_foot()
        content = column(self._sentence(), gap=look().medium)
        for part in (self._warnings(), self._deciding(), self._trade_off()):
            if part is not None:
                content.addWidget(part)
        self._add_figures(content)
        self._add_course(content)
        self._add_curves(content, wording.WAITS, wording.WAITS_HINT, distributions(outcome.result))
        self._add_curves(content, wording.SCALING, wording.SCALING_HINT, scaling(outcome.result))
        self._add_fold(content, f"{wording.ALL_SAMPLES} ({len(outcome.result.samples)})", self._samples)
        content.addStretch(1)
        self.setLayout(content)

    def _sentence(self) -> QWidget:
        verdict = self.outcome.verdict
        picture, tone = _PICTURES[verdict.decision]
        told = say_all(priorities_found(self.outcome.result))
        texts = column(
            title(telling.answer(verdict)),
            label(say_all(verdict.why), wrap=True),
            *([label(told, wrap=True)] if told else []),
            label(telling.measured(self.outcome.result), tone="muted", wrap=True),
            gap=look().tight,
        )
        line = row(column(Pictogram(picture, round(look().wide * 1.5), tone), None), texts, gap=look().medium)
        line.setStretch(1, 1)
        return card(line)

    def _make_foot(self) -> Foot:
        verdict = self.outcome.verdict
        chosen = verdict.winner if verdict.decision is Decision.SWITCH else verdict.leader
        undecided = verdict.decision is Decision.UNDECIDED
        budget, text = telling.longer(self.outcome.result)
        self.longer_button = button(text, lambda: self.longer.emit(budget), primary=True)
        self.longer_button.setToolTip(wording.MEASURE_HINT)
        try_text = wording.TRY_LEADER.format(scheduler=chosen) if undecided else wording.TRY_NOW
        self.use_button = button(try_text, lambda: self.use.emit(chosen), primary=not undecided)
        self.keep_button = button(wording.KEEP_ALWAYS, lambda: self.keep.emit(chosen))
        kept = {Decision.SWITCH: wording.LEAVE, Decision.UNDECIDED: wording.KEEP_WHAT_IS, Decision.KEEP: wording.DONE}
        decided = verdict.decision is Decision.KEEP
        self.leave_button = button(kept[verdict.decision], self.leave.emit, primary=decided)
        self.save_button = SaveButton()
        self.save_button.save.connect(self.save)
        self.save_button.copy.connect(self.copy)
        offered = {
            self.longer_button: undecided,
            self.use_button: chosen is not None,
            self.keep_button: verdict.decision is Decision.SWITCH,
            self.leave_button: True,
        }
        shown = [control for control, sensible in offered.items() if sensible and self.outcome.disks]
        self.first = shown[0] if shown else self.save_button
        for control in offered.keys() - set(shown):
            control.hide()
        return Foot(list(offered), self.save_button)

    def set_busy(self, busy: bool) -> None:
        """The helper works."""
        for control in (self.longer_button, self.use_button, self.keep_button, self.leave_button):
            control.setEnabled(not busy)

    def _warnings(self) -> QWidget | None:
        cautions = self.outcome.result.warnings
        if not cautions:
            return None
        frame = QFrame()
        frame.setProperty("notice", "caution")
        texts = column(label(wording.WARNINGS, bold=True), gap=look().tight)
        for text in telling.cautions(cautions):
            texts.addWidget(label(text, wrap=True))
        content = row(column(Pictogram("warning", look().large, "caution"), None), texts, gap=look().medium)
        content.setStretch(1, 1)
        margin = look().medium
        content.setContentsMargins(margin, look().small, margin, look().small)
        frame.setLayout(content)
        return frame

    def _deciding(self) -> QWidget | None:
        metrics = judged_metrics(self.outcome.verdict)
        return card(self._chart(metrics[0])) if metrics else None

    def _chart(self, name: str) -> QVBoxLayout:
        result, verdict = self.outcome.result, self.outcome.verdict
        chart = IntervalChart()
        chart.show_bars(verdict.baseline, bars(result, verdict, name))
        metric = result.metrics.get(name)
        note = wording.BASELINE_NOTE.format(baseline=verdict.baseline)
        return column(
            heading(caption(metric) if metric else name, wrap=True), label(note, tone="muted", wrap=True), chart
        )

    def _trade_off(self) -> QWidget | None:
        pair = trade_off(self.outcome.verdict, self.outcome.result)
        if pair is None:
            return None
        deciding, other = (self._gains(name) for name in pair)
        spots = gains(other, deciding)
        if len(spots) < 2:
            return None
        labels = [self.outcome.result.metrics[name].label for name in pair]
        chart = TradeOffChart()
        chart.show_spots(spots, wording.GAIN.format(figure=labels[1]), wording.GAIN.format(figure=labels[0]))
        return card(column(heading(wording.TRADE_OFF), label(wording.TRADE_OFF_HINT, tone="muted", wrap=True), chart))

    def _gains(self, name: str) -> dict[str, float]:
        metric = self.outcome.result.metrics[name]
        found = {self.outcome.verdict.baseline: 1.0}
        for comparison in self.outcome.verdict.comparisons:
            if comparison.metric == name and comparison.ratio:
                ratio = comparison.ratio
                found[comparison.scheduler] = 1 / ratio if metric.better is Better.LOWER else ratio
        return found

    def _add_figures(self, content: QVBoxLayout) -> None:
        others = judged_metrics(self.outcome.verdict)[1:]
        if others:
            charts = lambda: card(column(*(self._chart(name) for name in others), gap=look().large))  # noqa: E731
            self._add_fold(content, wording.ALL_FIGURES, charts)

    def _add_curves(self, content: QVBoxLayout, name: str, hint: str, charts: tuple[Chart, ...]) -> None:
        if charts:
            self._add_fold(content, name, lambda: card(_curves(hint, charts)))

    def _samples(self) -> QWidget:
        table = QTableView()
        table.setModel(SamplesModel(self.outcome.result, table))
        table.setAccessibleName(wording.ALL_SAMPLES)
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.horizontalHeader().setStretchLastSection(True)
        text_role(table)
        table.setMinimumHeight(look().wide * 10)
        table.horizontalHeader().setResizeContentsPrecision(_ROWS_MEASURED)
        table.resizeColumnsToContents()
        return table

    def _add_course(self, content: QVBoxLayout) -> None:
        """The live figures of all runs."""
        points = sum(len(run.times_s) for run in self.outcome.result.series)
        if points:
            self._add_fold(content, f"{wording.ALL_COURSE} ({points:,})", self._course)

    def _course(self) -> QWidget:
        from disktuner.gui.plots.course import Course, CoursePlot  # noqa: PLC0415 - only this graph needs pyqtgraph

        course = Course.of(self.outcome.result)
        assert course is not None  # it has points
        return CoursePlot(course)

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
