# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour and a marker shape per setting, the same as in saved pictures, so that none needs colour to be seen."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.style import look
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting, marks

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


def setting_colour(setting: Setting | None) -> QColor:
    """Its colour on a card; quiet for what counts for none."""
    return look().ink(QFont()).of(setting)


def draw_marker(
    painter: QPainter, setting: Setting | None, centre: QPointF, radius: float, among: Iterable[Setting | None] = ()
) -> None:
    """Its shape in its colour, other than those ``among`` which it is shown."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(setting_colour(setting))
    outline = _OUTLINES.get(marks((*filter(None, among), setting))[setting].shape) if setting else None
    if outline is None:
        painter.drawEllipse(centre, radius * 1.1, radius * 1.1)
    else:
        painter.drawPolygon(QPolygonF([centre + QPointF(x, y) * radius for x, y in outline]))


class Legend(QWidget):
    """Settings in as many rows as they need, the current one bold; None is what counts for none of them."""

    accessible_role = QAccessible.Role.Graphic

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings: tuple[Setting | None, ...] = ()
        self._current: Setting | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_settings(self, settings: tuple[Setting | None, ...]) -> None:
        """Show these."""
        self._settings = settings
        self._tell()
        self.updateGeometry()
        self.update()

    def show_current(self, setting: Setting | None) -> None:
        """This one is in use."""
        if setting != self._current:
            self._current = setting
            self._tell()
            self.update()

    def _tell(self) -> None:
        names = tuple(each.words for each in self._settings if each)
        said = text("legend-now", names=names, current=_words(self._current)) if None in self._settings else None
        self.setAccessibleName(said or text("legend-of", names=names))

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Bold)
        return font

    def _line(self) -> int:
        return QFontMetrics(self._bold()).height() + look().tight

    def _places(self, width: int) -> list[tuple[Setting | None, int, int]]:
        """Each name with its left edge and row."""
        metrics, places, x, line = QFontMetrics(self._bold()), [], 0, 0
        for setting in self._settings:
            needed = metrics.horizontalAdvance(_words(setting)) + look().large
            if x and x + needed > width:
                x, line = 0, line + 1
            places.append((setting, x, line))
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
        widest = max((metrics.horizontalAdvance(_words(each)) for each in self._settings), default=0)
        return QSize(widest + look().large, self._line())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Mark and name."""
        painter, now = QPainter(self), look()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for setting, x, line in self._places(self.width()):
            middle = (line + 0.5) * self._line()
            draw_marker(painter, setting, QPointF(x + now.small, middle), now.small * 0.62, self._settings)
            current = setting == self._current
            painter.setFont(self._bold() if current else self.font())
            painter.setPen(now.text if current else now.muted)
            metrics = painter.fontMetrics()
            painter.drawText(
                QPointF(x + now.large, middle + (metrics.ascent() - metrics.descent()) / 2), _words(setting)
            )
        painter.end()


def _words(setting: Setting | None) -> str:
    return setting.words if setting else text("not-counted")
