# SPDX-License-Identifier: GPL-3.0-or-later
"""Two kept results compared."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from disktuner.gui.plots.charts import panel_chart
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import card, column, heading, label, title
from disktuner.presentation import PresentedBetween
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.units import NOTHING


class BetweenPage(QWidget):
    """Two results: the largest change with its chart, both answers, other differences, then a chart per metric."""

    def __init__(self, between: PresentedBetween) -> None:
        super().__init__()
        self.between = between
        top = column(title(between.why), *map(panel_chart, between.panels[:1]), gap=look().small)
        if between.panels:
            top.addWidget(label(text("bars-of-second"), SMALL, tone="muted"))
        content = column(card(top), self._answers(), gap=look().medium)
        if between.differences:
            content.addWidget(self._differences())
        for panel in between.panels[1:]:
            content.addWidget(card(panel_chart(panel)))
        for reason in between.left_out.values():
            content.addWidget(label(reason, tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    def _answers(self) -> QWidget:
        texts = column(gap=look().tight)
        for answer in self.between.answers:
            texts.addWidget(label(answer, wrap=True))
        texts.addWidget(label(self.between.caveat, tone="muted", wrap=True))
        return card(texts)

    def _differences(self) -> QWidget:
        grid = QGridLayout()
        grid.setHorizontalSpacing(look().large)
        grid.setVerticalSpacing(look().tight)
        for place, name in enumerate(("first", "second"), start=1):
            grid.addWidget(label(text(name), bold=True), 0, place)
            grid.setColumnStretch(place, 1)
        for number, (fact, first, second) in enumerate(self.between.differences, start=1):
            grid.addWidget(label(fact, tone="muted"), number, 0)
            for place, value in enumerate((first, second), start=1):
                grid.addWidget(label(value or NOTHING, wrap=True), number, place)
        return card(column(heading(text("differences")), grid))
