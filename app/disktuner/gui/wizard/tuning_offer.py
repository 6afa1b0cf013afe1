# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tuning on the page of a result: the offer after a comparison, and why settings competed after a tuning."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import button, card, column, heading, label, row, with_margin
from disktuner.presentation import Tried
from disktuner.vocabulary.goals import STANDARD
from disktuner.vocabulary.messages import text


class TuningOffer(QFrame):
    """What fine-tuning is, how long it takes, and that the disk is put back.

    Signals: ``tune`` that the user wants to see what it would cost.
    """

    tune = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._head, self._about = heading("", wrap=True), label(wrap=True)
        self.button = button(text("tune-now"), self.tune.emit)
        texts = column(self._head, self._about, gap=look().tight)
        content = row(texts, self.button, gap=look().large)
        content.setStretch(0, 1)
        self.setLayout(with_margin(content, look().medium))

    def show_offer(self, plain: str, count: int, *, enabled: bool) -> None:
        """So many settings would compete with the ``plain`` scheduler."""
        self._head.setText(text("tune-offer", plain=plain))
        seconds = STANDARD.limits.seconds
        self._about.setText(text("tune-offer-about", plain=plain, count=count, seconds=seconds))
        self.button.setEnabled(enabled)
        self.button.setAccessibleDescription(self._about.text())


def tried_list(tried: Sequence[Tried]) -> QWidget:
    """Each setting with its reason and where that is said."""
    lines = column(gap=look().medium)
    for each in tried:
        lines.addLayout(
            column(
                label(each.setting.words, bold=True, wrap=True),
                label(each.reason, wrap=True),
                *(label(more, SMALL, tone="muted", wrap=True) for more in (each.source, each.left_out) if more),
                gap=look().tight,
            )
        )
    return card(lines)
