# SPDX-License-Identifier: GPL-3.0-or-later
"""Widgets in lines: those that go on in a next one where it is too narrow, as words do, and tiles of one width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from disktuner.gui.style import look

_FOUR_FROM = 26
"""How wide four tiles are at least, in units of ``wide``."""


class Flow(QLayout):
    """Hidden widgets take no room."""

    def __init__(self, content: Sequence[QWidget], gap: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(gap)
        for each in content:
            self.addWidget(each)

    def addItem(self, item: QLayoutItem) -> None:
        """Put it at the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem:
        """One of them; Qt wants None for what is not there."""
        return self._items[index] if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def takeAt(self, index: int) -> QLayoutItem:
        """Take one out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def expandingDirections(self) -> Qt.Orientation:
        """It wants no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines."""
        return max((place.bottom() + 1 for _, place in self._placed(QRect(0, 0, width, 0))), default=0)

    def sizeHint(self) -> QSize:
        """All in one line."""
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """The widest of them."""
        least = QSize()
        for item in self._items:
            if not item.isEmpty():
                least = least.expandedTo(item.minimumSize())
        return least

    def setGeometry(self, room: QRect) -> None:
        """Place them."""
        super().setGeometry(room)
        for item, place in self._placed(room):
            item.setGeometry(place)

    def _placed(self, room: QRect) -> Iterator[tuple[QLayoutItem, QRect]]:
        """Each in the middle of its line."""
        top = room.top()
        for line in self._lines(room.width()):
            height, left = max(size.height() for _, size in line), room.left()
            for item, size in line:
                yield item, QRect(QPoint(left, top + (height - size.height()) // 2), size)
                left += size.width() + self.spacing()
            top += height + self.spacing()

    def _lines(self, width: int) -> Iterator[list[tuple[QLayoutItem, QSize]]]:
        line, used = list[tuple[QLayoutItem, QSize]](), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if line and used + size.width() > width:
                yield line
                line, used = [], 0
            line.append((item, size))
            used += size.width() + self.spacing()
        if line:
            yield line


class Tiles(Flow):
    """All as wide as each other, four in a line, or two where there is no room for that."""

    _MOST = 4

    def sizeHint(self) -> QSize:
        """All in one line."""
        return QSize(self._all_in_a_line() + self.spacing(), super().sizeHint().height())

    def _all_in_a_line(self) -> int:
        widest = super().minimumSize().width()
        return self._MOST * (widest + self.spacing()) - self.spacing()

    def minimumSize(self) -> QSize:
        """Two of the widest beside each other."""
        widest = super().minimumSize().width()
        return QSize(2 * widest + self.spacing(), 0)

    def _placed(self, room: QRect) -> Iterator[tuple[QLayoutItem, QRect]]:
        shown = [item for item in self._items if not item.isEmpty()]
        least = max(look().wide * _FOUR_FROM, self._all_in_a_line())
        columns = self._MOST if room.width() >= least else 2
        step, top = (room.width() + self.spacing()) / columns, room.top()
        for start in range(0, len(shown), columns):
            line = shown[start : start + columns]
            height = max(item.heightForWidth(int(step) - self.spacing()) for item in line)
            for number, item in enumerate(line):
                left, right = round(number * step), round((number + 1) * step) - self.spacing()
                yield item, QRect(room.left() + left, top, right - left, height)
            top += height + self.spacing()
