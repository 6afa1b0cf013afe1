# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes pictures of the window's pages: ``screenshots.py FOLDER``; light and dark, driven like the tests."""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication, QToolButton, QWidget  # noqa: E402

from disktuner.gui.application import Application, dress  # noqa: E402
from disktuner.gui.style import dark_palette  # noqa: E402
from tests.gui.stand_ins import Bench, some_disks  # noqa: E402


def wait(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def until(holds: object, seconds: float = 60) -> None:
    deadline = QDeadlineTimer(int(seconds * 1000))
    while not holds():  # type: ignore[operator]
        assert not deadline.hasExpired()
        wait(20)


class Tour:
    """Walks through the window and keeps a picture of each state."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder, self._prefix = folder, prefix
        self.bench = Bench(some_disks(folder), pace_s=0.012)
        self.bench.helper.first = {"sdb": ("mq-deadline", {})}
        self.app = Application(self.bench.sources())

    def shot(self, name: str, widget: QWidget | None = None) -> None:
        wait(150)
        (widget or self.app.window).grab().save(str(self._folder / f"{self._prefix}-{name}.png"))

    def _tab(self, number: int) -> None:
        self.app.window.findChildren(QToolButton)[number].click()

    def walk(self) -> None:
        window = self.app.window
        self.app.start()
        self.shot("0-loading")
        until(lambda: len(window.disks_page.cards) == 3)
        wait(2500)
        self.shot("1-disks")
        self.app.change("sda")
        dialog = window.findChild(QWidget, "change")
        dialog.rows[0].spin.setValue(512)
        self.shot("2-change", dialog)
        dialog.reject()
        self.app.find_best("sda")
        wizard = window.wizard
        self.shot("3-goal")
        wizard.next()
        until(wizard.next_button.isEnabled)
        self.shot("4-where")
        wizard.next()
        until(lambda: wizard.running_page._bar.value() > 28)
        self.shot("5-running")
        window.back()
        self.shot("6-question", window.question)
        window.question.reject()
        until(lambda: wizard.step == 3)
        self.shot("7-result")
        for fold in wizard.result_page.folds:
            fold.setChecked(True)
        wait(100)
        wizard.result_page.grab().save(str(self._folder / f"{self._prefix}-8-result-all.png"))
        window.back()
        self._tab(1)
        wait(1200)
        self.shot("9-monitor")
        self._tab(0)
        self.bench.disks = ()
        self.bench.changed()
        wait(500)
        window.tell("Disktuner's helper cannot be reached. Install it and try again.", "caution")
        self.shot("a-empty")
        window.close()
        wait(50)


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    application = QApplication(["disktuner"])
    dress(application)
    light = application.palette()
    for prefix, palette in (("light", light), ("dark", dark_palette())):
        application.setPalette(palette)
        wait(50)
        Tour(folder, prefix).walk()


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"done in {time.monotonic() - started:.0f} s")
