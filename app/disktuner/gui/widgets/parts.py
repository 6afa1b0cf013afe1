# SPDX-License-Identifier: GPL-3.0-or-later
"""The small parts that all pages are made of: texts, buttons, boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from disktuner.gui.style import BODY, HEADING, TITLE, look, text_role
from disktuner.gui.wording import unbroken

_MOST_WIDTHS = 42
"""How wide a page becomes at most, in units of ``wide``: longer lines are hard to read."""


class Wrapped(QLabel):
    """A text of several lines, of which none ends within the name of a scheduler; ``text`` is the plain one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show it."""
        self._plain = text
        super().setText(unbroken(text))

    def text(self) -> str:
        """What it says, with the hyphens as they are written."""
        return self._plain


def label(text: str = "", size: float = BODY, *, bold: bool = False, tone: str = "", wrap: bool = False) -> QLabel:
    """A text. It is plain text always: names come from hardware and must not be read as markup."""
    made = Wrapped(text) if wrap else QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if wrap:
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        made.setSizePolicy(policy)
    text_role(made, size, bold=bold, colour=tone)
    return made


def title(text: str) -> QLabel:
    """A page's title."""
    return label(text, TITLE, bold=True, wrap=True)


def heading(text: str, *, wrap: bool = False) -> QLabel:
    """A heading within a page."""
    return label(text, HEADING, bold=True, wrap=wrap)


def button(text: str, on_click: Callable[[], object], *, primary: bool = False, flat: bool = False) -> QPushButton:
    """A button that reacts to Return as well as to Space."""
    made = QPushButton(text)
    made.setAutoDefault(True)
    made.setProperty("primary", primary)
    made.setProperty("flat", flat)
    made.clicked.connect(lambda _checked=False: on_click())
    return made


def row(*parts: QWidget | QLayout | None, gap: int | None = None) -> QHBoxLayout:
    """Parts side by side; None takes the room that is left."""
    return _fill(QHBoxLayout(), parts, gap)


def column(*parts: QWidget | QLayout | None, gap: int | None = None) -> QVBoxLayout:
    """Parts below each other; None takes the room that is left."""
    return _fill(QVBoxLayout(), parts, gap)


def page_wide(content: QLayout) -> QHBoxLayout:
    """In the middle of its room, no wider than what ``scrolled`` shows: all parts of a window are in line."""
    inner = QWidget()
    inner.setLayout(content)
    inner.setMaximumWidth(look().wide * _MOST_WIDTHS)
    line = row(None, inner, None, gap=0)
    line.setStretch(1, 1000)
    return line


_Box = TypeVar("_Box", bound=QBoxLayout)


def _fill(layout: _Box, parts: tuple[QWidget | QLayout | None, ...], gap: int | None) -> _Box:
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(look().small if gap is None else gap)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)
    return layout


def card(content: QLayout) -> QFrame:
    """A framed surface with the usual inner margin."""
    frame = QFrame()
    frame.setProperty("card", True)
    margin = look().medium
    content.setContentsMargins(margin, margin, margin, margin)
    frame.setLayout(content)
    return frame


def scrolled(content: QWidget) -> QScrollArea:
    """A page that scrolls where the window is too low for it.

    How high it must be follows from its width alone: it has no height of its own, or Qt would give it the one that it
    needs at its narrowest, and it would scroll on into nothing.
    """
    area = QScrollArea()
    policy = content.sizePolicy()
    policy.setVerticalPolicy(QSizePolicy.Policy.Ignored)
    content.setSizePolicy(policy)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    content.setObjectName("scrolled")
    content.setMaximumWidth(look().wide * _MOST_WIDTHS)
    area.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
    area.setWidget(content)
    area.viewport().setAutoFillBackground(False)
    content.setAutoFillBackground(False)
    return area
