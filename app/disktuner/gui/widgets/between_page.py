# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side: what changed from the first to the second, and what else is not the same."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from disktuner.gui import telling, wording
from disktuner.gui.findings import caption
from disktuner.gui.plots.intervals import Bar, IntervalChart
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import card, column, heading, label, title
from disktuner.report.between import values_text
from disktuner.verdict.between import Between, Row


class BetweenPage(QWidget):
    """The sentence, both answers, the differences of the set-ups, then a chart per figure."""

    def __init__(self, found: Between, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found = found
        content = column(self._sentence(), gap=look().medium)
        if found.differences:
            content.addWidget(self._differences())
        for name in dict.fromkeys(row.comparison.metric for row in found.rows):
            content.addWidget(self._chart(name))
        if found.left_out:
            content.addWidget(label(telling.left_out(found), tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    def _sentence(self) -> QWidget:
        texts = column(title(self.found.why), gap=look().tight)
        results, verdicts = (self.found.first, self.found.second), self.found.verdicts
        for which, result, verdict in zip(wording.FIRST_SECOND, results, verdicts, strict=True):
            texts.addWidget(label(telling.between_line(which, result, verdict), wrap=True))
        texts.addWidget(label(wording.BETWEEN_CAVEAT, tone="muted", wrap=True))
        return card(texts)

    def _differences(self) -> QWidget:
        table = QGridLayout()
        table.setHorizontalSpacing(look().large)
        table.setVerticalSpacing(look().tight)
        for place, name in enumerate(wording.FIRST_SECOND, start=1):
            table.addWidget(label(name, bold=True), 0, place)
            table.setColumnStretch(place, 1)
        for number, (what, first, second) in enumerate(self.found.differences, start=1):
            table.addWidget(label(what, tone="muted"), number, 0)
            for place, text in enumerate((first, second), start=1):
                table.addWidget(label(text or "–", wrap=True), number, place)
        return card(column(heading(wording.NOT_THE_SAME), table))

    def _chart(self, name: str) -> QWidget:
        rows = [row for row in self.found.rows if row.comparison.metric == name]
        chart = IntervalChart()
        chart.show_bars(wording.FIRST_SECOND[0], tuple(self._bar(row) for row in rows))
        head = heading(caption(self.found.first.metrics[name]), wrap=True)
        return card(column(head, label(wording.BETWEEN_NOTE, tone="muted", wrap=True), chart))

    def _bar(self, row: Row) -> Bar:
        return Bar(row.comparison.scheduler, row.comparison, (), values_text(self.found, row))
