# SPDX-License-Identifier: GPL-3.0-or-later
"""The question whether to keep a scheduler that is in use for a try; without an answer it goes back by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QDeadlineTimer, Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QProgressBar, QWidget

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.block.writers.rivals import warnings
from disktuner.gui.access import announce
from disktuner.gui.choice import titles
from disktuner.gui.icons import Pictogram
from disktuner.gui.style import fitting, look
from disktuner.gui.widgets.layout import bar, button, column, label, row, title, with_margin
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.settings import Setting

_TICK_MS = 250
_SOON_S = 10
"""So long before the end it is announced."""


class KeepDialog(QDialog):
    """Counts down from ``seconds``; ``before`` is what the disks go back to.

    Signals: ``keep`` carries whether it shall hold after a restart too, ``go_back`` that it shall not be kept (asked
    for, time over, or dialog closed); exactly one of them comes, unless ``withdraw`` is called.
    """

    keep = Signal(bool)
    go_back = Signal()

    def __init__(
        self, disks: Sequence[Disk], setting: Setting, before: str, seconds: float, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("keep")
        self.setWindowTitle(text("try-title", scheduler=setting.name))
        self._before, self._seconds, self._answered = before, seconds, False
        self._deadline = QDeadlineTimer(round(seconds * 1000), Qt.TimerType.PreciseTimer)
        self._disks, self._setting = {disk.name: disk for disk in disks}, setting
        self._against: dict[str, None] = {}
        self.left = label(tone="muted", wrap=True)
        self.caution = label(wrap=True)
        self.caution.hide()
        self._bar = QProgressBar(textVisible=False)
        self._bar.setRange(0, 1000)
        self.back_button = button(text("try-go-back"), self.reject)
        self.until_button = button(text("try-keep-until"), lambda: self._keep(for_good=False), primary=True)
        self.always_button = button(text("keep-after-restart"), lambda: self._keep(for_good=True))
        self._lay_out(text("try-text", disk=titles(disks), scheduler=setting.name))
        self.until_button.setFocus()
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self._show_left()

    def _lay_out(self, about: str) -> None:
        now = look()
        texts = column(title(self.windowTitle()), label(about, wrap=True), gap=now.small)
        head = row(column(Pictogram("question", round(now.wide * 1.5), "accent"), None), texts, gap=now.medium)
        head.setStretch(1, 1)
        body = column(head, self._bar, self.left, self.caution, None, gap=now.medium)
        actions = row(self.back_button, None, self.always_button, self.until_button)
        whole = column(with_margin(body, now.large), bar(actions, foot=True), gap=0)
        whole.setStretch(0, 1)
        self.setLayout(whole)
        self._whole = whole
        self._fit()

    def _fit(self) -> None:
        width = max(look().wide * 18, self._whole.totalMinimumSize().width())
        self.resize(fitting(width, self._whole.totalHeightForWidth(width)))

    def show_writers(self, name: str, writers: Sequence[Writer]) -> None:
        """Say that it will not last now that it is known who else sets a disk's queue."""
        if name in self._disks:
            found = warnings(self._disks[name], writers, self._setting.scheduler, for_good=True)
            self._against |= dict.fromkeys(map(say, found))
        if self._against:
            self.caution.setText(text("try-will-not-last", warnings=" ".join(self._against)))
            self.caution.show()
            announce(self, self.caution.text())
            self._fit()

    def _tick(self) -> None:
        self._show_left()
        if self._deadline.hasExpired():
            self.reject()

    def _show_left(self) -> None:
        left_s = self._deadline.remainingTime() / 1000
        self._bar.setValue(round(1000 * left_s / self._seconds))
        left = text("try-left", scheduler=self._before, left=math.ceil(left_s))
        if left != self.left.text():
            self.left.setText(left)
            if math.ceil(left_s) == _SOON_S:
                announce(self, left)

    def _keep(self, *, for_good: bool) -> None:
        if self._answer():
            self.keep.emit(for_good)
            self.accept()

    def reject(self) -> None:
        """Esc, closing, *Go back now* and the end of the time are one."""
        if self._answer():
            self.go_back.emit()
        super().reject()

    def withdraw(self) -> None:
        """The try is over already: close without an answer."""
        self._answer()
        super().reject()

    def _answer(self) -> bool:
        """Take note that there is an answer; False where there was one."""
        first, self._answered = not self._answered, True
        self._timer.stop()
        return first
