# SPDX-License-Identifier: GPL-3.0-or-later
"""The first page: a card per disk, those that cannot be tuned folded away at the end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.block.pending import Pending
from disktuner.gui.access import read_after
from disktuner.gui.intents import Intents
from disktuner.gui.state import State
from disktuner.gui.style import look
from disktuner.gui.widgets.complaints import Complaints
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.layout import button, column, row, scrolled, with_margin
from disktuner.gui.widgets.notice import EmptyPage, Notice
from disktuner.vocabulary.messages import text

_AT_ONCE = 6
"""Cards made per turn of the event loop, so that a server with hundreds of disks does not freeze the window."""
_LINES_AT_ONCE = 16
"""Check-ups shown per turn, for the same reason, once all cards are there."""


class DisksPage(QWidget):
    """What bothers the user, above a card for each disk. Signals: ``again`` asks to read once more."""

    again = Signal()

    def __init__(self, intents: Intents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._intents, self._state = intents, State()
        self._cards: dict[tuple[str, int], DiskCard] = {}
        self._loaded = self._others_shown = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._update)
        self._lines = QTimer(self, singleShot=True, interval=0)
        self._lines.timeout.connect(self._show_lines)
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(lambda: self._scroll.setUpdatesEnabled(True))
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
        self._inner.insertWidget(0, made)
        return made

    def _lay_out(self) -> None:
        now = look()
        self._tunable: QVBoxLayout = column(gap=now.medium)
        self._others: QVBoxLayout = column(gap=now.medium)
        self._fold = button("", self._toggle_others, flat=True)
        content = QWidget()
        self.complaints = Complaints()
        self.complaints.check_button.clicked.connect(self._check_first)
        self._inner = column(self.complaints, self._tunable, row(self._fold, None), self._others, None, gap=now.medium)
        content.setLayout(with_margin(self._inner, now.large))
        self._stack = QStackedLayout(self)
        self._scroll = scrolled(content)
        self._stack.addWidget(self._scroll)

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
                (card.check_line.link if check and card.findings is not None else card).setFocus()

    def show_state(self, state: State) -> None:
        """Show what there is now; cards are made, moved and dropped a little later, many of them in turns."""
        before, self._state = self._state, state
        if (before.disks, before.choices, before.memories) != (state.disks, state.choices, state.memories):
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

    def _check_first(self) -> None:
        if self._state.main:
            self._intents.check(self._state.main[0].name)

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
        shown = [*main, *(disk for disk in disks if self._others_shown and disk not in main)]
        self.complaints.offer_felt(any(disk.can_be_unplugged for disk in main))
        self._drop({(disk.name, disk.diskseq) for disk in shown})
        missing = [disk for disk in shown if (disk.name, disk.diskseq) not in self._cards]
        for disk in missing[:_AT_ONCE]:
            self._add(disk)
        for number, disk in enumerate(shown):
            self._place(number, disk)
        self._show_fold(len(disks) - len(main))
        if len(missing) > _AT_ONCE:
            self._lines.stop()
            self._later.start()
        else:
            if missing:
                self._order(shown)
            if self._state.check_ups:
                self._lines.start()
        self._show_page(disks)

    def _order(self, shown: list[Disk]) -> None:
        """Read and visited by Tab as they are seen, whenever they came."""
        cards = [self._cards[disk.name, disk.diskseq] for disk in shown]
        main = len(self._state.main)
        parts: list[QWidget] = [*cards[:main], self._fold, *cards[main:]]
        for each in parts:
            each.raise_()
        for before, after in pairwise(parts):
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
        card = DiskCard(disk, self._intents, primary=disk == self._state.disks[0])
        card.measure.connect(lambda: self._intents.begin(card.disk.name, self.complaints.goal))
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

    def _show_fold(self, count: int) -> None:
        self._fold.setText(text("hide-others") if self._others_shown else text("show-others", count=count))
        self._fold.setVisible(count > 0)

    def _toggle_others(self) -> None:
        self._others_shown = not self._others_shown
        self._update()
