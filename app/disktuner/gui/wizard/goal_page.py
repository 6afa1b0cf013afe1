# SPDX-License-Identifier: GPL-3.0-or-later
"""First step: what the disk is for, as pictures with one sentence each."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QSizePolicy, QWidget

from disktuner.gui.icons import Pictogram
from disktuner.gui.style import SMALL, look
from disktuner.gui.widgets.layout import column, heading, label, row, title, with_margin
from disktuner.gui.wizard.own_panel import OwnPanel
from disktuner.results.definition import Definition
from disktuner.vocabulary.goals import DESKTOP, GOALS, OWN, Goal
from disktuner.vocabulary.messages import named, text


class ChoiceButton(QPushButton):
    """A large button for one of several choices: a pictogram, a name, a sentence, perhaps a quiet remark.

    Checkable; its height follows its text and width. Signals: ``double_clicked``."""

    double_clicked = Signal()

    def __init__(self, name: str, sentence: str, picture: str = "", remark: str = "") -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setProperty("choice", True)
        self.setAccessibleName(name)
        self.setAccessibleDescription(f"{sentence} {remark}".rstrip())
        texts = column(heading(name, wrap=True), label(sentence, wrap=True), gap=look().tight)
        if remark:
            texts.addWidget(label(remark, SMALL, tone="muted", wrap=True))
        texts.addStretch(1)
        content = row(gap=look().medium)
        if picture:
            content.addLayout(column(Pictogram(picture, round(look().wide * 1.3), "accent"), None))
        content.addLayout(texts, 1)
        self.setLayout(with_margin(content, look().medium))
        for each in self.findChildren(QWidget):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        """Its texts wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As its content says, not as a plain button's text would."""
        content = self.layout()
        return content.totalHeightForWidth(width) if content is not None else super().heightForWidth(width)

    def sizeHint(self) -> QSize:
        """The content's."""
        content = self.layout()
        return content.totalSizeHint() if content is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        """The content's."""
        content = self.layout()
        return content.totalMinimumSize() if content is not None else super().minimumSizeHint()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Choose and go on."""
        super().mouseDoubleClickEvent(event)
        self.double_clicked.emit()


class GoalPage(QWidget):
    """One choice per declared goal and one for a program of the user's own; *Everyday use* is chosen at first.

    Signals: ``chosen`` when the choice is taken by a double click, ``changed`` when there is another choice.
    """

    chosen = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, ChoiceButton] = {goal.id: self._make(goal) for goal in (*GOALS.values(), OWN)}
        self.own_panel = OwnPanel()
        grid = QGridLayout()
        grid.setSpacing(look().medium)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        for number, made in enumerate(self.buttons.values()):
            grid.addWidget(made, number // 2, number % 2)
        self.buttons[DESKTOP.id].setChecked(True)
        self.own_panel.hide()
        self.buttons[OWN.id].toggled.connect(self._own_toggled)
        self.own_panel.changed.connect(self.changed)
        hint = label(text("goal-hint"), tone="muted", wrap=True)
        self.setLayout(column(title(text("goal-question")), hint, grid, self.own_panel, None, gap=look().medium))

    def _make(self, goal: Goal) -> ChoiceButton:
        remark = text("goal-worth", least=goal.worth, why=goal.worth_why)
        made = ChoiceButton(named(goal.name), named(goal.about), goal.icon, remark)
        made.double_clicked.connect(self.chosen)
        self._group.addButton(made)
        return made

    def _own_toggled(self, on: bool) -> None:
        self.own_panel.setVisible(on)
        self.changed.emit()

    @property
    def own(self) -> Definition | None:
        """The program of the user's own, None where a goal is chosen or it is not said yet."""
        return self.own_panel.definition if self.goal == OWN.id else None

    @property
    def is_complete(self) -> bool:
        """Whether all is said that has to be."""
        return self.goal != OWN.id or self.own is not None

    def choose(self, goal: str) -> None:
        """Choose the goal of this id."""
        self.buttons[goal].setChecked(True)

    @property
    def goal(self) -> str:
        """The id of the chosen goal."""
        return next(goal for goal, made in self.buttons.items() if made.isChecked())
