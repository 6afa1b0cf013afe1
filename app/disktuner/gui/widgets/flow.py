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
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem:
        """One of them; Qt wants None for what is not there."""
        return self._items[index] if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def takeAt(self, index: int) -> QLayoutItem:
        return self._items.pop(index) if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((place.bottom() + 1 for _, place in self._placed(QRect(0, 0, width, 0))), default=0)

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        least = QSize()
        for item in self._items:
            if not item.isEmpty():
                least = least.expandedTo(item.minimumSize())
        return least

    def setGeometry(self, room: QRect) -> None:
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
    """All as wide as each other, so many at ``most`` in a line, or half of them where there is no room for that."""

    def __init__(self, content: Sequence[QWidget], gap: int, most: int = 4, widths: int = _FOUR_FROM) -> None:
        super().__init__(content, gap)
        self._most, self._widths = most, widths

    def sizeHint(self) -> QSize:
        return QSize(self._wide(self._most) + self.spacing(), super().sizeHint().height())

    def _wide(self, columns: int) -> int:
        """How wide so many of the widest are beside each other."""
        return columns * (super().minimumSize().width() + self.spacing()) - self.spacing()

    def minimumSize(self) -> QSize:
        return QSize(self._wide(self._most // 2), 0)

    def _placed(self, room: QRect) -> Iterator[tuple[QLayoutItem, QRect]]:
        shown = [item for item in self._items if not item.isEmpty()]
        has_room = room.width() >= max(look().wide * self._widths, self._wide(self._most))
        columns = max(1, min(self._most if has_room else self._most // 2, len(shown)))
        step, top = (room.width() + self.spacing()) / columns, room.top()
        for start in range(0, len(shown), columns):
            line = shown[start : start + columns]
            height = max(_height(item, int(step) - self.spacing()) for item in line)
            for number, item in enumerate(line):
                left, right = round(number * step), round((number + 1) * step) - self.spacing()
                yield item, QRect(room.left() + left, top, right - left, height)
            top += height + self.spacing()


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
