# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of the disks, repeated in a thread whenever they change, and its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from disktuner.block.disk import Disk
from disktuner.checkup.findings import CheckUp
from disktuner.gui.failures import failure_text
from disktuner.gui.jobs import Jobs
from disktuner.gui.refresher import Refresher
from disktuner.gui.shell import Shell
from disktuner.gui.state import Opened
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.vocabulary.messages import text


class Checking(QObject):
    """Tells the shell the findings; ``check`` is called in a thread."""

    def __init__(self, shell: Shell, check: Callable[[Sequence[Disk]], Sequence[CheckUp]], jobs: Jobs) -> None:
        super().__init__(shell)
        self._shell = shell
        self._reader = Refresher(lambda: check(shell.state.disks), jobs, self)
        self._reader.refreshed.connect(self._take_in)
        self._reader.failed.connect(self._fail)

    def look(self) -> None:
        """Check the disks unless one is being measured: its settings are temporary then, and checking disturbs it."""
        if not self._shell.state.measured_disks:
            self._reader.read_now()

    def page(self, opened: Opened) -> OpenedPage:
        page = CheckPage(opened.about, self._shell)
        return OpenedPage(text("check-page-title", disk=opened.about.title), page, page.foot)

    def _take_in(self, check_ups: Sequence[CheckUp]) -> None:
        self._shell.become(
            check_ups={(check_up.disk.name, check_up.disk.diskseq): check_up for check_up in check_ups},
            check_failure="",
        )

    def _fail(self, error: Exception) -> None:
        """Tell the failure; the check-up is repeated at the next change of the disks."""
        self._shell.become(check_failure=failure_text(error))
