# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side: what changed from the first to the second, and what else is not the same."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from disktuner.gui import telling, wording
from disktuner.gui.findings import caption
from disktuner.gui.plots.intervals import Bar, IntervalChart
from disktuner.gui.style import look
from disktuner.gui.widgets.parts import card, column, heading, label, title
from disktuner.presentation import present_between
from disktuner.verdict.between import Between, Change
from disktuner.vocabulary.messages import say_all


class BetweenPage(QWidget):
    """The sentence, both answers, the differences of the set-ups, then a chart per figure."""

    def __init__(self, found: Between, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found = found
        content = column(self._sentence(), gap=look().medium)
        if found.differences:
            content.addWidget(self._differences())
        for name in dict.fromkeys(each.comparison.metric for each in found.changes):
            content.addWidget(self._chart(name))
        if found.left_out:
            content.addWidget(label(telling.left_out(found), tone="muted", wrap=True))
        content.addStretch(1)
        self.setLayout(content)

    def _sentence(self) -> QWidget:
        texts = column(title(say_all(self.found.why)), gap=look().tight)
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
        for number, (what, first, second) in enumerate(present_between(self.found).differences, start=1):
            table.addWidget(label(what, tone="muted"), number, 0)
            for place, text in enumerate((first, second), start=1):
                table.addWidget(label(text, wrap=True), number, place)
        return card(column(heading(wording.NOT_THE_SAME), table))

    def _chart(self, name: str) -> QWidget:
        changes = [each for each in self.found.changes if each.comparison.metric == name]
        chart = IntervalChart()
        chart.show_bars(wording.FIRST_SECOND[0], tuple(self._bar(each) for each in changes))
        head = heading(caption(self.found.first.metrics[name]), wrap=True)
        return card(column(head, label(wording.BETWEEN_NOTE, tone="muted", wrap=True), chart))

    def _bar(self, change: Change) -> Bar:
        panels = present_between(self.found).panels
        rows = {(panel.metric.name, row.scheduler): row for panel in panels for row in panel.rows}
        found = change.comparison
        return Bar(found.scheduler, found, (), rows[found.metric, found.scheduler].value)
