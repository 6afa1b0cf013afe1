# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting that is on trial, as the foot of whatever page is seen: how long it stays, and what can become of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QDeadlineTimer, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.gui.access import announce, has_keyboard
from disktuner.gui.intents import Intents
from disktuner.gui.state import Act, State, Trial, may
from disktuner.gui.style import look
from disktuner.gui.widgets.clocks import Clocks
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import beside, button, column, foot_height, label, page_wide, plain, row, with_margin
from disktuner.standing import titles
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

_TICK_MS = 250
_EDGE = 3
"""How high the line is that says how much time is left."""
_SOON_S = 10
"""So long before the end it is announced."""


class TrialBanner(QFrame):
    """Counts down while the person works; it is there exactly as long as something is on trial.

    The keyboard goes to what undoes it, as where a screen is tried; what was pressed for it cannot be pressed any more.
    Signals: ``left_by_keyboard`` comes before it is hidden, or before nothing on it can be pressed, if it has the
    keyboard.
    """

    left_by_keyboard = Signal()

    def __init__(self, intents: Intents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("bar", "trial")
        self._intents = intents
        self._trial: Trial | None = None
        self._state = State()
        self._shows_difference = False
        self._deadline = QDeadlineTimer(0)
        self.left, self.caution = label(bold=True, wrap=True), label(wrap=True)
        self.clocks, self.difference_button = Clocks(), button("", self._toggle_difference)
        self.back_button = button(text("go-back"), intents.undo_trial)
        self.until_button = button(text("keep-until-restart"), lambda: intents.keep_trial(False))
        self.always_button = button(text("keep-for-good"), lambda: intents.keep_trial(True), primary=True)
        self._buttons = Flow(
            (self.difference_button, self.back_button, self.until_button, self.always_button), look().small
        )
        self._line = row(column(self.left, self.caution, gap=look().tight), self._buttons, gap=look().medium, wide=0)
        content = column(self.clocks, self._line, gap=look().small)
        self.setLayout(page_wide(with_margin(content, look().large, look().small)))
        self.setMinimumHeight(foot_height())
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.hide()

    def show_state(self, state: State) -> None:
        """Show what is on trial, and what can become of it now."""
        before, self._trial, self._state = self._trial, state.trial, state
        if state.trial is None:
            if before is not None:
                self._withdraw()
            return
        self._allow(state)
        if state.trial != before:
            self._begin(state.trial)
        self._warn(state, state.trial)

    def _begin(self, trial: Trial) -> None:
        self._deadline = QDeadlineTimer(round(trial.seconds * 1000), Qt.TimerType.PreciseTimer)
        self._timer.start()
        self._show_left()
        self.clocks.hide()
        self.caution.clear()
        self.end_difference()
        self.show()
        self.back_button.setFocus()
        given = {"scheduler": trial.setting.name, "disk": titles(trial.disks), "before": trial.before}
        announce(self, text("trial-begun", **given, seconds=trial.seconds))

    def _allow(self, state: State) -> None:
        """What may not be done now can't be pressed, and says why."""
        if state.calling and has_keyboard(self):
            self.left_by_keyboard.emit()  # else Qt would let it go on anywhere
        acts = (Act.KEEP_TRIAL_PERMANENTLY, Act.KEEP_TRIAL, Act.UNDO_TRIAL)
        for each, act in zip((self.always_button, self.until_button, self.back_button), acts, strict=True):
            leave = may(state, act)
            each.setEnabled(bool(leave))
            each.setToolTip(plain(leave.reason))
            each.setAccessibleDescription(leave.reason)
        self.difference_button.setEnabled(not state.calling)
        self.difference_button.setToolTip(self.back_button.toolTip())

    def _warn(self, state: State, trial: Trial) -> None:
        """Say that it will not last, once it is known who else sets a disk's queue."""
        found = state.warnings(trial.disks, trial.setting)
        shown = text("try-will-not-last", warnings=" ".join(found)) if found else ""
        self.caution.setVisible(bool(shown))
        if shown and self.always_button.isEnabled():
            self.always_button.setAccessibleDescription(shown)
        if shown and shown != self.caution.text():
            announce(self, text("try-will-not-last", warnings="").rstrip())
        self.caution.setText(shown)

    def show_difference(self, settings: Sequence[Setting]) -> None:
        """The old setting and the new are shown in turn."""
        self._shows_difference = True
        self.clocks.begin(settings)
        self.difference_button.setText(text("stop-difference"))

    def end_difference(self) -> None:
        """No more; what was seen stays to be read."""
        if self._shows_difference:
            self.clocks.end()
        self._shows_difference = False
        self.difference_button.setText(text("show-difference"))

    def _toggle_difference(self) -> None:
        self._intents.show_difference(not self._shows_difference)

    def _withdraw(self) -> None:
        self._timer.stop()
        if has_keyboard(self):
            self.left_by_keyboard.emit()
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Beside the buttons the text has a third of the width at least."""
        super().resizeEvent(event)
        beside(self._line, 3 * self._buttons.sizeHint().width() <= 2 * self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._trial is not None and self._trial.seconds:
            left = max(0.0, self._deadline.remainingTime() / 1000 / self._trial.seconds)
            painter = QPainter(self)
            painter.fillRect(QRectF(0, 0, self.width() * min(left, 1.0), _EDGE), look().accent)
            painter.end()

    def _tick(self) -> None:
        """Its time is over at the earliest when nobody is asked about it."""
        self._show_left()
        if self._deadline.hasExpired() and may(self._state, Act.UNDO_TRIAL):
            self._intents.undo_trial()

    def _show_left(self) -> None:
        assert self._trial is not None
        left_s = math.ceil(self._deadline.remainingTime() / 1000)
        self.update()
        shown = text("trial-left", scheduler=self._trial.setting.name, disk=titles(self._trial.disks), left=left_s)
        if shown != self.left.text():
            self.left.setText(shown)
            if left_s == _SOON_S:
                announce(self, shown)
