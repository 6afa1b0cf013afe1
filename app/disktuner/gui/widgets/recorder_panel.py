# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder's switch, and the freezes that it kept."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTableView, QWidget

from disktuner.gui.models import TextTable
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import button, column, heading, label, plain, row, table
from disktuner.vocabulary.messages import text

Freeze = tuple[str, str, str, str]
"""Its id, when it began, how long it was, and why."""


class RecorderPanel(QWidget):
    """Signals: ``switched`` whether it shall record without the window, too, ``now`` that the last minutes shall be
    kept, ``chosen`` an id.

    Attributes: ``switch``, ``now_button``, ``table``.
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
        self._freezes: Sequence[Freeze] = ()
        self._model = TextTable(("column-began", "column-stood-still", "column-why"), right=(1,), parent=self)
        self.table = self._made_table()
        hint = label(text("recorder-hint"), tone="muted", wrap=True)
        head = row(heading(text("recorder-title")), None, self.switch, self.now_button)
        self.setLayout(column(head, hint, self.table))
        self.show_state(False, False, ())

    def _made_table(self) -> QTableView:
        made = table(self._model, text("recorder-title"))
        made.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        made.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        made.horizontalHeader().setStretchLastSection(True)
        made.setMaximumHeight(look().wide * 5)
        made.activated.connect(lambda index: self.chosen.emit(self._freezes[index.row()][0]))
        return made

    def _wish(self, on: bool) -> None:
        """The switch shows what is, not what is wished."""
        self.switch.setChecked(not on)
        self.switched.emit(on)

    def show_state(self, on: bool, stays: bool, freezes: Sequence[Freeze]) -> None:
        """Show whether it records, also without the window, and what it kept."""
        self.switch.setChecked(stays)
        self.now_button.setEnabled(on)
        self.now_button.setToolTip("" if on else plain(text("recorder-off")))
        self._freezes = freezes
        self._model.show([each[1:] for each in freezes])
        self.table.setVisible(bool(freezes))
