# SPDX-License-Identifier: GPL-3.0-or-later
"""Letters that press buttons with Alt: chosen while the window runs, in any language, so that no two are alike.

What is seen together has different letters. A text that is seen more than once (on the cards of several disks) has
none, because nobody could tell which of them is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QPushButton,
    QWidget,
)


class Lettered:
    """A button whose ``text`` is what people read; Qt's own also marks the ``letter`` of it that presses the button."""

    _plain, letter = "", ""

    def setText(self: Any, text: str) -> None:
        """Show it."""
        if text != self._plain:
            self._plain, self.letter = text, ""
            super().setText(_marked(text, ""))  # type: ignore[misc]
            _choose_soon(self)

    def text(self) -> str:
        """What it says."""
        return self._plain

    def show_letter(self: Any, letter: str) -> None:
        """Mark one of its letters, or none."""
        if letter != self.letter:
            self.letter = letter
            super().setText(_marked(self._plain, letter))  # type: ignore[misc]

    def showEvent(self: Any, event: QShowEvent) -> None:
        """It joins those that are seen together."""
        super().showEvent(event)  # type: ignore[misc]
        _choose_soon(self)

    def hideEvent(self: Any, event: QHideEvent) -> None:
        """Its letter is free."""
        super().hideEvent(event)  # type: ignore[misc]
        _choose_soon(self)


class Button(Lettered, QPushButton):
    """A button."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)


class Check(Lettered, QCheckBox):
    """A box to tick."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)


class _Letters(QObject):
    """Chooses the letters of a window, not of its dialogs, once after all changes of a turn."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.soon = QTimer(self, singleShot=True, interval=0)
        self.soon.timeout.connect(self._choose)

    def _choose(self) -> None:
        if not self._window.isVisible():
            return  # what is shown later, and perhaps as a part of another window, joins those then
        own = [each for each in self._window.findChildren(QAbstractButton) if each.window() is self._window]
        lettered = [each for each in own if isinstance(each, Lettered) and each.isVisibleTo(self._window)]
        texts = Counter(each.text() for each in lettered)
        single = [each for each in lettered if texts[each.text()] == 1]
        for each, letter in zip(single, letters([(each.text(), each.letter) for each in single]), strict=True):
            each.show_letter(letter)
        for each in lettered:
            if texts[each.text()] > 1:
                each.show_letter("")


def letters(buttons: Sequence[tuple[str, str]]) -> list[str]:
    """A letter for each text, given the one that it has already; an empty one where all of its letters are taken.

    What a button has it keeps, so that nothing changes under a person's fingers.
    """
    taken, chosen = set[str](), list[str]()
    for _, had in buttons:
        chosen.append("" if had in taken else had)
        taken.add(had)
    for most in (1, None):  # first the letters with which texts begin, then any
        for place, (text, _) in enumerate(buttons):
            if not chosen[place]:
                chosen[place] = next((each for each in islice(_candidates(text), most) if each not in taken), "")
                taken.add(chosen[place])
    return chosen


def _candidates(text: str) -> Iterator[str]:
    """The letters of a text, first those with which words begin; signs that keyboards lack (Chinese) are none."""
    starts = [word[0] for word in text.lower().split()]
    yield from (
        each for each in (*starts, *text.lower()) if each.isalnum() and (each.isdigit() or each != each.upper())
    )


def _marked(text: str, letter: str) -> str:
    """A text as Qt takes it: & marks the letter, at the beginning of a word if it is one."""
    if not letter:
        return text.replace("&", "&&")
    places = [place for place, each in enumerate(text) if each.lower() == letter]
    place = next((each for each in places if not text[:each].strip() or text[each - 1].isspace()), places[0])
    return f"{text[:place].replace('&', '&&')}&{text[place:].replace('&', '&&')}"


def _choose_soon(part: QWidget) -> None:
    window = part.window()
    if window is not part:
        found = window.findChild(_Letters, options=Qt.FindChildOption.FindDirectChildrenOnly)
        (found or _Letters(window)).soon.start()
