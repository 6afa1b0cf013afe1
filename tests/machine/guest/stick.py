# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: a newcomer's whole way with a slow stick, by the mouse, at the window on a screen of its own.

``stick.py DISK SERIAL PICTURES`` begins when the stick is plugged in and mounted. Its copies seem done too early: it is
measured, what is recommended is tried and kept. Then the stick is unmounted, pulled out and plugged in again elsewhere,
each as soon as the picture is there that shows what is waited for; at last all is taken back. Passwords are asked for
at the terminal. Writes what was seen to PICTURES/seen.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import JudgedResult
from disktuner.experiment.events import Event
from disktuner.gui.instruments import real_instruments
from disktuner.gui.main import dress
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.helper_client.text_agent import text_agent
from disktuner.presentation import present
from disktuner.verdict.judge import judge
from disktuner.vocabulary.goals import REMOVABLE
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.tunables import BYTE_LIMIT
from tests.machine.guest.window import Sitting, screen, won_by

_DOWN, _UP = QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease


class _Limiting(Comparison):
    """Real to the end, where the limit always wins, as the tests are about what follows.

    An emulated processor may be too slow to fill a stick's memory, and then the limit does not even lead.
    """

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        outcome = super().run(listener)
        first = outcome.verdict.winner or outcome.verdict.leader
        if first is not None and BYTE_LIMIT in first.values:
            return outcome
        limited = next(setting for setting in outcome.result.plan.settings if BYTE_LIMIT in setting.values)
        return won_by(outcome, limited)


class Newcomer(Sitting):
    """A person who looks for the stick's card and presses what is visible."""

    def __init__(self, disk: str, serial: str, pictures: Path) -> None:
        self._serial = serial
        with_ = replace(real_instruments(), compare=lambda request: _Limiting(request, real_environment()))
        super().__init__(disk, pictures, with_)

    @property
    def card(self) -> Any:
        """Return the stick's card, None if there is none."""
        cards = self.app.window.disks_page.cards
        return next((card for card in cards if card.disk.serial == self._serial), None)

    def sees_disk(self) -> bool:
        """Whether the stick is shown: a newcomer does not wait until all disks are checked."""
        return self.app.ready and self.card is not None

    def choose(self) -> None:
        """Choose its row."""
        self.click(lambda: self.card._name)

    def click(self, find: Callable[[], QWidget]) -> None:
        """Click on a control once it can be pressed and nothing covers it."""
        self.until(lambda: self._is_in_reach(find()))
        target = find()
        place = QPointF(target.rect().center())
        for kind, buttons in ((_DOWN, Qt.MouseButton.LeftButton), (_UP, Qt.MouseButton.NoButton)):
            at = target.mapToGlobal(place)
            event = QMouseEvent(kind, place, at, Qt.MouseButton.LeftButton, buttons, Qt.KeyboardModifier.NoModifier)
            QApplication.sendEvent(target, event)

    def _is_in_reach(self, target: QWidget) -> bool:
        """Whether a click in its middle reaches it; cards grow when disks have been checked, so it is scrolled to."""
        self.app.window.disks_page._scroll.ensureWidgetVisible(target)
        widget = QApplication.widgetAt(target.mapToGlobal(target.rect().center()))
        return target.isEnabled() and widget is not None and (widget is target or target.isAncestorOf(widget))

    def see(self, name: str, text: str) -> None:
        """Wait until the card says that of what waits for the stick, and keep a picture of it."""
        self.until(lambda: self.card and text in self.card._waiting.text())
        self.picture(name)

    def to_answer(self) -> ResultPage:
        """Report a complaint, and have the stick measured."""
        self.click(lambda: self.app.window.disks_page.complaints.buttons[REMOVABLE.id])
        self.picture("plugged")
        return self.answered(self.ask())

    def unplug_and_plug_in(self) -> None:
        """See it safe, gone, and back with what was chosen."""
        self.see("written", "unmounting will not take long")
        self.see("safe", text("pending-safe"))
        self.until(lambda: self.card is None)
        self.picture("gone")
        self.until(lambda: self.card and self.card._choice_label.text() == text("chosen-for-good"))
        self.picture("again")

    def take_back(self) -> None:
        """Press *Go back* on the card."""
        self.click(lambda: self.card._back)
        self.until(lambda: self.card and not self.card._back.isVisible() and self.card._change.isEnabled())
        self.picture("back")


def main() -> None:
    """Run one session."""
    disk, serial, pictures = sys.argv[1:]
    with screen(), text_agent():
        application = QApplication(["disktuner"])
        dress(application)
        newcomer = Newcomer(disk, serial, Path(pictures))
        page = newcomer.to_answer()
        result = page.presented.result
        verdict = judge(result)
        report = {"decision": verdict.decision, "winner": verdict.winner.name if verdict.winner else None}
        report["said"] = present(result, verdict).glance.sentence
        Path(pictures, "answer.json").write_text(json.dumps(report))
        newcomer.apply(page)
        report["chip"] = newcomer.card._chip._words.text()
        newcomer.unplug_and_plug_in()
        report["again"] = newcomer.card._chip._words.text()
        newcomer.take_back()
        Path(pictures, "seen.json").write_text(json.dumps(report))
        newcomer.leave()


if __name__ == "__main__":
    main()
