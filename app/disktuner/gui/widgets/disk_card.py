# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk as a card: what it is, what orders its work, what it does right now, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QFrame, QWidget

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk, Suggestion
from disktuner.block.pending import Pending
from disktuner.gui.access import has_keyboard
from disktuner.gui.icons import Pictogram
from disktuner.gui.intents import Intents
from disktuner.gui.state import Act, Leave, State, is_system, may
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import button, column, heading, label, plain, row, with_margin
from disktuner.gui.widgets.minute import Minute, activity
from disktuner.gui.widgets.severity import CheckLine
from disktuner.standing import Choice, Memory, chosen_text, going_back_text, in_use
from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.schedulers import scheduler

if TYPE_CHECKING:
    from disktuner.checkup.findings import Finding

_MOUNTS = 3
"""How many places of a disk are named."""


class DiskCard(QFrame):
    """A card. Signals: ``measure`` that the disk shall be measured for what bothers the user."""

    accessible_role = QAccessible.Role.Grouping
    measure = Signal()

    def __init__(self, disk: Disk, intents: Intents, *, primary: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._intents, self._primary = intents, primary
        self._memory: Memory | None = None
        self._disk, self._choice = disk, Choice()
        self._leaves = dict.fromkeys((Act.MEASURE, Act.CHANGE, Act.GO_BACK), Leave())
        self._findings: Sequence[Finding] | None = None
        self._picture = Pictogram(disk.kind.icon, round(look().wide * 1.4))
        self._make_texts()
        self._make_buttons()
        self.setFocusProxy(self._find)
        self._lay_out()
        self.show_state(disk, State())

    def _make_texts(self) -> None:
        self._name = heading("", wrap=True)
        self._details = label(tone="muted", wrap=True)
        self._places = label(tone="muted", wrap=True)
        self._waiting = label(tone="muted", wrap=True)
        self._waiting.hide()
        self._chip = label(bold=True)
        self._chip.setProperty("chip", self._chip_look)
        self._chosen = label(size=SMALL, tone="accent", wrap=True)
        self._remembered = label(wrap=True)
        self._hint = label(tone="muted", wrap=True)
        self._activity = Minute()
        self._rate = label("", SMALL, tone="muted")
        self._rate.setMinimumWidth(look().wide * 6)
        self._rate.setAlignment(Qt.AlignmentFlag.AlignRight)

    def _make_buttons(self) -> None:
        intents = self._intents
        self._find = button(text("measure-disk"), self.measure.emit, primary=self._primary)
        self._change = button(text("change"), lambda: intents.change(self._disk.name))
        self._back = button(text("go-back"), lambda: intents.go_back(self._disk.name))
        self._pause = button("", lambda: intents.pause(not self._choice.paused))
        self._show = button(text("show-answer"), self._show_remembered, link=True)

    def _lay_out(self) -> None:
        now = look()
        head = row(column(self._name, self._details, self._places, self._waiting, gap=now.tight), gap=now.large, wide=0)
        head.addLayout(column(self._activity, self._rate, None, gap=now.tight))
        in_use = row(self._chip, self._chosen, gap=now.small)
        in_use.addStretch(1)
        in_use.setStretch(1, 1000)
        self._memory_line = QWidget()
        memory = row(self._remembered, self._show, gap=now.small, wide=0)
        self._memory_line.setLayout(memory)
        self._foot = Flow((self._find, self._change, self._pause, self._back), now.small)
        texts = column(head, in_use, self._memory_line, self._foot, self._hint, gap=now.small)
        whole = row(column(self._picture, None), texts, gap=now.medium, wide=1)
        self.setLayout(with_margin(whole, now.medium))

    @property
    def disk(self) -> Disk:
        """The disk that is shown."""
        return self._disk

    def show_state(self, disk: Disk, state: State) -> None:
        """Show the disk as it is now, whether it is so by our choice, and what can be done."""
        self._disk, self._choice, self._memory = disk, state.choice(disk), state.memory(disk)
        self._picture.set_name(disk.kind.icon, "text" if disk.tunable else "muted")
        self._name.setText(_headline(disk))
        details = "disk-details" if disk.kind_certain else "disk-details-uncertain"
        known = text(details, size=disk.size_bytes, kind=named(disk.kind.name), name=disk.name)
        self._details.setText(text("disk-of-system", details=known) if is_system(disk) else known)
        self._details.setToolTip(plain(_doubt(disk)))
        self._places.setText(_mounted_at(disk))
        self._show_scheduler()
        self._say_what_is_known()
        self.setAccessibleName(disk.title)
        set_property(self._name, "tone", "" if disk.tunable else "muted")
        self.allow(state)

    def _say_what_is_known(self) -> None:
        """What was answered last; what could be tried first is nobody's question then."""
        memory = self._memory
        if memory is not None:
            self._remembered.setText(memory.said)
            self._show.setAccessibleDescription(memory.said)
        self._memory_line.setVisible(memory is not None and self._disk.tunable)
        self._hint.setText(_hint(self._disk, advise=memory is None and not self._is_ours))
        self._hint.setVisible(bool(self._hint.text()))

    def _show_remembered(self) -> None:
        if self._memory is not None:
            self._intents.show_result(self._memory.result)

    @cached_property
    def check_line(self) -> CheckLine:
        """What the check-up found, and the way to it; made when that is known: the disks are seen before.

        It stands beside the buttons, where nothing that is seen already has to make room for it.
        """
        line = CheckLine()
        line.opened.connect(lambda: self._intents.check(self._disk.name))
        self._foot.addWidget(line)
        self.setTabOrder(self._back, line.link)  # else it would be the window's last
        return line

    @property
    def findings(self) -> Sequence[Finding] | None:
        """What is shown of the check-up; None where it is not known, or the disk is not looked at."""
        return self._findings

    def show_findings(self, findings: Sequence[Finding] | None) -> None:
        """Show how many things there are to look at."""
        self._findings = findings
        if findings is not None:
            self.check_line.show_findings(findings)
        if "check_line" in vars(self):
            self.check_line.setVisible(findings is not None)

    def _show_scheduler(self) -> None:
        name = self._disk.scheduler
        set_property(self._chip, "chip", self._chip_look)
        self._chip.setText(in_use(self._disk, self._choice).words)
        self._chip.setVisible(self._disk.tunable and name is not None)
        self._chip.setToolTip(plain(named(scheduler(name).about)) if name else "")
        self._chosen.setText(chosen_text(self._disk, self._choice))
        self._chosen.setVisible(bool(self._chosen.text()))
        self._pause.setText(text("continue" if self._choice.paused else "pause"))
        self._pause.setAccessibleDescription(self._chosen.text())

    @property
    def _is_ours(self) -> bool:
        """Whether there is anything to go back from; a rule for restarts is seen before the helper reports it."""
        return self._choice.is_ours or self._disk.persistent is not None

    @property
    def _chip_look(self) -> str:
        return "ours" if self._is_ours else "true"

    def show_figures(self, figures: Figures) -> None:
        """Show what the disk did in the last second."""
        self._activity.add(figures)
        if (shown := activity(figures)) != self._rate.text():
            self._rate.setText(shown)

    def show_pending(self, pending: Pending) -> None:
        """Show what still waits to be written."""
        self._waiting.setText(say(pending.told(bool(self._disk.mounts))))
        self._waiting.show()

    def allow(self, state: State) -> None:
        """What may not be done now can't be pressed, and says why."""
        self._leaves = {act: may(state, act, (self._disk,)) for act in self._leaves}
        if state.calling and has_keyboard(self):
            self._name.setFocus()  # else Qt would let it go on at another disk
        self._enable()
        if not state.calling and self._name.hasFocus():
            self.setFocus()

    def _enable(self) -> None:
        disk, now = self._disk, text("now-in-use", setting=in_use(self._disk, self._choice).name)
        hints = {Act.GO_BACK: going_back_text(disk, self._choice)}
        for control, act in ((self._find, Act.MEASURE), (self._change, Act.CHANGE), (self._back, Act.GO_BACK)):
            leave = self._leaves[act]
            control.setEnabled(disk.tunable and bool(leave))
            control.setToolTip(plain(leave.reason or hints.get(act, "")))
            control.setAccessibleDescription(leave.reason or hints.get(act, now))
        self._find.setVisible(disk.tunable and bool(disk.mounts))
        self._change.setVisible(disk.tunable)
        self._back.setVisible(disk.tunable and self._is_ours)
        self._pause.setVisible(self._choice.paused is not None)
        self._activity.setVisible(disk.tunable)
        self._rate.setVisible(disk.tunable)


def _headline(disk: Disk) -> str:
    """The name a person knows a disk by."""
    known = " ".join(part for part in (disk.vendor, disk.model) if part)
    return known or named(disk.kind.name)


def _mounted_at(disk: Disk) -> str:
    """Where a disk is mounted, with the most free room of these places."""
    if not disk.mounts:
        return text("mounted-nowhere")
    paths = ", ".join(mount.path for mount in disk.mounts[:_MOUNTS])
    free, more = max(mount.free_bytes for mount in disk.mounts), len(disk.mounts) - _MOUNTS
    return text("mounted-at-more" if more > 0 else "mounted-at", paths=paths, free=free, count=more)


def _hint(disk: Disk, *, advise: bool) -> str:
    """What hinders, else what could be tried first."""
    if disk.why_not is not None:
        return " ".join(filter(None, (_doubt(disk), say(disk.why_not))))
    if not disk.mounts:
        return text("nothing-mounted")
    return " ".join(filter(None, (_doubt(disk), suggestion_text(disk, disk.suggestion) if advise else "")))


def _doubt(disk: Disk) -> str:
    return say(disk.kind_doubt) if disk.kind_doubt else ""


def suggestion_text(disk: Disk, first: Suggestion | None) -> str:
    """The starting point for a disk, with its reason; never worded as a finding."""
    if first is None:
        return ""
    used = first.scheduler == disk.scheduler
    said = text("good-start" if used else "worth-trying", scheduler=first.scheduler, why=first.why)
    return f"{said} {say(first.limit)}" if first.limit else said
