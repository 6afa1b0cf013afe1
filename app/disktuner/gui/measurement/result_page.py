# SPDX-License-Identifier: GPL-3.0-or-later
"""A result: the answer, its chart, its price and what to do about it; everything else is folded away below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.continuing import Continuation, request_anew, request_to_continue
from disktuner.gui.access import announce
from disktuner.gui.export import SaveButton
from disktuner.gui.measurement.details import Details
from disktuner.gui.plots.charts import Badge, BarChart, CertaintyAxis
from disktuner.gui.shell import Shell
from disktuner.gui.state import Act, Leave, State, may
from disktuner.gui.style import FIGURE, HEADING, SMALL, look
from disktuner.gui.widgets.clocks import Clocks
from disktuner.gui.widgets.layout import Columns, Foot, button, card, column, heading, label, permit, reveal, row, title
from disktuner.presentation import Presented, bars_of, measure_longer
from disktuner.results.model import Result
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.goals import BUDGETS, QUICK
from disktuner.vocabulary.messages import message, say, text
from disktuner.vocabulary.states import DiskState


class ResultPage(QWidget):
    """A result. ``foot`` holds its buttons and belongs below the scrolling part.

    ``find`` returns which of the present disks it is about; without any it can only be shared. ``path`` is the result's
    file, without which it cannot be measured longer, ``target`` the measured folder. Attributes: ``title`` is the
    answer in a few words, ``first`` the button to press first, ``details`` everything else, folded; ``clocks`` show the
    difference while what it proposes is on trial.
    """

    def __init__(
        self,
        presented: Presented,
        shell: Shell,
        find: Callable[[Sequence[Disk]], Continuation] = lambda _: Continuation(),
        *,
        disks: Sequence[Disk] = (),
        path: Path | None = None,
        target: str = "",
    ) -> None:
        super().__init__()
        self.presented, self.path = presented, path
        self._shell, self._find, self._target = shell, find, target
        self._measured, self._state = find(disks), State()
        self.title = title(presented.glance.title)
        self.title.setAccessibleDescription(presented.glance.headline)
        self._why_not = label(tone="muted", wrap=True)
        self._why_not.setIndent(look().medium)  # in line with the folds below
        self._make_buttons()
        self.details = Details(presented, shell, target)
        self._chart = BarChart(plain=True, grows=True) if presented.glance.panel is not None else None
        answer, evidence, self.clocks = self._make_answer(), _evidence(presented), Clocks()
        shell.alternated.connect(self.clocks.show_event)
        if evidence:
            answer = Columns(answer, (*evidence, self.clocks), lambda: self._chart.spare if self._chart else 0)
        content = column(answer, *([] if evidence else [self.clocks]), self._why_not, self.details, None)
        if evidence or self._chart is not None:
            content.setStretch(0, 1000)
        self.setLayout(content)
        self.foot = Foot((self.leave_button,), row(self.save_button, self.more_button, self.use_button))
        self._offer()

    def move_bar(self) -> None:
        """Show once, of a fresh answer, how the present setting's bar becomes the answer's."""
        if self._chart is not None:
            self._chart.begin_move()

    def announce_answer(self) -> None:
        """Announce the answer and its price for screen readers."""
        for sentence in (self.presented.glance.spoken, self.presented.glance.price):
            announce(self, sentence)

    @property
    def disks(self) -> tuple[Disk, ...]:
        """The disks of this machine that it is about, as last seen."""
        return self._measured.disks

    def resizeEvent(self, event: QResizeEvent) -> None:
        """All figures are unfolded where more than a third of the page would stay empty."""
        super().resizeEvent(event)
        if self.isVisible() and 3 * self.details.geometry().bottom() < 2 * self.height():
            self.details.sections[0].setChecked(True)

    def _make_answer(self) -> QWidget:
        """The recommendation, its figures in large letters or a sentence, and the chart that shows them."""
        glance, now = self.presented.glance, look()
        badge = Badge(self.presented.verdict.decision, now.wide + now.medium)
        content = column(row(badge, self.title, gap=now.medium, wide=1), gap=now.small)
        if glance.value:
            content.addWidget(label(glance.subject, HEADING, wrap=True))
            instead = label(glance.instead, HEADING, tone="muted")
            figure = label(glance.value, FIGURE, bold=True)
            lower = figure.fontMetrics().descent() - instead.fontMetrics().descent()
            instead.setContentsMargins(0, 0, 0, lower)  # both on one line of writing
            figures = row(figure, instead, None, gap=now.medium)
            figures.setAlignment(instead, Qt.AlignmentFlag.AlignBottom)
            content.addLayout(figures)
        else:
            content.addWidget(label(glance.headline, HEADING, wrap=True))
        if glance.panel is not None and self._chart is not None:
            bars = bars_of(glance.panel, self.presented.about)
            self._chart.show_panel(glance.panel, self.presented.about)
            content.addWidget(label(bars.direction if glance.value else bars.title, SMALL, tone="muted", wrap=True))
            content.addWidget(self._chart, 1)
        if glance.parts:
            content.addWidget(label(glance.parts, wrap=True))
        if glance.certainty is None:
            content.addWidget(_run(self.presented))
        content.addStretch(0)
        return card(content)

    def _try_out(self) -> None:
        if (chosen := self.presented.candidate) is not None:
            self._shell.try_out(self.disks, chosen, self.presented)

    def _make_buttons(self) -> None:
        verdict, chosen = self.presented.verdict, self.presented.candidate
        promising = verdict.decision is Decision.UNDECIDED and verdict.more is not None
        gains = verdict.decision in (Decision.SWITCH, Decision.CONDITIONAL, Decision.KEEP) and chosen is not None
        is_over = verdict.decision is Decision.KEEP and chosen is None
        self.leave_button = button(text("leave-as-it-is"), self._shell.leave, primary=is_over)
        self.save_button = SaveButton(self.presented, self._shell)
        longer = measure_longer(verdict) if self._has_comparison else longer_text(self.presented.result)[1]
        self.more_button = button(longer, self._measure_longer, primary=promising or not self._has_comparison)
        trying = text("try-setting", setting=chosen.name if chosen else None)
        self.use_button = button(trying, self._try_out, primary=gains)

    @property
    def _has_comparison(self) -> bool:
        return any(comparison.estimate is not None for comparison in self.presented.verdict.comparisons)

    @property
    def first(self) -> QPushButton:
        """The button to press first: the coloured one, else the rightmost that is enabled."""
        order = (self.use_button, self.leave_button, self.more_button, self.save_button)
        buttons = [widget for widget in order if not widget.isHidden() and widget.isEnabled()]
        return next(
            (widget for widget in buttons if widget.property("primary")), buttons[0] if buttons else self.save_button
        )

    def _offer(self) -> None:
        """Show what can be done with this answer here, and the reason if that is limited."""
        verdict, measured = self.presented.verdict, self._measured
        settable = measured.certain and self.presented.candidate is not None
        open_ = verdict.decision in (Decision.UNDECIDED, Decision.CONDITIONAL, Decision.KEEP)
        again = verdict.decision is Decision.UNDECIDED and not self.presented.result.plan.tunes and measured.certain
        try_, measure = (may(self._state, act, measured.disks) for act in (Act.TRY, Act.MEASURE))
        if measured.why_not is not None or not measured.disks:
            measure = Leave(measured.why_not or message("on-unnamed"))
        if measured.why_not is not None and measured.why_not.id == "on-gone":
            try_ = measure
        self.use_button.setVisible(settable)
        self.leave_button.setVisible(bool(measured.disks))
        longer = open_ and self.path is not None if self._has_comparison else again
        self.more_button.setVisible(longer and not self.presented.result.was_daily_use)
        for widget, leave, hint in (
            (self.use_button, try_, "try-hint"),
            (self.more_button, measure, "measure-longer-hint"),
        ):
            permit(widget, leave.reason, text(hint))
        self.details.offer(measured.disks, self.path, measure)
        reason = measured.why_not or (measured.doubt if self.presented.candidate is not None else None)
        self._why_not.setText(say(reason) if reason is not None else "")
        self._why_not.setVisible(reason is not None)

    def show_state(self, state: State) -> None:
        """Show what can be done now. The measured disk may have been unplugged or replaced since.

        What was once known can still be requested: the shell checks again and says what is wrong.
        """
        measured = self._find(state.disks)
        self._show_difference(self._state, state)
        self._state = state
        self._measured = measured if measured.disks else replace(self._measured, why_not=measured.why_not)
        if self.foot.parentWidget() is not None:  # the trial's own is there instead of it
            self.foot.setVisible(state.trial is None)
        self._offer()

    def _show_difference(self, before: State, state: State) -> None:
        """Show what the trial changes, or stop; what was shown stays readable until the trial is over."""
        if before.shows_difference and not state.shows_difference:
            self.clocks.end()
        if state.trial is None:
            self.clocks.hide()
        elif state.shows_difference and not before.shows_difference and state.trial.answer is self.presented:
            self.clocks.begin(state.trial)
            reveal(self.clocks)

    def _measure_longer(self) -> None:
        """Continue the same comparison; if nothing could be compared, begin anew with more time."""
        result, verdict = self.presented.result, self.presented.verdict
        if self._has_comparison and self.path is not None:
            request = request_to_continue(result, verdict, self.path)
        else:
            request = request_anew(result, longer_text(result)[0])
        self._shell.measure(self.disks, replace(request, target=self._target))


def _evidence(presented: Presented) -> list[QWidget]:
    """How sure it is, and what it costs."""
    glance, parts = presented.glance, list[QWidget]()
    if glance.certainty is not None:
        words, axis = label(glance.certainty.words, wrap=True), CertaintyAxis(glance.certainty)
        parts.append(card(column(heading(text("how-sure")), axis, words, _run(presented), None, gap=look().small)))
    return [*parts, _price(presented)] if glance.price else parts


def _run(presented: Presented) -> QLabel:
    """How long it was measured, and when."""
    return label(presented.heading.run, SMALL, tone="muted", wrap=True)


def _price(presented: Presented) -> QFrame:
    """The price in figures; it stands out only if it may change the answer."""
    glance = presented.glance
    content = column(heading(text("what-it-costs")), gap=look().small)
    for panel in glance.prices:
        chart = BarChart(plain=True)
        chart.show_panel(panel, presented.about)
        title_ = bars_of(panel, presented.about).title
        content.addLayout(column(label(title_, SMALL, tone="muted", wrap=True), chart, gap=look().tight))
    if glance.turns or not glance.prices:
        content.addWidget(label(glance.price, wrap=True))
    content.addStretch(0)
    frame = card(content)
    if glance.turns:
        frame.setProperty("turns", True)
    return frame


def longer_text(result: Result) -> tuple[str, str]:
    """Return the id of the next larger budget, if any, and the text of the button that measures again with it."""
    last_budget = BUDGETS.get(result.plan.budget or "", QUICK)
    larger = [budget for budget in BUDGETS.values() if budget.limits.seconds > last_budget.limits.seconds]
    following = larger[0] if larger else last_budget
    is_used_up = result.plan.state is DiskState.EXHAUSTED
    minutes = round((following.limits.exhausted if is_used_up else following.limits).seconds / 60)
    return following.id, text("measure-longer" if larger else "measure-again", minutes=minutes)
