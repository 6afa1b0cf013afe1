# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting on trial, as the foot of every page: how long it stays, and what can be done about it."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu

from disktuner.gui.access import announce, has_keyboard
from disktuner.gui.shell import Shell
from disktuner.gui.state import Act, State, Trial, may
from disktuner.gui.style import look
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import beside, button, column, label, make_foot, permit, plain, row
from disktuner.standing import titles
from disktuner.vocabulary.messages import text

_TICK_MS = 250
_EDGE = 3
"""The height of the line that shows the time left."""
_SOON_S = 10
"""How long before the end it is announced."""


class TrialBanner(QFrame):
    """Counts down while the person works; visible exactly while something is on trial.

    The focus goes to the button that undoes it, as when a screen resolution is tried; a press meant for it cannot hit
    another one. Signals: ``left_by_keyboard`` comes, if it has the focus, before it is hidden or all its buttons are
    disabled.
    """

    left_by_keyboard = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._trial: Trial | None = None
        self._state = State()
        self.left, self.caution = label(bold=True, wrap=True), label(wrap=True)
        self.difference_button = button("", self._toggle_difference)
        self.back_button = button(text("go-back"), shell.undo_trial)
        self.keep_button, self._keep_menu = button(text("keep"), lambda: None, primary=True), QMenu(self)
        self._keep_menu.setToolTipsVisible(True)
        for id_, permanently in (("keep-until-restart", False), ("keep-for-good", True)):
            self._keep_menu.addAction(text(id_)).triggered.connect(partial(self._keep, permanently))
        self.keep_button.setMenu(self._keep_menu)
        self._buttons = Flow((self.difference_button, self.back_button, self.keep_button), look().small)
        self._line = row(column(self.left, self.caution, gap=look().tight), self._buttons, gap=look().medium, wide=0)
        self._line.setAlignment(self._buttons, Qt.AlignmentFlag.AlignVCenter)
        make_foot(self, self._line, "trial")
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.hide()

    @property
    def ways(self) -> tuple[QAction, QAction]:
        """The actions of the keep button, until the next restart and permanently; fetched anew each time, since PySide
        loses kept ones.
        """
        until, permanently = self._keep_menu.actions()
        return until, permanently

    def show_state(self, state: State) -> None:
        """Show what is on trial, and what can be done about it now."""
        before, self._trial, self._state = self._trial, state.trial, state
        if state.trial is None:
            if before is not None:
                self._withdraw()
            return
        self._allow(state)
        if before is None or state.trial.id != before.id:
            self._begin(state.trial)
        self._warn(state, state.trial)

    def _begin(self, trial: Trial) -> None:
        self._timer.start()
        self._show_left()
        self.caution.clear()
        self.difference_button.setVisible(trial.answer is not None)
        self.show()
        self.back_button.setFocus()
        facts = {"scheduler": trial.setting.name, "disk": titles(trial.disks), "before": trial.before}
        announce(self, text("trial-begun", **facts, seconds=trial.seconds))

    def _allow(self, state: State) -> None:
        """Disable what may not be done now, with the reason."""
        if state.calling and has_keyboard(self):
            self.left_by_keyboard.emit()  # else Qt would let it go on anywhere
        permanently, way = may(state, Act.KEEP_TRIAL_PERMANENTLY), self.ways[1]
        way.setEnabled(bool(permanently))
        way.setToolTip(plain(permanently.reason))
        for widget, act in ((self.keep_button, Act.KEEP_TRIAL), (self.back_button, Act.UNDO_TRIAL)):
            permit(widget, may(state, act).reason)
        self.difference_button.setText(text("stop-difference" if state.shows_difference else "show-difference"))
        self.difference_button.setEnabled(not state.calling)
        self.difference_button.setToolTip(self.back_button.toolTip())

    def _warn(self, state: State, trial: Trial) -> None:
        """Say that it will not last, once it is known who else sets a disk's queue."""
        warnings = state.warnings(trial.disks, trial.setting)
        sentence = text("try-will-not-last", warnings=" ".join(warnings)) if warnings else ""
        self.caution.setVisible(bool(sentence))
        if sentence and self.keep_button.isEnabled():
            self.keep_button.setAccessibleDescription(sentence)
        if sentence and sentence != self.caution.text():
            announce(self, text("try-will-not-last", warnings="").rstrip())
        self.caution.setText(sentence)

    def _keep(self, permanently: bool, _checked: bool = False) -> None:
        self._shell.keep_trial(permanently)

    def _toggle_difference(self) -> None:
        self._shell.show_difference(not self._state.shows_difference)

    def _withdraw(self) -> None:
        self._timer.stop()
        if has_keyboard(self):
            self.left_by_keyboard.emit()
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The text gets at least a third of the width beside the buttons."""
        super().resizeEvent(event)
        beside(self._line, 3 * self._buttons.sizeHint().width() <= 2 * self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._trial is not None and self._trial.seconds:
            share = self._trial.left_s / self._trial.seconds
            painter = QPainter(self)
            painter.fillRect(QRectF(0, 0, self.width() * share, _EDGE), look().accent)
            painter.end()

    def _tick(self) -> None:
        """Undo the trial when its time is over, as soon as that is allowed."""
        self._show_left()
        if self._trial is not None and not self._trial.left_s and may(self._state, Act.UNDO_TRIAL):
            self._shell.undo_trial()

    def _show_left(self) -> None:
        assert self._trial is not None
        left_s = math.ceil(self._trial.left_s)
        self.update()
        sentence = text("trial-left", scheduler=self._trial.setting.name, disk=titles(self._trial.disks), left=left_s)
        if sentence != self.left.text():
            self.left.setText(sentence)
            if left_s == _SOON_S:
                announce(self, sentence)
