# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window does with the recorder: record, switch its service, keep the last minutes, show what was kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QObject, QTimer

from disktuner.gui.intents import Intents
from disktuner.gui.jobs import InThread
from disktuner.gui.state import State
from disktuner.gui.widgets.incident_dialog import IncidentDialog
from disktuner.gui.widgets.recorder_panel import Freeze, RecorderPanel
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import language, say
from disktuner.vocabulary.units import time
from disktuner.watch.incidents import Incident
from disktuner.watch.samples import stalled_share
from disktuner.watch.service import Service
from disktuner.watch.told import begun, cure, needs_check, stood_still_s, why

_AGAIN_MS = 10_000
"""How often what was kept is read anew while somebody looks."""


class Recording(QObject):
    """Records while the window is open, and connects its panel with a service; ``in_thread`` does what takes long."""

    def __init__(self, window: Window, service: Service, in_thread: InThread, intents: Intents) -> None:
        super().__init__(window)
        self._window, self._service, self._in_thread, self._intents = window, service, in_thread, intents
        self._kept: dict[str, Incident] = {}
        self._panel: RecorderPanel | None = None
        self._over = False
        self._timer = QTimer(self, interval=_AGAIN_MS)
        self._timer.timeout.connect(self.refresh)
        service.begin()

    def attach(self, panel: RecorderPanel) -> None:
        """Show in a panel what is recorded, and do what is pressed there."""
        self._panel = panel
        panel.switched.connect(self._switch)
        panel.now.connect(self.keep_now)
        panel.chosen.connect(self._open_kept)
        self._timer.start()

    def _switch(self, on: bool) -> None:
        self._in_thread(partial(self._service.switch, on), self.refresh)

    def _open_kept(self, id_: str) -> None:
        self._open(self._kept[id_])

    def show_state(self, before: State, now: State) -> None:
        """Do not record what a measurement does to programs."""
        if now.measured and not before.measured:
            self._service.end()
        elif before.measured and not now.measured and not self._over:
            self._service.begin()

    def stop(self) -> None:
        """The window closes: what records in it ends."""
        self._over = True
        self._timer.stop()
        self._service.end()

    def refresh(self, *_: object) -> None:
        """Read anew what was kept, where somebody sees it."""
        if self._panel is not None and self._panel.isVisible():
            self._in_thread(lambda: (self._service.state(), self._service.incidents()), self._show)

    def keep_now(self) -> None:
        """Keep the last minutes, and show why it froze."""
        self._in_thread(self._service.keep_now, self._open)

    def _open(self, incident: Incident) -> None:
        dialog = IncidentDialog(incident, self._window)
        dialog.measure.connect(partial(self._find_cure, incident))
        dialog.remove.connect(partial(self._remove, incident))
        dialog.open()
        self.refresh()

    def _remove(self, incident: Incident) -> None:
        self._in_thread(partial(self._service.remove, incident.id), self.refresh)

    def _find_cure(self, incident: Incident) -> None:
        disk, found = incident.cause.disk, cure(incident)
        if needs_check(incident):
            self._intents.check(disk)
        elif found is not None:
            self._intents.begin(disk, found.goal, found.workloads, found.felt)

    def _show(self, found: tuple[tuple[bool, bool], Sequence[Incident]]) -> None:
        (on, stays), incidents = found
        self._kept = {each.id: each for each in incidents}
        if self._panel is not None:
            self._panel.show_state(on, stays, [_freeze(each) for each in incidents])


def _freeze(incident: Incident) -> Freeze:
    lasted = time(stood_still_s(incident), language().numbers)
    course = tuple(stalled_share(*step) for step in pairwise(incident.samples))
    return Freeze(incident.id, begun(incident), lasted, say(why(incident)), course)
