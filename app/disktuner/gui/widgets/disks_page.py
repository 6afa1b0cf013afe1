# SPDX-License-Identifier: GPL-3.0-or-later
"""The first page: a row per disk, those that hold nothing to measure folded away at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QStackedWidget, QVBoxLayout, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.block.pending import Pending
from disktuner.gui.access import read_after
from disktuner.gui.intents import Intents
from disktuner.gui.state import State
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.complaints import Complaints
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.layout import button, column, heading, label, parts_of, row, scrolled, with_margin
from disktuner.gui.widgets.notice import EmptyPage, Notice
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:  # half of the program, not needed to see the disks
    from disktuner.gui.wizard.plan import Plan

_AT_ONCE = 6
"""Cards made per turn of the event loop, so that a server with hundreds of disks does not freeze the window."""
_LAID_OUT_MS = 50
"""Until what has just appeared has its room: each text that is wrapped anew tells those around it."""
_OF_ROWS = ("disks", "choices", "memories", "trial", "measured")
"""The parts of the state that decide which rows there are, and what they say."""
_LINES_AT_ONCE = 16
"""Check-ups shown per turn, for the same reason, once all cards are there."""


class DisksPage(QWidget):
    """What bothers the user, on which disk, and what it costs to measure that.

    Signals: ``again`` asks to read once more.
    Attributes: ``complaints``, ``foot``, and ``plan`` once a disk was chosen.
    """

    again = Signal()

    def __init__(self, intents: Intents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._intents, self._state = intents, State()
        self._cards: dict[tuple[str, int], DiskCard] = {}
        self._rows = QButtonGroup(self)
        self._asked = QTimer(self, singleShot=True, interval=0)
        self._rows.buttonToggled.connect(self._toggled)
        self._rows.buttonClicked.connect(self._clicked)
        self.plan: Plan | None = None
        self._loaded = self._others_shown = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._update)
        self._lines = QTimer(self, singleShot=True, interval=0)
        self._lines.timeout.connect(self._show_lines)
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(lambda: self._scroll.setUpdatesEnabled(True))
        self._unfolded = QTimer(self, singleShot=True, interval=_LAID_OUT_MS)
        self._unfolded.timeout.connect(self._show_unfolded)
        self._lay_out()

    @cached_property
    def _empty(self) -> EmptyPage:
        """What is seen where there is nothing to list; most never see it."""
        page = EmptyPage()
        self._stack.addWidget(page)
        return page

    @cached_property
    def notice(self) -> Notice:
        """What lies on the disks and can be removed; most never see it."""
        made = Notice()
        self._inner.insertWidget(self._inner.count() - 1, made)  # nothing that is there already moves
        return made

    def _lay_out(self) -> None:
        now = look()
        self._tunable: QVBoxLayout = column(gap=now.tight)
        self._others: QVBoxLayout = column(gap=now.tight)
        self._fold = button("", self._toggle_others, link=True)
        self._why_folded = label(size=SMALL, tone="muted", wrap=True)
        content = QWidget()
        self.complaints = Complaints()
        self.complaints.check_button.clicked.connect(self._check)
        self.complaints.chosen.connect(self._ask)
        others = row(self._fold, self._why_folded, wide=1)
        which = heading(text("which-disk"))
        self._inner = column(self.complaints, which, self._tunable, others, self._others, None, gap=now.medium)
        content.setLayout(with_margin(self._inner, now.large, now.medium))
        self._stack = QStackedWidget()
        self._scroll, self.foot = scrolled(content), PlanFoot()
        self._stack.addWidget(self._scroll)
        self._stack.currentChanged.connect(lambda _: self.foot.setVisible(self._stack.currentWidget() is self._scroll))
        self.setLayout(column(self._stack, self.foot, gap=0, wide=0))

    def showEvent(self, event: QShowEvent) -> None:
        """Say what is done as long as there is nothing to see."""
        super().showEvent(event)
        if not self._loaded and self._stack.currentWidget() is self._scroll:
            self._empty.show_state("disk", text("looking-for-disks"))
            self._stack.setCurrentWidget(self._empty)

    @property
    def cards(self) -> tuple[DiskCard, ...]:
        """The cards there are, in no particular order."""
        return tuple(self._cards.values())

    def card(self, name: str) -> DiskCard:
        """The card of a disk. Raises ``KeyError``."""
        return next(card for card in self._cards.values() if card.disk.name == name)

    def focus(self, name: str, *, check: bool = False) -> None:
        """Let the keyboard go on at a disk's card, or at the line of its check-up, if it is still there."""
        for card in self._cards.values():
            if card.disk.name == name:
                if check and card.findings is not None:
                    card.check_line.link.setFocus()
                else:
                    card.take_focus()

    def show_state(self, state: State) -> None:
        """Show what there is now; cards are made, moved and dropped a little later, many of them in turns."""
        before, self._state = self._state, state
        if self.plan is not None:
            self.plan.show_state(state)
        if any(getattr(before, part) != getattr(state, part) for part in _OF_ROWS):
            self._later.start()
        else:
            for card in self._cards.values():
                card.allow(state)
        if before.check_ups != state.check_ups and not self._later.isActive():  # else it follows that
            self._lines.start()

    def loaded(self) -> None:
        """The disks have been read: from now on none means that there are none."""
        if self._loaded:
            self._later.start()
            return
        self._loaded = True
        self._later.stop()
        self._update()  # at once: mostly nothing is painted yet

    def show_failure(self, why: str) -> None:
        """The disks could not be read."""
        self._empty.show_state("warning", text("disks-unreadable"), why, text("try-again"), self.again.emit)
        self._stack.setCurrentWidget(self._empty)

    def show_plan(self, plan: Plan) -> None:
        """From now on this says what it costs to measure what is chosen."""
        self.plan = plan
        plan.unfolded.connect(self._unfolded.start)
        self._inner.insertWidget(self._inner.count() - 1, plan)
        self._order()

    def choose_none(self) -> None:
        """No disk is chosen."""
        self._rows.setExclusive(False)
        for card in self._cards.values():
            card.option.setChecked(False)
        self._rows.setExclusive(True)
        if self.plan is not None:
            self.plan.withdraw()

    @property
    def _chosen(self) -> Disk | None:
        return next((card.disk for card in self._cards.values() if card.option.isChecked()), None)

    def _toggled(self, _option: QAbstractButton, chosen: bool) -> None:
        """A row was chosen, by a screen reader, too, which does not click."""
        if chosen:
            self._asked.start()
            self._ask()

    def _clicked(self) -> None:
        """The row that is chosen already is asked anew."""
        if not self._asked.isActive():
            self._ask()

    def _ask(self) -> None:
        """What it costs to measure what is chosen."""
        if (disk := self._chosen) is not None:
            self._intents.choose(disk.name, self.complaints.goal)

    def _show_unfolded(self) -> None:
        """What has just appeared below the disks is seen, once it has its room."""
        if self.plan is not None:
            self._scroll.ensureWidgetVisible(self.plan)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return measures, wherever the keyboard is and does nothing else with it."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.plan is not None:
            self.plan.measure()
        else:
            super().keyPressEvent(event)

    def _check(self) -> None:
        """What is chosen, else the first."""
        if disk := self._chosen or next(iter(self._state.main), None):
            self._intents.check(disk.name)

    def _show_lines(self) -> None:
        """A part of them in each turn."""
        wanted = {key: found.findings for key, found in self._state.check_ups.items()}
        stale = [(card, wanted.get(key)) for key, card in self._cards.items() if card.findings != wanted.get(key)]
        for card, findings in stale[:_LINES_AT_ONCE]:
            card.show_findings(findings)
        if len(stale) > _LINES_AT_ONCE:
            self._lines.start()

    def show_figures(self, figures: Mapping[str, Figures]) -> None:
        """What the disks do right now."""
        for card in self._cards.values():
            if card.disk.name in figures:
                card.show_figures(figures[card.disk.name])

    def show_pending(self, pending: Mapping[str, Pending]) -> None:
        """What still waits to be written to the disks that can be unplugged."""
        for card in self._cards.values():
            if card.disk.name in pending:
                card.show_pending(pending[card.disk.name])

    def _update(self) -> None:
        if self._stack.currentWidget() is self._scroll:
            self._scroll.setUpdatesEnabled(False)  # else more cards are painted once before there is room for them
            self._settled.start()
        disks, main = self._state.disks, self._state.main
        shown = self._shown
        self._drop({(disk.name, disk.diskseq) for disk in shown})
        self.complaints.offer_felt(any(disk.can_be_unplugged for disk in main))
        missing = [disk for disk in shown if (disk.name, disk.diskseq) not in self._cards]
        for disk in missing[:_AT_ONCE]:
            self._add(disk)
        for number, disk in enumerate(shown):
            self._place(number, disk)
        if self._chosen is None and self.plan is not None:
            self.plan.withdraw()
        self._show_fold([disk for disk in disks if disk not in main])
        if len(missing) > _AT_ONCE:
            self._lines.stop()
            self._later.start()
        else:
            if missing:
                self._order()
            if self._state.check_ups:
                self._lines.start()
        self._show_page(disks)

    @property
    def _shown(self) -> list[Disk]:
        main = self._state.main
        return [*main, *(disk for disk in self._state.disks if self._others_shown and disk not in main)]

    def _order(self) -> None:
        """Read and visited by Tab as they are seen, whenever they came; some may not be made yet."""
        main = len(self._state.main)
        cards = [self._cards.get((disk.name, disk.diskseq)) for disk in self._shown]
        parts = [*filter(None, (*cards[:main], self._fold, *cards[main:], self.plan))]
        for part in parts:
            part.raise_()
        for before, after in pairwise((self.complaints, *parts, *parts_of(self)[1:])):
            read_after(before, after)

    def _show_page(self, disks: tuple[Disk, ...]) -> None:
        if self._state.main or (disks and self._others_shown):
            self._stack.setCurrentWidget(self._scroll)
        elif self._loaded:
            action = text("show-others", count=len(disks)) if disks else ""
            self._empty.show_state("empty", text("no-disks-to-tune"), text("why-no-disks"), action, self._toggle_others)
            self._stack.setCurrentWidget(self._empty)

    def _drop(self, wanted: set[tuple[str, int]]) -> None:
        for key in [key for key in self._cards if key not in wanted]:
            card = self._cards.pop(key)
            card.hide()
            card.deleteLater()

    def _add(self, disk: Disk) -> None:
        card = DiskCard(disk, self._intents)
        self._rows.addButton(card.option)
        self._cards[disk.name, disk.diskseq] = card

    def _place(self, row: int, disk: Disk) -> None:
        card = self._cards.get((disk.name, disk.diskseq))
        if card is None:
            return
        main = len(self._state.main)
        layout, place = (self._tunable, row) if row < main else (self._others, row - main)
        if layout.indexOf(card) != place:
            layout.insertWidget(min(place, layout.count()), card)
        card.show_state(disk, self._state)

    def _show_fold(self, others: Sequence[Disk]) -> None:
        name = text("show-others", count=len(others))
        self._fold.setText(f"{name} {'▾' if self._others_shown else '▸'}")
        self._fold.setAccessibleName(name)
        why = tuple(dict.fromkeys(text(_why_folded(disk)) for disk in others))
        self._why_folded.setText(text("others-why", why=why) if why else "")
        for part in (self._fold, self._why_folded):
            part.setVisible(bool(others))

    def _toggle_others(self) -> None:
        self._others_shown = not self._others_shown
        self._update()


def _why_folded(disk: Disk) -> str:
    if not disk.tunable:
        return "others-not-tunable"
    return "others-loop" if disk.kind == kinds.LOOP else "others-not-mounted"
