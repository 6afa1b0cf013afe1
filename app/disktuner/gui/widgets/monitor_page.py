# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work, as a table that refreshes every second."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from disktuner.gui import wording
from disktuner.gui.models.monitor import MonitorModel
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import column, label, page_wide, title


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
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setMinimumSectionSize(max(map(header.sectionSizeHint, range(header.count()))))
        content = column(title(wording.MONITOR), label(wording.MONITOR_HINT, tone="muted", wrap=True), table)
        margin = look().large
        content.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(page_wide(content))
