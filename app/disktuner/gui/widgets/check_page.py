# SPDX-License-Identifier: GPL-3.0-or-later
"""What the check-up of one disk found, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from disktuner.block.disk import Disk
from disktuner.checkup.doctor import distribution, sentences_on
from disktuner.checkup.findings import Finding
from disktuner.gui.access import announce, read_after
from disktuner.gui.icons import Pictogram
from disktuner.gui.shell import Shell
from disktuner.gui.state import Act, State, may
from disktuner.gui.style import look
from disktuner.gui.widgets.finding_card import SELECTABLE, FindingCard
from disktuner.gui.widgets.layout import bar, button, card, column, heading, label, permit, row, title
from disktuner.gui.widgets.severity import mark_of_all, worst_first
from disktuner.standing import Choice, going_back_text
from disktuner.vocabulary.checks import Shown
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting, setting


class CheckPage(QWidget):
    """The findings of a disk. ``foot`` belongs below the scrolling part, and is visible if something can be undone.

    Attributes: ``cards``, one per finding.
    """

    def __init__(self, disk: Disk, shell: Shell) -> None:
        super().__init__()
        self.disk, self._choice, self._shell = disk, Choice(), shell
        self._state = State()
        self.cards: tuple[FindingCard, ...] = ()
        self._settle_timer = QTimer(self, singleShot=True, interval=0)
        self._settle_timer.timeout.connect(lambda: self.setUpdatesEnabled(True))
        self._picture = Pictogram("disk", round(look().wide * 1.3), "muted")
        self._title = title("")
        self._about = label(tone="muted", wrap=True)
        self.again_button = button(text("look-again"), shell.stale.emit)
        self.back_button = button(text("go-back"), lambda: shell.go_back(self.disk.name))
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
        self._show_findings(None)
        self._show_lines(())

    def show_state(self, state: State) -> None:
        """Show the findings and what can be done about them; also that the disk is gone."""
        self._state = state
        disk = state.find(self.disk.name)
        if disk is None or not disk.is_same_as(self.disk):
            self._show_gone()
            return
        self._allow(disk)
        check_up = state.check_up(disk)
        if state.check_failure:
            self._show_findings(None)
            self._say("warning", "bad", text("check-page-failed"), state.check_failure)
        else:
            self._show_findings(check_up.findings if check_up else None)
            lines = [distribution(disk, check_up.writers), *sentences_on(check_up.writers)] if check_up else ()
            self._show_lines([*filter(None, lines)])
        self._show_choice(disk, state.choice(disk))

    def _allow(self, disk: Disk) -> None:
        permit(self.back_button, may(self._state, Act.GO_BACK, (disk,)).reason)
        for finding_card in self.cards:
            self._allow_card(finding_card, disk)

    def _allow_card(self, card: FindingCard, disk: Disk) -> None:
        leaves = [may(self._state, act, (disk,)) for act in (Act.MEASURE, Act.CHANGE, Act.KEEP)]
        card.allow(*leaves, by_hand=self._state.no_helper is not None)

    def _show_findings(self, findings: Sequence[Finding] | None) -> None:
        """Show the findings, the worst first; None while they are not known."""
        findings = worst_first(findings) if findings is not None else None
        if findings is None:
            self._say("disk", "muted", text("check-page-looking"), "")
        elif findings:
            self._say(*mark_of_all(findings), text("check-page-found", count=len(findings)), self._advice(findings))
        else:
            self._say("check", "good", text("check-page-fine"), text("check-page-fine-about"))
        self._show_cards(findings or ())

    def _show_lines(self, lines: Sequence[str]) -> None:
        """Show the notes on other programs' configuration of the disk."""
        self._lines.setText("\n".join(lines))
        self._doctor.setVisible(bool(lines))

    def _advice(self, findings: Sequence[Finding]) -> str:
        if all(finding.fix is None for finding in findings):
            return text("check-page-by-hand")
        return text("check-page-no-helper" if self._state.no_helper else "check-page-about")

    def _say(self, picture: str, tone: str, head: str, about: str) -> None:
        self._picture.set_name(picture, tone)
        if head != self._title.text():
            announce(self, head)
        self._title.setText(head)
        self._about.setText(about)
        self._about.setVisible(bool(about))

    def _show_cards(self, findings: Sequence[Finding]) -> None:
        """Keep the cards of findings that stay, with the focus; if its card goes, the focus moves to the next one."""
        gone_cards = [card for card in self.cards if card.finding not in findings]
        kept_cards = [card for card in self.cards if card.finding in findings]
        focused = self.window().focusWidget()  # also while another window is used
        lost = any(focused is not None and card.isAncestorOf(focused) for card in gone_cards)
        for finding_card in gone_cards:
            self._place.removeWidget(finding_card)
            finding_card.hide()
            finding_card.deleteLater()
        if len(kept_cards) < len(findings):
            self.setUpdatesEnabled(False)  # else new cards are painted once before there is room for them
            self._settle_timer.start()
        self.cards = tuple(
            next((card for card in kept_cards if card.finding == finding), None) or self._make(finding)
            for finding in findings
        )
        for place, finding_card in enumerate(self.cards):
            if self._place.indexOf(finding_card) != place:
                self._place.insertWidget(place, finding_card)
        for before, after in pairwise((self.again_button, *self.cards)):
            read_after(before, after)
        if lost:
            (self.cards[0].first if self.cards else self.again_button).setFocus()

    def _make(self, finding: Finding) -> FindingCard:
        card = FindingCard(finding, self._shell.notified.emit)
        self._allow_card(card, self.disk)
        card.measure.connect(self._measure)
        card.use.connect(lambda fix: self._shell.set_now(self.disk, fix))
        card.keep.connect(self._keep)
        return card

    def _measure(self, fix: Setting, evidence: Shown) -> None:
        """Compare the current setting with the proposed one, with the workloads that show the difference."""
        self._shell.begin(self.disk.name, evidence.goal, workloads=evidence.workloads, settings=(fix,))

    def _keep(self, fix: Setting) -> None:
        """Keep it along with what is already kept permanently: a rule is rewritten as a whole."""
        tunables = self._choice.tunables_kept if self._choice.chosen == fix.scheduler else {}
        self._shell.keep(self.disk, setting(fix.scheduler, {**tunables, **fix.values}))

    def _show_gone(self) -> None:
        self._show_findings(())
        self._say("disk", "muted", text("check-page-gone"), text("vanished-by-now", disk=self.disk.title))
        self.foot.hide()

    def _show_choice(self, disk: Disk, choice: Choice) -> None:
        """Show whether there is anything to undo, and what."""
        self.disk, self._choice = disk, choice
        is_kept = choice.persistent or disk.persistent is not None
        self.foot.setVisible(choice.before is not None or is_kept)
        if choice.before is not None:
            self._undone.setText(text("check-undo-and-rule" if is_kept else "check-undo"))
        else:
            self._undone.setText(going_back_text(disk, choice))
