# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: turns the recorder's switch on or off in Disktuner's window, and closes it.

``python3 -m tests.machine.guest.switch on|off``.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QDeadlineTimer
from PySide6.QtWidgets import QApplication

from disktuner.gui.application import Application
from disktuner.gui.main import dress
from disktuner.gui.sources import real_sources
from tests.machine.guest.window import HANG_S, screen, wait


def main() -> None:
    """Run one session."""
    wanted = sys.argv[1] == "on"
    with screen():
        application = QApplication(["disktuner"])
        dress(application)
        app, deadline = Application(real_sources()), QDeadlineTimer(HANG_S * 1000)
        app.start()
        while not app.ready:
            wait(50)
        app.window.tabs.setCurrentIndex(1)
        panel = app.window.page("monitor").recorder
        while not (panel.now_button.isEnabled() and panel.switch.isChecked() == wanted):
            assert not deadline.hasExpired(), app.window.notice.text
            if panel.now_button.isEnabled():
                panel.switch.click()
            wait(15_000)
        app.window.close()
        while app.jobs.busy:
            wait(50)
        app.window.deleteLater()
        app.deleteLater()
        wait(200)


if __name__ == "__main__":
    main()
