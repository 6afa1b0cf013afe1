# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window does with the recorder: switch it, keep the last minutes, show and delete what was kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic, sleep
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

from disktuner.gui.export import InThread
from disktuner.gui.failures import failure_text
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import Jobs
from disktuner.gui.widgets.incident_dialog import IncidentDialog
from disktuner.gui.widgets.recorder_panel import Freeze
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.goals import DESKTOP
from disktuner.vocabulary.messages import language, say
from disktuner.vocabulary.units import time
from disktuner.watch import control, unit
from disktuner.watch.incidents import Incident, Incidents
from disktuner.watch.told import begun, stood_still_s, why

_AGAIN_MS = 10_000
"""How often what was kept is read anew while somebody looks."""
_SETTLE_S = 5.0


class Service(Protocol):
    """The recorder; called in threads but for what records here."""

    def is_on(self) -> bool:
        """Whether one runs, whoever started it."""

    def switch(self, on: bool) -> bool:
        """Turn it on or off for good; False where nothing could do that but the window itself."""

    def settle(self, on: bool) -> None:
        """Wait until it is so, a few seconds at most."""

    def begin(self) -> Callable[[], object]:
        """Return what records here, in a thread, until ``stop``; ``ended`` when it has ended. In the GUI thread."""

    def stop(self) -> None:
        """End that, where anything runs. In the GUI thread."""

    def ended(self) -> None:
        """Nothing records here any more. In the GUI thread."""

    def keep_now(self) -> str:
        """Keep the last minutes, and return the id."""

    def incidents(self) -> list[Incident]:
        """All that was kept, the newest first."""

    def remove(self, id_: str) -> None:
        """Delete one."""


class RealService:
    """That of this user: a service of systemd's where there is one, else a thread of this window."""

    def __init__(self) -> None:
        self._incidents = Incidents()
        self._running: control.Running | None = None

    def is_on(self) -> bool:
        """Whether one runs, whoever started it."""
        return control.is_on()

    def switch(self, on: bool) -> bool:
        """Turn it on or off for good; False where systemd does not know it."""
        if not unit.is_there():
            return False
        unit.switch(on)
        return True

    def settle(self, on: bool) -> None:
        """Wait until it is so, a few seconds at most."""
        end_s = monotonic() + _SETTLE_S
        while control.is_on() != on and monotonic() < end_s:
            sleep(0.05)

    def begin(self) -> Callable[[], object]:
        """Return what records here, in a thread."""
        self._running = control.Running(self._incidents)
        return self._running.run

    def stop(self) -> None:
        """End that, where anything runs."""
        if self._running is not None:
            self._running.stop()

    def ended(self) -> None:
        """Nothing records here any more."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def keep_now(self) -> str:
        """Keep the last minutes, and return the id."""
        return control.keep_now()

    def incidents(self) -> list[Incident]:
        """All that was kept, the newest first."""
        return self._incidents.all()

    def remove(self, id_: str) -> None:
        """Delete one."""
        self._incidents.remove(id_)


class Recording(QObject):
    """Connects the recorder's panel with a service; ``in_thread`` does what may take long."""

    def __init__(self, window: Window, service: Service, in_thread: InThread, intents: Intents, jobs: Jobs) -> None:
        super().__init__(window)
        self._window, self._service, self._in_thread = window, service, in_thread
        self._intents, self._jobs = intents, jobs
        self._kept: dict[str, Incident] = {}
        self._panel = window.monitor_page.recorder
        self._panel.switched.connect(self._switch)
        self._panel.now.connect(lambda: in_thread(service.keep_now, self.refresh))
        self._panel.chosen.connect(self.open)
        self._timer = QTimer(self, interval=_AGAIN_MS)
        self._timer.timeout.connect(self._refresh_if_seen)
        self._timer.start()

    def refresh(self, *_: object) -> None:
        """Read anew what was kept."""
        self._in_thread(lambda: (self._service.is_on(), self._service.incidents()), self._show)

    def _refresh_if_seen(self) -> None:
        if self._panel.isVisible():
            self.refresh()

    def stop(self) -> None:
        """The window closes: what records in it ends."""
        self._timer.stop()
        self._service.stop()

    def open(self, id_: str) -> None:
        """Show one."""
        if (incident := self._kept.get(id_)) is None:
            return
        dialog = IncidentDialog(incident, self._window)
        dialog.measure.connect(lambda disk: self._intents.begin(disk, DESKTOP.id))
        dialog.remove.connect(lambda: self._in_thread(partial(self._service.remove, id_), self.refresh))
        dialog.open()

    def _show(self, found: tuple[bool, Sequence[Incident]]) -> None:
        on, incidents = found
        self._kept = {each.id: each for each in incidents}
        self._panel.show_state(on, [_freeze(each) for each in incidents])

    def _switch(self, on: bool) -> None:
        self._in_thread(partial(self._service.switch, on), partial(self._switched, on))

    def _switched(self, on: bool, done: bool) -> None:
        """Where nothing else can, this window records for as long as it is open."""
        if not done and on:
            self._jobs.start(self._service.begin(), self.refresh, self._failed, self._service.ended)
        elif not done:
            self._service.stop()
        self._in_thread(partial(self._service.settle, on), self.refresh)

    def _failed(self, error: Exception) -> None:
        self._window.show_notice(failure_text(error), "bad")
        self.refresh()


def _freeze(incident: Incident) -> Freeze:
    return (incident.id, begun(incident), time(stood_still_s(incident), language().numbers), say(why(incident)))
