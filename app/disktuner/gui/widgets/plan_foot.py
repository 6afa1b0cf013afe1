# SPDX-License-Identifier: GPL-3.0-or-later
"""The foot of a page that leads to a measurement: its cost, its options, and the button that begins it."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Fold, button, column, label, page_wide, permit, row, with_margin
from disktuner.gui.widgets.notice import Notice
from disktuner.vocabulary.messages import text


class PlanFoot(QFrame):
    """Always visible; notes on the cost, or why it is unknown, are above it.

    Attributes: ``cost``, ``notice``, ``options_fold`` and ``measure_button``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("bar", "foot")
        self.notice, self.cost = Notice(), label(wrap=True)
        self.options_fold = Fold(text("options"), lambda _: None, flat=True)
        self.measure_button = button(text("start-measuring"), lambda: None, primary=True)
        self.measure_button.setMinimumSize(look().wide * 4, round(look().wide * 1.2))
        line = row(self.cost, self.options_fold, self.measure_button, gap=look().medium, wide=0)
        self.setLayout(page_wide(with_margin(column(self.notice, line), look().large, look().small)))
        self.show_nothing()

    def show_nothing(self) -> None:
        """It is not known yet what to measure."""
        self.notice.hide()
        self.cost.setText(text("choose-disk"))
        self.options_fold.setChecked(False)
        self.options_fold.hide()
        self.allow(text("choose-disk"))

    def allow(self, why_not: str) -> None:
        """Enable measuring or not."""
        permit(self.measure_button, why_not, about=self.cost.text())
