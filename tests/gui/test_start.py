# SPDX-License-Identifier: GPL-3.0-or-later
"""How the window starts: it is visible before the disks are read, and nothing is imported in a thread."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from disktuner.block.disk import Disk
from disktuner.gui.application import Application
from disktuner.results.history import History
from disktuner.results.store import Store
from disktuner.verdict.model import METHOD
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import literal, text
from tests.gui.conftest import close
from tests.gui.person import Person, idle, until, words
from tests.gui.stand_ins import Bench, result


def test_a_disk_that_hangs_does_not_keep_the_window_away(bench: Bench) -> None:
    go = threading.Event()

    def read() -> Sequence[Disk]:
        go.wait()
        return bench.disks

    person = Person(Application(bench.sources(read)))
    page = person.window.disks_page
    person.running.start()
    try:
        until(lambda: text("looking-for-disks") in words(page))
        assert not person.running.ready
    finally:
        go.set()
    until(lambda: person.running.ready)
    assert {card.disk.name for card in page.cards} == {disk.name for disk in bench.disks if disk.tunable}
    assert all(card.isVisible() for card in page.cards)
    close(person.running)
    idle()


def test_disks_that_cannot_be_read_are_a_sentence_and_are_read_again(bench: Bench) -> None:
    are_broken, readings = threading.Event(), list[str]()
    are_broken.set()

    def read() -> Sequence[Disk]:
        readings.append("one")
        if are_broken.is_set():
            raise NoSuchThing("disk-unreadable", disk="sda")
        return bench.disks

    person = Person(Application(bench.sources(read)))
    person.running.start()
    page = person.window.disks_page
    until(lambda: len(readings) == 2)  # at the start, and once changes are watched for
    idle()
    assert text("disks-unreadable") in words(page)
    assert text("disk-unreadable", disk="sda") in words(page)
    are_broken.clear()
    person.press("try-again", page)
    until(lambda: {card.disk.name for card in page.cards} == {d.name for d in bench.disks if d.tunable})
    close(person.running)
    idle()


REAL = """
import json, sys
from PySide6.QtWidgets import QApplication
from disktuner.gui.application import Application
from disktuner.gui.main import dress
from disktuner.gui.sources import real_sources
application = QApplication(["disktuner"])
dress(application)
running = Application(real_sources())
"""
PAINTED = """
from PySide6.QtCore import QTimer

def painted():
    large = ("numpy", "pyqtgraph", "disktuner.gui.measuring", "disktuner.presentation", "disktuner.verdict.model",
             "disktuner.block.writers.owners", "disktuner.experiment.scratch", "pyudev", "logging.handlers")
    loaded = [name for name in large if name in sys.modules]
    print(json.dumps([loaded, [card.disk.name for card in running.window.disks_page.cards if card.isVisible()]]))
    running.window.close()

running.reader.idle.connect(lambda: QTimer.singleShot(0, painted))
running.start()
application.exec()
"""


def test_what_only_some_pages_need_is_not_loaded_before_the_disks_are_seen() -> None:
    run = subprocess.run(
        [sys.executable, "-c", REAL + PAINTED], capture_output=True, check=True, timeout=150, text=True
    )
    loaded, is_seen = json.loads(run.stdout)
    assert loaded == [] and is_seen


IMPORTING = """
import builtins, sys
pythons_own = builtins.__import__
import disktuner.gui.start as start
opened = []
start.reach_session = lambda address: None
start.os.geteuid = lambda: 1000
sys.modules["disktuner.gui.main"] = type(sys)("disktuner.gui.main")
sys.modules["disktuner.gui.main"].main = lambda *_: opened.append(builtins.__import__ is pythons_own) or 0
start.main([])
import PySide6.QtWidgets
assert opened == [True] and "PySide6.QtCore" in sys.modules and builtins.__import__ is pythons_own
"""


def test_qt_does_not_make_imports_read_sources() -> None:
    subprocess.run([sys.executable, "-c", IMPORTING], check=True, timeout=150)


TOLD = """
def quit_when_known(before, now):
    if now.memories:
        print(json.dumps(["numpy" in sys.modules, [memory.result for memory in now.memories.values()]]))
        running.window.close()

running.changed.connect(quit_when_known)
running.start()
application.exec()
running.jobs.leave()
"""


@pytest.mark.parametrize("listed", [True, False])
def test_what_was_answered_is_told_without_judging_it_anew(tmp_path: Path, listed: bool) -> None:
    store = Store(tmp_path / "disktuner")
    store.save(result(6))
    if listed:
        History(store, lambda _: (literal("bfq"), "switch", "", ()), METHOD).entries()
    environment = os.environ | {"XDG_DATA_HOME": str(tmp_path)}
    argv = [sys.executable, "-c", REAL + TOLD]
    run = subprocess.run(argv, capture_output=True, check=True, timeout=150, text=True, env=environment)
    assert json.loads(run.stdout) == [not listed, [result(6).id]]


def test_no_thread_imports_anything_on_any_page(tmp_path: Path) -> None:
    """In a new process with no library loaded yet: all pages are visited, and results are saved in all forms."""
    walk = Path(__file__).with_name("screenshots.py")
    argv = [sys.executable, "-I", "-X", "faulthandler", str(walk), "first"]
    run = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []
