# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: uses the window as somebody does, by its buttons, and keeps pictures of it.

``window.py keep DISK FOLDER PICTURES`` goes from the card through the wizard to a scheduler that is kept.
``window.py look DISK PICTURES`` only looks, and prints what the disk's card says.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication

from disktuner.comparison.request import Request
from disktuner.gui import wording
from disktuner.gui.application import Application, dress
from disktuner.gui.comparing import Comparing
from disktuner.gui.sources import RealComparison, real_sources
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.wizard.wizard import Wizard
from disktuner.results.model import Goal

PATIENCE_S = 400


def until(happens: Callable[[], object], what: str) -> None:
    """Let the window work until something happens."""
    deadline = QDeadlineTimer(PATIENCE_S * 1000)
    while not happens():
        if deadline.hasExpired():
            raise TimeoutError(f"still not after {PATIENCE_S} s: {what}")
        loop = QEventLoop()
        QTimer.singleShot(50, loop.quit)
        loop.exec()


def click(widget: QAbstractButton) -> None:
    """Click on a button that can be clicked."""
    until(lambda: widget.isEnabled() and widget.isVisible(), "the button")
    widget.click()


def short(request: Request) -> Comparing:
    """The comparison that the wizard asked for, with one scheduler against the present one and one workload."""
    return RealComparison(replace(request, schedulers=("bfq",), workloads=("dd-write",), seed=11))


class Visit:
    """The window, open."""

    def __init__(self, disk: str, pictures: Path) -> None:
        self.disk, self.pictures = disk, pictures
        self.running = Application(replace(real_sources(), compare=short))
        self.running.start()
        until(lambda: self.running.disks.find(disk) is not None and not self.running._jobs, "the disks")

    def picture(self, name: str) -> None:
        """Keep what the screen shows of it."""
        until_painted = time.monotonic() + 1
        until(lambda: time.monotonic() > until_painted, "painting")
        assert self.running.window.grab().save(str(self.pictures / f"{name}.png"))

    def compare(self, folder: str) -> None:
        """From the disk's card through the wizard to its result."""
        window = self.running.window
        self.picture("1-disks")
        click(window.disks_page.card(self.disk)._find)
        wizard = window.wizard
        assert isinstance(wizard, Wizard)
        click(wizard.goal_page.buttons[Goal.COPYING])
        self.picture("2-goal")
        click(wizard.next_button)
        wizard.where_page.use_folder(folder)
        until(wizard.next_button.isEnabled, "the folder")
        click(wizard.next_button)
        until(lambda: wizard.running_page._bar.value() > 1, "the first run")
        self.picture("3-running")
        until(lambda: wizard.step == 3 or window.wizard is None, "the result")
        assert wizard.result_page is not None, window.notice.text
        self.picture("4-result")
        click(wizard.result_page.leave_button)

    def keep(self, scheduler: str) -> None:
        """By *Change…*, kept after restarts."""
        window = self.running.window
        click(window.disks_page.card(self.disk)._change)
        dialog = window.findChild(ChangeDialog)
        dialog.scheduler.setCurrentIndex(dialog.scheduler.findData(scheduler))
        dialog.persist.setChecked(True)
        self.picture("5-change")
        click(dialog.apply_button)
        until(lambda: window.notice.text not in {"", wording.WORKING}, "the change")
        card = window.disks_page.card(self.disk)
        until(lambda: card._chosen.text() == wording.CHOSEN_PERSISTENT, f"kept: {window.notice.text}")
        self.picture("6-kept")
        print(window.notice.text)

    def look(self) -> None:
        """What the card says."""
        card = self.running.window.disks_page.card(self.disk)
        until(card._chosen.text, "what was chosen")
        self.picture("7-after-restart")
        print(card._chip.text(), "|", card._chosen.text())

    def close(self) -> None:
        """Close the window."""
        self.running.window.close()
        until(lambda: not self.running._jobs and self.running.reader._job is None, "the end")


def main() -> None:
    """Do one of the two."""
    application = QApplication(sys.argv)
    dress(application)
    what, disk, *rest = sys.argv[1:]
    visit = Visit(disk, Path(rest[-1]))
    if what == "keep":
        visit.compare(rest[0])
        visit.keep("bfq")
    else:
        visit.look()
    visit.close()


if __name__ == "__main__":
    main()
