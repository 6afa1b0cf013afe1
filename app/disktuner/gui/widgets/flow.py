# SPDX-License-Identifier: GPL-3.0-or-later
"""Widgets in lines: ones that wrap like words, and tiles of equal width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from disktuner.gui.style import look

_FOUR_FROM = 26
"""The least width of four tiles, in units of ``wide``."""


class Flow(QLayout):
    """Wraps its widgets like words; hidden ones take no room."""

    def __init__(self, content: Sequence[QWidget], gap: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(gap)
        for widget in content:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem:
        """Return an item; Qt expects None if there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def takeAt(self, index: int) -> QLayoutItem:
        return self._items.pop(index) if 0 <= index < len(self._items) else None  # type: ignore[return-value]

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def invalidate(self) -> None:
        self._heights.clear()
        super().invalidate()

    def heightForWidth(self, width: int) -> int:
        """Cached, since Qt asks dozens of times while a page is laid out."""
        if width not in self._heights:
            places = (place.bottom() + 1 for _, place in self._placed(QRect(0, 0, width, 0)))
            self._heights[width] = max(places, default=0)
        return self._heights[width]

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
        if self.alignment() & Qt.AlignmentFlag.AlignVCenter:
            room = room.adjusted(0, max(0, room.height() - self.heightForWidth(room.width())) // 2, 0, 0)
        for item, place in self._placed(room):
            item.setGeometry(place)

    def _placed(self, room: QRect) -> Iterator[tuple[QLayoutItem, QRect]]:
        """Yield each item with its place, vertically centred in its line."""
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
    """Lines of tiles of equal width, at ``most`` so many in a line, or half as many if there is no room."""

    def __init__(self, content: Sequence[QWidget], gap: int, most: int = 4, widths: int = _FOUR_FROM) -> None:
        super().__init__(content, gap)
        self._most, self._widths = most, widths

    def sizeHint(self) -> QSize:
        return QSize(self._wide(self._most) + self.spacing(), super().sizeHint().height())

    def _wide(self, columns: int) -> int:
        """Return the width of so many of the widest tile side by side."""
        return columns * (super().minimumSize().width() + self.spacing()) - self.spacing()

    def minimumSize(self) -> QSize:
        return QSize(self._wide(self._most // 2), 0)

    def _placed(self, room: QRect) -> Iterator[tuple[QLayoutItem, QRect]]:
        items = [item for item in self._items if not item.isEmpty()]
        has_room = room.width() >= max(look().wide * self._widths, self._wide(self._most))
        columns, top = max(1, self._most if has_room else self._most // 2), room.top()
        for start in range(0, len(items), columns):
            line = items[start : start + columns]
            step = (room.width() + self.spacing()) / len(line)
            height = max(_height(item, int(step) - self.spacing()) for item in line)
            for number, item in enumerate(line):
                left, right = round(number * step), round((number + 1) * step) - self.spacing()
                yield item, QRect(room.left() + left, top, right - left, height)
            top += height + self.spacing()


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
