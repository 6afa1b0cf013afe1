# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own program: an installed one or a command, and the load beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from disktuner.gui.style import look
from disktuner.gui.widgets.layout import column, heading, label, row, with_margin
from disktuner.results.definition import Definition
from disktuner.vocabulary.background import COMMAND, LOADS
from disktuner.vocabulary.messages import named, text
from disktuner.workloads.programs import Program

LIMIT_S = 120.0
"""The time limit of a command: nobody waits longer in front of a window without knowing why."""
_WIDEST = 24


class OwnPanel(QWidget):
    """Signals: ``changed`` when the choice changes."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._programs = QStandardItemModel(self)
        self._programs.appendRow(QStandardItem(text("own-is-command")))
        self.program, self.command, self.beside = QComboBox(), QLineEdit(), QComboBox()
        self.program.setModel(self._programs)
        for box in (self.program, self.beside):  # of one height, though only one has icons
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_WIDEST)
        self.command.setPlaceholderText(text("own-command-example"))
        self.beside_command = QLineEdit()
        self.beside_command.setPlaceholderText(text("own-beside-example"))
        for load in (*LOADS.values(), COMMAND):
            self.beside.addItem(named(load.name), load.id)
        self._lay_out()
        self.program.currentIndexChanged.connect(self._show_choice)
        self.command.textChanged.connect(lambda _text: self.changed.emit())
        self.beside.currentIndexChanged.connect(self._show_choice)
        self.beside_command.textChanged.connect(lambda _text: self.changed.emit())
        self._show_choice()

    def show_programs(self, programs: Sequence[tuple[str, Program]]) -> None:
        """Offer these programs, with their ids, after the command; Qt looks up their icons when they are shown."""
        for id_, program in programs:
            item = QStandardItem(QIcon.fromTheme(program.icon), program.title)
            item.setData(id_, Qt.ItemDataRole.UserRole)
            self._programs.appendRow(item)

    def _lay_out(self) -> None:
        program_heading, load_heading = heading(text("own-what")), heading(text("own-beside"))
        program_heading.setBuddy(self.program)
        load_heading.setBuddy(self.beside)
        self.program.setAccessibleName(text("own-what"))
        self.command.setAccessibleName(text("own-is-command"))
        self.beside.setAccessibleName(text("own-beside"))
        self.beside_command.setAccessibleName(named(COMMAND.name))
        self._about = label(tone="muted", wrap=True)
        small, side_by_side = look().small, row(gap=look().medium)
        left = column(program_heading, self.program, gap=small)
        side_by_side.addLayout(left, 1)
        side_by_side.setAlignment(left, Qt.AlignmentFlag.AlignTop)
        side_by_side.addLayout(column(load_heading, self.beside, self.beside_command, gap=small), 1)
        beside_about = label(text("own-beside-about"), tone="muted", wrap=True)
        content = column(side_by_side, self.command, self._about, beside_about, gap=small)
        self.setLayout(with_margin(content, 0))

    def _show_choice(self, _index: int = 0) -> None:
        is_command = self.program.currentData() is None
        self.command.setVisible(is_command)
        self.beside_command.setVisible(self.beside.currentData() == COMMAND.id)
        self._about.setText(text("own-command-about" if is_command else "own-program-about"))
        self.changed.emit()

    @property
    def definition(self) -> Definition | None:
        """The chosen program; None if it is incomplete."""
        beside, program = str(self.beside.currentData()), self.program.currentData()
        if beside == COMMAND.id:
            beside = self.beside_command.text().strip()
        if not beside:
            return None
        if program is not None:
            return Definition(program=str(program), beside=beside)
        command = self.command.text().strip()
        return Definition(command=command, beside=beside, limit_s=LIMIT_S, folder=str(Path.home())) if command else None
