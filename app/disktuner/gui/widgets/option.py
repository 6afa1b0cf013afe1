# SPDX-License-Identifier: GPL-3.0-or-later
"""An option that is chosen by a click anywhere on it: a tile, a pill, a row of a list."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QWidget

from disktuner.gui.icons import renderer
from disktuner.gui.style import SMALL, look, text_role
from disktuner.gui.widgets.layout import height_by_width

_CHOSEN = 0.1
"""The accent's share in the background of what is chosen."""
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class Option(QRadioButton):
    """A surface with an edge that shows whether it is chosen, hovered or disabled."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def hitButton(self, position: QPoint) -> bool:
        return self.rect().contains(position)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        now, width = look(), 2 if self.isChecked() else 1
        is_marked = self.isChecked() or (self.underMouse() and self.isCheckable())
        painter.setPen(QPen(now.accent if is_marked else now.edge if self.isCheckable() else now.border, width))
        painter.setBrush(now.tint(now.accent, _CHOSEN) if self.isChecked() else now.card)
        edge = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(edge, now.small, now.small)
        self.draw(painter, QRectF(self.rect()))
        painter.end()

    def draw(self, painter: QPainter, room: QRectF) -> None:
        """Draw the content."""


class RowOption(Option):
    """The background of a list's row: a mark at its left end, ``mark_px`` wide."""

    @property
    def mark_px(self) -> int:
        return look().large

    def draw(self, painter: QPainter, room: QRectF) -> None:
        """Draw a ring, filled if it is chosen."""
        if not self.isCheckable():
            return
        now, centre = look(), QPointF(room.left() + look().medium + self.mark_px / 2, room.center().y())
        painter.setPen(QPen(now.accent if self.isChecked() else now.edge, 2))
        painter.setBrush(now.card)
        painter.drawEllipse(centre, now.small * 0.9, now.small * 0.9)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.accent)
            painter.drawEllipse(centre, now.small * 0.45, now.small * 0.45)


class Tile(Option):
    """A text in as many lines as necessary, beside a pictogram in a round tint; a small tile without one."""

    def __init__(self, text: str, picture: str = "") -> None:
        super().__init__(text)
        self._picture = picture
        text_role(self, SMALL if not picture else 1.0, bold=bool(picture))
        self.setSizePolicy(height_by_width(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred))

    def _margins(self) -> tuple[int, int, int]:
        """The margins left and right of the text, and above and below it."""
        now = look()
        if not self._picture:
            return now.medium, now.medium, now.tight
        return 2 * now.medium + now.wide, now.medium, now.medium

    def sizeHint(self) -> QSize:
        left, right, _ = self._margins()
        width = left + self.fontMetrics().boundingRect(self.text()).width() + right + look().tight
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        left, right, _ = self._margins()
        width = left + max(map(self.fontMetrics().horizontalAdvance, self.text().split() or [""])) + right + 1
        return QSize(width, self.sizeHint().height())

    def heightForWidth(self, width: int) -> int:
        left, right, up = self._margins()
        room = self.fontMetrics().boundingRect(0, 0, width - left - right, 10_000, _WRAPPED, self.text())
        return max(room.height() + 2 * up, round(look().wide * 2.1) if self._picture else 0)

    def draw(self, painter: QPainter, room: QRectF) -> None:
        """Draw pictogram and text, and a tick if it is chosen."""
        now, (left, right, _) = look(), self._margins()
        if self._picture:
            circle = QRectF(room.left() + now.medium, room.center().y() - now.wide / 2, now.wide, now.wide)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.tint(now.accent))
            painter.drawEllipse(circle)
            inset = now.wide * 0.16
            renderer(self._picture, now.accent).render(painter, circle.adjusted(inset, inset, -inset, -inset))
        if self._picture and self.isChecked():
            side = now.large * 0.8
            place = QRectF(circle.right() - side * 0.6, circle.bottom() - side * 0.6, side, side)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(now.card)
            painter.drawEllipse(place)
            renderer("check", now.accent).render(painter, place)
        painter.setPen(now.text if self.isEnabled() else now.muted)
        painter.drawText(room.adjusted(left, 0, -right, 0), _WRAPPED, self.text())
