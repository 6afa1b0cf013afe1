# SPDX-License-Identifier: GPL-3.0-or-later
"""The chart of one figure under its name: the one place where the window draws a panel."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from disktuner.gui.plots.charts import BarChart
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import column, label
from disktuner.presentation import Panel, bars_of
from disktuner.vocabulary.settings import Setting


def panel_chart(panel: Panel, about: Setting | None = None) -> QVBoxLayout:
    """A panel under its name and the direction in which it is better; the setting ``about`` which it is stands out."""
    chart = BarChart()
    chart.show_panel(panel, about)
    return column(label(bars_of(panel, about).title, tone="muted", wrap=True), chart, gap=look().tight)
