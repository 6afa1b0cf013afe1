# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: uses Disktuner's window on a screen of its own, and keeps pictures of that screen.

``window.py switch DISK FOLDER PICTURES`` goes from the disk's card through the wizard, measures in FOLDER, tries bfq,
whatever was measured, and keeps it for good; FOLDER ``-`` is the one that the wizard offers first, and where it lies on
another disk, that one is meant from there on. ``window.py look DISK PICTURES`` opens the window and looks at the disk's
card. Passwords are asked for at the terminal. Writes what was seen to PICTURES/seen.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollArea, QWidget

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import JudgedResult, Request
from disktuner.experiment.events import Event
from disktuner.gui.application import Application, dress
from disktuner.gui.measuring import real_instruments
from disktuner.gui.sources import real_sources
from disktuner.gui.widgets.keep_dialog import KeepDialog
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.helper_client.text_agent import text_agent
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.schedulers import shown

SCREEN = "1280x1000x24"
MEASURED_S = 900


@contextmanager
def screen() -> Iterator[None]:
    """An X server that nobody looks at."""
    readable, writable = os.pipe()
    command = ["Xvfb", "-displayfd", str(writable), "-screen", "0", SCREEN, "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writable], stderr=subprocess.DEVNULL) as server:
        os.close(writable)
        with os.fdopen(readable) as stream:
            os.environ.update(DISPLAY=f":{stream.readline().strip()}", QT_QPA_PLATFORM="xcb")
        try:
            yield
        finally:
            server.terminate()


class _Switching(Comparison):
    """Real to the end, but whoever wins here today, the verdict says bfq: what is done with it is what is tested."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        outcome = super().run(listener)
        return replace(outcome, verdict=replace(outcome.verdict, decision=Decision.SWITCH, winner="bfq"))


def switching(request: Request) -> Comparison:
    """What the wizard asked for, but only bfq against the present scheduler, in one workload."""
    asked = replace(request, schedulers=("bfq",), workloads=("launch-under-writes",), seed=11)
    return _Switching(asked, real_environment())


def wait(ms: int) -> None:
    """Let the window live meanwhile."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


class Sitting:
    """Somebody at the window; ``compare`` measures what the wizard asks for."""

    def __init__(self, disk: str, pictures: Path, compare: Callable[[Request], Comparison] = switching) -> None:
        self._disk, self._pictures = disk, pictures
        self.offered: list[str] = []
        instruments = replace(real_instruments(), compare=compare)
        self.app = Application(replace(real_sources(), instruments=lambda: instruments))
        self.app.start()
        self.until(lambda: self.app.ready and not self.app.jobs.busy and self._there())

    def _there(self) -> bool:
        return self.app.disks.find(self._disk) is not None

    @property
    def card(self) -> Any:
        return self.app.window.disks_page.card(self._disk)

    def until(self, holds: Callable[[], object], seconds: float = 120) -> None:
        """Wait for it; the window's own words say why not."""
        deadline = QDeadlineTimer(int(seconds * 1000))
        while not holds():
            assert not deadline.hasExpired(), self.app.window.notice.text
            wait(50)

    def click(self, find: Callable[[], QAbstractButton]) -> None:
        """Press what can be pressed, at last: the disks may be read again at any moment, which takes it away."""
        self.until(lambda: find().isVisible() and find().isEnabled())
        find().click()

    def picture(self, name: str) -> None:
        """What the screen shows."""
        wait(2000)  # emulated, a page is laid out late
        seen = QApplication.primaryScreen().grabWindow(0)
        assert seen.save(str(self._pictures / f"{name}.png"))

    def pictures(self, name: str, page: QWidget) -> None:
        """A page that scrolls: its beginning and, as NAME-below, its end."""
        self.picture(name)
        area: QWidget | None = page
        while not isinstance(area, QScrollArea):
            assert area is not None, name
            area = area.parentWidget()
        area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
        self.picture(f"{name}-below")
        area.verticalScrollBar().setValue(0)

    def show_card(self) -> None:
        """Scroll to the disk's card, once all cards are as high as they will be."""
        wait(1000)
        self.app.window.disks_page._scroll.ensureWidgetVisible(self.card)

    def keep(self, **seen: object) -> None:
        """Write down what was seen on the card, and more."""
        self.show_card()
        card = self.card
        seen |= {"chip": card._chip.text(), "chosen": card._chosen.text(), "back": card._back.isVisible()}
        (self._pictures / "seen.json").write_text(json.dumps(seen))

    def leave(self) -> None:
        """Close the window, and wait for what it still does."""
        self.app.window.close()
        self.until(lambda: not self.app.jobs.busy)
        self.app.window.deleteLater()
        self.app.deleteLater()
        wait(200)

    @property
    def wizard(self) -> Wizard:
        """The one that is open."""
        assert self.app.window.wizard is not None, self.app.window.notice.text
        return self.app.window.wizard

    def choose(self, folder: str) -> None:
        """From the card to the question where to measure, for a desktop, and answer it."""
        self.click(lambda: self.card._find)
        wizard = self.wizard
        self.click(lambda: wizard.goal_page.buttons["desktop"])
        self.click(lambda: wizard.next_button)
        self.until(lambda: wizard.where_page._looked)
        listed = wizard.where_page.folder
        self.offered = [listed.itemData(number) for number in range(listed.count())]
        if folder != "-":
            wizard.where_page.use_folder(folder)

    def begin(self, picture: str) -> None:
        """Once it is said what would be measured, do so."""
        wizard = self.wizard
        self.until(wizard.next_button.isEnabled)  # only then the wizard is about the folder's disk
        self._disk = wizard.disk.name
        self.picture(picture)
        self.click(lambda: wizard.next_button)

    def watch(self, picture: str) -> None:
        """Look at it while it is measured, once something is known."""
        wizard, rounds = self.wizard, list[object]()
        wizard._so_far.connect(rounds.append)
        self.until(lambda: rounds or self.is_over(wizard), MEASURED_S)
        self.pictures(picture, wizard.running_page)

    def is_over(self, wizard: Wizard) -> bool:
        """Whether it was measured, or stopped."""
        return wizard.step == 3 or self.app.window.wizard is not wizard

    def result(self, picture: str) -> ResultPage:
        """The answer, once it is there."""
        wizard = self.wizard
        self.until(lambda: self.is_over(wizard), MEASURED_S)
        assert wizard.step == 3 and wizard.result_page is not None, self.app.window.notice.text
        self.picture(picture)
        return wizard.result_page

    def apply(self, page: ResultPage) -> None:
        """Try what is offered, then keep it for good."""
        window, wanted = self.app.window, shown(str(page.presented.candidate))
        self.click(lambda: page.use_button)
        self.until(lambda: window.findChild(KeepDialog) is not None)
        self.picture("keep")
        self.click(lambda: window.findChild(KeepDialog).always_button)
        self.until(lambda: window.wizard is None)
        # The trial's end and the choice come one after the other: a slow computer may read the disks in between.
        self.until(lambda: self.card._chip.text() == wanted and self.card._chosen.text())
        self.until(self.card._find.isEnabled)


@contextmanager
def sitting(disk: str, pictures: str, compare: Callable[[Request], Comparison] = switching) -> Iterator[Sitting]:
    """Somebody at the window on a screen of its own, who types passwords at the terminal."""
    with screen(), text_agent():
        application = QApplication(["disktuner"])
        dress(application)
        somebody = Sitting(disk, Path(pictures), compare)
        yield somebody
        somebody.leave()


def sit(steps: Mapping[str, Callable[..., None]], compare: Callable[[Request], Comparison]) -> None:
    """One sitting: the step that the command line names, with the places behind it, the last one for pictures."""
    step, disk, *places = sys.argv[1:]
    with sitting(disk, places[-1], compare) as somebody:
        steps[step](somebody, *places[:-1])
        somebody.picture(step)


def main() -> None:
    """One sitting."""
    step, disk, *places = sys.argv[1:]
    with sitting(disk, places[-1]) as somebody:
        if step == "switch":
            somebody.choose(places[0])
            wizard = somebody.wizard
            somebody.begin("where")
            page, title, folder = somebody.result("result"), wizard.title.text(), wizard.where_page.target
            measured = judge(page.presented.result)
            somebody.apply(page)
            somebody.keep(
                decision=measured.decision,
                winner=measured.winner,
                said=somebody.app.window.notice.text,
                title=title,
                folder=folder,
                offered=somebody.offered,
                measured=[each.name for each in page.disks],
            )
        else:
            somebody.keep()
        somebody.picture(step)


if __name__ == "__main__":
    main()
