# SPDX-License-Identifier: GPL-3.0-or-later
"""What all pages are made of: texts, buttons, and boxes to put them in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QSize, Qt
from PySide6.QtGui import QAccessible, QFocusEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from disktuner.gui.style import BODY, HEADING, TITLE, look, text_role
from disktuner.vocabulary.schedulers import SCHEDULERS

_HYPHENED = tuple(name for name in SCHEDULERS if "-" in name)
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[^\W\d_]{1,3}(?:/s)?|%)(?:\W|$))")
_MOST_WIDTHS = 37
"""How wide a page becomes at most, in units of ``wide``: longer lines are hard to read."""
TWO_COLUMNS = 30
"""From which width on a page has two columns, in the same units."""


def plain(text: str) -> str:
    """A text for a place where Qt guesses whether it is markup (tool tips, dialogs): shown as it is, whatever it is."""
    if "<" not in text and "&" not in text:
        return text
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def _unbroken(text: str) -> str:
    """The same text, in which no line ends within the name of a scheduler or before a unit: to be shown, not copied."""
    for name in _HYPHENED:
        text = text.replace(name, name.replace("-", "\N{NON-BREAKING HYPHEN}"))
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


class Wrapped(QLabel):
    """A text of several lines, of which none ends within the name of a scheduler or before a unit.

    ``text`` is the plain one, which is shown where it can be copied.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)

    def setText(self, text: str) -> None:
        self._plain = text
        selectable = self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
        super().setText(text if selectable else _unbroken(text))

    def text(self) -> str:
        """What it says, as it is written."""
        return self._plain

    def setTextInteractionFlags(self, flags: Qt.TextInteractionFlag) -> None:
        super().setTextInteractionFlags(flags)
        self.setText(self._plain)


class Heading(Wrapped):
    """A text that screen readers find when they look for headings; the keyboard can be put there, so that they read.

    It is called what it shows, or by a ``name`` where that changes all the time.
    """

    accessible_role = QAccessible.Role.Heading

    def __init__(self, text: str, name: str = "") -> None:
        self._name = name
        super().__init__(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(self._name or text)


class Elided(QLabel):
    """What a page is about, in one line that ends in an ellipsis where there is no room; the tool tip has all of it."""

    accessible_role = QAccessible.Role.Heading

    def __init__(self, text: str, *, bold: bool = False) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        text_role(self, bold=bold)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)
        self.setToolTip(plain(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(look().wide * 3, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(look().text)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()


def label(text: str = "", size: float = BODY, *, bold: bool = False, tone: str = "", wrap: bool = False) -> QLabel:
    """A text."""
    return _set(Wrapped(text) if wrap else QLabel(text), size, bold=bold, tone=tone, wrap=wrap)


def title(text: str, name: str = "") -> QLabel:
    """A page's title; see ``Heading``."""
    return _set(Heading(text, name), TITLE, bold=True, wrap=True)


def heading(text: str, *, wrap: bool = False) -> QLabel:
    """A heading within a page."""
    return _set(Heading(text), HEADING, bold=True, wrap=wrap)


def _set(made: QLabel, size: float, *, bold: bool, tone: str = "", wrap: bool) -> QLabel:
    """Plain text always: names come from hardware and must not be read as markup."""
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if wrap:
        made.setSizePolicy(_as_high_as_needed(QSizePolicy.Policy.Preferred))
    text_role(made, size, bold=bold, colour=tone)
    return made


def _as_high_as_needed(across: QSizePolicy.Policy) -> QSizePolicy:
    policy = QSizePolicy(across, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    return policy


def button(
    text: str, on_click: Callable[[], object], *, primary: bool = False, flat: bool = False, link: bool = False
) -> QPushButton:
    """A button that reacts to Return as well as to Space; a ``link`` looks like a text."""
    made = QPushButton(text)
    made.setAutoDefault(True)
    made.setProperty("primary", primary)
    made.setProperty("flat", flat)
    if link:
        made.setProperty("link", True)
        text_role(made)
    made.clicked.connect(lambda _checked=False: on_click())
    return made


class Fold(QPushButton):
    """Shows and hides a part of a page; its mark says which of both it does next."""

    def __init__(self, name: str, on_toggle: Callable[[bool], object], *, flat: bool = False) -> None:
        super().__init__(f"{name} ▸")
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setAutoDefault(True)
        self.setFlat(flat)
        self.toggled.connect(lambda on: self.setText(f"{name} {'▾' if on else '▸'}"))
        self.toggled.connect(on_toggle)


class Table(QTableView):
    """A table of lines; whoever comes to it by keyboard stands on a line that is chosen."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes a cell the current one, but chooses nothing."""
        super().focusInEvent(event)
        if self.currentIndex().isValid() and not self.selectionModel().hasSelection():
            self.selectRow(self.currentIndex().row())


def table(model: QAbstractItemModel, name: str) -> QTableView:
    """A table of lines; Tab leads out of it."""
    made = Table()
    made.setModel(model)
    made.setAccessibleName(name)
    made.setAlternatingRowColors(True)
    made.setShowGrid(False)
    made.verticalHeader().hide()
    made.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    made.setTabKeyNavigation(False)
    made.setWordWrap(False)
    return made


def row(*content: QWidget | QLayout | None, gap: int | None = None, wide: int | None = None) -> QHBoxLayout:
    """Widgets and layouts side by side; None takes the room that is left, or the one whose number is ``wide``."""
    return _fill(QHBoxLayout(), content, gap, wide)


def column(*content: QWidget | QLayout | None, gap: int | None = None, wide: int | None = None) -> QVBoxLayout:
    """Widgets and layouts below each other; None takes the room that is left, or the one whose number is ``wide``."""
    return _fill(QVBoxLayout(), content, gap, wide)


def facts(rows: Iterable[tuple[QWidget, QWidget]], gap: int) -> QGridLayout:
    """Names, each with what it says, which takes the room that is left."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().large)
    grid.setVerticalSpacing(gap)
    grid.setColumnStretch(1, 1)
    for number, (name, value) in enumerate(rows):
        grid.addWidget(name, number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(value, number, 1)
    return grid


def beside(line: QBoxLayout, fits: bool) -> None:
    """What stands in a line stands side by side where it fits there, else below each other."""
    line.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)


def has_columns(width: int) -> bool:
    """Whether a page of this width has room for two columns: from 900 pixels on at an ordinary font."""
    return width >= look().wide * TWO_COLUMNS


_Box = TypeVar("_Box", bound=QBoxLayout)


def _fill(layout: _Box, content: tuple[QWidget | QLayout | None, ...], gap: int | None, wide: int | None) -> _Box:
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(look().small if gap is None else gap)
    for each in content:
        if each is None:
            layout.addStretch(1)
        elif isinstance(each, QWidget):
            layout.addWidget(each)
        else:
            layout.addLayout(each)
    if wide is not None:
        layout.setStretch(wide, 1)
    return layout


def parts_of(page: QWidget) -> list[QWidget]:
    """The widgets that a page is laid out of, in their order."""
    layout = page.layout()
    items = (layout.itemAt(at) for at in range(layout.count())) if layout is not None else ()
    return [part for item in items if item is not None and (part := item.widget()) is not None]


def with_margin(layout: QLayout, margin: int, upright: int | None = None) -> QLayout:
    """The layout with a margin at each side, and with another one above and below."""
    up = margin if upright is None else upright
    layout.setContentsMargins(margin, up, margin, up)
    return layout


def page_wide(content: QLayout) -> QHBoxLayout:
    """In the middle of its room, no wider than what ``scrolled`` shows: all parts of a window are in line."""
    inner = QWidget()
    inner.setLayout(content)
    inner.setMaximumWidth(look().wide * _MOST_WIDTHS)
    line = row(None, inner, None, gap=0)
    line.setStretch(1, 1000)
    return line


def card(content: QLayout) -> QFrame:
    """A framed surface with the usual inner margin."""
    frame = QFrame()
    frame.setProperty("card", True)
    frame.setLayout(with_margin(content, look().medium))
    return frame


def bar(content: QLayout, *, foot: bool = False, upright: int | None = None) -> QFrame:
    """A bar across the window above a page, or as its foot below it."""
    frame = QFrame()
    frame.setProperty("bar", "foot" if foot else True)
    line = page_wide(with_margin(content, look().large, look().small if upright is None else upright))
    line.addStrut(look().wide + look().tight)  # as high without buttons as with them
    frame.setLayout(line)
    return frame


def foot_height() -> int:
    """How high each foot is at least, so that nothing above moves where one takes the place of another."""
    return look().large * 2 + look().tight


class Foot(QFrame):
    """The bar below a page: ``actions`` from the left, ``other`` on the right, or below them where it is too narrow."""

    def __init__(self, actions: Sequence[QWidget], other: QWidget | QLayout, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("bar", "foot")
        self._first, self._second = row(*actions, None), row(None, other)
        self._line = row(self._first, self._second, wide=0)
        self.setLayout(page_wide(with_margin(self._line, look().large, look().small)))
        self.setMinimumHeight(foot_height())

    def minimumSizeHint(self) -> QSize:
        widest = max(self._first.minimumSize().width(), self._second.minimumSize().width())
        return QSize(widest + 2 * look().large, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In as many lines as are needed."""
        super().resizeEvent(event)
        needed = self._first.sizeHint().width() + self._second.sizeHint().width() + 3 * look().large
        beside(self._line, needed <= self.width())


class Columns(QWidget):
    """A part of about two thirds, and beside it others below each other; where it is too narrow, these are below it.

    ``spare`` says how much higher than it must be the first may become.
    """

    def __init__(self, first: QWidget, others: Sequence[QWidget], spare: Callable[[], int]) -> None:
        super().__init__()
        second = QWidget()
        self._parts, self._spare = (first, second), spare
        self._line, self._others = row(first, second, gap=look().small), column(*others, None, gap=look().small)
        second.setLayout(self._others)
        for at, (part, share) in enumerate(zip(self._parts, (64, 36), strict=True)):
            part.setSizePolicy(_as_high_as_needed(QSizePolicy.Policy.Ignored))
            self._line.setStretch(at, share)
        self.setSizePolicy(_as_high_as_needed(QSizePolicy.Policy.Preferred))
        for at in range(len(others)):
            self._others.setStretch(at, 1)
        self._others.setStretch(len(others), 0)
        self.setLayout(self._line)

    def minimumSizeHint(self) -> QSize:
        widest = max(part.minimumSizeHint().width() for part in self._parts)
        return QSize(widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Beside each other where there is room."""
        super().resizeEvent(event)
        fits = has_columns(self.width())
        beside(self._line, fits)
        beside(self._others, not fits)
        first, second = (part.heightForWidth(part.width()) for part in self._parts)
        first += self._spare()
        self.setMaximumHeight(max(first, second) if fits else first + second + self._line.spacing())


class _Scrolled(QScrollArea):
    """What it shows stays in the middle of it, in line with what does not scroll, whether there is a bar or not."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As much room on the other side as the bar takes, where it is to be had."""
        super().resizeEvent(event)
        bar, margins, content = self.verticalScrollBar(), self.viewportMargins(), self.widget()
        taken = bar.width() if bar.isVisible() else 0
        left = max(0, min(taken, self.width() - taken - content.maximumWidth())) if content else 0
        if left != margins.left():
            self.setViewportMargins(left, 0, 0, 0)


def scrolled(content: QWidget) -> QScrollArea:
    """A page that scrolls where the window is too low for it.

    How high it must be follows from its width alone: it has no height of its own, or Qt would give it the one that it
    needs at its narrowest, and it would scroll on into nothing.
    """
    area = _Scrolled()
    policy = content.sizePolicy()
    policy.setVerticalPolicy(QSizePolicy.Policy.Ignored)
    content.setSizePolicy(policy)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    content.setMaximumWidth(look().wide * _MOST_WIDTHS)
    area.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
    area.setWidget(content)
    return area
