# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: uses Disktuner's window on a screen of its own, and keeps pictures of that screen.

``window.py DISK FOLDER PICTURES`` goes from the disk's card to its measurement, measures in FOLDER, tries bfq, whatever
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
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.sources import real_sources
from disktuner.helper_client.text_agent import text_agent
from disktuner.verdict.answer import answer_of
from disktuner.verdict.evidence import evidence_of
from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
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
    """Real to the end, where the verdict is always bfq, as the tests are about what follows."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        return won_by(super().run(listener), Setting("bfq"))


def won_by(outcome: JudgedResult, winner: Setting) -> JudgedResult:
    """Return what was measured with another answer."""
    verdict = replace(outcome.verdict, decision=Decision.SWITCH, winner=winner, leader=None, chance=None)
    answer = answer_of(outcome.result, evidence_of(outcome.result), verdict)
    return replace(outcome, verdict=replace(verdict, answer=answer))


def switching(request: Request) -> Comparison:
    """Return the requested measurement, reduced to bfq against the present scheduler, in one workload."""
    smaller = replace(request, settings=(Setting("bfq"),), workloads=("launch-office",), seed=11)
    return _Switching(smaller, real_environment())


def wait(ms: int) -> None:
    """Wait while the window processes events."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


class Sitting:
    """A person at the window."""

    def __init__(self, disk: str, pictures: Path, instruments: Instruments) -> None:
        self._disk, self._pictures = disk, pictures
        self._deadline = QDeadlineTimer(HANG_S * 1000)
        self.app = Application(replace(real_sources(), instruments=lambda: instruments))
        self.app.start()
        self.until(self.sees_disk)

    def sees_disk(self) -> bool:
        """Whether the disk is shown, and everything is known about all disks."""
        return self.app.ready and not self.app.jobs.busy and self.app.state.find(self._disk) is not None

    @property
    def card(self) -> Any:
        return self.app.window.disks_page.card(self._disk)

    def until(self, holds: Callable[[], object]) -> None:
        """Wait for a condition; a failure quotes the window's words."""
        while not holds():
            assert not self._deadline.hasExpired(), self.app.window.notice.text
            wait(50)

    def click(self, find: Callable[[], QAbstractButton]) -> None:
        """Press a control once it can be pressed: the disks may be read again at any moment, which removes it."""
        self.until(lambda: find().isVisible() and find().isEnabled())
        find().click()

    def picture(self, name: str) -> None:
        """Keep a picture of the screen; of the disk's card, if there are cards."""
        wait(5000)  # emulated, a page is laid out late, and cards grow when their disks have been checked
        if self.card:
            self.app.window.disks_page._scroll.ensureWidgetVisible(self.card)
            wait(500)
        assert QApplication.primaryScreen().grabWindow(0).save(str(self._pictures / f"{name}.png"))

    def choose(self) -> None:
        """Choose the disk."""
        self.click(lambda: self.card.option)

    def ask(self) -> Any:
        """Return the plan shown for the card's disk."""
        window = self.app.window
        self.choose()
        self.until(lambda: window.plan is not None)
        return window.plan

    def answered(self, plan: Any) -> ResultPage:
        """Run the measurement."""
        window = self.app.window
        self.until(plan.foot.measure_button.isEnabled)
        self.picture("where")
        self.click(lambda: plan.foot.measure_button)
        measurement = window.measurement
        assert measurement is not None
        self.until(lambda: measurement.step == 2 or window.measurement is not measurement)
        assert measurement.step == 2 and measurement.result_page is not None, window.notice.text
        self.picture("answer")
        page: ResultPage = measurement.result_page
        return page

    def measure(self, folder: str) -> ResultPage:
        """Go from the card to the answer, in a folder."""
        plan = self.ask()
        self.until(lambda: plan._is_examined)
        plan.use_folder(folder)
        return self.answered(plan)

    def apply(self, page: ResultPage) -> None:
        """Try what is offered, then keep it for good."""
        window, wanted = self.app.window, page.presented.candidate.words
        self.click(lambda: page.use_button)
        self.until(window.trial.isVisible)
        self.picture("keep")
        self.until(lambda: window.trial.keep_button.isEnabled() and window.trial.ways[1].isEnabled())
        window.trial.ways[1].trigger()
        self.until(lambda: window.measurement is None)
        # The trial's end and the choice come one after the other: a slow computer may read the disks in between.
        self.until(lambda: self.card._chip._words.text() == wanted and self.card._choice_label.text())
        self.until(self.card._change.isEnabled)

    def look(self) -> dict[str, object]:
        """Return the text of the disk's card."""
        self.picture("switch")
        card = self.card
        return {"chip": card._chip._words.text(), "chosen": card._choice_label.text(), "back": card._back.isVisible()}

    def leave(self) -> None:
        """Close the window, and wait for its remaining work."""
        self.app.window.close()
        self.until(lambda: not self.app.jobs.busy)
        self.app.window.deleteLater()
        self.app.deleteLater()
        wait(200)


def main() -> None:
    """Run one session."""
    disk, folder, pictures = sys.argv[1:]
    with screen(), text_agent():
        application = QApplication(["disktuner"])
        dress(application)
        somebody = Sitting(disk, Path(pictures), replace(real_instruments(), compare=switching))
        page = somebody.measure(folder)
        measured, disks = judge(page.presented.result), [disk.name for disk in page.disks]
        somebody.apply(page)
        report = {"decision": measured.decision, "winner": measured.winner.name, "measured": disks, **somebody.look()}
        Path(pictures, "seen.json").write_text(json.dumps(report))
        somebody.leave()


if __name__ == "__main__":
    main()
