# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks the keyboard focus visibly and alike in every style."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFocusFrame, QPushButton, QTabBar, QWidget
from shiboken6 import isValid

from disktuner.gui.style import look
from disktuner.gui.widgets.option import Option

_BY_TAB = Qt.FocusPolicy.TabFocus
_WIDTH = 2
_INNER = 3
"""The inset of the ring if the edge itself has its colour."""


class _Ring(QFocusFrame):
    """A frame within a widget, as its child so that it moves along; assistive technology ignores it."""

    def __init__(self, on: QWidget) -> None:
        super().__init__(on)
        self._on = on
        on.installEventFilter(self)
        self.setGeometry(on.rect())
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the widget's size."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(QRect(0, 0, self._on.width(), self._on.height()))
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        on, now = self._on, look()
        is_primary = bool(on.property("primary")) and on.isEnabled()
        is_edged = isinstance(on, QPushButton | Option) and on.isChecked()
        edge = _INNER if is_primary or is_edged else _WIDTH / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(now.on_accent if is_primary else now.accent, _WIDTH))
        place = on.tabRect(on.currentIndex()) if isinstance(on, QTabBar) else self.rect()
        painter.drawRoundedRect(place.toRectF().adjusted(edge, edge, -edge, -edge), _WIDTH, _WIDTH)
        painter.end()


class Focus(QObject):
    """Moves the ring with the keyboard focus of an application."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._ring: _Ring | None = None
        application.focusChanged.connect(self._move)

    def _move(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self._ring is not None and isValid(self._ring):
            self._ring.deleteLater()
            self._ring.hide()
        self._ring = None
        if now is not None and now.focusPolicy() & _BY_TAB and now.window().windowType() != Qt.WindowType.Popup:
            self._ring = _Ring(now)
