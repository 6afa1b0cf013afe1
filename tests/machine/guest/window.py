# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: uses Disktuner's window on a screen of its own, and keeps pictures of that screen.

``window.py DISK FOLDER PICTURES`` goes from the disk's card through the wizard, measures in FOLDER, tries bfq, whatever
was measured, and keeps it for good. Passwords are asked for at the terminal. Writes what was seen to
PICTURES/seen.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import JudgedResult, Request
from disktuner.experiment.events import Event
from disktuner.gui.application import Application
from disktuner.gui.instruments import Instruments, real_instruments
from disktuner.gui.main import dress
from disktuner.gui.sources import real_sources
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.helper_client.text_agent import text_agent
from disktuner.verdict.answer import answer_of
from disktuner.verdict.evidence import evidence_of
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.settings import Setting

SCREEN = "1280x1000x24"
HANG_S = 480
"""Less than the host waits for all of it: else nobody hears what was waited for."""


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
        except BaseException:  # noqa: BLE001 - whatever it is is said
            traceback.print_exc()
            os._exit(1)  # the window's threads would go on
        finally:
            server.terminate()


class _Switching(Comparison):
    """Real to the end, but whoever wins here today, the verdict says bfq: what is done with it is what is tested."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        return won_by(super().run(listener), Setting("bfq"))


def won_by(outcome: JudgedResult, winner: Setting) -> JudgedResult:
    """Return what was measured with another answer."""
    found = replace(outcome.verdict, decision=Decision.SWITCH, winner=winner, leader=None, chance=None)
    answer = answer_of(outcome.result, evidence_of(outcome.result), found)
    return replace(outcome, verdict=replace(found, answer=answer))


def switching(request: Request) -> Comparison:
    """What the wizard asked for, but only bfq against the present scheduler, in one workload."""
    asked = replace(request, settings=(Setting("bfq"),), workloads=("launch-office",), seed=11)
    return _Switching(asked, real_environment())


def wait(ms: int) -> None:
    """Let the window live meanwhile."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


class Sitting:
    """Somebody at the window."""

    def __init__(self, disk: str, pictures: Path, instruments: Instruments) -> None:
        self._disk, self._pictures = disk, pictures
        self._deadline = QDeadlineTimer(HANG_S * 1000)
        self.app = Application(replace(real_sources(), instruments=lambda: instruments))
        self.app.start()
        self.until(self.sees_disk)

    def sees_disk(self) -> bool:
        """Whether the disk is there, and all is known of all disks."""
        return self.app.ready and not self.app.jobs.busy and self.app.state.find(self._disk) is not None

    @property
    def card(self) -> Any:
        return self.app.window.disks_page.card(self._disk)

    def until(self, holds: Callable[[], object]) -> None:
        """Wait for it; the window's own words say why not."""
        while not holds():
            assert not self._deadline.hasExpired(), self.app.window.notice.text
            wait(50)

    def click(self, find: Callable[[], QAbstractButton]) -> None:
        """Press what can be pressed, at last: the disks may be read again at any moment, which takes it away."""
        self.until(lambda: find().isVisible() and find().isEnabled())
        find().click()

    def picture(self, name: str) -> None:
        """What the screen shows; the disk's card, where there are cards."""
        wait(5000)  # emulated, a page is laid out late, and cards grow when their disks have been checked
        if self.card:
            self.app.window.disks_page._scroll.ensureWidgetVisible(self.card)
            wait(500)
        assert QApplication.primaryScreen().grabWindow(0).save(str(self._pictures / f"{name}.png"))

    def choose(self) -> None:
        """Choose the disk."""
        self.click(lambda: self.card.option)

    def ask(self) -> Any:
        """The plan, for the disk of the card."""
        window = self.app.window
        self.choose()
        self.until(lambda: window.plan is not None)
        return window.plan

    def answered(self, plan: Any) -> ResultPage:
        """Have it measure."""
        window = self.app.window
        self.until(plan.foot.measure_button.isEnabled)
        self.picture("where")
        self.click(lambda: plan.foot.measure_button)
        wizard = window.wizard
        assert wizard is not None
        self.until(lambda: wizard.step == 2 or window.wizard is not wizard)
        assert wizard.step == 2 and wizard.result_page is not None, window.notice.text
        self.picture("answer")
        page: ResultPage = wizard.result_page
        return page

    def measure(self, folder: str) -> ResultPage:
        """From the card to the answer, in a folder."""
        plan = self.ask()
        self.until(lambda: plan._looked)
        plan.use_folder(folder)
        return self.answered(plan)

    def apply(self, page: ResultPage) -> None:
        """Try what is offered, then keep it for good."""
        window, wanted = self.app.window, page.presented.candidate.words
        self.click(lambda: page.use_button)
        self.until(window.trial.isVisible)
        self.picture("keep")
        self.click(lambda: window.trial.always_button)
        self.until(lambda: window.wizard is None)
        # The trial's end and the choice come one after the other: a slow computer may read the disks in between.
        self.until(lambda: self.card._chip._words.text() == wanted and self.card._chosen.text())
        self.until(self.card._change.isEnabled)

    def look(self) -> dict[str, object]:
        """What the disk's card says."""
        self.picture("switch")
        card = self.card
        return {"chip": card._chip._words.text(), "chosen": card._chosen.text(), "back": card._back.isVisible()}

    def leave(self) -> None:
        """Close the window, and wait for what it still does."""
        self.app.window.close()
        self.until(lambda: not self.app.jobs.busy)
        self.app.window.deleteLater()
        self.app.deleteLater()
        wait(200)


def main() -> None:
    """One sitting."""
    disk, folder, pictures = sys.argv[1:]
    with screen(), text_agent():
        application = QApplication(["disktuner"])
        dress(application)
        somebody = Sitting(disk, Path(pictures), replace(real_instruments(), compare=switching))
        page = somebody.measure(folder)
        measured, disks = judge(page.presented.result), [each.name for each in page.disks]
        somebody.apply(page)
        seen = {"decision": measured.decision, "winner": measured.winner.name, "measured": disks, **somebody.look()}
        Path(pictures, "seen.json").write_text(json.dumps(seen))
        somebody.leave()


if __name__ == "__main__":
    main()
