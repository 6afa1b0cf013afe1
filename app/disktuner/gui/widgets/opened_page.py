# SPDX-License-Identifier: GPL-3.0-or-later
"""What is opened over the pages until it is closed: a kept result, or two of them compared."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from disktuner.gui.plots.panel import panel_chart
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import (
    Elided,
    bar,
    button,
    card,
    column,
    heading,
    label,
    row,
    scrolled,
    title,
    with_margin,
)
from disktuner.presentation import PresentedBetween
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.units import NOTHING


class OpenedPage(QWidget):
    """A head with a way back, and what it shows, scrolling; ``foot`` stays below that. Signals: ``closed``.

    Attributes: ``title`` says in the head what it is.
    """

    closed = Signal()

    def __init__(self, name: str, content: QWidget, foot: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self.back_button = button(text("back"), self.closed.emit)
        self.title = Elided(name, bold=True)
        line = row(self.back_button, self.title, gap=look().medium, wide=1)
        if (layout := content.layout()) is not None:
            with_margin(layout, look().large, look().medium)
        whole = column(bar(line, upright=look().tight), scrolled(content), gap=0, wide=1)
        if foot is not None:
            whole.addWidget(foot)
        self.setLayout(whole)


class BetweenPage(QWidget):
    """Two results: what changed with its chart, both answers, what else is not the same, then a chart per metric."""

    def __init__(self, found: PresentedBetween, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found = found
        top = column(title(found.why), *(panel_chart(panel) for panel in found.panels[:1]), gap=look().small)
        content = column(card(top), self._answers(), gap=look().medium)
        if found.differences:
            content.addWidget(self._differences())
        for panel in found.panels[1:]:
            content.addWidget(card(panel_chart(panel)))
        for each in found.left_out.values():
            content.addWidget(label(each, tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    def _answers(self) -> QWidget:
        texts = column(gap=look().tight)
        for answer in self.found.answers:
            texts.addWidget(label(answer, wrap=True))
        texts.addWidget(label(self.found.caveat, tone="muted", wrap=True))
        return card(texts)

    def _differences(self) -> QWidget:
        grid = QGridLayout()
        grid.setHorizontalSpacing(look().large)
        grid.setVerticalSpacing(look().tight)
        for place, name in enumerate(("first", "second"), start=1):
            grid.addWidget(label(text(name), bold=True), 0, place)
            grid.setColumnStretch(place, 1)
        for number, (what, first, second) in enumerate(self.found.differences, start=1):
            grid.addWidget(label(what, tone="muted"), number, 0)
            for place, value in enumerate((first, second), start=1):
                grid.addWidget(label(value or NOTHING, wrap=True), number, place)
        return card(column(heading(text("differences")), grid))
