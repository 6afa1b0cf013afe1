# SPDX-License-Identifier: GPL-3.0-or-later
"""What pages that measure have in common: progress, activity, steps, the button that ends it, and the last minute."""

from __future__ import annotations

from PySide6.QtCore import QDeadlineTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QPushButton, QSizePolicy, QWidget

from disktuner.experiment.progress import Advance
from disktuner.gui.access import announce
from disktuner.gui.plots.live import LiveStrip
from disktuner.gui.plots.progress import Ring, Steps
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import beside, card, column, has_columns, height_by_width, label, pill, row, title
from disktuner.gui.widgets.notice import Notice
from disktuner.vocabulary.messages import text

SPOKEN_EVERY_S = 30
_HIGH_LINES = 42
"""The least height of a page with the disk's last minute, in lines of text."""


class RunningHead(QWidget):
    """The progress is announced every ``spoken_every_s`` at most.

    Attributes: ``ring`` shows the time left, ``steps`` the current one, ``title`` and ``what`` the subject.
    """

    def __init__(self, *buttons: QPushButton, spoken_every_s: int = SPOKEN_EVERY_S) -> None:
        super().__init__()
        self._buttons, self._spoken_every_s, self._quiet = buttons, spoken_every_s, QDeadlineTimer(0)
        self.title = title(text("about-to-measure"))
        self.what, self.steps, self.ring = label(tone="muted", wrap=True), Steps(), Ring()
        self.ring.setAccessibleName(self.title.text())
        now = look()
        about = column(self.title, self.what, self.steps, None, gap=now.tight)
        self._about = row(about, column(row(*buttons, None), None), gap=now.medium, wide=0)
        self.setLayout(row(self.ring, self._about, gap=now.medium, wide=1))

    def fit(self, has_room: bool) -> None:
        """Put the buttons beside the text, or below it."""
        beside(self._about, has_room)

    def begin(self, advance: Advance) -> None:
        self.ring.begin(advance)
        self.ring.setAccessibleName(text("run-left", left=advance.at_most_s))

    def speak(self, sentence: str) -> None:
        """Announce the progress, unless that has just happened."""
        if self._quiet.hasExpired():
            self._quiet.setRemainingTime(self._spoken_every_s * 1000)
            announce(self, sentence)

    def show_cancelling(self, sentence: str) -> None:
        """It is ending; all buttons are disabled."""
        self.what.setText(sentence)
        announce(self, sentence)
        self.ring.rest()
        for button in self._buttons:
            button.setEnabled(False)
            button.setToolTip(sentence)


class RunningView(QWidget):
    """A head, a ``picture`` of what is measured, which takes the room, the disk's last minute, and a notice.

    Attributes: ``name`` of the picture, and beside it ``so_far``, what is known already.
    """

    def __init__(self, head: RunningHead, picture: QWidget, strip: LiveStrip) -> None:
        super().__init__()
        self._head, self.strip, self.notice = head, strip, Notice()
        self.name, self.so_far = label(tone="muted", wrap=True), pill()
        self.name.setSizePolicy(height_by_width(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum))
        self.so_far.hide()
        framed = card(column(row(self.name, self.so_far, wide=0), picture, wide=1))
        if (inner := framed.layout()) is not None:  # no higher than its picture
            inner.setSizeConstraint(QLayout.SizeConstraint.SetMinAndMaxSize)
        working = label(text("go-on-working"), tone="muted", wrap=True)
        content = column(head, framed, card(column(strip)), self.notice, working, gap=look().medium)
        content.setStretch(1, 100)
        content.addStretch(1)
        self.setLayout(content)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """If there is little room, the picture gets it."""
        super().resizeEvent(event)
        self._head.fit(has_columns(self.width()))
        self.strip.fit(self.height() < _HIGH_LINES * self.fontMetrics().height())
