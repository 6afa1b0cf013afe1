# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires everything: disks, helper, comparison and window; carries out what a person wants there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from disktuner.block.disk import Disk
from disktuner.block.writers import Writer
from disktuner.gui.activity import Activity
from disktuner.gui.failures import failure_text
from disktuner.gui.geometry import Geometry
from disktuner.gui.jobs import Jobs
from disktuner.gui.leftovers import look_for_leftovers
from disktuner.gui.reader import Reader
from disktuner.gui.shell import TRY_S, Shell, nothing
from disktuner.gui.sources import Sources
from disktuner.gui.state import DISKS, Act, Opened, Over, State, Trial, in_order, may, same
from disktuner.gui.style import look
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.monitor_page import MonitorModel, MonitorPage
from disktuner.gui.widgets.window import Page, Window
from disktuner.standing import Memory, titles
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


class Application(Shell):
    """The shell with its window; ``start`` shows it, ``stop`` ends all that it began.

    Attributes: ``jobs`` owns the threads, of all windows that there are one after the other; ``ready`` once the disks
    are seen and looked at.
    """

    def __init__(
        self, sources: Sources, jobs: Jobs | None = None, *, try_s: float = TRY_S, geometry: Geometry | None = None
    ) -> None:
        super().__init__(sources.helper, sources.trial, try_s)
        self._sources, self._geometry = sources, geometry or Geometry()
        self.jobs = jobs or Jobs(QApplication.instance())
        self.ready = self._read = self._over = False
        self._stop_watching: Callable[[], None] | None = None
        self.reader = Reader(sources.read_disks, self.jobs, self)
        self.activity = Activity(sources.read_counters, sources.read_page_cache, self)
        self.monitor = MonitorModel(self)
        self.activity.figures.connect(self.monitor.show_figures)
        self.window = Window(self._pages(), self)
        self._geometry.restore(self.window)
        self._connect()

    def _pages(self) -> tuple[Page, ...]:
        return (
            Page(DISKS, nothing, nothing),
            Page("monitor", self._make_monitor, lambda: self.recording.refresh()),
            Page("history", lambda: self.measuring.history.page, lambda: self.measuring.history.refresh()),
            Page(Over.CHECK, lambda opened: self.checking.page(opened, self)),
            Page(Over.PLAN, lambda opened: self.measuring.plan_page(opened)),
            Page(Over.MEASUREMENT, lambda opened: self.measuring.measurement_page(opened)),
            Page(Over.RESULT, lambda opened: self.measuring.history.result_page(opened)),
            Page(Over.BETWEEN, lambda opened: self.measuring.history.between_page(opened)),
        )

    def _make_monitor(self) -> MonitorPage:
        page = MonitorPage(self.monitor)
        self.recording.attach(page.recorder)
        return page

    @cached_property
    def measuring(self) -> Measuring:
        """All that measures and judges; made when it is first needed."""
        from disktuner.gui.measuring import Measuring  # noqa: PLC0415 - half of the program, not needed to see the disks

        with_ = self._sources.instruments()
        desktop, in_thread = self._sources.desktop, self._in_thread
        return Measuring(self.window, with_, desktop, self, in_thread, intents=self, jobs=self.jobs)

    @cached_property
    def checking(self) -> Checking:
        """All that checks the disks up; made once they are seen."""
        from disktuner.gui.checking import Checking  # noqa: PLC0415 - see above

        return Checking(self, self._sources.checks(), self.jobs)

    @cached_property
    def recording(self) -> Recording:
        """The recorder; it records once the disks are seen."""
        from disktuner.gui.recording import Recording  # noqa: PLC0415 - see above

        made = Recording(self.window, self._sources.recorder(), self._in_thread, intents=self)
        self.changed.connect(made.show_state)
        return made

    @cached_property
    def difference(self) -> DifferenceShow:
        """What shows the difference that a trial makes; made when that is first asked for."""
        return self.measuring.make_difference(self._sources.helper)

    def _connect(self) -> None:
        page = self.window.disks_page
        self.reader.found.connect(self._show_disks)
        self.reader.failed.connect(self._cannot_read)
        self.reader.idle.connect(self._after_first_reading)
        page.again.connect(self.reader.read_now)
        self.activity.figures.connect(page.show_figures)
        self.activity.pending.connect(page.show_pending)
        self.window.watched.connect(self.activity.set_running)
        self.window.painted.connect(self._after_first_paint)
        self.said.connect(self.window.show_notice)
        self.changed.connect(self._render)
        self.stale.connect(self.reader.read_soon)

    def _render(self, before: State, now: State) -> None:
        self.window.show_state(now)
        self.monitor.show_disks(now.disks, now.main)
        if before.opened(Over.MEASUREMENT) not in {None, now.opened(Over.MEASUREMENT)}:
            self.reader.read_soon()
            self._remember()
        if before.disks != now.disks:
            self.activity.watch(now.disks)
        if before.trial != now.trial:
            if before.trial is not None and "difference" in vars(self):
                self.difference.stop()
            if now.trial is not None:
                self._look_up(now.trial.disks)
        if now.check_failure not in {"", before.check_failure} and now.opened(Over.CHECK) is None:
            self.said.emit(text("check-failed", why=now.check_failure), "caution")

    def _remember(self) -> None:
        """Show on the cards what was answered, judging first what nobody has judged."""

        def show(found: Mapping[str, Memory] | None) -> None:
            if found is None:
                self.measuring.history.refresh()
            else:
                self.become(memories=found)

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
        self._geometry.keep(self.window)
        self.activity.set_running(False)
        if "difference" in vars(self):
            self.difference.stop()
        self.undo_trial()
        if self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None
        for reader in self.findChildren(Reader):
            reader.stop()
        if "recording" in vars(self):
            self.recording.stop()
        self._sources.desktop.close()
        self._sources.helper.close()

    def _after_first_paint(self) -> None:
        self._stop_watching = self._sources.watch(self.reader.read_soon)
        self.reader.read_soon()  # what came or went before the watch began

    def keep_freeze(self) -> None:
        if leave := may(self.state, Act.RECORD):
            self.recording.keep_now()
        else:
            self.said.emit(leave.reason, "info")

    def open_file(self, path: Path) -> None:
        self.measuring.history.add(path)

    def _after_first_reading(self) -> None:
        if not (self._read or self._over):
            self._read = True
            self.refresh()
            QTimer.singleShot(_SEEN_MS, self, self._after_first_list)

    def _after_first_list(self) -> None:
        if not self._over:
            look_for_leftovers(self._sources.leftovers, self.window, self._in_thread)
            self._remember()
            self.ready = True
            self.checking.look()
            _ = self.recording

    def _cannot_read(self, error: Exception) -> None:
        self.window.disks_page.show_failure(failure_text(error))
        self.take_in(self.state.disks)

    def _show_disks(self, disks: tuple[Disk, ...]) -> None:
        self.take_in(in_order(disks), is_news=not self.reader.is_due)
        self.window.disks_page.loaded()
        if self.ready:
            self.checking.look()

    def go_back(self, name: str) -> None:
        self.with_disk(name, self._go_back)

    def _go_back(self, disk: Disk) -> None:
        if self.state.choice(disk).paused is None:
            self.put_back(disk)
        else:
            self.measuring.stop_proving(self.refresh)

    def check(self, name: str) -> None:
        self.with_disk(name, lambda disk: self.open(Opened(Over.CHECK, disk, disk=name)))

    def look_again(self) -> None:
        self.checking.look()

    def show_result(self, result: str) -> None:
        self.measuring.history.open(result)

    def judge_for(self, presented: Presented, goal: str) -> None:
        self.measuring.history.judge_for(presented, goal)

    def save(self, presented: Presented, form: Format, personal: bool) -> None:
        self.measuring.exporter.ask(presented, form, personal)

    def copy(self, presented: Presented, personal: bool) -> None:
        self.measuring.exporter.copy(presented, look().dark, personal)

    def copy_text(self, presented: Presented, personal: bool) -> None:
        self.measuring.exporter.copy_text(presented, personal)

    def change(self, name: str) -> None:
        self.with_disk(name, self._open_change)

    def _open_change(self, disk: Disk) -> None:
        dialog = ChangeDialog(disk, self.state, self.window)
        dialog.apply.connect(partial(self.set_by_hand, disk))
        dialog.finished.connect(dialog.deleteLater)
        self.changed.connect(dialog.show_state)  # until it is closed, which may be before anything is found
        self._look_up((disk,))
        dialog.open()

    def _look_up(self, disks: Sequence[Disk], then: Callable[[], object] = nothing) -> None:
        """Find out who else sets disks' queues, for whoever speaks of what will last."""

        def found(writers: Mapping[str, Sequence[Writer]]) -> None:
            self.become(writers={**self.state.writers, **writers})
            then()

        self._in_thread(lambda: {disk.name: self._sources.read_writers(disk) for disk in disks}, found)

    def choose(self, name: str, goal: str) -> None:
        self.with_disk(name, lambda disk: self.measuring.choose(disk, goal))

    def begin(self, name: str, goal: str, *given: Any, **named: Any) -> None:
        self.with_disk(name, lambda disk: self.measuring.begin(disk, goal, *given, **named))

    def measure(self, disks: Sequence[Disk], request: Request) -> None:
        if now := self.as_they_are(disks):
            self.measuring.plan(now[0], request)

    def prove(self, disks: Sequence[Disk], settings: Sequence[Setting]) -> None:
        if now := self.as_they_are(disks):
            self.measuring.prove(now[0], settings, self.refresh)

    def keep(self, disk: Disk, setting: Setting) -> None:
        self._look_up((disk,), partial(self._ask_whether_to_keep, (disk,), setting))

    def _ask_whether_to_keep(self, disks: Sequence[Disk], setting: Setting) -> None:
        """Where it will not last, that is said before."""
        keep = partial(self.keep_now, disks, setting)
        if warnings := self.state.warnings(disks, setting):
            question = text("keep-question", scheduler=setting.name, disk=titles(disks))
            self.window.ask(question, "\n\n".join(warnings), text("keep-anyway"), text("cancel"), keep)
        else:
            keep()

    def show_difference(self, on: bool) -> None:
        if not on:
            self.difference.stop()
        elif self.state.trial is not None:
            self.difference.begin(self.state.trial)

    def settle_trial(self, then: Callable[[], None]) -> None:
        """What shows the difference sets the old way now and then."""
        if "difference" in vars(self):
            self.difference.stop(then)
        else:
            then()

    def trial_kept(self, trial: Trial) -> None:
        """The answer that it was about needs no more to be done."""
        page = self.measuring.result_page if "measuring" in vars(self) else None
        if page is not None and page.presented.candidate == trial.setting and same(page.disks, trial.disks):
            self.leave()

    def _in_thread(self, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        """Nothing is begun or shown any more once the window is closed."""
        if not self._over:
            failed = partial(self._if_open, lambda error: self.window.show_notice(failure_text(error), "bad"))
            self.jobs.start(work, partial(self._if_open, done), failed)

    def _if_open(self, then: Callable[[Any], object], found: object) -> None:
        if not self._over:
            then(found)
