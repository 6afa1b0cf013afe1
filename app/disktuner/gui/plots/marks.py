# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour and a marker shape per scheduler, the same as in saved pictures, so that none needs colour to be seen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.style import look
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.schedulers import marks, shown

_OUTLINES = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "D": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "^": ((0, -1.2), (1.2, 1), (-1.2, 1)),
    "v": ((-1.2, -1), (1.2, -1), (0, 1.2)),
    "p": ((0, -1.2), (1.15, -0.35), (0.7, 1), (-0.7, 1), (-1.15, -0.35)),
    "P": ((-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2),
          (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4)),
    "X": ((-1.2, -0.6), (-0.6, -1.2), (0, -0.6), (0.6, -1.2), (1.2, -0.6), (0.6, 0), (1.2, 0.6), (0.6, 1.2),
          (0, 0.6), (-0.6, 1.2), (-1.2, 0.6), (-0.6, 0)),
}  # fmt: skip


def scheduler_colour(name: str) -> QColor:
    """Its colour on a card; quiet for what belongs to no scheduler's run."""
    return look().ink(QFont()).of(name)


def draw_marker(painter: QPainter, name: str, centre: QPointF, radius: float, among: Iterable[str] = ()) -> None:
    """Its shape in its colour, other than those of the names ``among`` which it is shown."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(scheduler_colour(name))
    outline = _OUTLINES.get(marks((*among, name))[name].shape) if name else None
    if outline is None:
        painter.drawEllipse(centre, radius * 1.1, radius * 1.1)
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in outline]))


class Legend(QWidget):
    """Names in as many rows as they need, the current one bold; an empty name is what counts for no scheduler."""

    accessible_role = QAccessible.Role.Graphic

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._current: str | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_names(self, names: tuple[str, ...]) -> None:
        """Show these."""
        self._names = names
        self._tell()
        self.updateGeometry()
        self.update()

    def show_current(self, name: str) -> None:
        """This one is in use."""
        if name != self._current:
            self._current = name
            self._tell()
            self.update()

    def _tell(self) -> None:
        names, current = tuple(map(shown, filter(None, self._names))), self._current
        said = text("legend-now", names=names, current=_shown(current)) if current is not None else None
        self.setAccessibleName(said or text("legend-of", names=names))

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Bold)
        return font

    def _line(self) -> int:
        return QFontMetrics(self._bold()).height() + look().tight

    def _places(self, width: int) -> list[tuple[str, int, int]]:
        """Each name with its left edge and row."""
        metrics, places, x, line = QFontMetrics(self._bold()), [], 0, 0
        for name in self._names:
            needed = metrics.horizontalAdvance(_shown(name)) + look().large
            if x and x + needed > width:
                x, line = 0, line + 1
            places.append((name, x, line))
            x += needed + look().large
        return places

    def hasHeightForWidth(self) -> bool:
        """Names wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As many rows as are needed."""
        places = self._places(width)
        return self._line() * (places[-1][2] + 1 if places else 1)

    def sizeHint(self) -> QSize:
        """One row."""
        return QSize(look().wide * 8, self._line())

    def minimumSizeHint(self) -> QSize:
        """The longest name."""
        metrics = QFontMetrics(self._bold())
        widest = max((metrics.horizontalAdvance(_shown(name)) for name in self._names), default=0)
        return QSize(widest + look().large, self._line())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Mark and name."""
        painter, now = QPainter(self), look()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, x, line in self._places(self.width()):
            middle = (line + 0.5) * self._line()
            draw_marker(painter, name, QPointF(x + now.small, middle), now.small * 0.62, self._names)
            current = name == self._current
            painter.setFont(self._bold() if current else self.font())
            painter.setPen(now.text if current else now.muted)
            metrics = painter.fontMetrics()
            painter.drawText(QPointF(x + now.large, middle + (metrics.ascent() - metrics.descent()) / 2), _shown(name))
        painter.end()


def _shown(name: str) -> str:
    return shown(name) if name else text("not-counted")
