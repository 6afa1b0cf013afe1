# SPDX-License-Identifier: GPL-3.0-or-later
"""A portrait in the making: the curve grows while the disk is written to."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from disktuner.comparison.portrait import Announced, Portraying
from disktuner.experiment.events import Event, LivePoint, Part, Phase, PortraitSoFar, Warned
from disktuner.gui.failures import failure_text
from disktuner.gui.measurement.running_head import RunningHead, RunningView
from disktuner.gui.plots.live import LiveStrip
from disktuner.gui.plots.portrait import PortraitCurve
from disktuner.gui.shell import Shell
from disktuner.gui.state import State
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, bar, button, column, filled, row, scrolled, with_margin
from disktuner.presentation.portrait import PRESENT, ShownPortrait, curve_of, mean_speed, shown
from disktuner.results.portrait import Portrait
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import say, text


class SittingPage(QWidget):
    """Measures in a thread of ``shell.jobs``.

    Attributes: ``cancelling`` once it was told to end; ``part`` is the current part of the portrait, ``curve`` the
    measured part of the curve.

    Signals: ``ended``: the portrait or None, why it is incomplete, and a tone.
    """

    ended = Signal(object, str, str)
    _event = Signal(object)
    _speed_known = Signal(object)

    def __init__(self, portraying: Portraying, announced: Announced, shell: Shell) -> None:
        super().__init__()
        self._portraying, self._announcement, self._shell = portraying, announced, shell
        self.part, self.cancelling = Part.PREPARE, False
        self._runs, self._is_closed = True, False
        self._portrait: Portrait | None = None
        self.curve = PortraitCurve()
        self.cancel_button = button(text("cancel"), self.cancel)
        self.head = RunningHead(self.cancel_button)
        self.head.title.setText(text("measuring-disk", disk=announced.target.disk.title))
        self.head.steps.show_steps([text(f"step-{part}") for part in Part], in_turns=False)
        self._view = RunningView(self.head, self.curve, LiveStrip(turns=False))
        self.notice, self._so_far = self._view.notice, self._view.so_far
        self._lay_out()
        self._event.connect(self.show_event)
        self._speed_known.connect(self._show_speeds)

    def _lay_out(self) -> None:
        self._view.name.setText(text("portrait-curve"))
        head = bar(row(Elided(self._announcement.target.disk.title)))
        page = filled(with_margin(column(self._view), look().large, look().medium))
        self.setLayout(column(head, scrolled(page), gap=0, wide=1))

    def show_state(self, state: State) -> None:
        """This page shows the same in all states."""

    def focus_title(self) -> None:
        """Focus the heading, so that it is read out."""
        self.head.title.setFocus()

    def cancel(self) -> None:
        """End it; what was measured is kept."""
        self.cancelling = True
        self.head.show_cancelling(text("portrait-cancelling"))
        self._portraying.cancel()

    def leave(self) -> None:
        """The page was closed: end the portrait if it is still running."""
        self._is_closed = True
        if self._runs:
            self._portraying.cancel()
            self._shell.become(measured_disks=())

    def run(self) -> ShownPortrait:
        """Runs in the measuring thread: measure, and find where fast writing ends."""
        return shown(self._portraying.run(self._announcement, self._listen))

    def _listen(self, event: Event) -> None:
        """Runs in the measuring thread: pass the event to the GUI thread."""
        self._event.emit(event)
        if isinstance(event, PortraitSoFar) and event.part is Part.RECOVER:
            portrait = event.portrait
            if portrait and not portrait.bursts:
                self._speed_known.emit(shown(portrait))

    def show_event(self, event: Event) -> None:
        match event:
            case _ if self.cancelling:
                pass
            case PortraitSoFar():
                self._show(event)
            case Phase() if self.part is not Part.WRITE:
                self.head.what.setText(say(event.message))
            case LivePoint():
                self._view.strip.add(event)
            case Warned():
                self.notice.show_text(say(event.message), "caution")

    def _show(self, event: PortraitSoFar) -> None:
        is_new, portrait = event.part is not self.part, event.portrait
        self.part, self._portrait = event.part, portrait
        self.head.steps.go_to([*Part].index(event.part))
        self.head.begin(event.advance)
        self.head.speak(text("run-left", left=event.advance.at_most_s))
        if portrait and portrait.steps_s and event.part is Part.WRITE:
            self._show_curve(portrait)
        elif portrait and portrait.bursts and event.part is Part.RECOVER:
            burst = portrait.bursts[-1]
            self.head.what.setText(text("portrait-burst", pause=burst.after_s, rate=burst.bytes_per_s))
        elif is_new and event.part is Part.RECOVER:
            self.head.what.setText(text("portrait-rested"))

    def _show_curve(self, portrait: Portrait) -> None:
        curve, most = curve_of(portrait), self._announcement.curve_bytes
        sentence = text("portrait-writes", written=curve[-1][0], most=most, rate=mean_speed(curve[-PRESENT:]))
        self.head.what.setText(sentence)
        self.curve.show_curve(curve, sentence)

    def _show_speeds(self, portrait: ShownPortrait) -> None:
        """Where fast writing ends is known before everything is done."""
        self.curve.show_portrait(portrait)
        self._so_far.setText(portrait.title)
        self._so_far.show()

    def show_portrait(self, portrait: ShownPortrait) -> None:
        self._end(portrait, "", "info")

    def stopped(self, error: Exception) -> None:
        """It was cancelled, or failed; what was measured until then is shown."""
        incomplete, is_cancelled = self._portrait, isinstance(error, Cancelled)
        sentence = text("portrait-cancelled") if is_cancelled else failure_text(error)
        tone = "info" if is_cancelled else "bad"
        if incomplete is None or incomplete.is_empty:
            self._end(None, sentence, tone)
        else:
            sentence = f"{sentence}\n{text('portrait-kept-here')}"
            self._shell.in_thread(partial(shown, incomplete), lambda portrait: self._end(portrait, sentence, tone))

    def _end(self, portrait: ShownPortrait | None, sentence: str, tone: str) -> None:
        self._runs = False
        if not self._is_closed:
            self.ended.emit(portrait, sentence, tone)
