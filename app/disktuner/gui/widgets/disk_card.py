# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk as a row: what it is, its scheduler, its current activity, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame

from disktuner.block.counters import Figures
from disktuner.block.disk import Disk, Suggestion
from disktuner.block.pending import Pending
from disktuner.gui.access import has_keyboard
from disktuner.gui.icons import Pictogram
from disktuner.gui.shell import Shell
from disktuner.gui.state import Act, State, Trial, is_system, may
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.chip import SchedulerChip
from disktuner.gui.widgets.flow import Flow
from disktuner.gui.widgets.layout import button, column, filled, label, permit, plain, row
from disktuner.gui.widgets.minute import Minute, activity
from disktuner.gui.widgets.option import RowOption
from disktuner.gui.widgets.severity import CheckLine
from disktuner.standing import Choice, Memory, chosen_text, going_back_text, in_use
from disktuner.vocabulary.messages import named, say, text

if TYPE_CHECKING:
    from disktuner.checkup.findings import Finding

_MOUNTS = 3
"""The most mount points that are named."""


class DiskCard(QFrame):
    """A row of the list: a click anywhere on it chooses the disk.

    Attributes: ``disk``; ``option`` is chosen if it is to be measured; ``check_line`` shows the ``findings``, None if
    they are not known or the disk is not checked, and leads to them.
    """

    accessible_role = QAccessible.Role.Grouping

    def __init__(self, disk: Disk, shell: Shell) -> None:
        super().__init__()
        self.option = RowOption("", self)
        self._shell = shell
        self._memory: Memory | None = None
        self.disk, self._choice = disk, Choice()
        self._trial: Trial | None = None
        self._state: State | None = None
        self.findings: Sequence[Finding] | None = None
        self._picture = Pictogram(disk.kind.icon, look().wide)
        self._make_texts()
        self._make_buttons()
        self._lay_out()
        self.show_state(disk, State())

    def _make_texts(self) -> None:
        self._name = label(bold=True, wrap=True)
        self._details = label(size=SMALL, tone="muted", wrap=True)
        self._waiting = label(size=SMALL, tone="muted", wrap=True)
        self._waiting.hide()
        self._chip = SchedulerChip(in_line=True)
        self._choice_label = label(size=SMALL, tone="accent", wrap=True)
        self._sentence_label = label(wrap=True)
        self._activity = Minute()
        self._rate = label("", SMALL, tone="muted")
        self._rate.setMinimumWidth(look().wide * 5)
        self._rate.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _make_buttons(self) -> None:
        shell = self._shell
        self.check_line = CheckLine(lambda: shell.check(self.disk.name))
        self._show = button(text("show-answer"), self._show_remembered, link=True)
        self._change = button(text("change"), lambda: shell.change(self.disk.name), link=True)
        self._portrait = button(text("portrait"), lambda: shell.portray(self.disk.name), link=True)
        self._portrait.setToolTip(text("portrait-question"))
        self._pause = button("", lambda: shell.pause(not self._choice.paused), link=True)
        self._keep = button(text("keep-for-good"), lambda: shell.keep_trial(True), link=True)
        self._back = button(text("go-back"), self._undo, link=True)

    def _lay_out(self) -> None:
        now = look()
        links = (self.check_line, self._show, self._change, self._portrait, self._pause, self._keep, self._back)
        description = column(self._name, self._details, gap=0)
        does = Flow((self._rate, self._activity, self._chip), now.medium)
        self._news = filled(column(self._choice_label, self._sentence_label, self._waiting, gap=now.tight))
        upper = row(description, does, gap=now.large, wide=0)
        lower = row(self._news, Flow(links, now.small), gap=now.large, wide=0)
        texts = column(upper, lower, gap=now.tight)
        inner = row(self._picture, texts, gap=now.medium, wide=1)
        inner.setContentsMargins(now.medium * 2 + self.option.mark_px, now.small, now.medium, now.small)
        self.setLayout(row(filled(inner)))  # over the option, which is as large as all of it

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The option covers the whole card."""
        super().resizeEvent(event)
        self.option.setGeometry(self.rect())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the disk, unless another widget was hit or it cannot be measured."""
        is_hit = event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint())
        if is_hit and self.option.isCheckable():
            self.option.click()
            self.option.setFocus(Qt.FocusReason.MouseFocusReason)

    def take_focus(self) -> None:
        (self.option if self.option.isCheckable() else self._change).setFocus()

    def show_state(self, disk: Disk, state: State) -> None:
        """Show the disk's present state, whether its setting is our choice, and what can be done."""
        if disk is self.disk and state is self._state:  # while the cards of many other disks are made
            return
        self.disk, self._state = disk, state
        self._choice, self._memory = state.choice(disk), state.memory(disk)
        trial, before = state.trial, self._trial
        if before is not None and trial is None and state.kept_trial is not None and state.kept_trial.id == before.id:
            self._chip.highlight()
        self._trial = trial if trial and any(trial_disk.is_same_as(disk) for trial_disk in trial.disks) else None
        self._picture.set_name(disk.kind.icon, "text" if disk.tunable else "muted")
        self._name.setText(_headline(disk))
        details = "disk-details" if disk.kind_certain else "disk-details-uncertain"
        sentence = text(details, size=disk.size_bytes, kind=named(disk.kind.name), name=disk.name)
        details = text("disk-of-system", details=sentence) if is_system(disk) else sentence
        self._details.setText(text("disk-line", details=details, places=_mounted_at(disk)))
        self._details.setToolTip(plain(_doubt(disk)))
        self._show_scheduler()
        self._say_what_is_known()
        self.setAccessibleName(disk.title)
        self.option.setAccessibleName(disk.title)
        self.option.setAccessibleDescription(self._details.text())
        if self.option.isCheckable() != (can_be_measured := disk.tunable and bool(disk.mounts)):
            self.option.setCheckable(can_be_measured)
            self.option.setFocusPolicy(Qt.FocusPolicy.StrongFocus if can_be_measured else Qt.FocusPolicy.NoFocus)
        set_property(self._name, "tone", "" if disk.tunable else "muted")
        self.allow(state)

    def _say_what_is_known(self) -> None:
        """Show the last answer; a suggestion of what to try first is superfluous then."""
        memory = self._memory if self.disk.tunable else None
        self._sentence_label.setText(
            memory.sentence if memory else _hint(self.disk, advise=not (self._is_ours or self._trial))
        )
        set_property(self._sentence_label, "tone", "" if memory else "muted")
        self._sentence_label.setVisible(bool(self._sentence_label.text()))
        self._show.setVisible(memory is not None)
        self._show.setAccessibleDescription(memory.sentence if memory else "")

    def _show_remembered(self) -> None:
        if self._memory is not None:
            self._shell.show_result(self._memory.result)

    def show_findings(self, findings: Sequence[Finding] | None) -> None:
        self.findings = findings
        self.check_line.show_findings(findings or ())
        self.check_line.setVisible(findings is not None)

    def _undo(self) -> None:
        """Undo the trial, else the user's choice."""
        if self._trial:
            self._shell.undo_trial()
        else:
            self._shell.go_back(self.disk.name)

    def _show_scheduler(self) -> None:
        self._chip.setVisible(self.disk.tunable and self.disk.scheduler is not None)
        if self.disk.scheduler is not None:
            self._chip.show_setting(in_use(self.disk, self._choice), is_ours=self._is_ours)
        self._show_chosen()
        self._choice_label.setVisible(bool(self._choice_label.text()))
        self._pause.setText(text("continue" if self._choice.paused else "pause"))
        self._pause.setAccessibleDescription(self._choice_label.text())

    def _show_chosen(self) -> None:
        """Show whose choice the setting is, and how long it is on trial."""
        trial = self._trial
        on_trial = text("on-trial", setting=trial.setting.name, left=trial.left_s) if trial else ""
        self._choice_label.setText(on_trial or chosen_text(self.disk, self._choice))

    @property
    def _is_ours(self) -> bool:
        """Whether there is anything to undo; a rule for restarts is visible before the helper reports it."""
        return self._choice.is_ours or self.disk.persistent is not None

    def show_figures(self, figures: Figures | None) -> None:
        """Show what the disk did in the last second; None: nobody looked, so the minute begins anew."""
        if figures is None:
            self._activity.clear()
            return
        self._activity.add(figures)
        self._rate.setText(activity(figures))
        if self._trial:
            self._show_chosen()

    def show_pending(self, pending: Pending) -> None:
        self._waiting.setText(say(pending.sentence(bool(self.disk.mounts))))
        self._waiting.show()

    def allow(self, state: State) -> None:
        """Disable what may not be done now, with the reason."""
        if state.calling and has_keyboard(self):
            self._name.setFocus()  # else Qt would let it go on at another disk
        self._enable(state)
        if not state.calling and self._name.hasFocus():
            self.take_focus()

    def _enable(self, state: State) -> None:
        disk, now = self.disk, text("now-in-use", setting=in_use(self.disk, self._choice).name)
        undo = Act.UNDO_TRIAL if self._trial else Act.GO_BACK
        back = "" if self._trial else going_back_text(disk, self._choice)
        acts = {self._change: Act.CHANGE, self._keep: Act.KEEP_TRIAL_PERMANENTLY, self._back: undo}
        for control, act in acts.items():
            permit(control, may(state, act, (disk,)).reason, back if control is self._back else "", now)
        self._change.setVisible(disk.tunable)
        self._portrait.setVisible(bool(disk.mounts))
        self._keep.setVisible(self._trial is not None)
        self._back.setVisible(disk.tunable and (self._is_ours or self._trial is not None))
        self._pause.setVisible(self._choice.paused is not None)
        self._activity.setVisible(disk.tunable)
        self._rate.setVisible(disk.tunable)


def _headline(disk: Disk) -> str:
    """The name people know a disk by."""
    product = " ".join(part for part in (disk.vendor, disk.model) if part)
    return product or named(disk.kind.name)


def _mounted_at(disk: Disk) -> str:
    """Where a disk is mounted, with the most free space among these places."""
    if not disk.mounts:
        return text("mounted-nowhere")
    paths = ", ".join(mount.path for mount in disk.mounts[:_MOUNTS])
    free, more = max(mount.free_bytes for mount in disk.mounts), len(disk.mounts) - _MOUNTS
    return text("mounted-at-more" if more > 0 else "mounted-at", paths=paths, free=free, count=more)


def _hint(disk: Disk, *, advise: bool) -> str:
    """What prevents measuring, else what to try first."""
    if disk.why_not is not None:
        return " ".join(filter(None, (_doubt(disk), say(disk.why_not))))
    if not disk.mounts:
        return text("nothing-mounted")
    return " ".join(filter(None, (_doubt(disk), suggestion_text(disk, disk.suggestion) if advise else "")))


def _doubt(disk: Disk) -> str:
    return say(disk.kind_doubt) if disk.kind_doubt else ""


def suggestion_text(disk: Disk, first: Suggestion | None) -> str:
    """Return the starting point for a disk, with its reason; never worded as a finding."""
    if first is None:
        return ""
    used = first.scheduler == disk.scheduler
    sentence = text("good-start" if used else "worth-trying", scheduler=first.scheduler, why=first.why)
    return f"{sentence} {say(first.limit)}" if first.limit else sentence
