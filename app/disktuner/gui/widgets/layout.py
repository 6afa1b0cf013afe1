# SPDX-License-Identifier: GPL-3.0-or-later
"""The building blocks of all pages: texts, buttons and layouts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QEvent, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
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
_ENDLESS = re.compile(r"\w{40}(?=\w)")
_MOST_WIDTHS = 37
"""The greatest width of a page, in units of ``wide``: longer lines are hard to read."""
_LAID_OUT_MS = 50
"""How long new widgets need for their final layout: every rewrapped text notifies its surroundings."""
TWO_COLUMNS = 30
"""The least width of a page with two columns, in the same units."""


def plain(text: str) -> str:
    """Return a text for places where Qt guesses whether it is markup (tool tips, dialogs), so that it is shown
    literally.
    """
    if "<" not in text and "&" not in text:
        return text
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def permit(control: QWidget, why_not: str, hint: str = "", about: str = "") -> None:
    """Enable a control or not; say why not, or else the ``hint``: without either, screen readers say ``about``."""
    control.setEnabled(not why_not)
    control.setToolTip(plain(why_not or hint))
    control.setAccessibleDescription(why_not or hint or about)


def _unbroken(text: str) -> str:
    """Return the text with no line break within a scheduler's name or before a unit, but within a word that no page is
    wide enough for, such as a disk's label: for display, not for copying.
    """
    text = _ENDLESS.sub("\\g<0>\N{ZERO WIDTH SPACE}", text)
    for name in _HYPHENED:
        text = text.replace(name, name.replace("-", "\N{NON-BREAKING HYPHEN}"))
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


class Wrapped(QLabel):
    """A text of several lines, without line breaks within a scheduler's name or before a unit.

    ``text`` is the plain one, which is also shown if the text can be copied.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)

    def setText(self, text: str) -> None:
        self._plain = text
        selectable = self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
        super().setText(text if selectable else _unbroken(text))

    def text(self) -> str:
        return self._plain

    def setTextInteractionFlags(self, flags: Qt.TextInteractionFlag) -> None:
        super().setTextInteractionFlags(flags)
        self.setText(self._plain)


class Heading(Wrapped):
    """A text that screen readers find as a heading; it can be focused, so that they read it."""

    accessible_role = QAccessible.Role.Heading

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)


class Elided(QLabel):
    """A page's subject, elided to one line; the tool tip shows all of it."""

    accessible_role = QAccessible.Role.Heading

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        text_role(self, bold=True)
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
    """Return a text."""
    return _set(Wrapped(text) if wrap else QLabel(text), size, bold=bold, tone=tone, wrap=wrap)


def pill() -> QLabel:
    """Return a few words on a background of their own, in one line."""
    widget = label()
    widget.setProperty("chip", True)
    widget.setContentsMargins(look().small, 1, look().small, 1)
    widget.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return widget


def title(text: str) -> QLabel:
    """Return a page's title; see ``Heading``."""
    return _set(Heading(text), TITLE, bold=True, wrap=True)


def heading(text: str, *, wrap: bool = False) -> QLabel:
    """Return a heading within a page."""
    return _set(Heading(text), HEADING, bold=True, wrap=wrap)


def _set(widget: QLabel, size: float, *, bold: bool, tone: str = "", wrap: bool) -> QLabel:
    """Set the format to plain text: names come from hardware and must not be read as markup."""
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setWordWrap(wrap)
    if wrap:
        widget.setSizePolicy(height_by_width(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum))
    text_role(widget, size, bold=bold, colour=tone)
    return widget


def height_by_width(across: QSizePolicy.Policy, upright: QSizePolicy.Policy) -> QSizePolicy:
    """Return the policy of a widget whose height follows from its width."""
    policy = QSizePolicy(across, upright)
    policy.setHeightForWidth(True)
    return policy


def keep_room(widget: QWidget) -> None:
    """Keep the room of a widget while it is hidden, so that nothing else moves."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


def button(
    text: str, on_click: Callable[[], object], *, primary: bool = False, flat: bool = False, link: bool = False
) -> QPushButton:
    """Return a button that reacts to Return as well as to Space; a ``link`` looks like text."""
    widget = QPushButton(text)
    widget.setAutoDefault(True)
    widget.setProperty("primary", primary)
    widget.setProperty("flat", flat)
    if link:
        widget.setProperty("link", True)
        text_role(widget)
    widget.clicked.connect(lambda _checked=False: on_click())
    return widget


class Fold(QPushButton):
    """Shows and hides a part of a page; its mark indicates which comes next."""

    def __init__(self, name: str, on_toggle: Callable[[bool], object], *, flat: bool = False) -> None:
        super().__init__(f"{name} ▸")
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setAutoDefault(True)
        self.setFlat(flat)
        self.toggled.connect(lambda on: self.setText(f"{name} {'▾' if on else '▸'}"))
        self.toggled.connect(on_toggle)


class Table(QTableView):
    """A table; focusing it by keyboard selects a row."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select a row: Qt makes a cell the current one, but selects nothing."""
        super().focusInEvent(event)
        if self.currentIndex().isValid() and not self.selectionModel().hasSelection():
            self.selectRow(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy all selected rows: Qt would copy a single cell."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        if not (event.matches(QKeySequence.StandardKey.Copy) and rows):
            super().keyPressEvent(event)
            return
        model = self.model()
        cells = ([str(model.index(row, at).data()) for at in range(model.columnCount())] for row in rows)
        QGuiApplication.clipboard().setText("\n".join(map("\t".join, cells)))


def table(model: QAbstractItemModel, name: str) -> QTableView:
    """Return a table of rows; Tab leads out of it."""
    view = Table()
    view.setModel(model)
    view.setAccessibleName(name)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.verticalHeader().hide()
    view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    view.setTabKeyNavigation(False)
    view.setWordWrap(False)
    return view


def row(*content: QWidget | QLayout | None, gap: int | None = None, wide: int | None = None) -> QHBoxLayout:
    """Lay out widgets and layouts side by side; None takes the rest of the room, or the one at index ``wide``."""
    return _fill(QHBoxLayout(), content, gap, wide)


def column(*content: QWidget | QLayout | None, gap: int | None = None, wide: int | None = None) -> QVBoxLayout:
    """Lay out widgets and layouts below each other; None takes the rest of the room, or the one at index ``wide``."""
    return _fill(QVBoxLayout(), content, gap, wide)


def facts(rows: Iterable[tuple[QWidget, QWidget]], gap: int) -> QGridLayout:
    """Lay out names with their contents, which take the rest of the room."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(look().large)
    grid.setVerticalSpacing(gap)
    grid.setColumnStretch(1, 1)
    for number, (name, value) in enumerate(rows):
        grid.addWidget(name, number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(value, number, 1)
    return grid


def beside(line: QBoxLayout, fits: bool) -> None:
    """Put the parts of a line side by side if they fit, else below each other."""
    line.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)


def has_columns(width: int) -> bool:
    """Whether a page of this width has room for two columns: from 900 pixels on at an ordinary font."""
    return width >= look().wide * TWO_COLUMNS


_Box = TypeVar("_Box", bound=QBoxLayout)


def _fill(layout: _Box, content: tuple[QWidget | QLayout | None, ...], gap: int | None, wide: int | None) -> _Box:
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(look().small if gap is None else gap)
    for part in content:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)
    if wide is not None:
        layout.setStretch(wide, 1)
    return layout


def parts_of(page: QWidget) -> list[QWidget]:
    """Return the widgets in a layout, in their order."""
    layout = page.layout()
    if layout is None:
        return []
    # Not by itemAt: PySide keeps its item, and finds that again where Qt has long put something else in its place.
    children = page.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    placed = {place: child for child in children if (place := layout.indexOf(child)) >= 0}
    return [placed[place] for place in sorted(placed)]


def filled(layout: QLayout) -> QWidget:
    """Return a widget with this layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def with_margin(layout: QLayout, margin: int, upright: int | None = None) -> QLayout:
    """Return the layout with a margin at each side, and another one above and below."""
    up = margin if upright is None else upright
    layout.setContentsMargins(margin, up, margin, up)
    return layout


def page_wide(content: QLayout) -> QHBoxLayout:
    """Centre the content, no wider than what ``scrolled`` shows, so that all parts of a window are aligned."""
    inner = filled(content)
    inner.setMaximumWidth(look().wide * _MOST_WIDTHS)
    line = row(None, inner, None, gap=0)
    line.setStretch(1, 1000)
    return line


def card(content: QLayout) -> QFrame:
    """Return a framed surface with the usual inner margin."""
    frame = QFrame()
    frame.setProperty("card", True)
    frame.setLayout(with_margin(content, look().medium))
    return frame


def bar(content: QLayout, *, foot: bool = False, upright: int | None = None) -> QFrame:
    """Return a bar across the window above a page, or as its foot."""
    frame = QFrame()
    frame.setProperty("bar", "foot" if foot else True)
    line = page_wide(with_margin(content, look().large, look().small if upright is None else upright))
    line.addStrut(look().wide + look().tight + (0 if foot else look().small))  # as high without buttons or tabs
    frame.setLayout(line)
    return frame


def make_foot(frame: QFrame, content: QLayout, kind: str = "foot") -> None:
    """Make a frame the bar below a page, as high as any other, so that nothing moves when one replaces another."""
    frame.setProperty("bar", kind)
    frame.setLayout(page_wide(with_margin(content, look().large, look().small)))
    frame.setMinimumHeight(look().large * 2 + look().tight)


class Foot(QFrame):
    """The bar below a page: ``actions`` from the left, ``other`` on the right, or below them if it is too narrow."""

    def __init__(self, actions: Sequence[QWidget], other: QWidget | QLayout) -> None:
        super().__init__()
        self._first, self._second = row(*actions, None), row(None, other)
        self._line = row(self._first, self._second, wide=0)
        make_foot(self, self._line)

    def minimumSizeHint(self) -> QSize:
        widest = max(self._first.minimumSize().width(), self._second.minimumSize().width())
        return QSize(widest + 2 * look().large, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use as many lines as necessary."""
        super().resizeEvent(event)
        needed = self._first.sizeHint().width() + self._second.sizeHint().width() + 3 * look().large
        beside(self._line, needed <= self.width())


class Columns(QWidget):
    """A part of about two thirds, and the others in a column beside it, or below it if it is too narrow.

    ``spare`` is how much higher than necessary the first may become.
    """

    def __init__(self, first: QWidget, others: Sequence[QWidget], spare: Callable[[], int]) -> None:
        super().__init__()
        self._others = column(*others, None, gap=look().small)
        self._parts, self._spare = (first, filled(self._others)), spare
        self._line = row(*self._parts, gap=look().small)
        for at, (part, share) in enumerate(zip(self._parts, (64, 36), strict=True)):
            part.setSizePolicy(height_by_width(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum))
            self._line.setStretch(at, share)
        self.setSizePolicy(height_by_width(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum))
        self.setLayout(self._line)

    def minimumSizeHint(self) -> QSize:
        widest = max(part.minimumSizeHint().width() for part in self._parts)
        return QSize(widest, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Put them side by side if there is room; what is shown later changes the height."""
        done = super().event(event)
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            self._fit()
        return done

    def _fit(self) -> None:
        fits = has_columns(self.width())
        beside(self._line, fits)
        beside(self._others, not fits)
        for at in range(last := self._others.count() - 1):  # below each other, they are as high as needed
            self._others.setStretch(at, 0 if fits else 1)
        self._others.setStretch(last, 1 if fits else 0)
        first, second = (part.heightForWidth(part.width()) for part in self._parts)
        first += self._spare()
        self.setMaximumHeight(max(first, second) if fits else first + second + self._line.spacing())


class _Scrolled(QScrollArea):
    """Keeps its content centred, aligned with what does not scroll, with or without a scroll bar."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave as much room on the other side as the bar takes, if there is any."""
        super().resizeEvent(event)
        bar, margins, content = self.verticalScrollBar(), self.viewportMargins(), self.widget()
        bar_width = bar.width() if bar.isVisible() else 0
        left = max(0, min(bar_width, self.width() - bar_width - content.maximumWidth())) if content else 0
        if left != margins.left():
            self.setViewportMargins(left, 0, 0, 0)


def scrolled(content: QWidget) -> QScrollArea:
    """Return a page that scrolls if the window is too low for it.

    Its height follows from its width alone: with a height of its own, Qt would use the one for its least width, and it
    would scroll on into nothing.
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


def reveal(part: QWidget) -> None:
    """Scroll to a part of a page, once it is laid out."""
    for area in part.window().findChildren(QScrollArea):
        if area.isAncestorOf(part):
            QTimer.singleShot(_LAID_OUT_MS, part, partial(area.ensureWidgetVisible, part))
