# SPDX-License-Identifier: GPL-3.0-or-later
"""How the tests drive the window on the machine's real disks, with the real helper, polkit and comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk
from disktuner.checkup.findings import CheckUp
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import JudgedResult, Request
from disktuner.experiment.events import Event
from disktuner.gui.application import Application
from disktuner.gui.measuring import compare as compare_really
from disktuner.gui.measuring import real_instruments
from disktuner.gui.sources import real_sources
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.wizard.wizard import Measurement, Wizard
from disktuner.verdict.model import Decision
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import click

Open = Callable[..., Application]
"""Opens the window on a disk; ``compare`` is what the wizard measures with, ``try_s`` how long a try lasts, ``check``
what checks disks up, where it is not the real one."""


@pytest.fixture
def opened(qtbot: QtBot, dressed: QApplication) -> Iterator[Open]:
    """The window of this machine, ready for a disk; closed afterwards, and no thread of it may be left."""
    before, made = _threads(), []

    def open_(
        loop: LoopDisk,
        compare: Callable[[Request], Measurement] = short,
        try_s: float = 60,
        check: Callable[[Sequence[Disk]], Sequence[CheckUp]] | None = None,
    ) -> Application:
        with_ = replace(real_instruments(), compare=compare)
        sources = replace(real_sources(), instruments=lambda: with_)
        running = Application(replace(sources, checks=lambda: check) if check else sources, try_s=try_s)
        made.append(running)
        running.start()
        qtbot.waitUntil(
            lambda: running.ready and running._stop_watching is not None and not running._jobs, timeout=30000
        )
        running.reader.read_now()
        qtbot.waitUntil(lambda: running.disks.find(loop.name) is not None, timeout=10000)
        return running

    yield open_
    for running in made:
        _close(qtbot, running)
        running.window.deleteLater()
        running.deleteLater()
    qtbot.wait(100)
    assert _threads() <= before | {"gmain", "gdbus"}


def _close(qtbot: QtBot, running: Application) -> None:
    """Close the window, also where a test failed and a comparison goes on; otherwise the next tests would fail, too."""
    if not running.window.close():
        running.window._stop_and_close()
    qtbot.waitUntil(lambda: not running.window.isVisible(), timeout=60000)
    qtbot.waitUntil(lambda: not running._jobs and running.reader._job is None)


def _threads() -> set[str]:
    """Names of Python's threads. For one of Qt's, Python 3.11 keeps a dummy after its end: those count as jobs."""
    return {thread.name for thread in threading.enumerate() if not thread.name.startswith("Dummy-")}


def short(request: Request) -> Measurement:
    """The comparison that the wizard asked for, with one scheduler against the present one and one workload."""
    return compare_really(replace(request, schedulers=("bfq",), workloads=("dd-write",), seed=11))


class Switching(Comparison):
    """Real to the end, but whoever wins on this machine today, the verdict says bfq: applying it is what is tested."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        outcome = super().run(listener)
        return replace(outcome, verdict=replace(outcome.verdict, decision=Decision.SWITCH, winner="bfq"))


def switching(request: Request) -> Measurement:
    """As ``short``, with a verdict that offers bfq."""
    return Switching(replace(request, schedulers=("bfq",), workloads=("dd-write",), seed=11), real_environment())


def start(qtbot: QtBot, running: Application, loop: LoopDisk) -> Wizard:
    """From the disk's card to a comparison of which two runs are done."""
    wizard = announced(qtbot, running, loop)
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.running_page._bar.value() > 1, timeout=30000)
    return wizard


def announced(qtbot: QtBot, running: Application, loop: LoopDisk) -> Wizard:
    """From the disk's card to what would be measured."""
    click(qtbot, running.window.disks_page.card(loop.name)._find)
    wizard = running.window.wizard
    assert wizard is not None
    click(qtbot, wizard.goal_page.buttons["copying"])
    click(qtbot, wizard.next_button)
    page = wizard.where_page
    page.use_folder(str(loop.folder))
    qtbot.waitUntil(lambda: wizard.next_button.isEnabled() or page.notice.property("notice") == "bad", timeout=30000)
    assert wizard.next_button.isEnabled(), page.notice.text
    return wizard


def change(qtbot: QtBot, running: Application, loop: LoopDisk, scheduler: str) -> ChangeDialog:
    click(qtbot, running.window.disks_page.card(loop.name)._change)
    dialog = running.window.findChild(ChangeDialog)
    dialog.scheduler.setCurrentIndex(dialog.scheduler.findData(scheduler))
    assert dialog.scheduler.currentData() == scheduler
    return dialog


@contextmanager
def known_to_udev(loop: LoopDisk, sudo: Sudo) -> Iterator[None]:
    """Loop disks have no serial number, and without one nothing can be kept: say that udev found one."""
    file = f"/run/udev/data/b{(Path('/sys/block') / loop.name / 'dev').read_text().strip()}"
    sudo("mkdir", "-p", "/run/udev/data")
    sudo("tee", file, stdin=f"E:ID_SERIAL=Disktuner_{loop.name}_{loop.diskseq}\nE:ID_MODEL=Test_Disk\n")
    try:
        yield
    finally:
        sudo("rm", "-f", file)
