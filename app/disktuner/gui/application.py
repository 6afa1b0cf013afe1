# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires everything: disks, helper, comparison and window; carries out what a person wants there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.gui.actions import Actions, Try, nothing, try_over
from disktuner.gui.activity import Activity
from disktuner.gui.choice import titles
from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.gui.leftovers import look_for_leftovers
from disktuner.gui.models import DisksModel
from disktuner.gui.reader import Reader
from disktuner.gui.settings import Settings
from disktuner.gui.sources import Sources
from disktuner.gui.style import look
from disktuner.gui.widgets.change_dialog import ChangeDialog, Wanted
from disktuner.gui.widgets.disk_card import Memory
from disktuner.gui.widgets.monitor_page import MonitorModel
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:
    from disktuner.comparison.request import Request
    from disktuner.gui.checking import Checking
    from disktuner.gui.difference import DifferenceShow
    from disktuner.gui.measuring import Measuring
    from disktuner.gui.recording import Recording
    from disktuner.presentation import Presented
    from disktuner.report.exporting import Format
    from disktuner.vocabulary.settings import Setting

_SEEN_MS = 300
"""Until the disks that were read are painted, also where the machine is busy: what is imported then takes 0.1 s."""

TRY_S = 600.0
"""How long a scheduler is tried before it goes back by itself."""


class Application(QObject):
    """The running window; ``start`` shows it, ``stop`` ends all that it began.

    Attributes: ``jobs`` owns the threads, of all windows that there are one after the other; ``ready`` once the disks
    are seen and looked at.
    """

    def __init__(
        self, sources: Sources, jobs: Jobs | None = None, *, try_s: float = TRY_S, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self._sources, self._try_s, self._settings = sources, try_s, settings or Settings()
        self.jobs = jobs or Jobs(QApplication.instance())
        self._trying: Try | None = None
        self.ready = self._read = self._over = False
        self._stop_watching: Callable[[], None] | None = None
        self.disks = DisksModel(self)
        self.reader = Reader(sources.read_disks, self.jobs, self)
        self.activity = Activity(sources.read_counters, sources.read_page_cache, self)
        self.actions = Actions(sources.helper, sources.trial, self)
        self.monitor = MonitorModel(self.disks, self)
        self.activity.figures.connect(self.monitor.show_figures)
        self.window = Window(self.disks, self.monitor, self)
        self._settings.restore(self.window)
        self._connect_disks()
        self._connect_actions()

    @cached_property
    def measuring(self) -> Measuring:
        """All that measures and judges; made when it is first needed."""
        from disktuner.gui.measuring import Measuring  # noqa: PLC0415 - half of the program, not needed to see the disks

        with_ = self._sources.instruments()
        desktop, in_thread = self._sources.desktop, self._in_thread
        return Measuring(self.window, with_, desktop, self.disks, in_thread, intents=self, jobs=self.jobs)

    @cached_property
    def checking(self) -> Checking:
        """All that checks the disks up; made once they are seen."""
        from disktuner.gui.checking import Checking  # noqa: PLC0415 - see above

        checks = self._sources.checks()
        return Checking(self.window, self.disks, self.actions, checks, intents=self, jobs=self.jobs)

    @cached_property
    def recording(self) -> Recording:
        """The recorder; it records once the disks are seen."""
        from disktuner.gui.recording import Recording  # noqa: PLC0415 - see above

        return Recording(self.window, self._sources.recorder(), self._in_thread, intents=self)

    @cached_property
    def difference(self) -> DifferenceShow:
        """What shows the difference that a trial makes; made when that is first asked for."""
        return self.measuring.make_difference(self._sources.helper)

    def _connect_disks(self) -> None:
        page = self.window.disks_page
        self.reader.found.connect(self._show_disks)
        self.reader.failed.connect(lambda error: page.show_failure(failure_text(error)))
        self.reader.idle.connect(self._after_first_reading)
        page.again.connect(self.reader.read_now)
        self.activity.figures.connect(page.show_figures)
        self.activity.pending.connect(page.show_pending)
        self.window.watched.connect(self.activity.set_running)
        self.window.painted.connect(self._after_first_paint)
        self.window.closing.connect(self.stop)
        self.window.history_seen.connect(self._read_history)
        self.window.monitor_seen.connect(self._look_at_freezes)
        self.window.freeze.connect(self._keep_freeze)
        self.window.measuring.connect(self._hold_recording)
        self.window.dropped.connect(self.open_file)

    def _connect_actions(self) -> None:
        page, actions = self.window.disks_page, self.actions
        actions.said.connect(self.window.show_notice)
        actions.choices.connect(page.show_choices)
        actions.changed.connect(self.reader.read_soon)
        actions.busy.connect(self._show_busy)
        actions.available.connect(self._show_available)
        actions.trying.connect(self._ask_to_keep)
        actions.try_ended.connect(self._try_ended)
        self.window.wizard_closed.connect(self._wizard_closed)
        self.window.trial.undo.connect(self._undo_try)
        self.window.trial.keep.connect(self._keep_tried)
        self.window.trial.difference.connect(self._show_difference)
        actions.writers.connect(self.window.trial.show_writers)

    def _wizard_closed(self) -> None:
        self.reader.read_soon()
        self._remember()

    def _remember(self) -> None:
        """Show on the cards what was answered, judging first what nobody has judged."""

        def show(found: Mapping[str, Memory] | None) -> None:
            if found is None:
                self.measuring.remember()
            else:
                self.window.disks_page.show_memories(found)

        self._in_thread(self._sources.memories(), show)

    def start(self) -> None:
        """Show the window; its disks follow as soon as a thread has read them, however long a broken disk takes."""
        self.reader.read_now()
        self.window.show()

    def stop(self) -> None:
        """End timers and subscriptions, and expect nothing more of threads: how long those take, nobody knows."""
        if self._over:
            return
        self._over = True
        self._settings.keep(self.window)
        self.activity.set_running(False)
        if self._trying is not None:
            self._undo_try()
        if self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None
        self.reader.stop()
        if "checking" in vars(self):
            self.checking.stop()
        if "recording" in vars(self):
            self.recording.stop()
        self._sources.desktop.close()
        self._sources.helper.close()

    def _after_first_paint(self) -> None:
        self._stop_watching = self._sources.watch(self.reader.read_soon)
        self.reader.read_soon()  # what came or went before the watch began

    def _read_history(self) -> None:
        self.measuring.history.refresh()

    def _look_at_freezes(self) -> None:
        self.recording.look()

    def _keep_freeze(self) -> None:
        self.recording.keep_now()

    def _hold_recording(self, measuring: bool) -> None:
        self.recording.hold(measuring)

    def come_forward(self, token: str) -> None:
        """Somebody started the program again, or chose it: see ``Window.come_forward``."""
        self.window.come_forward(token)

    def open_file(self, path: Path) -> None:
        """Keep a result's file, and show it."""
        self.measuring.history.add(path)

    def _after_first_reading(self) -> None:
        if not (self._read or self._over):
            self._read = True
            self.actions.refresh()
            QTimer.singleShot(_SEEN_MS, self, self._after_first_list)

    def _after_first_list(self) -> None:
        if not self._over:
            look_for_leftovers(self._sources.leftovers, self.window, self._in_thread)
            self._remember()
            self.ready = True
            self.checking.look()
            _ = self.recording

    def _show_disks(self, disks: tuple[Disk, ...]) -> None:
        self.disks.show(disks)
        self.activity.watch(disks)
        self.window.disks_page.loaded()
        if "measuring" in vars(self):
            self.measuring.show_disks()
        if self.ready:
            self.checking.look()

    def _show_busy(self, busy: bool) -> None:
        self.window.disks_page.set_busy(busy)
        self.window.language_button.setDisabled(busy)
        if "measuring" in vars(self):
            self.measuring.show_busy(busy)
        if "checking" in vars(self):
            self.checking.set_busy(busy)

    def _show_available(self, there: bool, why: str) -> None:
        """Where the helper is not there that stays to be read, with the way to look for it once more."""
        self.window.disks_page.set_busy(False, can_change=there, why=why)
        self.window.show_lasting(why, self.actions.refresh)

    def _with_disk(self, name: str, action: Callable[[Disk], object]) -> None:
        disk = self.disks.find(name)
        if disk is None:
            self.window.show_notice(text("vanished-by-now", disk=name), "caution")
        else:
            action(disk)

    def go_back(self, name: str) -> None:
        """See ``Intents``."""
        self._with_disk(name, self._go_back)

    def _go_back(self, disk: Disk) -> None:
        if self.actions.choice(disk).paused is None:
            self.actions.go_back(disk)
        else:
            self.measuring.stop_proving(self.actions.refresh)

    def pause(self, on: bool) -> None:
        """See ``Intents``."""
        self.actions.pause(on)

    def check(self, name: str) -> None:
        """See ``Intents``."""
        self._with_disk(name, self.checking.open)

    def show_result(self, result: str) -> None:
        """See ``Intents``."""
        self.measuring.history.open(result)

    def judge_for(self, presented: Presented, goal: str) -> None:
        """See ``Intents``."""
        self.measuring.history.judge_for(presented, goal)

    def leave(self) -> None:
        """See ``Intents``."""
        self.window.leave_result()

    def save(self, presented: Presented, form: Format, personal: bool) -> None:
        """See ``Intents``."""
        self.measuring.exporter.ask(presented, form, personal)

    def copy(self, presented: Presented, personal: bool) -> None:
        """See ``Intents``."""
        self.measuring.exporter.copy(presented, look().dark, personal)

    def copy_text(self, presented: Presented, personal: bool) -> None:
        """See ``Intents``."""
        self.measuring.exporter.copy_text(presented, personal)

    def change(self, name: str) -> None:
        """See ``Intents``."""
        self._with_disk(name, self._open_change)

    def _open_change(self, disk: Disk) -> None:
        dialog = ChangeDialog(disk, self.actions.choice(disk), self.window)
        dialog.apply.connect(partial(self.actions.change, disk))
        dialog.finished.connect(dialog.deleteLater)
        self.actions.writers.connect(dialog.show_writers)
        dialog.open()
        self._look_up((disk,))

    def _look_up(self, disks: Sequence[Disk], then: Callable[[], object] = nothing) -> None:
        """Find out who else sets disks' queues, for whoever speaks of what will last."""

        def found(writers: Mapping[str, Sequence[Writer]]) -> None:
            self.actions.know_writers(writers)
            then()

        self._in_thread(lambda: {disk.name: self._sources.read_writers(disk) for disk in disks}, found)

    def begin(
        self,
        name: str,
        goal: str,
        workloads: tuple[str, ...] | None = None,
        felt: str = "",
        settings: tuple[Setting, ...] = (),
    ) -> None:
        """See ``Intents``."""
        self._with_disk(name, lambda disk: self.measuring.begin(disk, goal, workloads, felt, settings))

    def measure(self, disks: Sequence[Disk], request: Request) -> None:
        """See ``Intents``."""

        def begin(there: Sequence[Disk]) -> None:
            if self.measuring.result_page is not None:
                self.window.leave_result()
            self.measuring.open_wizard(there[0]).begin_with(request)

        self._with_measured(disks, begin)

    def _with_measured(self, measured: Sequence[Disk], action: Callable[[Sequence[Disk]], object]) -> None:
        """Only what was measured is changed: its name may be another disk's by now."""
        found = []
        for disk in measured:
            now = self.disks.find(disk.name)
            if now is None or not now.is_same_as(disk):
                said = "vanished-by-now" if now is None else "another-disk-by-now"
                self.window.show_notice(text(said, disk=(now or disk).title), "caution")
                return
            found.append(now)
        action(found)

    def try_out(self, disks: Sequence[Disk], setting: Setting) -> None:
        """See ``Intents``."""
        self._with_measured(disks, partial(self.actions.try_out, setting=setting))

    def prove(self, disks: Sequence[Disk], settings: Sequence[Setting]) -> None:
        """See ``Intents``."""
        self._with_measured(disks, lambda found: self.measuring.prove(found[0], settings, self.actions.refresh))

    def set_now(self, disk: Disk, setting: Setting) -> None:
        """See ``Intents``."""
        scheduler = setting.scheduler if setting.scheduler != disk.scheduler else None
        tunables = {name: str(value) for name, value in setting.tunables}
        self.actions.change(disk, Wanted(scheduler, tunables))

    def keep(self, disk: Disk, setting: Setting) -> None:
        """See ``Intents``."""
        self._look_up((disk,), partial(self._ask_whether_to_keep, (disk,), setting))

    def _ask_whether_to_keep(self, disks: Sequence[Disk], setting: Setting) -> None:
        """Where it will not last, that is said before."""
        keep = partial(self.actions.keep, disks, setting)
        if warnings := self.actions.warnings(disks, setting):
            question = text("keep-question", scheduler=setting.name, disk=titles(disks))
            self.window.ask(question, "\n\n".join(warnings), text("keep-anyway"), text("cancel"), keep)
        else:
            keep()

    def _ask_to_keep(self, tried: Try) -> None:
        self._trying = tried
        self.window.trial.begin(tried.disks, tried.setting, tried.before, self._try_s)
        self._look_up(tried.disks)

    def _show_difference(self, on: bool) -> None:
        if not on:
            self.difference.stop()
        elif self._trying is not None:
            self.difference.begin(self._trying)

    def _take_trial(self) -> Try | None:
        """What is on trial is so no more, and nothing of it is shown."""
        if "difference" in vars(self):
            self.difference.stop()
        tried, self._trying = self._trying, None
        return tried

    def _undo_try(self) -> None:
        tried = self._take_trial()
        if tried is not None:
            self.actions.end_try(tried)

    def _keep_tried(self, for_good: bool) -> None:
        tried = self._take_trial()
        if tried is not None:
            self.actions.keep_tried(tried, for_good=for_good, then=self.window.leave_result)

    def _try_ended(self, name: str) -> None:
        """The helper ended a try by itself: it was restarted, or its time was over."""
        tried = self._trying
        if tried is not None and tried.name == name:
            self._take_trial()
            self.window.trial.withdraw()
            self._show_busy(False)
            self.window.show_notice(try_over(tried), "caution")

    def _in_thread(self, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        """Nothing is begun or shown any more once the window is closed."""
        if not self._over:
            failed = partial(self._if_open, lambda error: self.window.show_notice(failure_text(error), "bad"))
            self.jobs.start(work, partial(self._if_open, done), failed)

    def _if_open(self, then: Callable[[Any], object], found: object) -> None:
        if not self._over:
            then(found)
