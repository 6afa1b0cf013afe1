# SPDX-License-Identifier: GPL-3.0-or-later
"""A result: the answer, its one chart, its price and what to do about it; all else is folded away below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.continuing import Continuation, request_anew, request_to_continue
from disktuner.gui.access import announce
from disktuner.gui.export import SaveButton
from disktuner.gui.intents import Intents
from disktuner.gui.plots.charts import Badge, BarChart, CertaintyAxis
from disktuner.gui.state import Act, Leave, State, may
from disktuner.gui.style import FIGURE, HEADING, SMALL, look
from disktuner.gui.widgets.layout import Columns, Foot, button, card, column, heading, label, plain, row, title
from disktuner.gui.wizard.details import Details
from disktuner.presentation import Presented, bars_of, measure_longer
from disktuner.results.model import Result
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import BUDGETS, QUICK
from disktuner.vocabulary.messages import message, say, text


class ResultPage(QWidget):
    """A result. ``foot`` holds its buttons and belongs below what scrolls.

    ``find`` tells which of the disks that there are it is about; where it finds none it can only be shared. ``path`` is
    the file of the result, without which it cannot be measured longer, ``target`` the folder that was measured in.
    Attributes: ``title`` is the answer in a few words, ``first`` the button to press first, ``details`` all the rest,
    folded.
    """

    def __init__(
        self,
        presented: Presented,
        intents: Intents,
        find: Callable[[Sequence[Disk]], Continuation] = lambda _: Continuation(),
        *,
        disks: Sequence[Disk] = (),
        path: Path | None = None,
        target: str = "",
    ) -> None:
        super().__init__()
        self.presented, self.path = presented, path
        self._intents, self._find, self._target = intents, find, target
        self._measured, self._state = find(disks), State()
        self.title = title(presented.glance.title)
        self.title.setAccessibleDescription(presented.glance.headline)
        self._why_not = label(tone="muted", wrap=True)
        self._why_not.setIndent(look().medium)  # in line with the folds below
        self._make_buttons()
        self.details = Details(presented, intents, target)
        self._chart = BarChart(plain=True, grows=True) if presented.glance.panel is not None else None
        answer, evidence = self._make_answer(), _evidence(presented)
        if evidence:
            answer = Columns(answer, evidence, lambda: self._chart.spare if self._chart else 0)
        content = column(answer, self._why_not, self.details, None)
        if evidence or self._chart is not None:  # else there is nothing that could fill the page
            content.setStretch(0, 1000)
        self.setLayout(content)
        self.foot = Foot((self.leave_button,), row(self.save_button, self.more_button, self.use_button))
        self._offer()

    def announce_answer(self) -> None:
        """Say the answer and its price to those who do not see them."""
        for sentence in (self.presented.glance.spoken, self.presented.glance.price):
            announce(self, sentence)

    @property
    def disks(self) -> tuple[Disk, ...]:
        """The disks of this machine that it is about, as they were when they were last seen."""
        return self._measured.disks

    def _make_answer(self) -> QWidget:
        """What to do, the figures in large letters or a sentence, and the chart that shows them."""
        shown, now = self.presented.glance, look()
        badge = Badge(self.presented.verdict.decision, now.wide + now.medium)
        content = column(row(badge, self.title, gap=now.medium, wide=1), gap=now.small)
        if shown.value:
            content.addWidget(label(shown.subject, HEADING, wrap=True))
            instead = label(shown.instead, HEADING, tone="muted")
            figure = label(shown.value, FIGURE, bold=True)
            lower = figure.fontMetrics().descent() - instead.fontMetrics().descent()
            instead.setContentsMargins(0, 0, 0, lower)  # both on one line of writing
            figures = row(figure, instead, None, gap=now.medium)
            figures.setAlignment(instead, Qt.AlignmentFlag.AlignBottom)
            content.addLayout(figures)
        else:
            content.addWidget(label(shown.headline, HEADING, wrap=True))
        if shown.parts:
            content.addWidget(label(shown.parts, wrap=True))
        if shown.panel is not None and self._chart is not None:
            bars = bars_of(shown.panel, self.presented.about)
            self._chart.show_panel(shown.panel, self.presented.about)
            content.addWidget(label(bars.direction if shown.value else bars.title, SMALL, tone="muted", wrap=True))
            content.addWidget(self._chart, 1)
        if shown.certainty is None:
            content.addWidget(_run(self.presented))
        content.addStretch(0)
        return card(content)

    def _try_out(self) -> None:
        if (chosen := self.presented.candidate) is not None:
            self._intents.try_out(self.disks, chosen)

    def _make_buttons(self) -> None:
        verdict, chosen = self.presented.verdict, self.presented.candidate
        promising = verdict.decision is Decision.UNDECIDED and verdict.more is not None
        gains = verdict.decision in (Decision.SWITCH, Decision.CONDITIONAL, Decision.KEEP) and chosen is not None
        is_over = verdict.decision is Decision.KEEP and chosen is None
        self.leave_button = button(text("leave-as-it-is"), self._intents.leave, primary=is_over)
        self.save_button = SaveButton(self.presented, self._intents)
        longer = measure_longer(verdict) if self._compared else longer_text(self.presented.result)[1]
        self.more_button = button(longer, self._measure_longer, primary=promising or not self._compared)
        trying = text("try-setting", setting=chosen.name if chosen else None)
        self.use_button = button(trying, self._try_out, primary=gains)

    @property
    def _compared(self) -> bool:
        return any(each.estimate is not None for each in self.presented.verdict.comparisons)

    @property
    def first(self) -> QPushButton:
        """The button to press first: the coloured one, else the rightmost that can be pressed."""
        order = (self.use_button, self.leave_button, self.more_button, self.save_button)
        shown = [each for each in order if not each.isHidden() and each.isEnabled()]
        return next((each for each in shown if each.property("primary")), shown[0] if shown else self.save_button)

    def _offer(self) -> None:
        """Show what can be done with this answer here, and say why not more."""
        verdict, known = self.presented.verdict, self._measured
        settable = known.certain and self.presented.candidate is not None
        open_ = verdict.decision in (Decision.UNDECIDED, Decision.CONDITIONAL, Decision.KEEP)
        again = verdict.decision is Decision.UNDECIDED and not self.presented.result.plan.tunes and known.certain
        try_, measure = (may(self._state, act, known.disks) for act in (Act.TRY, Act.MEASURE))
        if known.why_not is not None or not known.disks:
            measure = Leave(known.why_not or message("on-unnamed"))
        if known.why_not is not None and known.why_not.id == "on-gone":
            try_ = measure
        self.use_button.setVisible(settable)
        self.leave_button.setVisible(bool(known.disks))
        longer = open_ and self.path is not None if self._compared else again
        self.more_button.setVisible(longer and not self.presented.result.was_daily_use)
        for each, leave, hint in (
            (self.use_button, try_, "try-hint"),
            (self.more_button, measure, "measure-longer-hint"),
        ):
            each.setEnabled(bool(leave))
            each.setToolTip(plain(leave.reason or text(hint)))
        self.details.offer(known.disks, self.path, measure)
        reason = known.why_not or (known.doubt if self.presented.candidate is not None else None)
        self._why_not.setText(say(reason) if reason is not None else "")
        self._why_not.setVisible(reason is not None)

    def show_state(self, state: State) -> None:
        """Show what can be done now. What was measured may have been pulled out, or be another disk by now.

        What was known once can still be asked for: who does it looks again, and says what is wrong.
        """
        found, self._state = self._find(state.disks), state
        self._measured = found if found.disks else replace(self._measured, why_not=found.why_not)
        if self.foot.parentWidget() is not None:  # the trial's own is there instead of it
            self.foot.setVisible(state.trial is None)
        self._offer()

    def _measure_longer(self) -> None:
        """Go on with the same comparison; where nothing could be compared, begin anew with more time."""
        result, verdict = self.presented.result, self.presented.verdict
        if self._compared and self.path is not None:
            request = request_to_continue(result, verdict, self.path)
        else:
            request = request_anew(result, longer_text(result)[0])
        self._intents.measure(self.disks, replace(request, target=self._target))


def _evidence(presented: Presented) -> list[QWidget]:
    """How sure it is, and what it costs."""
    shown, parts = presented.glance, list[QWidget]()
    if shown.certainty is not None:
        words, axis = label(shown.certainty.words, wrap=True), CertaintyAxis(shown.certainty)
        parts.append(card(column(heading(text("how-sure")), axis, words, _run(presented), None, gap=look().small)))
    return [*parts, _price(presented)] if shown.price else parts


def _run(presented: Presented) -> QLabel:
    """How long it was measured, and when."""
    return label(presented.heading.run, SMALL, tone="muted", wrap=True)


def _price(presented: Presented) -> QFrame:
    """Its figures; it only stands out where it may turn the answer."""
    shown = presented.glance
    content = column(heading(text("what-it-costs")), gap=look().small)
    for panel in shown.prices:
        chart = BarChart(plain=True)
        chart.show_panel(panel, presented.about)
        title_ = bars_of(panel, presented.about).title
        content.addLayout(column(label(title_, SMALL, tone="muted", wrap=True), chart, gap=look().tight))
    if shown.turns or not shown.prices:
        content.addWidget(label(shown.price, wrap=True))
    content.addStretch(0)
    frame = card(content)
    if shown.turns:
        frame.setProperty("turns", True)
    return frame


def longer_text(result: Result) -> tuple[str, str]:
    """The id of the next larger budget where there is one, and what a button says that measures again with it."""
    had = BUDGETS.get(result.plan.budget or "", QUICK)
    larger = [each for each in BUDGETS.values() if each.limits.seconds > had.limits.seconds]
    following = larger[0] if larger else had
    minutes = round(following.limits.seconds / 60)
    return following.id, text("measure-longer" if larger else "measure-again", minutes=minutes)
