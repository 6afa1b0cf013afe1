# SPDX-License-Identifier: GPL-3.0-or-later
"""The portrait of a disk: how long it writes fast, its speed after that, and small reads at the same time."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from disktuner.block.disk import Disk
from disktuner.gui.access import announce
from disktuner.gui.export import PortraitButton
from disktuner.gui.plots.portrait import PortraitCurve, PortraitReads
from disktuner.gui.shell import Shell
from disktuner.gui.style import HEADING, SMALL, look
from disktuner.gui.widgets.layout import Columns, Foot, button, card, column, heading, label, row, title
from disktuner.presentation.portrait import ShownPortrait
from disktuner.vocabulary.messages import text


class PortraitPage(QWidget):
    """A portrait. ``foot`` holds its buttons and belongs below the scrolling part."""

    def __init__(self, disk: Disk, portrait: ShownPortrait, shell: Shell) -> None:
        super().__init__()
        self.portrait = portrait
        self.title, self.curve = title(portrait.title), PortraitCurve(self)
        self.curve.show_portrait(portrait)
        self.curve.setVisible(bool(portrait.curve))
        self.share_button = PortraitButton(portrait, shell)
        self.again_button = button(text("portrait-again-button"), lambda: shell.plan_portrait(disk))
        answer, beside = self._make_answer(), _beside(portrait)
        content = column(Columns(answer, beside, lambda: self.curve.spare) if beside else answer, None)
        if beside or portrait.curve:
            content.setStretch(0, 1000)
        self.setLayout(content)
        self.foot = Foot((), row(self.share_button, self.again_button))

    def announce_answer(self) -> None:
        announce(self, " ".join((self.portrait.title, *self.portrait.sentences)))

    def _make_answer(self) -> QFrame:
        content = column(self.title, gap=look().small)
        for sentence in self.portrait.sentences:
            content.addWidget(label(sentence, HEADING, wrap=True))
        for problem in self.portrait.problems:
            content.addWidget(label(problem, SMALL, tone="caution", wrap=True))
        if self.portrait.curve:
            content.addWidget(label(text("portrait-curve"), SMALL, tone="muted", wrap=True))
            content.addWidget(self.curve, 1)
        content.addWidget(label(self.portrait.heading, SMALL, tone="muted", wrap=True))
        content.addStretch(0)
        return card(content)


def _beside(portrait: ShownPortrait) -> list[QWidget]:
    """Small reads, and what the disk reports about itself, if known."""
    content = column(gap=look().small)
    if portrait.reads:
        content.addWidget(heading(text("portrait-reads-heading")))
        content.addWidget(label(text("portrait-reads-about"), SMALL, tone="muted", wrap=True))
        content.addWidget(PortraitReads(portrait.reads))
    if portrait.says:
        content.addWidget(heading(text("portrait-says")))
        for sentence in portrait.says:
            content.addWidget(label(sentence, wrap=True))
    content.addStretch(1)
    return [card(content)] if portrait.reads or portrait.says else []
