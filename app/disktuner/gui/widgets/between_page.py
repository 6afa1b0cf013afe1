# SPDX-License-Identifier: GPL-3.0-or-later
"""Two kept results side by side."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QGridLayout, QWidget

from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import card, column, heading, label, title
from disktuner.presentation import PresentedBetween
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.units import NOTHING


class BetweenPage(QWidget):
    """Two results: what they recommend, both answers, what else differs, and what both measured."""

    def __init__(self, between: PresentedBetween) -> None:
        super().__init__()
        self.between = between
        texts = column(gap=look().small)
        if between.why:
            texts.addWidget(title(between.why))
        for answer in between.answers:
            texts.addWidget(label(answer, wrap=True))
        content = column(card(texts), gap=look().medium)
        if between.differences:
            content.addWidget(card(column(heading(text("differences")), _grid(between.differences))))
        if between.shared:
            content.addWidget(self._figures())
        for reason in filter(None, (*between.left_out.values(), between.caveat)):
            content.addWidget(label(reason, tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    def _figures(self) -> QWidget:
        figures = column(gap=look().large)
        for shared in self.between.shared:
            values = _grid((first.name, first.value, second.value) for first, second in shared.rows)
            direction = label(shared.panel.direction, SMALL, tone="muted")
            figures.addLayout(column(heading(shared.panel.label, wrap=True), direction, values, gap=look().tight))
        return card(figures)


def _grid(rows: Iterable[tuple[str, str, str]]) -> QGridLayout:
    """Return rows of what it is, the first's and the second's."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().large)
    grid.setVerticalSpacing(look().tight)
    for place, name in enumerate(("first", "second"), start=1):
        grid.addWidget(label(text(name), bold=True), 0, place)
    for place in range(3):
        grid.setColumnStretch(place, 1)
    for number, (what, first, second) in enumerate(rows, start=1):
        grid.addWidget(label(what, tone="muted", wrap=True), number, 0)
        for place, value in enumerate((first, second), start=1):
            grid.addWidget(label(value or NOTHING, wrap=True), number, place)
    return grid
