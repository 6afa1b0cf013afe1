# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window does with the recorder: record, switch its service, keep the last minutes, show what was kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from disktuner.gui.failures import failure_text
from disktuner.gui.refresher import Refresher
from disktuner.gui.shell import Shell
from disktuner.gui.state import State
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import language, say
from disktuner.vocabulary.units import time
from disktuner_watch.incidents import Incident
from disktuner_watch.samples import stalled_share
from disktuner_watch.service import Service
from disktuner_watch.window.incident_dialog import IncidentDialog
from disktuner_watch.window.recorder_panel import Freeze, RecorderPanel
from disktuner_watch.wording import begin_text, cure, needs_check, stood_still_s, why

_AGAIN_MS = 10_000
"""The interval at which the kept freezes are read while they are visible."""


class Recording(QObject):
    """Records while the window is open, and connects its panel with the recorder's service."""

    def __init__(self, window: Window, shell: Shell, service: Service | None = None) -> None:
        super().__init__(window)
        self._window, self._shell, self._service = window, shell, service or Service()
        self._incidents: dict[str, Incident] = {}
        self._panel: RecorderPanel | None = None
        self._over = self._is_keeping = False
        self._reader = Refresher(self._read, shell.jobs, shell)
        self._reader.refreshed.connect(self._show)
        self._reader.failed.connect(lambda error: shell.notified.emit(failure_text(error), "bad"))
        self._timer = QTimer(self, interval=_AGAIN_MS)
        self._timer.timeout.connect(self.refresh)
        shell.changed.connect(self.show_state)
        self._service.begin()

    def panel(self) -> RecorderPanel:
        """Return the panel of the recorder, and carry out what is pressed there."""
        self._panel = panel = RecorderPanel()
        panel.switched.connect(self._switch)
        panel.now.connect(self.keep_now)
        panel.chosen.connect(self._open_kept)
        self._timer.start()
        return panel

    def _switch(self, on: bool) -> None:
        self._shell.in_thread(partial(self._service.switch, on), self.refresh)

    def _open_kept(self, id_: str) -> None:
        self._open(self._incidents[id_])

    def show_state(self, before: State, now: State) -> None:
        """Record nothing during a measurement, which would record its own load."""
        if now.measured_disks and not before.measured_disks:
            self._service.end()
        elif before.measured_disks and not now.measured_disks and not self._over:
            self._service.begin()

    def stop(self) -> None:
        """The window closes: its recording ends, for which the program waits as for all its jobs."""
        self._over = True
        self._timer.stop()
        self._service.end()
        self._shell.in_thread(self._service.wait, lambda _: None)

    def refresh(self, *_: object) -> None:
        """Read the kept freezes again, if they are visible."""
        if self._panel is not None and self._panel.isVisible():
            self._reader.read_now()

    def _read(self) -> tuple[tuple[bool, bool], Sequence[Incident], Sequence[Path]]:
        return self._service.state(), self._service.incidents(), self._service.silent()

    def keep_now(self) -> None:
        """Keep the last minutes, and show why it froze: once, however often it is pressed while the disk is slow."""
        if not self._is_keeping:
            self._is_keeping = True
            self._shell.in_thread(self._service.keep_now, self._open, self._kept)

    def _kept(self) -> None:
        self._is_keeping = False

    def _open(self, incident: Incident) -> None:
        dialog = IncidentDialog(incident, self._window)
        dialog.measure.connect(partial(self._find_cure, incident))
        dialog.remove.connect(partial(self._remove, incident))
        dialog.open()
        self.refresh()

    def _remove(self, incident: Incident) -> None:
        self._shell.in_thread(partial(self._service.remove, incident.id), self.refresh)

    def _find_cure(self, incident: Incident) -> None:
        disk, remedy = incident.cause.disk, cure(incident)
        if needs_check(incident):
            self._shell.check(disk)
        elif remedy is not None:
            self._shell.begin(disk, remedy.goal, workloads=remedy.workloads, felt=remedy.felt)

    def _show(self, read: tuple[tuple[bool, bool], Sequence[Incident], Sequence[Path]]) -> None:
        (on, stays), incidents, silent = read
        self._incidents = {incident.id: incident for incident in incidents}
        if self._panel is not None:
            self._panel.show_state(on, stays, [_freeze(incident) for incident in incidents], silent)


def _freeze(incident: Incident) -> Freeze:
    lasted = time(stood_still_s(incident), language().numbers)
    course = tuple(stalled_share(*step) for step in pairwise(incident.samples))
    return Freeze(incident.id, begin_text(incident), lasted, say(why(incident)), course)
