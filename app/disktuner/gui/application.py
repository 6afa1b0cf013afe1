# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires everything: disks, check-ups, recorder and comparison with the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer

from disktuner.block.disk import Disk
from disktuner.gui.activity import Activity
from disktuner.gui.failures import failure_text
from disktuner.gui.geometry import Geometry
from disktuner.gui.jobs import Jobs
from disktuner.gui.leftovers import look_for_leftovers
from disktuner.gui.refresher import Refresher
from disktuner.gui.shell import TRY_S, Shell, nothing
from disktuner.gui.sources import Recording, Sources
from disktuner.gui.state import DISKS, Act, Over, State, in_order, may
from disktuner.gui.widgets.disks_page import DisksPage
from disktuner.gui.widgets.monitor_page import MonitorModel, MonitorPage
from disktuner.gui.widgets.window import Page, Window
from disktuner.standing import Memory
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:
    from disktuner.gui.checking import Checking
    from disktuner.gui.measuring import Measuring

_READ_MS = 100
"""How long the window waits for the disks, which are read while it is made and are mostly there sooner."""
_SEEN_MS = 300
"""How long painting the disks takes on a busy machine; the imports after it take 0.1 s."""


class Application(Shell):
    """The shell with its window; ``start`` shows it, ``stop`` ends everything that was started.

    Attributes: ``ready`` once the disks were read and checked.
    """

    def __init__(
        self, sources: Sources, jobs: Jobs | None = None, *, try_s: float = TRY_S, geometry: Geometry | None = None
    ) -> None:
        super().__init__(sources, jobs, try_s)
        self._geometry = geometry
        self.ready = False
        self._recording: Recording | None = None
        self._stop_watching: Callable[[], None] = nothing
        self.reader = Refresher(sources.read_disks, self.jobs, self)
        self.reader.read_now()  # while the window is made
        self.activity = Activity(sources.read_counters, sources.read_page_cache, self)
        self.monitor = MonitorModel(self)
        self.activity.figures.connect(self.monitor.show_figures)
        self.window = Window(self._pages(), DisksPage(self, lambda foot: self.measuring.make_plan(foot)), self)
        self._connect()
        if geometry is not None:  # its disk may answer late
            self.in_thread(geometry.read, self.window.restoreGeometry)

    def _pages(self) -> tuple[Page, ...]:
        return (
            Page(DISKS, nothing, nothing),
            Page(
                "monitor", lambda: MonitorPage(self.monitor, self.recording.panel()), lambda: self.recording.refresh()
            ),
            Page("history", lambda: self.measuring.history.page, lambda: self.measuring.history.refresh()),
            Page(Over.CHECK, lambda opened: self.checking.page(opened)),
            Page(Over.PLAN, lambda opened: self.measuring.plan_page(opened)),
            Page(Over.MEASUREMENT, lambda opened: self.measuring.measurement_page(opened)),
            Page(Over.RESULT, lambda opened: self.measuring.history.result_page(opened)),
            Page(Over.BETWEEN, lambda opened: self.measuring.history.between_page(opened)),
            Page(Over.PORTRAIT, lambda opened: self.measuring.portrait_page(opened)),
            Page(Over.PORTRAIT_PLAN, lambda opened: self.measuring.portrait_plan(opened)),
            Page(Over.SITTING, lambda opened: self.measuring.sitting_page(opened)),
        )

    @cached_property
    def measuring(self) -> Measuring:
        """Everything that measures and judges, made on first use."""
        from disktuner.gui.measuring import Measuring  # noqa: PLC0415 - 0.27 s, not needed to see the disks

        return Measuring(self.window, self._sources, self)

    @cached_property
    def checking(self) -> Checking:
        """Everything that checks the disks, made once they are visible."""
        from disktuner.gui.checking import Checking  # noqa: PLC0415 - 0.03 s

        return Checking(self, self._sources.checks(), self.jobs)

    @property
    def recording(self) -> Recording:
        """The recorder, which starts once the disks are visible."""
        if self._recording is None:
            self._recording = self._sources.recording(self.window, self)
        return self._recording

    def _connect(self) -> None:
        page = self.window.disks_page
        self.reader.refreshed.connect(self._show_disks)
        self.reader.failed.connect(self._cannot_read)
        self.reader.idle.connect(self._after_first_reading, Qt.ConnectionType.SingleShotConnection)
        self.activity.figures.connect(page.show_figures)
        self.activity.pending.connect(page.show_pending)
        self.window.watched.connect(self.activity.set_running)
        self.window.dropped.connect(self.open_file)
        self.window.freeze.connect(self._keep_freeze)
        self.notified.connect(self.window.show_notice)
        self.changed.connect(self.window.show_change)
        self.changed.connect(self._follow)
        self.stale.connect(self.reader.read_soon)

    def _follow(self, before: State, now: State) -> None:
        """Carry changes of the state to everything outside the pages."""
        self.monitor.show_disks(now.disks, now.main)
        if before.opened(Over.MEASUREMENT) not in {None, now.opened(Over.MEASUREMENT)}:
            self.reader.read_soon()
            self._remember()
        if before.disks != now.disks:
            self.activity.watch(now.disks)
        if before.measured_disks and not now.measured_disks:
            self.reader.read_soon()  # what came meanwhile was not checked
        if bool(before.measured_disks) != bool(now.measured_disks):
            (self._sources.desktop.stay_awake if now.measured_disks else self._sources.desktop.rest)()
        if before.shows_difference != now.shows_difference:
            self.measuring.show_difference(now)
        if now.check_failure not in {"", before.check_failure} and now.opened(Over.CHECK) is None:
            self.notified.emit(text("check-failed", why=now.check_failure), "caution")

    def _remember(self) -> None:
        """Show the last answers on the cards, after judging results that nobody has judged."""

        before = self.state.memories

        def show(memories: Mapping[str, Memory] | None) -> None:
            if memories is None:
                self.measuring.history.refresh()
            elif self.state.memories is before:
                self.become(memories=memories)
            else:  # what is shown meanwhile may have been read later
                self._remember()

        self.in_thread(self._sources.memories(), show)

    def start(self) -> None:
        """Show the window once its disks are read, or without them if that takes long: a disk may be broken."""
        QTimer.singleShot(_READ_MS, self, self._appear)

    def _appear(self) -> None:
        if not self.is_over:
            self.window.show()

    def stop(self) -> None:
        """End timers and subscriptions, too."""
        if self.is_over:
            return
        if self._geometry is not None:
            self.in_thread(partial(self._geometry.keep, bytes(self.window.saveGeometry().data())), lambda _: None)
        self.activity.set_running(False)
        self.show_difference(False)
        self._stop_watching()
        for reader in self.findChildren(Refresher):
            reader.stop()
        if self._recording is not None:
            self._recording.stop()
        super().stop()
        self._sources.desktop.close()

    def _keep_freeze(self) -> None:
        if leave := may(self.state, Act.RECORD):
            self.recording.keep_now()
        else:
            self.notified.emit(leave.reason, "info")

    def open_file(self, path: Path) -> None:
        """Add a result file to the kept results and show it."""
        self.measuring.history.add(path)

    def _after_first_reading(self) -> None:
        self._appear()
        self.refresh()
        QTimer.singleShot(_SEEN_MS, self, self._after_first_list)

    def _after_first_list(self) -> None:
        if not self.is_over:
            self._stop_watching = self._sources.watch(self.reader.read_soon)
            self.reader.read_soon()  # what came or went before the watch began
            look_for_leftovers(self._sources.leftovers(), self.window, self.in_thread)
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
