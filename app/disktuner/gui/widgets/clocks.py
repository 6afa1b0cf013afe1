# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clocks side by side: how long a program takes to start the old way and the new."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QWidget

from disktuner.gui.access import announce
from disktuner.gui.style import TITLE, look, set_property
from disktuner.gui.widgets.layout import card, column, label, row
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.settings import Setting


class Clocks(QWidget):
    """Hidden until it begins. The one whose turn it is stands out; each says the typical time of a start so far."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings: tuple[Setting, ...] = ()
        self.names = label(tone="muted"), label(tone="muted")
        self.times = label("", TITLE, bold=True), label("", TITLE, bold=True)
        self._frames: tuple[QFrame, ...] = tuple(
            card(row(name, None, time)) for name, time in zip(self.names, self.times, strict=True)
        )
        self._about = label(tone="muted", wrap=True)
        self.setLayout(column(self._about, row(*self._frames, gap=look().medium)))
        self.hide()

    def begin(self, settings: Sequence[Setting]) -> None:
        """Show clocks for the old setting and the new."""
        self._settings = tuple(settings)
        for setting, name, time in zip(settings, self.names, self.times, strict=True):
            name.setText(setting.words)
            time.setText(units.NOTHING)
        self.show()
        announce(self, text("difference-about"))

    def say(self, sentence: str) -> None:
        """What goes on."""
        self._about.setText(sentence)

    def turn_to(self, setting: Setting | None) -> None:
        """It is the turn of this one, or of none."""
        for each, frame in zip(self._settings, self._frames, strict=True):
            set_property(frame, "notice", "info" if each == setting else None)

    def show_times(self, seconds: Sequence[float | None]) -> None:
        """What starts took, as far as that is known."""
        for time, each in zip(self.times, seconds, strict=True):
            time.setText(units.time(each, language().numbers))

    def end(self) -> None:
        """Both had their turn, or it was stopped; where nothing was seen, nothing stays."""
        self.turn_to(None)
        if all(time.text() == units.NOTHING for time in self.times):
            self.hide()
            return
        self.say(text("difference-about"))
        shown = zip(self.names, self.times, strict=True)
        announce(self, "; ".join(f"{name.text()} {time.text()}" for name, time in shown))
