# SPDX-License-Identifier: GPL-3.0-or-later
"""What assistive technology is told beyond what Qt tells it: what our own widgets are, and what has just happened."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_GAP_MS = 700
"""Before each announcement: a screen reader reads the text of the one before only after it was told that there is one,
and Orca skips what comes together with much else that is new on a page."""


class Announcer(QWidget):
    """Nothing to be seen: what has just happened in its window, one sentence at a time.

    It is a notification that appears anew with each sentence. Screen readers speak those of any window and at any
    time: Orca since 3.0, while it knows Qt's own event for announcements since 45 only.
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
        """Say it soon, after what came before."""
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
    """Have a sentence spoken for those who do not see that ``where`` shows it now; what is hidden says nothing."""
    if where.isVisible():
        window = where.window()
        found = window.findChild(Announcer, options=Qt.FindChildOption.FindDirectChildrenOnly)
        (found or Announcer(window)).say(sentence)


def has_keyboard(part: QWidget) -> bool:
    """Whether something within a part of a page has the focus, also while another window is used."""
    focused = part.window().focusWidget()
    return focused is not None and part.isAncestorOf(focused)


def read_after(before: QWidget, part: QWidget) -> None:
    """Let Tab go from one part of a page on through another that was put in later: Qt would visit it last."""
    last = [before, *_stops(before)][-1]
    for each in _stops(part):
        QWidget.setTabOrder(last, each)
        last = each


def _stops(part: QWidget) -> list[QWidget]:
    """What may have the keyboard in a part of a page, as it was put together; not what is a window of its own."""
    inner = (each for each in (part, *part.findChildren(QWidget)) if each.window() is part.window())
    return [each for each in inner if each.focusPolicy() != Qt.FocusPolicy.NoFocus]


def install() -> None:
    """From now on widgets with an ``accessible_role`` have it, and plain areas are plain."""
    QAccessible.installFactory(_interface)


_PLAIN = frozenset(("QAbstractScrollArea", "QScrollArea", "QStackedWidget"))
"""What is no more than the place of its parts. Qt describes an area that scrolls by an interface that counts the scroll
bars only while they are to be seen, and reads behind the end of its list for a child that it no longer has
(``QAccessibleAbstractScrollArea::child`` in Qt 6.11's qtbase/src/widgets/accessible/complexwidgets.cpp): who asks for
one while a page is laid out ends the program. It calls a stack of pages a layered pane, which Orca speaks at each."""


def _interface(class_name: str, widget: QObject) -> QAccessibleInterface | None:
    """Called for a widget's class, then for those it inherits from, before Qt makes an interface of its own for each.

    The plain interface of all widgets, whose children are those that the widget has, seen or not.
    """
    role = getattr(widget, "accessible_role", None)
    if role is None and class_name in _PLAIN:
        role = QAccessible.Role.Client
    return QAccessibleWidget(widget, role) if role is not None and isinstance(widget, QWidget) else None
