# SPDX-License-Identifier: GPL-3.0-or-later
"""What assistive technology is told beyond what Qt tells it: the roles of our own widgets, and announcements."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_GAP_MS = 700
"""The pause before each announcement. A screen reader fetches the text of a notification only after the notification
arrived, and Orca drops announcements that come together with much other news on a page.
"""


class Announcer(QWidget):
    """An invisible widget that announces what has just happened in its window, one sentence at a time.

    Each sentence is a notification that appears anew. Screen readers speak notifications of any window at any time:
    Orca since 3.0, whereas it knows Qt's own announcement event only since 45.
    """

    accessible_role = QAccessible.Role.Notification

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(0, 0, 1, 1)
        self._waiting: deque[str] = deque()
        self._gap = QTimer(self, singleShot=True, interval=_GAP_MS)
        self._gap.timeout.connect(self._next)
        self.hide()

    def say(self, sentence: str) -> None:
        """Announce a sentence after those that are still waiting."""
        if sentence and sentence not in self._waiting:
            self._waiting.append(sentence)
            if not self._gap.isActive():
                self._gap.start()

    def _next(self) -> None:
        self.setAccessibleName(self._waiting.popleft())
        if self.isVisible():
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.ObjectShow))
        self.show()  # the first time Qt itself says that it appears
        if self._waiting:
            self._gap.start()


def announce(where: QWidget, sentence: str) -> None:
    """Have a sentence spoken for people who cannot see that ``where`` shows it; a hidden widget announces nothing."""
    if where.isVisible():
        window = where.window()
        announcer = window.findChild(Announcer, options=Qt.FindChildOption.FindDirectChildrenOnly)
        (announcer or Announcer(window)).say(sentence)


def has_keyboard(part: QWidget) -> bool:
    """Whether something within a part of a page has the focus, even while another window is active."""
    focused = part.window().focusWidget()
    return focused is not None and part.isAncestorOf(focused)


def read_after(before: QWidget, part: QWidget) -> None:
    """Put a part that was added later behind another in the Tab order; Qt would visit it last."""
    last = [before, *_stops(before)][-1]
    for stop in _stops(part):
        QWidget.setTabOrder(last, stop)
        last = stop


def _stops(part: QWidget) -> list[QWidget]:
    """Return what takes the keyboard focus in a part of a page, in order of creation, without windows of its own."""
    inner = (widget for widget in (part, *part.findChildren(QWidget)) if widget.window() is part.window())
    return [widget for widget in inner if widget.focusPolicy() != Qt.FocusPolicy.NoFocus]


def install() -> None:
    """Give widgets with an ``accessible_role`` that role, and plain areas a plain interface, from now on."""
    QAccessible.installFactory(_interface)


_PLAIN = frozenset(("QAbstractScrollArea", "QScrollArea", "QStackedWidget"))
"""Widgets that are mere containers. Qt gives scroll areas an interface that counts the scroll bars only while they are
visible, and then reads behind the end of its list for a child that it no longer has
(``QAccessibleAbstractScrollArea::child`` in Qt 6.11's qtbase/src/widgets/accessible/complexwidgets.cpp): asking for one
while a page is laid out crashes the program. It calls a stack of pages a layered pane, which Orca speaks at each.
"""


def _interface(class_name: str, widget: QObject) -> QAccessibleInterface | None:
    """Qt calls this for a widget's class and then its base classes, before it makes an interface itself.

    Returns the plain interface of all widgets, whose children are the widget's children, visible or not.
    """
    role = getattr(widget, "accessible_role", None)
    if role is None and class_name in _PLAIN:
        role = QAccessible.Role.Client
    return QAccessibleWidget(widget, role) if role is not None and isinstance(widget, QWidget) else None
