# SPDX-License-Identifier: GPL-3.0-or-later
"""A cell of a table with a picture before its text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from disktuner.drawing.pen import Pen
from disktuner.gui.style import look

Index = QModelIndex | QPersistentModelIndex


class DrawnCell(QStyledItemDelegate):
    """``draw`` draws the picture into a box that is ``wide`` lines of text wide."""

    wide = 0.0

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = QSize(round(self.wide * look().medium), 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        box = QRectF(option.rect)
        box.setWidth(self.wide * look().medium)
        painter.save()
        self.draw(Pen(painter, look().ink(option.font)), box, index)
        painter.restore()

    def draw(self, pen: Pen, box: QRectF, index: Index) -> None:
        raise NotImplementedError
