# SPDX-License-Identifier: GPL-3.0-or-later
"""What the check-up of one disk found, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from disktuner.block.disk import Disk
from disktuner.checkup.findings import Finding
from disktuner.gui.access import announce, read_after
from disktuner.gui.choice import Choice, going_back_text
from disktuner.gui.icons import Pictogram
from disktuner.gui.intents import Intents
from disktuner.gui.style import look
from disktuner.gui.widgets.finding_card import SELECTABLE, FindingCard
from disktuner.gui.widgets.layout import bar, button, card, column, heading, label, row, title
from disktuner.gui.widgets.severity import mark_of_all, worst_first
from disktuner.vocabulary.checks import Shown
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting, setting


class CheckPage(QWidget):
    """The findings of a disk. ``foot`` belongs below what scrolls, and is there as long as something can be undone.

    Attributes: ``cards``, what there is to look at.
    Signals: ``again`` asks to look once more, ``said`` carries a sentence and its tone.
    """

    again = Signal()
    said = Signal(str, str)

    def __init__(self, disk: Disk, intents: Intents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.disk, self._choice, self._intents = disk, Choice(), intents
        self._busy, self._can_change = False, True
        self.cards: tuple[FindingCard, ...] = ()
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(lambda: self.setUpdatesEnabled(True))
        self._picture = Pictogram("disk", round(look().wide * 1.3), "muted")
        self._title = title("")
        self._about = label(tone="muted", wrap=True)
        self.again_button = button(text("look-again"), self.again.emit)
        self.back_button = button(text("go-back"), lambda: intents.go_back(self.disk.name))
        self._undone = label(tone="muted", wrap=True)
        line = row(self.back_button, self._undone, gap=look().medium, wide=1)
        self.foot = bar(line, foot=True)
        self.foot.hide()
        texts = column(self._title, self._about, gap=look().tight)
        head = row(column(self._picture, None), texts, column(self.again_button, None), gap=look().medium, wide=1)
        self._place = column(gap=look().medium)
        self._lines = label(wrap=True)
        self._lines.setTextInteractionFlags(SELECTABLE)
        self._doctor = card(column(heading(text("check-page-lines")), self._lines, gap=look().tight))
        self.setLayout(column(card(head), self._place, self._doctor, None, gap=look().medium))
        self.show_findings(None)
        self.show_lines(())

    def show_findings(self, findings: Sequence[Finding] | None) -> None:
        """Show what was found, the worst first; None while that is not known."""
        findings = worst_first(findings) if findings is not None else None
        if findings is None:
            self._say("disk", "muted", text("check-page-looking"), "")
        elif findings:
            self._say(*mark_of_all(findings), text("check-page-found", count=len(findings)), self._advice(findings))
        else:
            self._say("check", "good", text("check-page-fine"), text("check-page-fine-about"))
        self._show_cards(findings or ())

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show what is said of the lines of others that are about the disk."""
        self._lines.setText("\n".join(lines))
        self._doctor.setVisible(bool(lines))

    def _advice(self, findings: Sequence[Finding]) -> str:
        if all(each.fix is None for each in findings):
            return text("check-page-by-hand")
        return text("check-page-about" if self._can_change else "check-page-no-helper")

    def _say(self, picture: str, tone: str, head: str, about: str) -> None:
        self._picture.set_name(picture, tone)
        if head != self._title.text():
            announce(self, head)
        self._title.setText(head)
        self._about.setText(about)
        self._about.setVisible(bool(about))

    def _show_cards(self, findings: Sequence[Finding]) -> None:
        """Those that stay are kept as they are, with the focus; it goes on at the next one where its card goes."""
        gone = [each for each in self.cards if each.finding not in findings]
        kept = [each for each in self.cards if each.finding in findings]
        focused = self.window().focusWidget()  # also while another window is used
        lost = any(focused is not None and each.isAncestorOf(focused) for each in gone)
        for each in gone:
            self._place.removeWidget(each)
            each.hide()
            each.deleteLater()
        if len(kept) < len(findings):
            self.setUpdatesEnabled(False)  # else new cards are painted once before there is room for them
            self._settled.start()
        self.cards = tuple(
            next((each for each in kept if each.finding == finding), None) or self._make(finding)
            for finding in findings
        )
        for place, each in enumerate(self.cards):
            if self._place.indexOf(each) != place:
                self._place.insertWidget(place, each)
        for before, after in pairwise((self.again_button, *self.cards)):
            read_after(before, after)
        if lost:
            (self.cards[0].first if self.cards else self.again_button).setFocus()

    def _make(self, finding: Finding) -> FindingCard:
        made = FindingCard(finding)
        made.set_busy(self._busy, can_change=self._can_change)
        made.measure.connect(self._measure)
        made.use.connect(lambda fix: self._intents.set_now(self.disk, fix))
        made.keep.connect(self._keep)
        made.said.connect(self.said)
        return made

    def _measure(self, fix: Setting, shown: Shown) -> None:
        """As it is set now against what is proposed, with the workloads that show it."""
        self._intents.begin(self.disk.name, shown.goal, shown.workloads, settings=(fix,))

    def _keep(self, fix: Setting) -> None:
        """Besides what is kept for good already: a rule is written anew."""
        kept = self._choice.tunables_kept if self._choice.chosen == fix.scheduler else {}
        self._intents.keep(self.disk, setting(fix.scheduler, {**kept, **fix.values}))

    def show_failure(self, why: str) -> None:
        """The disk could not be looked at."""
        self.show_findings(None)
        self._say("warning", "bad", text("check-page-failed"), why)

    def show_gone(self) -> None:
        """The disk is not there any more."""
        self.show_findings(())
        self._say("disk", "muted", text("check-page-gone"), text("vanished-by-now", disk=self.disk.title))
        self.foot.hide()

    def show_choice(self, disk: Disk, choice: Choice) -> None:
        """Whether there is anything to go back from, and what is undone then."""
        self.disk, self._choice = disk, choice
        kept = choice.persistent or disk.persistent is not None
        self.foot.setVisible(choice.before is not None or kept)
        if choice.before is not None:
            self._undone.setText(text("check-undo-and-rule" if kept else "check-undo"))
        else:
            self._undone.setText(going_back_text(disk, choice))

    def set_busy(self, busy: bool, *, can_change: bool = True) -> None:
        """The helper works, or is not there: to be said before what was found."""
        self._busy, self._can_change = busy, can_change
        self.back_button.setEnabled(can_change and not busy)
        for each in self.cards:
            each.set_busy(busy, can_change=can_change)
