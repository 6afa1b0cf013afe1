# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires everything: disks, helper, comparison and window; starts it and ends it cleanly."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from disktuner.gui import style, wording
from disktuner.gui.actions import Actions, Helper, Try, nothing, try_over
from disktuner.gui.activity import Activity
from disktuner.gui.collector import Collector
from disktuner.gui.jobs import Job
from disktuner.gui.later import load, make_types, part
from disktuner.gui.messages import sentence
from disktuner.gui.models.disks import DisksModel
from disktuner.gui.reader import Reader
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import say_all

if TYPE_CHECKING:
    from pathlib import Path

    from disktuner.block.counters import Counters
    from disktuner.block.disk import Disk
    from disktuner.block.writers import Writer
    from disktuner.comparison.request import Outcome, Request
    from disktuner.comparison.target import Place
    from disktuner.experiment.leftovers import Leftover
    from disktuner.gui.archive import Archive
    from disktuner.gui.comparing import Comparing
    from disktuner.gui.desktop import Desktop
    from disktuner.gui.models.monitor import MonitorModel
    from disktuner.gui.saving import Saving
    from disktuner.gui.shelf import Shelf
    from disktuner.gui.widgets.keep_dialog import KeepDialog
    from disktuner.gui.wizard.wizard import Wizard
    from disktuner.results.model import Result
    from disktuner.verdict.model import Verdict

_TURN_S = 0.0005
"""Python's threads take turns of 5 ms by default, and painting a window takes dozens of turns: too long beside a
thread that computes."""

ARGV = ("disktuner", "-style", "Fusion")
"""The program and the style that the style sheet is made for. It is named here, because a call that hands over a
``QStyle`` has PySide make hundreds of Python's enum members first (15 ms)."""

_SEEN_MS = 60
"""Until the disks that were read are painted."""

_SLICE_S = 0.004
"""For each step in which PySide's types are made: a quarter of the time between two pictures of a usual screen."""

TRY_S = 60.0
"""How long a scheduler is tried before it goes back by itself."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What the window needs from the floors below.

    ``read_disks``, ``read_writers``, ``places`` (the folders of a disk that the user may measure in), ``judge`` and the
    methods of ``shelf`` are called in threads, ``compare`` and the others in the GUI thread. ``disks_at_start`` are the
    disks if they were read already, and never takes long to say so. ``watch`` starts telling that disks or mounts
    changed and returns what ends it. ``find_leftovers`` and ``remove_leftovers`` (which returns what stayed) are about
    what interrupted measurements left.
    """

    disks_at_start: Callable[[], Sequence[Disk] | None]
    read_disks: Callable[[], Sequence[Disk]]
    read_counters: Callable[[str], Counters | None]
    read_writers: Callable[[Disk], Sequence[Writer]]
    watch: Callable[[Callable[[], None]], Callable[[], None]]
    helper: Helper
    desktop: Desktop
    places: Callable[[Disk], Sequence[Place]]
    compare: Callable[[Request], Comparing]
    judge: Callable[[Result], Verdict]
    shelf: Shelf
    find_leftovers: Callable[[], Sequence[Leftover]] = tuple
    remove_leftovers: Callable[[], Sequence[Path]] = tuple


class Application(QObject):
    """The running window; ``start`` shows it, ``stop`` ends all that it began.

    Attributes: ``ready`` once everything is loaded that is not needed to show the disks.
    """

    def __init__(self, sources: Sources, parent: QObject | None = None, *, try_s: float = TRY_S) -> None:
        super().__init__(parent)
        self._sources, self._try_s = sources, try_s
        self._trying: tuple[Try, KeepDialog] | None = None
        self._jobs: set[Job] = set()
        self._collector = Collector(self)
        self.ready = self._loading = self._over = False
        self._stop_watching: Callable[[], None] | None = None
        self.disks = DisksModel(self)
        self.reader = Reader(sources.read_disks, self)
        self.activity = Activity(sources.read_counters, self)
        self.actions = Actions(sources.helper, self)
        self.window = Window(self.disks, lambda: self.monitor)
        self._connect_disks()
        self._connect_actions()

    @cached_property
    def monitor(self) -> MonitorModel:
        """What all disks do."""
        made: MonitorModel = part("models.monitor").MonitorModel(self.disks, self)
        self.activity.figures.connect(made.show_figures)
        return made

    @cached_property
    def saving(self) -> Saving:
        """Saves and copies results."""
        made: Saving = part("saving").Saving(self.window, self._in_thread, self.window.tell)
        return made

    @cached_property
    def archive(self) -> Archive:
        """What can be done with kept results."""
        made: Archive = part("archive").Archive(self.window, self._sources.shelf, self._in_thread, self.saving)
        return made

    def _connect_disks(self) -> None:
        page = self.window.disks_page
        self.reader.disks.connect(self._show_disks)
        self.reader.failed.connect(lambda error: page.show_failure(sentence(error)))
        self.reader.idle.connect(self._load_the_rest)
        page.again.connect(self.reader.read_now)
        self.activity.figures.connect(page.show_figures)
        self.window.watched.connect(self.activity.set_running)
        self.window.painted.connect(self._after_first_paint)
        self.window.closing.connect(self.stop)
        self.window.history_seen.connect(self._read_archive)
        self.window.dropped.connect(self._add_to_archive)

    def _connect_actions(self) -> None:
        page, actions = self.window.disks_page, self.actions
        page.find_best.connect(self.find_best)
        page.change.connect(self.change)
        page.go_back.connect(lambda name: self._with_disk(name, actions.go_back))
        actions.told.connect(self.window.tell)
        actions.choices.connect(page.show_choices)
        actions.changed.connect(self.reader.read_soon)
        actions.busy.connect(self._show_busy)
        actions.available.connect(lambda there: page.set_busy(False, can_change=there))
        actions.trying.connect(self._ask_to_keep)
        actions.try_ended.connect(self._try_ended)
        self.window.wizard_closed.connect(self.reader.read_soon)

    def start(self) -> None:
        """Show the window with its disks, or, where they are not read yet, let them follow."""
        disks = self._sources.disks_at_start()
        if disks is None:
            self.reader.read_now()
        else:
            self._show_disks(tuple(disks))
        self.window.show()

    def stop(self) -> None:
        """End timers, threads and subscriptions."""
        self._over = True
        self.activity.set_running(False)
        if self._trying is not None:
            self._trying[1].reject()
        if self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None
        self.reader.stop()
        for job in self._jobs:
            job.wait()
        self._sources.desktop.close()
        self._sources.helper.close()
        self._collector.stop()

    def _after_first_paint(self) -> None:
        self._stop_watching = self._sources.watch(self.reader.read_soon)
        self.reader.read_soon()  # what came or went before the watch began
        self.window.setWindowIcon(part("window_icon").window_icon())
        part("dark").follow_scheme()

    def _read_archive(self) -> None:
        self.archive.refresh()

    def _add_to_archive(self, path: Path) -> None:
        self.archive.add(path)

    def _load_the_rest(self) -> None:
        if not self._loading:
            self._loading = True
            QTimer.singleShot(_SEEN_MS, self, partial(self._make_types, make_types()))

    def _make_types(self, steps: Iterator[None]) -> None:
        """Some at a time, so that the window stays responsive; then the rest is loaded."""
        until_s = time.monotonic() + _SLICE_S
        while not self._over:
            if next(steps, self) is self:
                self._in_thread(load, self._loaded)
                return
            if time.monotonic() > until_s:
                QTimer.singleShot(0, self, partial(self._make_types, steps))
                return

    def _loaded(self, _: object) -> None:
        self.ready = True
        self.actions.refresh()
        self._in_thread(self._sources.find_leftovers, self._offer_removal)

    def _offer_removal(self, found: Sequence[Leftover]) -> None:
        if found:
            remove = partial(self._in_thread, self._sources.remove_leftovers, partial(self._tell_removed, found))
            text, notice = part("telling").leftovers(found), self.window.disks_page.notice
            notice.tell(text, "caution", wording.LEFTOVERS_REMOVE, remove)

    def _tell_removed(self, found: Sequence[Leftover], stayed: Sequence[Path]) -> None:
        self.window.tell(part("telling").leftovers_removed(found, stayed), "caution" if stayed else "good")

    def _show_disks(self, disks: tuple[Disk, ...]) -> None:
        self.disks.show(disks)
        self.activity.watch(tuple(disk.name for disk in disks if disk.size_bytes))
        self.window.disks_page.loaded()

    def _show_busy(self, busy: bool) -> None:
        self.window.disks_page.set_busy(busy)
        wizard = self.window.wizard
        if wizard is not None and wizard.result_page is not None:
            wizard.result_page.set_busy(busy)

    def _with_disk(self, name: str, action: Callable[[Disk], object]) -> None:
        disk = self.disks.find(name)
        if disk is None:
            self.window.tell(wording.VANISHED.format(disk=name), "caution")
        else:
            action(disk)

    def change(self, name: str) -> None:
        """Open *Change…* for a disk."""
        self._with_disk(name, self._open_change)

    def _open_change(self, disk: Disk) -> None:
        dialog = part("widgets.change_dialog").ChangeDialog(disk, self.actions.choice(disk), self.window)
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

    def find_best(self, name: str) -> None:
        """Open the wizard for a disk."""
        self._with_disk(name, self._open_wizard)

    def measure_longer(self, measured: Sequence[Disk], request: Request) -> None:
        """Begin anew with another request, up to what it would cost."""

        def begin(disks: Sequence[Disk]) -> None:
            self._close_wizard()
            self._open_wizard(disks[0]).begin_with(request)

        self._with_measured(measured, begin)

    def _with_measured(self, measured: Sequence[Disk], action: Callable[[Sequence[Disk]], object]) -> None:
        """Only what was measured is changed: its name may be another disk's by now."""
        found = []
        for disk in measured:
            now = self.disks.find(disk.name)
            if now is None or not now.is_same_as(disk):
                said = wording.VANISHED if now is None else wording.ANOTHER_BY_NOW
                self.window.tell(said.format(disk=(now or disk).title), "caution")
                return
            found.append(now)
        action(found)

    def _open_wizard(self, disk: Disk) -> Wizard:
        sources = self._sources
        wizard = part("wizard.wizard").Wizard(disk, sources.places, sources.compare, sources.judge, _live_plot)
        wizard.told.connect(self.window.tell)
        wizard.use.connect(self.try_out)
        wizard.keep.connect(self.keep)
        wizard.longer.connect(self.measure_longer)
        wizard.save.connect(self.saving.ask)
        wizard.copy.connect(lambda outcome, personal: self.saving.copy(outcome, style.look().dark, personal))
        wizard.measuring.connect(self._measuring)
        wizard.progress.connect(self._sources.desktop.show_progress)
        wizard.finished.connect(self._tell_end)
        wizard.told.connect(lambda text, tone: self._notify(wording.STOPPED_HEAD, text) if tone == "bad" else None)
        self.window.open_wizard(wizard)
        return cast("Wizard", wizard)

    def try_out(self, measured: Sequence[Disk], scheduler: str) -> None:
        """Use a scheduler for a while on what was measured, and ask whether to keep it."""
        self._with_measured(measured, partial(self.actions.try_out, scheduler=scheduler))

    def keep(self, measured: Sequence[Disk], scheduler: str) -> None:
        """Use a scheduler now and after every restart; the wizard closes when that is done."""

        def look_up(disks: Sequence[Disk]) -> None:
            self._look_up(disks, partial(self._ask_whether_to_keep, disks, scheduler))

        self._with_measured(measured, look_up)

    def _ask_whether_to_keep(self, disks: Sequence[Disk], scheduler: str) -> None:
        """Where it will not last, that is said before."""
        keep = partial(self.actions.keep, disks, scheduler, then=self._close_wizard)
        if warnings := self.actions.warnings(disks, scheduler):
            question = wording.KEEP_QUESTION.format(scheduler=scheduler, disk=wording.titles(disks))
            self.window.ask(question, "\n\n".join(warnings), wording.KEEP_ANYWAY, wording.CANCEL, keep)
        else:
            keep()

    def _close_wizard(self) -> None:
        if self.window.wizard is not None:
            self.window.wizard.closed.emit()

    def _ask_to_keep(self, tried: Try) -> None:
        dialog = part("widgets.keep_dialog").KeepDialog(tried.disks, tried.scheduler, self._try_s, self.window)
        self._trying = (tried, dialog)
        dialog.go_back.connect(partial(self.actions.end_try, tried))
        dialog.keep.connect(lambda for_good: self.actions.keep_tried(tried, for_good=for_good, then=self._close_wizard))
        dialog.finished.connect(self._try_answered)
        dialog.finished.connect(dialog.deleteLater)
        self.actions.writers.connect(dialog.show_writers)
        dialog.open()
        self._look_up(tried.disks)

    def _try_answered(self) -> None:
        self._trying = None

    def _try_ended(self, name: str) -> None:
        """The helper ended a try by itself: it was restarted, or its time was over."""
        if self._trying is not None and self._trying[0].name == name:
            tried, dialog = self._trying
            dialog.withdraw()
            self._show_busy(False)
            self.window.tell(try_over(tried), "caution")

    def _measuring(self, on: bool) -> None:
        (self._sources.desktop.stay_awake if on else self._sources.desktop.rest)()

    def _tell_end(self, outcome: Outcome) -> None:
        self.window.setWindowTitle(wording.TITLE_DONE)
        self._notify(
            wording.DONE_HEAD.format(answer=part("telling").answer(outcome.verdict)), say_all(outcome.verdict.why)
        )

    def _notify(self, head: str, text: str) -> None:
        """Tell who looks elsewhere."""
        if not self.window.isActiveWindow() or self.window.isMinimized():
            QApplication.alert(self.window)
            self._sources.desktop.notify(head, text)

    def _in_thread(self, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        job = Job(work)
        job.done.connect(done)
        job.failed.connect(lambda error: self.window.tell(sentence(error), "bad"))
        self._jobs.add(job)
        job.finished.connect(partial(self._ended, job))
        job.start()

    def _ended(self, job: Job) -> None:
        self._jobs.discard(job)
        job.deleteLater()


def _live_plot() -> QWidget:
    """The live graph; its libraries were loaded in a thread after the first frame."""
    return cast(QWidget, part("plots.live").LivePlot())


def dress(application: QApplication) -> None:
    """Name and colours of the application (made with ``ARGV``), and that its threads let the window's in soon."""
    sys.setswitchinterval(_TURN_S)
    application.setApplicationName("disktuner")
    application.setApplicationDisplayName(wording.APP)
    application.setDesktopFileName("org.disktuner.Disktuner")
    style.follow_desktop(application)


def main(argv: Sequence[str], disks_at_start: Callable[[], Sequence[Disk] | None]) -> int:
    """Open the window and return the exit code."""
    application = QApplication([*ARGV, *argv])
    dress(application)
    sources: Any = importlib.import_module("disktuner.gui.sources")
    running = Application(sources.real_sources(disks_at_start))
    running.start()
    return QGuiApplication.exec()
