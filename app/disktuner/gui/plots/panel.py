# SPDX-License-Identifier: GPL-3.0-or-later
"""The chart of one figure under its name: the one place where the window draws a panel."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from disktuner.gui.plots.charts import BarChart
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import column, label
from disktuner.presentation import Panel
from disktuner.vocabulary.messages import text


def panel_chart(panel: Panel, about: str | None = None) -> QVBoxLayout:
    """A panel under its name and the direction in which it is better; the setting it is ``about`` stands out."""
    chart = BarChart()
    chart.show_panel(panel, about)
    name = text("so-far-of", metric=panel.label, direction=panel.direction)
    return column(label(name, tone="muted", wrap=True), chart, gap=look().tight)
