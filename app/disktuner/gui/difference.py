# SPDX-License-Identifier: GPL-3.0-or-later
"""*Show the difference*: what a setting on trial changes, shown beside its answer while a thread measures it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from disktuner.comparison.difference import Difference, HeldSwitch
from disktuner.experiment.events import Event
from disktuner.gui.failures import failure_text
from disktuner.gui.shell import Done, Shell, nothing
from disktuner.gui.state import Trial
from disktuner.helper_client import calls
from disktuner.helper_client.client import HelperClient
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.settings import Setting


class DifferenceShow(QObject):
    """Shows one difference at a time."""

    _event = Signal(object, object)

    def __init__(self, shell: Shell, helper: HelperClient, parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._helper = shell, helper
        self._current: Difference | None = None
        self._next_step: Done = nothing
        self._event.connect(self._show)

    def begin(self, trial: Trial) -> None:
        """Begin, once the previous one has restored the trial's setting."""
        if self._shell.state.alternates:
            self._next_step = partial(self.begin, trial)
            return
        switch = HeldSwitch(trial.disks, trial.setting, partial(self._set, trial.id))
        settings = Setting(str(trial.disks[0].scheduler)), trial.setting
        difference = self._current = self._shell.instruments.difference(trial.disks[0].name, settings, switch)
        done, failed = partial(self._over, difference), partial(self._failed, difference)
        self._shell.alternate(True)
        self._shell.jobs.start(lambda: difference.run(partial(self._event.emit, difference)), done, failed)

    def stop(self) -> None:
        """End it; the trial's setting is restored within a second."""
        self._next_step = nothing
        if self._current is not None:
            self._current.cancel()
            self._end()

    def _set(self, trial: str, disk: str, setting: Setting) -> None:
        """Runs in the measuring thread. A switch that hangs is reported; the trial ends with its client."""
        self._helper.wait(calls.set_trial(trial, disk, setting.scheduler, setting.values), gives_up=False)

    def _show(self, difference: Difference, event: Event) -> None:
        if difference is self._current:
            self._shell.alternated.emit(event)

    def _over(self, difference: Difference, _result: object) -> None:
        difference.close()
        if difference is self._current:
            self._end()
        self._shell.alternate(False)
        then, self._next_step = self._next_step, nothing
        then()

    def _failed(self, difference: Difference, error: Exception) -> None:
        self._over(difference, None)
        if not isinstance(error, Cancelled):
            self._shell.notified.emit(failure_text(error), "bad")

    def _end(self) -> None:
        self._current = None
        self._shell.show_difference(False)
