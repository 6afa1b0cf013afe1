# SPDX-License-Identifier: GPL-3.0-or-later
"""A painter with an ink: lines of text in boxes, rules, bars and dots."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from disktuner.drawing.ink import Ink
from disktuner.vocabulary.printable import printable

LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


class Pen:
    """Draws with an ink on a painter's device. ``outlined`` letters need no font in a viewer."""

    def __init__(self, painter: QPainter, ink: Ink, *, outlined: bool = False) -> None:
        self.painter, self.ink, self._outlined = painter, ink, outlined
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)

    def with_ink(self, ink: Ink) -> Pen:
        """Return a pen for the same paper with another ink."""
        return Pen(self.painter, ink, outlined=self._outlined)

    def write(
        self,
        box: QRectF,
        shown: str,
        colour: QColor | None = None,
        size: float = 1.0,
        *,
        bold: bool = False,
        align: Qt.AlignmentFlag = LEFT,
    ) -> None:
        """Write one line, vertically centred in a box, with an ellipsis if it is too long."""
        font = self.ink.letters(size, bold=bold)
        metrics = QFontMetricsF(font)
        line = metrics.elidedText(printable(shown), Qt.TextElideMode.ElideRight, box.width() + 1)
        spare = box.width() - metrics.horizontalAdvance(line)
        x = box.left() + (spare if align == RIGHT else 0.0)
        base = QPointF(x, box.center().y() + (metrics.ascent() - metrics.descent()) / 2)
        if self._outlined:
            path = QPainterPath()
            path.addText(base, font, line)
            self.painter.fillPath(path, colour or self.ink.text)
        else:
            self.painter.setFont(font)
            self.painter.setPen(colour or self.ink.text)
            self.painter.drawText(base, line)

    def paragraph(
        self, box: QRectF, lines: list[str], colour: QColor | None = None, size: float = 1.0, *, bold: bool = False
    ) -> float:
        """Write lines from the top of a box; return the y below the last."""
        height = QFontMetricsF(self.ink.letters(size)).height() * 1.1
        for number, line in enumerate(lines):
            self.write(
                QRectF(box.left(), box.top() + number * height, box.width(), height), line, colour, size, bold=bold
            )
        return box.top() + len(lines) * height

    def rule(self, line: QLineF, colour: QColor, width: float) -> None:
        """Draw a straight line with flat ends."""
        self.painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        self.painter.drawLine(line)

    def fill(self, box: QRectF, colour: QColor) -> None:
        self.painter.fillRect(box, colour)

    def rounded(self, box: QRectF, fill: QColor, radius: float, edge: QColor | None = None, width: float = 1.0) -> None:
        """Fill a box with round corners, in an edge of some width or none."""
        self.painter.setPen(QPen(edge, width) if edge else Qt.PenStyle.NoPen)
        self.painter.setBrush(fill)
        self.painter.drawRoundedRect(box, radius, radius)

    def dots(self, places: list[QPointF], colour: QColor, radius: float) -> None:
        """Draw small discs as one shape."""
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for place in places:
            path.addEllipse(place, radius, radius)
        self.painter.fillPath(path, colour)
