# SPDX-License-Identifier: GPL-3.0-or-later
"""The first page: a row per disk, with those that hold nothing to measure folded away at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QStackedWidget, QVBoxLayout, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk
from disktuner.block.pending import Pending
from disktuner.gui.access import read_after
from disktuner.gui.shell import Shell
from disktuner.gui.state import State
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.complaints import Complaints
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.gui.widgets.free_room import FreeRoom
from disktuner.gui.widgets.layout import button, column, heading, label, parts_of, reveal, row, scrolled, with_margin
from disktuner.gui.widgets.notice import EmptyPage, Notice
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:  # half of the program, not needed to see the disks
    from disktuner.gui.measurement.plan import PlanPage

_AT_ONCE = 6
"""Cards made per turn of the event loop, so that a server with hundreds of disks does not freeze the window."""
_OF_ROWS = ("disks", "choices", "memories", "trial", "measured_disks")
"""The fields of the state that decide which rows there are, and what they say."""
_LINES_AT_ONCE = 16
"""Check-ups shown per turn, for the same reason, once all cards exist."""


class DisksPage(QWidget):
    """What bothers the user, on which disk, and the cost of measuring it, for which ``make_plan`` is called once.

    Attributes: ``complaints``, ``foot``, ``notice`` about leftovers, and ``plan`` once a disk was chosen.
    """

    def __init__(self, shell: Shell, make_plan: Callable[[PlanFoot], PlanPage]) -> None:
        super().__init__()
        self._shell, self._make_plan, self._state = shell, make_plan, State()
        self._cards: dict[tuple[str, int], DiskCard] = {}
        self._rows = QButtonGroup(self)
        self._ask_timer = QTimer(self, singleShot=True, interval=0)
        self._rows.buttonToggled.connect(self._toggled)
        self._rows.buttonClicked.connect(self._clicked)
        self.plan: PlanPage | None = None
        self._is_loaded = self._others_shown = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._update)
        self._lines = QTimer(self, singleShot=True, interval=0)
        self._lines.timeout.connect(self._show_lines)
        self._settle_timer = QTimer(self, singleShot=True, interval=0)
        self._settle_timer.timeout.connect(lambda: self._scroll.setUpdatesEnabled(True))
        self._lay_out()

    @cached_property
    def _empty(self) -> EmptyPage:
        """The page without disks, made on first use: most people never see it."""
        page = EmptyPage()
        self._stack.addWidget(page)
        return page

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
        fold_line = row(self._fold, self._why_folded, wide=1)
        disk_heading = heading(text("which-disk"))
        question = column(disk_heading, self._tunable)
        self.notice, self._free = Notice(), FreeRoom()
        parts = (self.complaints, question, fold_line, self._others, self.notice, self._free)
        self._inner = column(*parts, gap=now.medium, wide=5)
        content.setLayout(with_margin(self._inner, now.large, now.medium))
        self._stack = QStackedWidget()
        self._scroll, self.foot = scrolled(content), PlanFoot()
        self._stack.addWidget(self._scroll)
        self._stack.currentChanged.connect(self._show_foot)
        self.setLayout(column(self._stack, self.foot, gap=0, wide=0))

    def _show_foot(self, *_: object) -> None:
        """While something is on trial, that is the foot until a disk is chosen."""
        needed = self._state.trial is None or self._chosen_disk is not None
        self.foot.setVisible(needed and self._stack.currentWidget() is self._scroll)

    def showEvent(self, event: QShowEvent) -> None:
        """Say what is happening while there is nothing to show."""
        super().showEvent(event)
        if not self._is_loaded and self._stack.currentWidget() is self._scroll:
            self._empty.show_state("disk", text("looking-for-disks"))
            self._stack.setCurrentWidget(self._empty)

    @property
    def cards(self) -> tuple[DiskCard, ...]:
        """The cards, in no particular order."""
        return tuple(self._cards.values())

    def card(self, name: str) -> DiskCard:
        """The card of a disk. Raises ``KeyError``."""
        return next(card for card in self._cards.values() if card.disk.name == name)

    def focus(self, name: str, *, check: bool = False) -> None:
        """Focus a disk's card, or the line of its check-up, if it still exists."""
        for card in self._cards.values():
            if card.disk.name == name:
                if check and card.findings is not None:
                    card.check_line.link.setFocus()
                else:
                    card.take_focus()

    def show_state(self, state: State) -> None:
        """Show the state; cards are made, moved and dropped a little later, in batches if there are many."""
        before, self._state = self._state, state
        if self.plan is not None:
            self.plan.show_state(state)
        self._show_foot()
        if any(getattr(before, part) != getattr(state, part) for part in _OF_ROWS):
            self._later.start()
        else:
            for card in self._cards.values():
                card.allow(state)
        if before.check_ups != state.check_ups and not self._later.isActive():  # else it follows that
            self._lines.start()

    def loaded(self) -> None:
        """The disks have been read: an empty list now means that there are none."""
        if self._is_loaded:
            self._later.start()
            return
        self._is_loaded = True
        self._later.stop()
        self._update()  # at once: mostly nothing is painted yet

    def show_failure(self, why: str) -> None:
        self._empty.show_state("warning", text("disks-unreadable"), why, text("try-again"), self._shell.stale.emit)
        self._stack.setCurrentWidget(self._empty)

    def _need_plan(self) -> PlanPage:
        """Return the panel of the cost, which is made on first use."""
        if self.plan is None:
            self.plan = self._make_plan(self.foot)
            self.plan.unfolded.connect(partial(reveal, self.plan))
            self._inner.insertWidget(self._inner.count() - 1, self.plan)
            self._order()
        return self.plan

    def choose_none(self) -> None:
        self._rows.setExclusive(False)
        for card in self._cards.values():
            card.option.setChecked(False)
        self._rows.setExclusive(True)
        if self.plan is not None:
            self.plan.withdraw()

    @property
    def _chosen_disk(self) -> Disk | None:
        return next((card.disk for card in self._cards.values() if card.option.isChecked()), None)

    def _toggled(self, _option: QAbstractButton, chosen: bool) -> None:
        """A row was chosen, perhaps by a screen reader, which does not click."""
        self._show_foot()
        if chosen:
            self._ask_timer.start()
            self._ask()

    def _clicked(self) -> None:
        """Ask again for a row that is already chosen."""
        if not self._ask_timer.isActive():
            self._ask()

    def _ask(self) -> None:
        """Ask for the cost of measuring the chosen disk."""
        if (disk := self._chosen_disk) is not None:
            self._shell.with_disk(disk.name, partial(self._need_plan().choose, self.complaints.goal))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return measures, unless the focused widget uses that key."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.plan is not None:
            self.plan.measure()
        else:
            super().keyPressEvent(event)

    def _check(self) -> None:
        """Check the chosen disk, else the first."""
        if disk := self._chosen_disk or next(iter(self._state.main), None):
            self._shell.check(disk.name)

    def _show_lines(self) -> None:
        """Show a batch of them in each turn."""
        findings_by_key = {key: check_up.findings for key, check_up in self._state.check_ups.items()}
        stale = [
            (card, findings_by_key.get(key))
            for key, card in self._cards.items()
            if card.findings != findings_by_key.get(key)
        ]
        for card, findings in stale[:_LINES_AT_ONCE]:
            card.show_findings(findings)
        if len(stale) > _LINES_AT_ONCE:
            self._lines.start()

    def show_figures(self, figures: Mapping[str, Figures]) -> None:
        for card in self._cards.values():
            card.show_figures(figures.get(card.disk.name))

    def show_pending(self, pending: Mapping[str, Pending]) -> None:
        """Show what still waits to be written to removable disks."""
        for card in self._cards.values():
            if card.disk.name in pending:
                card.show_pending(pending[card.disk.name])

    def _update(self) -> None:
        if self._scroll.isVisible():
            self._scroll.setUpdatesEnabled(False)  # else more cards are painted once before there is room for them
            self._settle_timer.start()
        main, others = self._state.main, self._state.others
        listed = [*main, *(others if self._others_shown else ())]
        self._free.show_memory(next(iter(self._state.memories.values()), None))
        self._drop({(disk.name, disk.diskseq) for disk in listed})
        self.complaints.offer_felt(any(disk.can_be_unplugged for disk in main))
        missing = [disk for disk in listed if (disk.name, disk.diskseq) not in self._cards]
        for disk in missing[:_AT_ONCE]:
            self._add(disk)
        for shown, layout in ((main, self._tunable), (others, self._others)):
            made = [disk for disk in shown if (disk.name, disk.diskseq) in self._cards]
            for number, disk in enumerate(made):
                self._place(layout, number, disk)
        if self._chosen_disk is None and self.plan is not None:
            self.plan.withdraw()
        self._show_fold(others)
        if len(missing) > _AT_ONCE:
            self._lines.stop()
            self._later.start()
        else:
            if missing:
                self._order()
            if self._state.check_ups:
                self._lines.start()
        self._show_page(self._state.disks)

    def _order(self) -> None:
        """Order reading and Tab as on the screen, however the cards were made; some may not exist yet."""
        main, others = (
            [self._cards.get((disk.name, disk.diskseq)) for disk in disks]
            for disks in (self._state.main, self._state.others)
        )
        parts = [*filter(None, (*main, self._fold, *others, self.plan))]
        for part in parts:
            part.raise_()
        for before, after in pairwise((self.complaints, *parts, *parts_of(self)[1:])):
            read_after(before, after)

    def _show_page(self, disks: tuple[Disk, ...]) -> None:
        if self._state.main or (disks and self._others_shown):
            self._stack.setCurrentWidget(self._scroll)
        elif self._is_loaded:
            action = text("show-others", count=len(disks)) if disks else ""
            self._empty.show_state("empty", text("no-disks-to-tune"), text("why-no-disks"), action, self._toggle_others)
            self._stack.setCurrentWidget(self._empty)

    def _drop(self, keys: set[tuple[str, int]]) -> None:
        for key in [key for key in self._cards if key not in keys]:
            card = self._cards.pop(key)
            card.hide()
            card.deleteLater()

    def _add(self, disk: Disk) -> None:
        card = DiskCard(disk, self._shell)
        self._rows.addButton(card.option)
        self._cards[disk.name, disk.diskseq] = card

    def _place(self, layout: QVBoxLayout, row: int, disk: Disk) -> None:
        card = self._cards[disk.name, disk.diskseq]
        if layout.indexOf(card) != row:
            layout.insertWidget(row, card)
        card.show_state(disk, self._state)

    def _show_fold(self, folded: Sequence[Disk]) -> None:
        name = text("show-others", count=len(folded))
        self._fold.setText(f"{name} {'▾' if self._others_shown else '▸'}")
        self._fold.setAccessibleName(name)
        why = tuple(dict.fromkeys(text(_why_folded(disk)) for disk in folded))
        self._why_folded.setText(text("others-why", why=why) if why else "")
        for part in (self._fold, self._why_folded):
            part.setVisible(bool(folded))

    def _toggle_others(self) -> None:
        self._others_shown = not self._others_shown
        self._update()


def _why_folded(disk: Disk) -> str:
    if not disk.tunable:
        return "others-not-tunable"
    return "others-loop" if disk.kind == kinds.LOOP else "others-not-mounted"
