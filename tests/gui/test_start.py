# SPDX-License-Identifier: GPL-3.0-or-later
"""How the window starts: the disks are read while Qt is loaded; what the first picture can do without comes later."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.block.system import System
from disktuner.gui.application import Application
from disktuner.gui.widgets.parts import CENTRE, NO_FOCUS, NO_SCROLL_BAR, PLAIN_TEXT, RIGHT, TOP, label
from tests.gui.stand_ins import Bench

ASKED = """
import os, pickle, sys, time
from disktuner.gui.first_look import FirstLook, read_disks
{read}
before = len(os.listdir("/proc/self/fd"))
look = FirstLook(read)
began = time.monotonic()
disks = look.disks({wait_s})
took = time.monotonic() - began
time.sleep(0.05)
children = open(f"/proc/self/task/{{os.getpid()}}/children").read().split()
left = len(os.listdir("/proc/self/fd")) - before
sys.stdout.buffer.write(pickle.dumps((disks, took, children, left)))
"""


def ask(read: str, wait_s: float = 30) -> tuple[object, float, list[str], int]:
    """In a process of its own, as at the start of the program: what it found, how long that took, what is left."""
    script = ASKED.format(read=read, wait_s=wait_s)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60)
    found: tuple[object, float, list[str], int] = pickle.loads(done.stdout)
    return found


def test_it_finds_what_the_kernel_shows_and_leaves_nothing_behind() -> None:
    disks, _, children, left = ask("read = read_disks")
    assert [disk.name for disk in disks or ()] == [disk.name for disk in System().disks()]  # type: ignore[attr-defined]
    assert (children, left) == ([], 0)


def test_more_disks_than_a_pipe_holds_arrive() -> None:
    disks, *_ = ask("read = lambda: ['x' * 1000] * 1 + [str(number) * 100 for number in range(3000)]")
    assert isinstance(disks, tuple)
    assert len(disks) == 3001


ENDS_HALFWAY = """
def read():
    os.write(4, pickle.dumps(("sda", "sdb"))[:9])
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("read", ["read = lambda: 1 / 0", ENDS_HALFWAY])
def test_a_reading_that_fails_is_none_and_says_nothing(read: str) -> None:
    disks, _, children, left = ask(read)
    assert disks is None
    assert (children, left) == ([], 0)


def test_a_disk_that_hangs_does_not_keep_the_window_away() -> None:
    disks, took, children, _ = ask("read = lambda: time.sleep(5)", 0.01)
    assert disks is None
    assert took < 2
    assert len(children) == 1


PAINTED = """
import sys
from disktuner.gui.first_look import FirstLook, read_disks
look = FirstLook(read_disks)
import PySide6.QtCore
from disktuner.gui.application import ARGV, Application, dress
from disktuner.gui.later import LATER
from disktuner.gui.sources import real_sources
from PySide6.QtWidgets import QApplication
application = QApplication([*ARGV])
dress(application)

def painted(running):
    print([name for name in LATER if name in sys.modules], "Qt" in vars(PySide6.QtCore))
    running.stop()
    application.quit()

Application._after_first_paint = painted
running = Application(real_sources(lambda: look.disks(30)))
running.start()
application.exec()
"""


def test_nothing_is_loaded_before_the_disks_are_seen_that_is_not_needed_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", PAINTED], capture_output=True, check=True, timeout=60, text=True)
    assert done.stdout == "[] False\n"


TYPES = """
import enum
from PySide6.QtWidgets import QApplication
from disktuner.gui.later import load, make_types
application = QApplication([])
steps = sum(1 for _ in make_types())
made = []
create = enum.EnumMeta._create_

def watched(cls, *given, **named):
    made.append(create(cls, *given, **named))
    return made[-1]

enum.EnumMeta._create_ = watched
load()
print(steps > 500, sum(each.__module__ == "enum" for each in made))
"""


def test_what_is_loaded_in_a_thread_finds_all_types_made() -> None:
    """PySide's enums are made of C++ and so have no module of their own at first; 608 of them without the steps."""
    done = subprocess.run([sys.executable, "-c", TYPES], capture_output=True, check=True, timeout=120, text=True)
    assert done.stdout == "True 0\n"


def test_what_stands_for_names_of_qt_is_what_they_are() -> None:
    named = (Qt.TextFormat.PlainText, Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.FocusPolicy.NoFocus)
    assert tuple(each.value for each in named) == (PLAIN_TEXT, NO_SCROLL_BAR, NO_FOCUS)
    sides = (Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignTop)
    assert tuple(each.value for each in sides) == (RIGHT, CENTRE, TOP)


def test_a_text_is_never_read_as_markup(dressed: QApplication) -> None:
    assert label("<b>disk</b>").textFormat() is Qt.TextFormat.PlainText


def test_the_first_picture_has_the_disks_that_were_read_before(qtbot: QtBot, bench: Bench) -> None:
    bench.disks_at_start = bench.disks
    running = Application(bench.sources())
    qtbot.addWidget(running.window)
    running.start()
    try:
        assert {card.disk.name for card in running.window.disks_page.cards} == {
            disk.name for disk in bench.disks if disk.tunable
        }
        assert all(card.isVisible() for card in running.window.disks_page.cards)
        qtbot.waitUntil(lambda: running.ready, timeout=20000)
    finally:
        running.stop()
