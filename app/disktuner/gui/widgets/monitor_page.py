# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work, as a table that refreshes every second."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from disktuner.gui import wording
from disktuner.gui.models.monitor import MonitorModel
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import column, label, title


class MonitorPage(QWidget):
    """The table of ``MonitorModel``."""

    def __init__(self, model: MonitorModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        table = QTableView()
        table.setModel(model)
        table.setAccessibleName(wording.MONITOR)
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        content = column(title(wording.MONITOR), label(wording.MONITOR_HINT, tone="muted", wrap=True), table)
        margin = look().large
        content.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(content)
