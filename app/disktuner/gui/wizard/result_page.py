# SPDX-License-Identifier: GPL-3.0-or-later
"""Last step: the answer first, then what it rests on, then what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.tuning import plain_winner
from disktuner.gui.access import read_after
from disktuner.gui.choice import names_in_use
from disktuner.gui.continuing import Continuation, request_to_continue, request_to_tune, settings_to_try
from disktuner.gui.export import SaveButton
from disktuner.gui.icons import Pictogram
from disktuner.gui.models import TextTable
from disktuner.gui.plots.curves import Chart, CurveChart, distributions, scaling
from disktuner.gui.plots.graphs import GraphsChart
from disktuner.gui.plots.intervals import IntervalChart
from disktuner.gui.plots.marks import Legend
from disktuner.gui.plots.trade_off import TradeOffChart
from disktuner.gui.style import look, text_role
from disktuner.gui.widgets.layout import Foot, button, card, column, heading, label, row, table, title, with_margin
from disktuner.gui.widgets.letters import Button
from disktuner.gui.wizard.tuning_offer import TuningOffer, tried_list
from disktuner.presentation import Graphs, Panel, Presented, SampleRow, Side, TradeOff, measure_on, samples
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Outcome
from disktuner.vocabulary.goals import BUDGETS, QUICK
from disktuner.vocabulary.messages import say, text

_ROWS_MEASURED = 200
"""How many rows decide the width of a column."""

_TONES = {Outcome.BETTER: "good", Outcome.WORSE: "caution"}
_PICTURES = {
    Decision.SWITCH: ("check", "good"),
    Decision.CONDITIONAL: ("check", "caution"),
    Decision.TRADE_OFF: ("balance", "accent"),
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

    ``find`` tells which of the disks that there are it is about; where it finds none it can only be saved. ``path`` is
    the file of the result, without which it cannot be measured on. Attributes: ``first`` is the button to press first.
    Signals: ``use`` and ``keep`` carry the setting to set (for a try, for good), ``leave``, ``on`` the request of
    more rounds or of fine-tuning, ``longer`` the id of the budget of a new measurement, ``save`` the form and whether
    personal data go with it, ``copy`` only the latter.
    """

    use = Signal(object)
    keep = Signal(object)
    leave = Signal()
    on = Signal(object)
    longer = Signal(str)
    save = Signal(object, bool)
    copy = Signal(bool)

    def __init__(
        self,
        presented: Presented,
        find: Callable[[Sequence[Disk]], Continuation] = lambda _: Continuation(),
        disks: Sequence[Disk] = (),
        path: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.presented, self.path = presented, path
        self._find, self._measured, self._busy = find, find(disks), False
        self._folds: list[QPushButton] = []
        self._why_not = label(tone="caution", wrap=True)
        self._make_buttons()
        answer, self.offer = self._answer(), TuningOffer(self)
        self.offer.tune.connect(self._tune)
        self.foot = self._make_foot()
        content = column(answer, self.offer, gap=look().medium)
        if presented.cautions:
            content.addWidget(self._cautions())
        if presented.panels:
            content.addWidget(card(panel_chart(presented.panels[0])))
        if presented.tried:
            made = partial(tried_list, presented.tried)
            self._add_fold(content, text("tried", count=len(presented.tried)), made)
        if presented.graphs is not None:
            content.addWidget(_graphs(presented.graphs))
        if presented.trade_off is not None:
            content.addWidget(_trade_off(presented.trade_off))
        self._add_panels(content)
        self._add_course(content)
        self._add_curves(content, text("latencies"), text("latencies-hint"), distributions(presented.result))
        self._add_curves(content, text("scaling"), text("scaling-hint"), scaling(presented))
        self._add_fold(content, text("all-samples", count=len(presented.result.samples)), self._samples)
        content.addWidget(label(presented.method, tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    @property
    def disks(self) -> tuple[Disk, ...]:
        """The disks of this machine that it is about, as they were when they were last seen."""
        return self._measured.disks

    def _answer(self) -> QWidget:
        shown = self.presented
        picture, tone = _PICTURES[shown.verdict.decision]
        texts = column(title(shown.title), gap=look().small)
        if shown.sides is not None:
            texts.addLayout(_sides(shown.sides))
            for each in (*shown.remarks, text("try-hint")):
                texts.addWidget(_sentence(each, shown))
        else:
            reasons = [_sentence(each, shown) for each in shown.reasons]
            texts.addLayout(_list(reasons) if reasons else column(label(shown.why, wrap=True)))
        if shown.priorities:
            texts.addWidget(label(shown.priorities, wrap=True))
        texts.addWidget(self._why_not)
        texts.addWidget(label(shown.measured, tone="muted", wrap=True))
        line = row(column(Pictogram(picture, round(look().wide * 1.5), tone), None), texts, gap=look().medium)
        line.setStretch(1, 1)
        return card(line)

    def _make_buttons(self) -> None:
        verdict, chosen = self.presented.verdict, self.presented.candidate
        decision = verdict.decision
        budget, again = longer_text(self.presented.result)
        promising = decision is Decision.UNDECIDED and verdict.more is not None
        is_switch = decision is Decision.SWITCH
        name = chosen.name if chosen else None
        trying = text("try-now") if is_switch else text("try-leader", scheduler=name)
        keeping = text("keep-after-restart") if is_switch else text("keep-for-good", scheduler=name)
        self.on_button = button(measure_on(verdict), self._measure_on, primary=promising)
        self.on_button.setToolTip(text("measure-on-hint"))
        self.longer_button = button(again, lambda: self.longer.emit(budget), primary=True)
        self.longer_button.setToolTip(text("measure-longer-hint"))
        gains = decision in (Decision.SWITCH, Decision.CONDITIONAL) or (decision is Decision.KEEP and bool(chosen))
        self.use_button = button(trying, lambda: self.use.emit(chosen), primary=gains)
        self.use_button.setToolTip(text("try-hint"))
        self.keep_button = button(keeping, lambda: self.keep.emit(chosen))
        self.leave_button = button(text("done"), self.leave.emit, primary=decision is Decision.KEEP and not chosen)
        self.save_button = SaveButton()
        self.save_button.save.connect(self.save)
        self.save_button.copy.connect(self.copy)

    def _make_foot(self) -> Foot:
        self._controls = (self.on_button, self.longer_button, self.use_button, self.keep_button, self.leave_button)
        first: tuple[QPushButton, ...] = ()
        if self.presented.verdict.decision is Decision.CONDITIONAL:
            first = self.use_button, self.on_button
        elif self.presented.verdict.decision is Decision.KEEP:
            first = self.use_button, self.keep_button, self.leave_button
            first = first if self.presented.candidate is not None else first[::-1]
        order = [*first, *(each for each in self._controls if each not in first)]
        foot = Foot(order, self.save_button)
        self._offer()
        shown = [each for each in order if not each.isHidden() and each.isEnabled()]
        self.first = shown[0] if shown else self.save_button
        return foot

    def _offer(self) -> None:
        """Show what can be done with this answer here, and say why not more."""
        verdict, known = self.presented.verdict, self._measured
        open_ = verdict.decision in (Decision.UNDECIDED, Decision.CONDITIONAL, Decision.KEEP)
        compared = any(each.ratio is not None for each in verdict.comparisons)
        again = verdict.decision is Decision.UNDECIDED and not self.presented.result.plan.tunes
        settable = known.certain and self.presented.candidate is not None
        offered = {
            self.on_button: open_ and compared and self.path is not None,
            self.longer_button: again and not compared and known.certain,
            self.use_button: settable,
            self.keep_button: settable and verdict.decision is not Decision.UNDECIDED,
            self.leave_button: bool(known.disks),
        }
        for control, sensible in offered.items():
            control.setVisible(sensible)
            control.setEnabled(not self._busy)
        there = known.why_not is None and bool(known.disks)
        self.on_button.setEnabled(there and not self._busy)
        self._offer_tuning(enabled=there and not self._busy)
        if known.disks and (verdict.decision is not Decision.KEEP or settable):
            self.leave_button.setText(text("keep-baseline", scheduler=names_in_use(known.disks)))
        reason = known.why_not or (known.doubt if self.presented.candidate is not None else None)
        self._why_not.setText(say(reason) if reason is not None else "")
        self._why_not.setVisible(reason is not None)

    def _offer_tuning(self, *, enabled: bool) -> None:
        """Where there is an answer, and settings that could gain more."""
        result, verdict = self.presented.result, self.presented.verdict
        found = settings_to_try(result, verdict, self._measured.disks) if self.path is not None else ()
        self.offer.setVisible(bool(found))
        self.offer.show_offer(plain_winner(verdict).name, len(found), enabled=enabled)

    def _tune(self) -> None:
        if self.path is not None:
            self.on.emit(request_to_tune(self.presented.result, self.path))

    def show_disks(self, disks: Sequence[Disk]) -> None:
        """What was measured may have been plugged in or pulled out, or be another disk by now.

        What was known once can still be asked for: who does it looks again, and says what is wrong.
        """
        found = self._find(disks)
        self._measured = found if found.disks else replace(self._measured, why_not=found.why_not)
        self._offer()

    def set_busy(self, busy: bool) -> None:
        """The helper works."""
        self._busy = busy
        self._offer()

    def _measure_on(self) -> None:
        if self.path is not None:
            self.on.emit(request_to_continue(self.presented.result, self.presented.verdict, self.path))

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

    def _add_panels(self, content: QVBoxLayout) -> None:
        others = self.presented.panels[1:]
        if others:
            self._add_fold(content, text("all-metrics"), lambda: self._panels(others))

    def _panels(self, panels: Sequence[Panel]) -> QWidget:
        charts = (panel_chart(panel, panels) for panel in panels)
        return card(column(*charts, gap=look().large))

    def _add_curves(self, content: QVBoxLayout, name: str, hint: str, charts: tuple[Chart, ...]) -> None:
        if charts:
            self._add_fold(content, name, lambda: card(_curves(name, hint, charts)))

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
        fold = Button(f"▸ {name}")
        fold.setAccessibleName(name)
        fold.setProperty("flat", True)
        fold.setCheckable(True)
        place, made = QWidget(), list[QWidget]()
        place.setLayout(column())
        place.hide()

        def toggle(shown: bool) -> None:
            if not made:
                made.append(make())
                layout = place.layout()
                assert layout is not None
                layout.addWidget(made[0])
                read_after(fold, made[0])
            place.setVisible(shown)
            fold.setText(f"{'▾' if shown else '▸'} {name}")

        fold.toggled.connect(toggle)
        self._folds.append(fold)
        content.addLayout(row(fold, None))
        content.addWidget(place)

    @property
    def folds(self) -> tuple[QPushButton, ...]:
        """The buttons that unfold all figures, live figures, curves and samples."""
        return tuple(self._folds)


def _sentence(said: str, shown: Presented) -> QWidget:
    """One sentence of the answer; a condition stands out."""
    return label(said, tone="caution" if said in shown.conditions else "", wrap=True)


def _list(sentences: Sequence[QWidget]) -> QVBoxLayout:
    """What is known, one thing below the other."""
    lines = column(gap=look().tight)
    for each in sentences:
        line = row(column(label("•", tone="muted"), None), each)
        line.setStretch(1, 1)
        lines.addLayout(line)
    return lines


def _sides(sides: tuple[Side, Side]) -> QHBoxLayout:
    """What is gained and what that costs, side by side."""
    both = row(*map(_side, sides), gap=look().medium)
    both.setStretch(0, 1)
    both.setStretch(1, 1)
    return both


def _side(side: Side) -> QFrame:
    tone = _TONES[side.outcome]
    frame = QFrame()
    frame.setProperty("notice", tone)
    texts = column(label(side.head, tone="muted", wrap=True), heading(side.difference, wrap=True), gap=look().tight)
    for each in (side.label, side.sure, side.limit):
        texts.addWidget(label(each, wrap=True))
    texts.addStretch(1)
    frame.setLayout(with_margin(texts, look().medium, look().small))
    return frame


def _trade_off(shown: TradeOff) -> QWidget:
    """Its picture between the names of its scales."""
    hint = label(text("trade-off-hint", rule=shown.rule), tone="muted", wrap=True)
    up, across = label(shown.up_name, wrap=True), label(shown.across_name, wrap=True)
    across.setAlignment(Qt.AlignmentFlag.AlignRight)
    return card(column(heading(text("trade-off"), wrap=True), hint, up, TradeOffChart(shown), across))


def _graphs(shown: Graphs) -> QWidget:
    """Under what they show, and how they are read."""
    chart = GraphsChart()
    chart.show_graphs(shown)
    names = [label(each, wrap=True) for each in (shown.up_name, shown.price_name) if each]
    hint = label(shown.legend, tone="muted", wrap=True)
    return card(column(heading(text("graphs"), wrap=True), hint, *names, chart))


def _curves(name: str, hint: str, charts: tuple[Chart, ...]) -> QVBoxLayout:
    content = column(label(hint, tone="muted", wrap=True), gap=look().medium)
    for chart in charts:
        legend = Legend()
        legend.show_settings(tuple(curve.setting for curve in chart.curves))
        content.addLayout(column(heading(chart.name, wrap=True), legend, CurveChart(name, chart)))
    return content


def longer_text(result: Result) -> tuple[str, str]:
    """The id of the next larger budget where there is one, and what a button says that measures again with it."""
    had = BUDGETS.get(result.plan.budget or "", QUICK)
    larger = [each for each in BUDGETS.values() if each.limits.seconds > had.limits.seconds]
    following = larger[0] if larger else had
    minutes = round(following.limits.seconds / 60)
    return following.id, text("measure-longer" if larger else "measure-again", minutes=minutes)
