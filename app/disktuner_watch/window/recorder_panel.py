# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder's switch, and the freezes it kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPolygonF
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTableView, QWidget

from disktuner.drawing.pen import Pen
from disktuner.gui.models import DrawnCell, Index, TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import button, column, heading, label, plain, row, table
from disktuner.vocabulary.messages import text

_MOST_ROWS = 8
"""The most rows that are visible without scrolling."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """When it ``began``, how long it ``lasted``, ``why``, and the share of stalled programs in each second."""

    id: str
    began: str
    lasted: str
    why: str
    course: tuple[float, ...] = ()


class _Course(DrawnCell):
    """A line through all freezes with a dot for each, and how many programs were stalled in the minutes around it."""

    wide = 10.0

    def __init__(self, panel: RecorderPanel) -> None:
        super().__init__(panel)
        self._panel = panel

    def draw(self, pen: Pen, box: QRectF, index: Index) -> None:
        """Draw a line from the first freeze to the last."""
        now, shares = look(), self._panel.freezes[index.row()].course
        dot = QPointF(box.left() + pen.ink.em * 0.8, box.center().y())
        top = dot.y() if index.row() == 0 else box.top()
        bottom = dot.y() if index.row() == len(self._panel.freezes) - 1 else box.bottom()
        pen.rule(QLineF(dot.x(), top, dot.x(), bottom), now.edge, 2)
        pen.dots([dot], now.caution, pen.ink.em * 0.3)
        box.adjust(pen.ink.em * 1.6, 4, -4, -4)
        pen.fill(box, pen.ink.ground)
        step = box.width() / max(1, len(shares) - 1)
        line = [QPointF(box.left() + at * step, box.bottom() - share * box.height()) for at, share in enumerate(shares)]
        pen.painter.setPen(Qt.PenStyle.NoPen)
        pen.painter.setBrush(now.drawn(now.caution, 0.7))
        pen.painter.drawPolygon(QPolygonF([box.bottomLeft(), *line, box.bottomRight()]))
        pen.rule(QLineF(box.bottomLeft(), box.bottomRight()), now.edge, 1)


class RecorderPanel(QWidget):
    """Signals: ``switched``: whether to record without the window, too, ``now``: keep the last minutes, ``chosen``
    carries an id.

    Attributes: ``switch``, ``now_button``, ``table``, ``freezes``.
    """

    switched = Signal(bool)
    now = Signal()
    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switch = QCheckBox(text("recorder-switch"))
        self.switch.clicked.connect(self._wish)
        self.now_button = button(text("recorder-now"), self.now.emit)
        self.now_button.setEnabled(False)
        self.freezes: Sequence[Freeze] = ()
        self._model = TextTable(("column-began", "column-stood-still", "column-why"), parent=self)
        self.table = self._made_table()
        self._hint = label(text("recorder-hint"), tone="muted", wrap=True)
        controls = Flow((self.switch, self.now_button), look().small)
        head = row(heading(text("recorder-title")), controls, wide=0)
        self.setLayout(column(head, self._hint, self.table))
        self.show_state(False, False, ())

    def _made_table(self) -> QTableView:
        view = table(self._model, text("recorder-title"))
        view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        view.horizontalHeader().setStretchLastSection(True)
        view.horizontalHeader().hide()
        view.setAlternatingRowColors(False)
        view.setItemDelegateForColumn(0, _Course(self))
        view.verticalHeader().setDefaultSectionSize(round(look().wide * 1.2))
        view.activated.connect(lambda index: self.chosen.emit(self.freezes[index.row()].id))
        return view

    def _wish(self, on: bool) -> None:
        """The switch shows the actual state, not the wish."""
        self.switch.setChecked(not on)
        self.switched.emit(on)

    def show_state(self, on: bool, stays: bool, freezes: Sequence[Freeze], silent: Sequence[Path] = ()) -> None:
        """Show whether it records, also without the window, what it kept, and folders whose disk does not answer."""
        texts = [text("incidents-silent", folder=str(folder)) for folder in silent]
        self._hint.setText("\n".join(texts) or text("recorder-hint"))
        self.switch.setChecked(stays)
        self.now_button.setEnabled(on)
        self.now_button.setToolTip("" if on else plain(text("recorder-off")))
        self.freezes = freezes
        self._model.show([(freeze.began, freeze.lasted, freeze.why) for freeze in freezes])
        rows = min(len(freezes), _MOST_ROWS) * self.table.verticalHeader().defaultSectionSize()
        self.table.setFixedHeight(rows + 2 * self.table.frameWidth())
        self.table.setVisible(bool(freezes))
