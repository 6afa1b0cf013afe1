# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of the disks: read in a thread after them, whenever they change, and its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from disktuner.block.disk import Disk
from disktuner.checkup.findings import CheckUp
from disktuner.gui.failures import failure_text
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import Jobs
from disktuner.gui.reader import Reader
from disktuner.gui.shell import Shell
from disktuner.gui.state import Opened
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.vocabulary.messages import text


class Checking(QObject):
    """Tells the shell what is found; ``check`` is called in a thread."""

    def __init__(self, shell: Shell, check: Callable[[Sequence[Disk]], Sequence[CheckUp]], jobs: Jobs) -> None:
        super().__init__(shell)
        self._shell = shell
        self._reader = Reader(lambda: check(shell.state.disks), jobs, self)
        self._reader.found.connect(self._take_in)
        self._reader.failed.connect(self._fail)

    def look(self) -> None:
        """Look at the disks, unless one is measured: it is not set as it usually is then, and looking disturbs it."""
        if not self._shell.state.measured:
            self._reader.read_now()

    def page(self, opened: Opened, intents: Intents) -> OpenedPage:
        """What was found on a disk."""
        page = CheckPage(opened.about, intents, self._shell.said.emit)
        return OpenedPage(text("check-page-title", disk=opened.about.title), page, page.foot)

    def _take_in(self, found: Sequence[CheckUp]) -> None:
        self._shell.become(check_ups={(each.disk.name, each.disk.diskseq): each for each in found}, check_failure="")

    def _fail(self, error: Exception) -> None:
        """It is tried again with each change of the disks."""
        self._shell.become(check_failure=failure_text(error))
