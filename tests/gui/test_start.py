# SPDX-License-Identifier: GPL-3.0-or-later
"""How the window starts: it is there before the disks are read, and nothing is imported in a thread."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.checkup.findings import CheckUp
from disktuner.gui.application import Application
from disktuner.gui.widgets.layout import label
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import text
from tests.gui.conftest import click
from tests.gui.stand_ins import Bench

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


class Slow(Bench):
    """Its disks hang until ``go``; ``reads`` and ``looks`` count how often they were read and checked up."""

    def __init__(self, disks: Sequence[Disk]) -> None:
        super().__init__(disks)
        self.go = threading.Event()
        self.reads = self.looks = 0

    def read(self) -> Sequence[Disk]:
        self.reads += 1
        assert self.go.wait(30)
        return self.disks

    def check(self, disks: Sequence[Disk]) -> tuple[CheckUp, ...]:
        self.looks += 1
        return super().check(disks)


@pytest.fixture
def slow(bench: Bench) -> Slow:
    return Slow(bench.disks)


def test_a_disk_that_hangs_does_not_keep_the_window_away(qtbot: QtBot, dressed: QApplication, slow: Slow) -> None:
    running = Application(slow.sources(slow.read))
    qtbot.addWidget(running.window)
    running.start()
    page = running.window.disks_page
    try:
        qtbot.waitUntil(page._empty.isVisible)
        assert page._empty._head.text() == text("looking-for-disks")
        assert not running.ready
        slow.go.set()
        qtbot.waitUntil(lambda: running.ready, timeout=20000)
        assert {card.disk.name for card in page.cards} == {disk.name for disk in slow.disks if disk.tunable}
        assert all(card.isVisible() for card in page.cards)
    finally:
        slow.go.set()
        running.stop()


def test_disks_that_cannot_be_read_are_a_sentence_and_are_read_again(
    qtbot: QtBot, dressed: QApplication, bench: Bench
) -> None:
    failures = [NoSuchThing("disk-unreadable", disk="sda")]

    def read() -> Sequence[Disk]:
        if failures:
            raise failures.pop()
        return bench.disks

    running = Application(bench.sources(read))
    qtbot.addWidget(running.window)
    running.start()
    empty, page = running.window.disks_page._empty, running.window.disks_page
    try:
        qtbot.waitUntil(lambda: empty._head.text() == text("disks-unreadable"))
        assert empty._text.text() == text("disk-unreadable", disk="sda")
        click(qtbot, empty._button)
        qtbot.waitUntil(lambda: {card.disk.name for card in page.cards} == {d.name for d in bench.disks if d.tunable})
        qtbot.waitUntil(lambda: running.ready, timeout=20000)
    finally:
        running.stop()


def test_closed_before_the_disks_are_read_it_begins_nothing_more(
    qtbot: QtBot, dressed: QApplication, slow: Slow
) -> None:
    running = Application(slow.sources(slow.read))
    qtbot.addWidget(running.window)
    running.start()
    threading.Timer(0.2, slow.go.set).start()
    running.window.close()
    qtbot.wait(300)
    assert not running.ready and not running._jobs
    assert slow.helper.closed
    assert "measuring" not in vars(running)


def test_closed_while_the_disks_are_read_again_it_begins_nothing_more(
    qtbot: QtBot, dressed: QApplication, slow: Slow
) -> None:
    """What was read arrives after the end: no check-up may follow, in a thread that the window would take with it."""
    slow.go.set()
    running = Application(slow.sources(slow.read))
    qtbot.addWidget(running.window)
    running.start()
    qtbot.waitUntil(lambda: running.ready, timeout=20000)
    qtbot.waitUntil(lambda: running.checking._reader._job is None and running.reader._job is None)
    slow.go.clear()
    running.reader.read_now()
    threading.Timer(0.2, slow.go.set).start()
    running.window.close()
    begun = (slow.reads, slow.looks)
    running.reader.read_soon()
    qtbot.wait(300)
    assert (slow.reads, slow.looks) == begun


PAINTED = """
import json, sys
from PySide6.QtWidgets import QApplication
from disktuner.gui.application import Application, dress
from disktuner.gui.sources import real_sources
application = QApplication(["disktuner"])
dress(application)

def painted(running):
    large = ("numpy", "scipy", "matplotlib", "pyqtgraph", "disktuner.gui.measuring")
    loaded = [name for name in large if name in sys.modules]
    print(json.dumps([loaded, [card.disk.name for card in running.window.disks_page.cards if card.isVisible()]]))
    running.window.close()

Application._after_first_list = painted
running = Application(real_sources())
running.start()
application.exec()
"""


def tunable_disks() -> set[tuple[str, int]]:
    """Those of this machine, with the kernel's number of each: a name that was taken anew has another."""
    return {(disk.name, disk.diskseq) for disk in System().disks() if disk.tunable}


def test_what_only_some_pages_need_is_not_loaded_before_the_disks_are_seen() -> None:
    before = tunable_disks()
    done = subprocess.run([sys.executable, "-c", PAINTED], capture_output=True, check=True, timeout=60, text=True)
    after = tunable_disks()
    loaded, seen = json.loads(done.stdout)
    assert loaded == []
    stayed, ever = ({name for name, _ in disks} for disks in (before & after, before | after))
    assert stayed <= set(seen) <= ever, "other tests' disks come and go meanwhile"


def test_no_thread_imports_anything_on_any_page(tmp_path: Path) -> None:
    """In a new process, where no library is loaded yet: through all pages, and results are saved in all forms."""
    walk = Path(__file__).with_name("screenshots.py")
    argv = [sys.executable, "-I", "-X", "faulthandler", str(walk), "first"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_a_text_is_never_read_as_markup(dressed: QApplication) -> None:
    assert label("<b>disk</b>").textFormat() is Qt.TextFormat.PlainText
