# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of the disks in the window: read in a thread after them, told on their cards, opened as a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject

from disktuner.block.disk import Disk
from disktuner.checkup.doctor import distribution, told
from disktuner.checkup.findings import CheckUp
from disktuner.gui.actions import Actions
from disktuner.gui.failures import failure_text
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import Jobs
from disktuner.gui.models import DisksModel
from disktuner.gui.reader import Reader
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import text


class Checking(QObject):
    """Looks at the disks whenever they were read; ``check`` is called in a thread, ``actions`` know the helper."""

    def __init__(
        self,
        window: Window,
        disks: DisksModel,
        actions: Actions,
        check: Callable[[Sequence[Disk]], Sequence[CheckUp]],
        *,
        intents: Intents,
        jobs: Jobs,
    ) -> None:
        super().__init__(window)
        self._window, self._disks, self._actions, self._intents = window, disks, actions, intents
        self._found: Mapping[tuple[str, int], CheckUp] = {}
        self._failure = ""
        self._busy = False
        self._reader = Reader(lambda: check(disks.disks), jobs, self)
        self._reader.found.connect(self._show)
        self._reader.failed.connect(self._show_failure)
        actions.choices.connect(self._show_page)
        actions.available.connect(self._show_page)

    def look(self) -> None:
        """Look at the disks, unless one is measured: it is not set as it usually is then, and looking disturbs it."""
        wizard = self._window.wizard
        if wizard is None or not wizard.running:
            self._reader.read_now()

    def stop(self) -> None:
        """Look no more."""
        self._reader.stop()

    def open(self, disk: Disk) -> None:
        """Open the check-up of a disk."""
        page = CheckPage(disk, self._intents)
        page.again.connect(self.look)
        page.said.connect(self._window.show_notice)
        self._window.open_page(OpenedPage(text("check-page-title", disk=disk.title), page, page.foot), disk.name)
        self._show_page()

    def set_busy(self, busy: bool) -> None:
        """The helper works."""
        self._busy = busy
        self._show_page()

    def _page(self) -> CheckPage | None:
        content = self._window.opened.content if self._window.opened is not None else None
        return content if isinstance(content, CheckPage) else None

    def _show(self, found: Sequence[CheckUp]) -> None:
        self._found = {(each.disk.name, each.disk.diskseq): each for each in found}
        self._failure = ""
        self._window.disks_page.show_check_ups(self._found)
        self._show_page()

    def _show_failure(self, error: Exception) -> None:
        """Said once: it is tried again with each change of the disks."""
        before, self._failure = self._failure, failure_text(error)
        if self._failure != before and self._page() is None:
            self._window.show_notice(text("check-failed", why=self._failure), "caution")
        self._show_page()

    def _show_page(self) -> None:
        page = self._page()
        if page is None:
            return
        disk = self._disks.find(page.disk.name)
        if disk is None or disk.diskseq != page.disk.diskseq:
            page.show_gone()
            return
        page.set_busy(self._busy, can_change=self._actions.is_there)
        found = self._found.get((disk.name, disk.diskseq))
        if self._failure:
            page.show_failure(self._failure)
        else:
            page.show_findings(found.findings if found else None)
            page.show_lines([*filter(None, [distribution(disk, found.writers)]), *told(found.writers)] if found else ())
        page.show_choice(disk, self._actions.choice(disk))
