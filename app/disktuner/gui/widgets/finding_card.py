# SPDX-License-Identifier: GPL-3.0-or-later
"""One finding of a check-up as a card: the value, who sets it, why that is suspicious, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QFont, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from disktuner.checkup.findings import ByHand, Finding
from disktuner.gui.state import Leave
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Fold, button, card, column, facts, heading, label, permit, row, with_margin
from disktuner.gui.widgets.severity import Severity, in_one_line
from disktuner.remedies import Remedy
from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.workloads import WORKLOADS

_BY_MOUSE = Qt.TextInteractionFlag.TextSelectableByMouse
SELECTABLE = _BY_MOUSE | Qt.TextInteractionFlag.TextSelectableByKeyboard
"""Selectable by keyboard, too, which makes a text a Tab stop."""
Tell = Callable[[str, str], object]


def code(written: str) -> QLabel:
    """Return a file's line or a command: monospaced and selectable."""
    code_label = label(written, wrap=True)
    font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    font.setPointSizeF(QApplication.font().pointSizeF())
    code_label.setFont(font)
    code_label.setTextInteractionFlags(_BY_MOUSE)
    code_label.setContentsMargins(0, 0, 0, look().tight // 2)  # or a scale of 1.25 cuts underscores off
    return code_label


class Steps(QWidget):
    """What to do outside of Disktuner: a sentence, and commands to copy, for doing and undoing it."""

    def __init__(self, by_hand: ByHand | Remedy, tell: Tell) -> None:
        super().__init__()
        self._tell = tell
        self.copies: list[QPushButton] = []
        self._content = column(label(say(by_hand.what), wrap=True))
        self._add(by_hand.commands)
        if isinstance(by_hand, Remedy) and by_hand.undo:
            self._content.addWidget(label(text("checkup-fix-undo"), tone="muted"))
            self._add(by_hand.undo)
        self.setLayout(self._content)

    def _add(self, commands: Sequence[str]) -> None:
        for command in commands:
            copy = button(text("copy-command"), partial(self._copy, command))
            copy.setAccessibleName(text("copy-this-command", command=command))
            self.copies.append(copy)
            frame = QFrame()
            frame.setProperty("code", True)
            line = row(code(command), copy, gap=look().medium, wide=0)
            frame.setLayout(with_margin(line, look().small, look().tight))
            self._content.addWidget(frame)

    def _copy(self, command: str) -> None:
        QGuiApplication.clipboard().setText(command)
        self._tell(text("command-copied"), "good")


class FindingCard(QWidget):
    """A finding; ``tell`` shows a sentence in a tone.

    Signals: ``use`` (until the next restart) and ``keep`` (also after it) carry the proposed setting, ``measure`` also
    what shows its effect.
    """

    accessible_role = QAccessible.Role.Grouping
    measure = Signal(object, object)
    use = Signal(object)
    keep = Signal(object)

    def __init__(self, finding: Finding, tell: Tell) -> None:
        super().__init__()
        self.finding = finding
        self.setAccessibleName(in_one_line(finding))
        self._make_buttons()
        now = look()
        head = column(Severity(finding.check.severity.value), heading(say(finding.what), wrap=True), gap=now.tight)
        why = column(label(say(finding.why), wrap=True), label(say(finding.costs), wrap=True), gap=now.tight)
        self.by_hand = Steps(finding.by_hand, tell) if finding.by_hand else None
        self.remedy = Steps(finding.remedy, tell) if finding.remedy else None
        before_and_after = Steps(finding.before_and_after, tell) if finding.before_and_after else None
        content = column(head, why, self._facts(), gap=now.medium)
        for steps in (self.by_hand, self.remedy, before_and_after):
            if steps is not None:
                content.addWidget(steps)
        content.addLayout(row(self.measure_button, self.use_button, self.keep_button, None))
        content.addWidget(self._nothing_set)
        content.addLayout(self._sources())
        self.setLayout(column(card(content)))
        self.allow(Leave(), Leave(), Leave(), by_hand=False)

    def _make_buttons(self) -> None:
        finding = self.finding
        fix, evidence = finding.fix, finding.check.shown
        measured = fix is not None and evidence is not None
        self.measure_button = button(text("measure-it"), lambda: self.measure.emit(fix, evidence), primary=measured)
        self.use_button = button(text("set-it"), lambda: self.use.emit(fix), primary=not measured)
        self.keep_button = button(text("set-it-for-good"), lambda: self.keep.emit(fix))
        self._nothing_set = label(text("nothing-is-set-here"), tone="muted", wrap=True)
        activities = (
            tuple(named(WORKLOADS[workload].activity) for workload in evidence.workloads)
            if evidence is not None
            else ()
        )
        self._hints = {
            self.measure_button: text("measure-it-hint", workloads=activities) if activities else "",
            self.use_button: text("set-it-hint"),
            self.keep_button: text("set-it-for-good-hint"),
        }
        for widget in self._hints:
            widget.setAccessibleName(widget.text())

    def _facts(self) -> QGridLayout:
        return facts(((label(text(name), tone="muted"), value) for name, value in self._rows()), look().tight)

    def _rows(self) -> Iterator[tuple[str, QLabel]]:
        finding = self.finding
        if finding.setting:
            yield "fact-set-now", code(f"{finding.setting} = {finding.value}")
        yield "fact-set-by", label(say(finding.set_by), wrap=True)
        if finding.kernel is not None:
            yield "fact-kernel", label(say(finding.kernel), wrap=True)
        if finding.fix is not None:
            assignments = [f"{name} = {value}" for name, value in finding.fix.tunables]
            yield "fact-proposed", code("\n".join(assignments or [f"queue/scheduler = {finding.fix.scheduler}"]))

    def _sources(self) -> QVBoxLayout:
        """Folded away: one click makes it visible, and selectable."""
        rule = self.finding.rule
        known = [self.finding.check.source, *([rule.source] if rule else [])]
        sources = label("\n".join(dict.fromkeys(known)), tone="muted", wrap=True)
        sources.setTextInteractionFlags(SELECTABLE)
        sources.hide()
        self.fold = Fold(text("sources"), sources.setVisible)
        self.fold.setProperty("link", True)
        self.fold.setProperty("tone", "muted")
        return column(row(self.fold, None), sources, gap=look().tight)

    def allow(self, measure: Leave, use: Leave, keep: Leave, *, by_hand: bool) -> None:
        """Disable what may not be done now, with the reason; without the helper it is done ``by_hand``."""
        finding = self.finding
        settable = finding.fix is not None
        self.measure_button.setVisible(settable and finding.check.shown is not None)
        for widget in (self.use_button, self.keep_button):
            widget.setVisible(settable)
        for (widget, hint), leave in zip(self._hints.items(), (measure, use, keep), strict=True):
            permit(widget, leave.reason, hint)
            widget.setAccessibleDescription(" ".join((say(finding.what), leave.reason or hint)))
        if self.by_hand is not None:
            self.by_hand.setVisible(finding.check.of_machine or not finding.is_fixed_by_setting or by_hand)
        self._nothing_set.setVisible(settable and not finding.is_fixed_by_setting)

    @property
    def first(self) -> QWidget:
        """The widget to focus first."""
        for widget in (self.measure_button, self.use_button):
            if widget.isEnabled() and not widget.isHidden():
                return widget
        steps = [part for part in (self.by_hand, self.remedy) if part is not None and not part.isHidden()]
        return next((copy for part in steps for copy in part.copies), self.fold)
