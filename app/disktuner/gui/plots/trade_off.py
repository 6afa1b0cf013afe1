# SPDX-License-Identifier: GPL-3.0-or-later
"""What one gains and what it costs: two metrics of every scheduler in one square, better is up and right."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from disktuner.gui.plots.marks import draw_marker, setting_colour
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import plain
from disktuner.presentation import Scale, Spot, TradeOff
from disktuner.vocabulary.messages import text

_CENTRED = Qt.AlignmentFlag.AlignCenter


class TradeOffChart(Picture):
    """The deciding figure upwards, its price across; where both lines cross is what the disk had.

    Each scheduler has its mark and name, with its intervals as a cross; the part where a change is worth it is shaded.
    """

    def __init__(self, shown: TradeOff, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = shown
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        spoken = [row.spoken for panel in (shown.deciding, shown.price) for row in panel.rows]
        name = text("picture-of-gains", gain=shown.deciding.label, price=shown.price.label)
        self.tell(name, "; ".join([*spoken, shown.rule]))
        self.setToolTip(plain("\n".join(spoken)))

    def sizeHint(self) -> QSize:
        """A low rectangle."""
        return QSize(look().wide * 14, look().wide * 10)

    def minimumSizeHint(self) -> QSize:
        """Enough for the names."""
        return QSize(look().wide * 9, look().wide * 10)

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SMALL)
        return font

    def _box(self) -> QRectF:
        """Where the schedulers stand: right of the labels of one scale, above those of the other."""
        metrics, now = QFontMetrics(self._small()), look()
        left = max(metrics.horizontalAdvance(label) for _, label in self.shown.up.ticks) + now.small
        return QRectF(self.rect()).adjusted(left, metrics.height() / 2, -1, -metrics.height() - now.small)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Scales, the part where a change is worth it, crosses, marks, names."""
        now, box = look(), self._box()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small())
        self._shade(painter, box)
        self._draw_upward(painter, box)
        self._draw_across(painter, box)
        painter.setPen(QPen(now.border, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        painter.setFont(self.font())
        self._draw_spots(painter, box)
        painter.end()
        super().paintEvent(event)

    def _shade(self, painter: QPainter, box: QRectF) -> None:
        """Where the gain is worth a change and the price is accepted."""
        now, corner = look(), self._place(box, self.shown.accepted, self.shown.worth)
        part = QRectF(corner, box.topRight()).normalized()
        painter.fillRect(part, now.tint(now.good, 0.13))
        painter.setPen(QPen(now.drawn(now.good, 0.7), 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(box.left(), corner.y(), box.right(), corner.y()))
        painter.drawLine(QLineF(corner.x(), box.top(), corner.x(), box.bottom()))

    def _draw_upward(self, painter: QPainter, box: QRectF) -> None:
        line = painter.fontMetrics().height()
        taken: list[tuple[float, float]] = []
        for gain, label in _by_weight(self.shown.up, self.shown.worth):
            y = self._place(box, 1.0, gain).y()
            self._draw_line(painter, gain, QLineF(box.left(), y, box.right(), y), self.shown.worth)
            if _is_free(taken, y - line / 2, y + line / 2):
                painter.setPen(self._tone(gain, self.shown.worth))
                place = QRectF(0, y - line / 2, box.left() - look().tight, line)
                painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, label)

    def _draw_across(self, painter: QPainter, box: QRectF) -> None:
        metrics, now = painter.fontMetrics(), look()
        taken: list[tuple[float, float]] = []
        for gain, label in _by_weight(self.shown.across, self.shown.accepted):
            x, wide = self._place(box, gain, 1.0).x(), metrics.horizontalAdvance(label) + 2
            self._draw_line(painter, gain, QLineF(x, box.top(), x, box.bottom()), self.shown.accepted)
            left = min(x - wide / 2, self.width() - wide)
            if _is_free(taken, left - now.tight, left + wide + now.tight):
                painter.setPen(self._tone(gain, self.shown.accepted))
                painter.drawText(QRectF(left, box.bottom() + now.tight, wide, metrics.height()), _CENTRED, label)

    def _draw_line(self, painter: QPainter, gain: float, line: QLineF, limit: float) -> None:
        """The line of a tick; that of a limit is drawn with its part."""
        if gain != limit:
            painter.setPen(QPen(look().muted, 1.4) if gain == 1 else QPen(look().border, 1))
            painter.drawLine(line)

    def _tone(self, gain: float, limit: float) -> QColor:
        return look().good if gain == limit else look().muted

    def _place(self, box: QRectF, across: float, up: float) -> QPointF:
        """Where two gains meet."""
        x = box.left() + self.shown.across.at(across) * box.width()
        return QPointF(x, box.bottom() - self.shown.up.at(up) * box.height())

    def _draw_spots(self, painter: QPainter, box: QRectF) -> None:
        radius = look().small * 0.7
        spots = [(spot, self._place(box, spot.across.gain or 1.0, spot.up.gain or 1.0)) for spot in self.shown.spots]
        taken = [QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius) for _, at in spots]
        crosses = [line for spot, _ in spots for line in self._draw_cross(painter, box, spot)]
        for spot, at in spots:
            draw_marker(painter, spot.setting, at, radius)
        taken.append(self._draw_worth(painter, box, [*taken, *crosses]))
        for spot, at in spots:
            taken.append(self._draw_name(painter, spot.setting.words, at, box, (taken, crosses)))

    def _draw_cross(self, painter: QPainter, box: QRectF, spot: Spot) -> list[QRectF]:
        """The intervals of both figures, and where they lie; one that leaves its scale ends at the frame."""
        now, up, across = look(), spot.up, spot.across
        colour = now.drawn(setting_colour(spot.setting), 0.6)
        painter.setPen(QPen(colour, now.tight * 0.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        lines = []
        if up.gain_low and up.gain_high:
            ends = (self._place(box, across.gain or 1.0, end) for end in (up.gain_low, up.gain_high))
            lines.append(QLineF(*ends))
        if across.gain_low and across.gain_high:
            ends = (self._place(box, end, up.gain or 1.0) for end in (across.gain_low, across.gain_high))
            lines.append(QLineF(*ends))
        painter.drawLines(lines)
        half = now.tight * 0.35
        rects = [QRectF(line.p1(), line.p2()).normalized() for line in lines]
        return [each.adjusted(-half, -half, half, half) for each in rects]

    def _draw_worth(self, painter: QPainter, box: QRectF, taken: list[QRectF]) -> QRectF:
        """Names the shaded part in a corner of it where no mark is, if it is large enough."""
        now, metrics, label = look(), painter.fontMetrics(), text("trade-off-part")
        part = QRectF(self._place(box, self.shown.accepted, self.shown.worth), box.topRight()).normalized()
        inner = part.adjusted(now.tight, now.tight, -now.tight, -now.tight)
        place = QRectF(0, 0, metrics.horizontalAdvance(label) + 2, metrics.height())
        corners = []
        for move, corner in ((place.moveTopRight, inner.topRight()), (place.moveTopLeft, inner.topLeft())):
            move(corner)
            corners.append(QRectF(place))
        free = [each for each in corners if inner.contains(each) and not any(each.intersects(one) for one in taken)]
        if not free:
            return QRectF()
        painter.setPen(now.good)
        painter.drawText(free[0], _CENTRED, label)
        return free[0]

    def _draw_name(
        self, painter: QPainter, name: str, at: QPointF, box: QRectF, avoid: tuple[list[QRectF], list[QRectF]]
    ) -> QRectF:
        """Beside its spot, where no other name or mark stands and, if that can be, no line; return the place."""
        metrics, gap = painter.fontMetrics(), look().small
        size = QRectF(0, 0, metrics.horizontalAdvance(name) + 4, metrics.height())
        half, line = size.width() / 2, size.height()
        corners = ((half + gap, -line), (-half - gap, -line), (half + gap, line), (-half - gap, line))
        around = ((gap + 2 + half, 0), (-gap - 2 - half, 0), (0, -gap - line / 2), (0, gap + line / 2))
        places = [QPointF(at.x() + x - half, at.y() + y - line / 2) for x, y in (*corners, *around)]
        boxes = [QRectF(place, size.size()) for place in places]
        inside = [each for each in boxes if box.contains(each)] or boxes
        taken, crosses = avoid
        free = [each for each in inside if not any(each.intersects(other) for other in taken)] or inside
        chosen = next((each for each in free if not any(each.intersects(other) for other in crosses)), free[0])
        painter.setPen(look().text)
        painter.drawText(chosen, _CENTRED, name)
        return chosen


def _by_weight(scale: Scale, limit: float) -> list[tuple[float, str]]:
    """The ticks of a scale, first those that must be labelled: no difference, and the limit."""
    return sorted(scale.ticks, key=lambda tick: (tick[0] != 1, tick[0] != limit))


def _is_free(taken: list[tuple[float, float]], low: float, high: float) -> bool:
    """Whether nothing else is between these two; if so, it is taken from now on."""
    free = all(high < other_low or low > other_high for other_low, other_high in taken)
    if free:
        taken.append((low, high))
    return free
