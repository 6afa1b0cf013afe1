# SPDX-License-Identifier: GPL-3.0-or-later
"""A result: the answer, its one chart, its price and what to do about it; all else is folded away below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from disktuner.block.disk import Disk
from disktuner.comparison.continuing import Continuation, request_anew, request_to_continue
from disktuner.gui.access import announce, read_after
from disktuner.gui.export import SaveButton
from disktuner.gui.icons import Pictogram
from disktuner.gui.intents import Intents
from disktuner.gui.plots.charts import panel_chart
from disktuner.gui.state import Act, Leave, State, may
from disktuner.gui.style import HEADING, look
from disktuner.gui.widgets.layout import Fold, Foot, button, card, column, label, plain, row, title, with_margin
from disktuner.gui.wizard.details import Details
from disktuner.presentation import Presented, measure_longer
from disktuner.results.model import Result
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import BUDGETS, QUICK
from disktuner.vocabulary.messages import message, say, text

_PICTURES = {
    Decision.SWITCH: ("check", "good"),
    Decision.CONDITIONAL: ("check", "caution"),
    Decision.TRADE_OFF: ("balance", "accent"),
    Decision.KEEP: ("check", "accent"),
    Decision.UNDECIDED: ("question", "caution"),
}


class ResultPage(QWidget):
    """A result. ``foot`` holds its buttons and belongs below what scrolls.

    ``find`` tells which of the disks that there are it is about; where it finds none it can only be shared. ``path`` is
    the file of the result, without which it cannot be measured longer, ``target`` the folder that was measured in.
    Attributes: ``title`` is the answer in a few words, ``first`` the button to press first, ``details`` all the rest,
    None until it is wanted.
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
        self.details: Details | None = None
        self._intents, self._find, self._target = intents, find, target
        self._measured, self._state = find(disks), State()
        self.title = title(presented.glance.title)
        self._why_not = label(tone="muted", wrap=True)
        self._make_buttons()
        self._answer = self._make_answer()
        self._content: QVBoxLayout = column(self._answer, gap=look().tight)
        if presented.glance.price:
            self._content.addWidget(_price(presented.glance.price, turns=presented.glance.turns))
        self._content.addWidget(self._why_not)
        self._content.addStretch(1)
        self.setLayout(self._content)
        self.foot = Foot((self.use_button, self.leave_button), row(self.save_button, self.more_button, self.fold))
        self._offer()

    def announce_answer(self) -> None:
        """Say the answer and its price to those who do not see them."""
        for sentence in (self.presented.glance.spoken, self.presented.glance.price):
            announce(self, sentence)

    @property
    def disks(self) -> tuple[Disk, ...]:
        """The disks of this machine that it is about, as they were when they were last seen."""
        return self._measured.disks

    def _make_answer(self) -> QFrame:
        """What to do and how sure that is, the figures in a sentence, and the chart that shows them."""
        shown = self.presented.glance
        picture, tone = _PICTURES[self.presented.verdict.decision]
        head = row(
            Pictogram(picture, round(look().large * 1.3), tone), self.title, label(shown.sure, tone="muted"), wide=1
        )
        content = column(head, label(shown.headline, HEADING, wrap=True), gap=look().small)
        if shown.parts:
            content.addWidget(label(shown.parts, wrap=True))
        if shown.panel is not None:
            content.addLayout(panel_chart(shown.panel, self.presented.about))
        return card(content)

    def _try_out(self) -> None:
        if (chosen := self.presented.candidate) is not None:
            self._intents.try_out(self.disks, chosen)

    def _make_buttons(self) -> None:
        verdict, chosen = self.presented.verdict, self.presented.candidate
        promising = verdict.decision is Decision.UNDECIDED and verdict.more is not None
        gains = verdict.decision in (Decision.SWITCH, Decision.CONDITIONAL, Decision.KEEP) and chosen is not None
        trying = text("try-setting", setting=chosen.name if chosen else None)
        self.use_button = button(trying, self._try_out, primary=gains)
        is_over = verdict.decision is Decision.KEEP and chosen is None
        self.leave_button = button(text("leave-as-it-is"), self._intents.leave, primary=is_over)
        self.save_button = SaveButton(self.presented, self._intents)
        longer = measure_longer(verdict) if self._compared else longer_text(self.presented.result)[1]
        self.more_button = button(longer, self._measure_longer, primary=promising or not self._compared)
        self.fold = Fold(text("details"), self._unfold)

    @property
    def _compared(self) -> bool:
        return any(each.estimate is not None for each in self.presented.verdict.comparisons)

    @property
    def first(self) -> QPushButton:
        """The button to press first: the coloured one, else the leftmost that can be pressed."""
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
        if self.details is not None:
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
        self._offer()

    def _measure_longer(self) -> None:
        """Go on with the same comparison; where nothing could be compared, begin anew with more time."""
        result, verdict = self.presented.result, self.presented.verdict
        if self._compared and self.path is not None:
            request = request_to_continue(result, verdict, self.path)
        else:
            request = request_anew(result, longer_text(result)[0])
        self._intents.measure(self.disks, replace(request, target=self._target))

    def _unfold(self, on: bool) -> None:
        """All that supports the answer, made when it is first wanted: most people read no further."""
        if self.details is None:
            self.details = Details(self.presented, self._intents, self._target)
            self._content.insertWidget(self._content.count() - 1, self.details)
            read_after(self._answer, self.details)
            self._offer()
        self.details.setVisible(on)
        if on:
            self.details.head.setFocus()


def _price(sentence: str, *, turns: bool) -> QFrame:
    """One line; it only stands out where it may turn the answer."""
    frame = QFrame()
    frame.setProperty("notice" if turns else "card", "caution" if turns else True)
    picture, tone = ("warning", "caution") if turns else ("balance", "muted")
    content = row(Pictogram(picture, look().large, tone), label(sentence, wrap=True), gap=look().medium, wide=1)
    frame.setLayout(with_margin(content, look().medium, look().small))
    return frame


def longer_text(result: Result) -> tuple[str, str]:
    """The id of the next larger budget where there is one, and what a button says that measures again with it."""
    had = BUDGETS.get(result.plan.budget or "", QUICK)
    larger = [each for each in BUDGETS.values() if each.limits.seconds > had.limits.seconds]
    following = larger[0] if larger else had
    minutes = round(following.limits.seconds / 60)
    return following.id, text("measure-longer" if larger else "measure-again", minutes=minutes)
