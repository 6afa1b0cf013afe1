# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window measures and judges with: the wizard, the kept results, saving, and what cut-off runs left.

It brings the floors from workloads to reports with it, so the application imports it once the disks are seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from disktuner.block.disk import Disk
from disktuner.comparison.request import Request
from disktuner.experiment.scratch import Leftover
from disktuner.gui.actions import Helper
from disktuner.gui.desktop import Desktop
from disktuner.gui.difference import DifferenceShow
from disktuner.gui.export import Exporter, InThread
from disktuner.gui.history import HistoryActions
from disktuner.gui.instruments import Instruments
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import Jobs
from disktuner.gui.libraries import load_judging
from disktuner.gui.models import DisksModel
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.presentation import Presented
from disktuner.vocabulary.goals import FELT
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    from disktuner.gui.plots.live import LivePlot


class Measuring(QObject):
    """Opens wizards and results in the window; ``in_thread`` does what takes long, ``jobs`` what a wizard does.

    ``disks`` are those of this machine, ``intents`` what is handed to pages.
    """

    def __init__(
        self,
        window: Window,
        instruments: Instruments,
        desktop: Desktop,
        disks: DisksModel,
        in_thread: InThread,
        *,
        intents: Intents,
        jobs: Jobs,
    ) -> None:
        super().__init__(window)
        self._disks, self._intents, self._jobs = disks, intents, jobs
        self._window, self._instruments, self._desktop, self._in_thread = window, instruments, desktop, in_thread
        self.exporter = Exporter(window, in_thread, window.show_notice)

    @cached_property
    def history(self) -> HistoryActions:
        """The kept results; made with their page."""
        load_judging()
        return HistoryActions(self._window, self._instruments.kept, self._disks, self._in_thread, self._intents)

    @property
    def result_page(self) -> ResultPage | None:
        """The result that is shown, fresh or opened."""
        if self._window.wizard is not None:
            return self._window.wizard.result_page
        content = self._window.opened.content if self._window.opened is not None else None
        return content if isinstance(content, ResultPage) else None

    def make_difference(self, helper: Helper) -> DifferenceShow:
        """What shows in the trial's banner what a trial changes."""
        load_judging()
        shows = DifferenceShow(self._window.trial, self._instruments.difference, helper, self._jobs)
        shows.said.connect(self._window.show_notice)
        return shows

    def show_busy(self, busy: bool) -> None:
        """The helper works."""
        if (page := self.result_page) is not None:
            page.set_busy(busy)

    def show_disks(self) -> None:
        """The disks were read anew: what was measured may be gone, or be there again."""
        if (page := self.result_page) is not None:
            page.show_disks(self._disks.disks)

    def open_wizard(self, disk: Disk) -> Wizard:
        """Open the wizard for a disk."""
        load_judging()
        with_ = self._instruments
        places, intents = with_.places, self._intents
        wizard = Wizard(disk, places, with_.compare, with_.judge, _live_plot, intents=intents, jobs=self._jobs)
        wizard.said.connect(self._window.show_notice)
        wizard.measuring.connect(lambda on: (self._desktop.stay_awake if on else self._desktop.rest)())
        wizard.progress.connect(self._desktop.show_progress)
        wizard.finished.connect(self._announce_end)
        wizard.said.connect(lambda said, tone: self._notify(text("notify-stopped"), said) if tone == "bad" else None)
        self._window.open_wizard(wizard)
        return wizard

    def begin(self, disk: Disk, goal: str, workloads: tuple[str, ...] | None, felt: str) -> None:
        """Open the wizard for a disk and a goal; what is felt elsewhere is felt among the user's files, if not told."""
        felt = felt or (str(Path.home()) if goal == FELT.id else "")
        self.open_wizard(disk).begin_with(Request("", goal, workloads=workloads, felt=felt))

    def prove(self, disk: Disk, settings: Sequence[Setting], then: Callable[[], object]) -> None:
        """Ask for a trial in daily use of two settings, and let it run without the window."""

        def begun(_: object) -> None:
            first, second = (one.name for one in settings)
            self._window.show_notice(text("field-begun-here", disk=disk.title, first=first, second=second), "good")
            then()

        self._in_thread(partial(self._instruments.prove, disk, settings), begun)

    def stop_proving(self, then: Callable[[], object]) -> None:
        """End this user's trial in daily use, for which nobody is asked."""

        def stopped(_: object) -> None:
            self._window.show_notice(text("field-stopped"), "good")
            then()

        self._in_thread(self._instruments.stop_proving, stopped)

    def remember(self) -> None:
        """Read what was answered last about each disk."""
        kept = self._instruments.kept
        if kept.has_any:
            load_judging()
            self._in_thread(kept.memories, self._window.disks_page.show_memories)

    def _announce_end(self, presented: Presented) -> None:
        self._window.setWindowTitle(text("title-result"))
        self._notify(text("notify-done", answer=presented.title), presented.glance.sentence)

    def _notify(self, head: str, body: str) -> None:
        """Reach somebody who looks elsewhere."""
        if not self._window.isActiveWindow() or self._window.isMinimized():
            QApplication.alert(self._window)
            self._desktop.notify(head, body, self._window.come_forward)

    def look_for_leftovers(self) -> None:
        """Find what interrupted measurements left, and offer to remove it."""
        self._in_thread(self._instruments.find_leftovers, self._offer_removal)

    def _offer_removal(self, found: Sequence[Leftover]) -> None:
        if found:
            remove = partial(self._in_thread, self._instruments.remove_leftovers, partial(self._show_removed, found))
            notice = self._window.disks_page.notice
            notice.show_text(leftovers_text(found), "caution", text("remove-leftovers"), remove)

    def _show_removed(self, found: Sequence[Leftover], stayed: Sequence[Path]) -> None:
        self._window.show_notice(removed_text(found, stayed), "caution" if stayed else "good")


def _live_plot() -> LivePlot:
    from disktuner.gui.plots.live import LivePlot  # noqa: PLC0415 - only this page needs pyqtgraph (0.3 s)

    return LivePlot()


def leftovers_text(found: Sequence[Leftover]) -> str:
    """What interrupted measurements left, and where."""
    taken = sum(each.size_bytes for each in found)
    return text("leftovers", size=taken, folder=str(found[0].path.parent), count=len(found))


def removed_text(found: Sequence[Leftover], stayed: Sequence[Path]) -> str:
    """What became of that."""
    if stayed:
        return text("leftover-stays", path=str(stayed[0]))
    return text("leftovers-removed", size=sum(each.size_bytes for each in found))
