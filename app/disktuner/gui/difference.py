# SPDX-License-Identifier: GPL-3.0-or-later
"""*Show the difference*: what a setting on trial changes, shown in the trial's banner while a thread measures it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from disktuner.comparison.difference import Difference, HeldSwitch
from disktuner.experiment.events import Event, Phase, RunDone, RunStarted
from disktuner.experiment.run import SchedulerSwitch
from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.gui.state import Trial
from disktuner.gui.widgets.trial_banner import TrialBanner
from disktuner.helper_client import HelperClient, calls
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.settings import Setting

MakeShown = Callable[[str, tuple[Setting, Setting], SchedulerSwitch], Difference]


class DifferenceShow(QObject):
    """One at a time; ``say`` shows why it could not be shown, in a tone."""

    _event = Signal(object, object)

    def __init__(
        self, banner: TrialBanner, make: MakeShown, helper: HelperClient, jobs: Jobs, say: Callable[[str, str], object]
    ) -> None:
        super().__init__(banner)
        self._banner, self._make, self._helper, self._jobs, self._tell = banner, make, helper, jobs, say
        self._shown: Difference | None = None
        self._then: Callable[[], object] = lambda: None
        self._running = False
        self._event.connect(self._show)

    def begin(self, tried: Trial) -> None:
        """Show it, once the one before has set the trial's setting again."""
        if self._running:
            self._then = partial(self.begin, tried)
            return
        switch = HeldSwitch(tried.disks, tried.setting, partial(self._set, tried.id))
        settings = Setting(str(tried.disks[0].scheduler)), tried.setting
        shown = self._shown = self._make(tried.disks[0].name, settings, switch)
        self._banner.show_difference(settings)
        done, failed = partial(self._over, shown), partial(self._failed, shown)
        self._running = True
        self._jobs.start(lambda: shown.run(partial(self._event.emit, shown)), done, failed)

    def stop(self, then: Callable[[], object] = lambda: None) -> None:
        """Show it no more; ``then`` is called once the trial's setting is set again, within a second."""
        if self._shown is not None:
            self._shown.cancel()
            self._end()
        if self._running:
            self._then = then
        else:
            then()

    def _set(self, trial: str, disk: str, setting: Setting) -> None:
        """In the measuring thread. A switch that hangs is told; the trial goes on with its client."""
        self._helper.wait(calls.set_trial(trial, disk, setting.scheduler, setting.values), gives_up=False)

    def _show(self, shown: Difference, event: Event) -> None:
        if shown is not self._shown:
            return
        clocks = self._banner.clocks
        match event:
            case Phase():
                clocks.say(say(event.message))
            case RunStarted():
                clocks.show_run(event)
            case RunDone():
                clocks.lanes.add(event.sample)
            case _:
                pass

    def _over(self, shown: Difference, _result: object) -> None:
        shown.close()
        if shown is self._shown:
            self._end()
        self._running = False
        then, self._then = self._then, lambda: None
        then()

    def _failed(self, shown: Difference, error: Exception) -> None:
        self._over(shown, None)
        if not isinstance(error, Cancelled):
            self._tell(failure_text(error), "bad")

    def _end(self) -> None:
        self._shown = None
        self._banner.end_difference()
