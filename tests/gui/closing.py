# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens the program's window, brings it into a state, and closes it as a person does, in a process for each time.

``closing.py FOLDER PATIENCE`` reads from its standard input what is to be done, ``STATE ends`` or ``STATE hangs`` in
a line: whether the thread that works then ends after the window, or never. For each it prints the status with which
the program ended, and all that it said, as JSON. Disks, helper and comparisons are stand-ins; the rest is real.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

# Imported before the first process is made of this one: that costs the program's start once.
import pyqtgraph  # noqa: E402, F401
from PySide6.QtCore import QTimer  # noqa: E402
from PySide6.QtWidgets import QAbstractButton, QApplication, QTableView  # noqa: E402

from disktuner.comparison.request import Announcement, JudgedResult, Request  # noqa: E402
from disktuner.experiment.events import Event  # noqa: E402
from disktuner.gui.application import main  # noqa: E402
from disktuner.gui.history import KeptResults  # noqa: E402
from disktuner.gui.libraries import load_judging  # noqa: E402
from disktuner.gui.measuring import Instruments  # noqa: E402
from disktuner.gui.sources import Sources  # noqa: E402
from disktuner.gui.widgets.disk_card import DiskCard  # noqa: E402
from disktuner.gui.widgets.history_page import HistoryPage  # noqa: E402
from disktuner.gui.widgets.keep_dialog import KeepDialog  # noqa: E402
from disktuner.gui.widgets.opened_page import OpenedPage  # noqa: E402
from disktuner.gui.widgets.window import Window  # noqa: E402
from disktuner.gui.wizard.wizard import Measurement, Wizard  # noqa: E402
from disktuner.results.store import Store  # noqa: E402
from disktuner.vocabulary.messages import text  # noqa: E402
from tests.gui.person import pressable, seen  # noqa: E402
from tests.gui.stand_ins import Bench, result, some_disks  # noqa: E402

Steps = Iterator[Callable[[], object]]
"""What has to hold before each step is done; after the last one the window is closed."""


class Held:
    """Where threads are held: ``at`` says at what, ``here`` is set when one is, and ``go`` lets all of them end."""

    def __init__(self, at: str) -> None:
        self.at, self.here, self.go = at, threading.Event(), threading.Event()

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, held before it begins where this is the place."""

        def held(*given: Any) -> Any:
            if name == self.at:
                self.here.set()
                self.go.wait()
            return work(*given)

        return held


class HeldComparison:
    """A comparison that is held while it is announced or, deaf to its cancelling, while it measures."""

    def __init__(self, comparison: Measurement, held: Held, tunes: bool) -> None:
        self._comparison, self._held = comparison, held
        self._measures = "tuning" if tunes else "measuring"
        self.cancel, self.resume, self.close = comparison.cancel, comparison.resume, comparison.close

    def announce(self) -> Announcement:
        return self._held.around("announcing", self._comparison.announce)()

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        held = self._held.around(self._measures, self._held.around("pausing", listener))
        return self._comparison.run(held)

    def pause(self) -> None:
        self._comparison.pause()
        if self._held.at == "pausing":
            self._held.go.set()


class Kept(KeptResults):
    def __init__(self, folder: Path, held: Held) -> None:
        super().__init__(folder)
        self.entries = held.around("entries", super().entries)  # type: ignore[method-assign]
        self.open = held.around("open", super().open)  # type: ignore[method-assign]


class World:
    """The stand-ins of one process."""

    def __init__(self, folder: Path, held: Held) -> None:
        self.held, self.bench = held, Bench(some_disks(folder), kept=folder / "kept")
        self._kept = Kept(folder / "kept", held)

    def sources(self) -> Sources:
        plain, around = self.bench.sources(), self.held.around
        check = around("check", self.bench.check)
        return replace(
            plain,
            read_disks=around("disks", plain.read_disks),
            read_writers=around("writers", plain.read_writers),
            instruments=self._instruments,
            checks=lambda: check,
        )

    def _instruments(self) -> Instruments:
        plain, held = self.bench.instruments(), self.held
        return replace(
            plain,
            places=held.around("places", plain.places),
            compare=lambda request: self._compare(plain, request),
            kept=self._kept,
            find_leftovers=held.around("leftovers", plain.find_leftovers),
        )

    def _compare(self, plain: Instruments, request: Request) -> Measurement:
        return HeldComparison(plain.compare(request), self.held, tunes=request.after is not None)


def button(id_: str) -> QAbstractButton | None:
    """What can be pressed and says this; on the card of sda, if it is on one."""
    cards = [card for card in seen(DiskCard) if card.disk.name == "sda"]
    return pressable(text(id_), cards[0] if cards else None) or pressable(text(id_))


def press(id_: str) -> Steps:
    """Press a button as soon as it can be."""
    yield lambda: button(id_)
    found = button(id_)
    assert found is not None
    found.click()


def disks(world: World) -> Steps:
    yield lambda: button("find-best")


def held(world: World) -> Steps:
    yield world.held.here.is_set


def check_page(world: World) -> Steps:
    yield from press("checkup-line-fine")
    yield lambda: seen(OpenedPage)


def purpose(world: World) -> Steps:
    yield from press("find-best")
    yield lambda: seen(Wizard)


def where(world: World) -> Steps:
    yield from disks(world)
    yield from purpose(world)
    yield from press("next")


def announced(world: World) -> Steps:
    yield from where(world)
    yield lambda: button("start-measuring")


def measuring(world: World) -> Steps:
    yield from where(world)
    yield from press("start-measuring")
    yield lambda: button("pause")


def paused(world: World) -> Steps:
    yield from measuring(world)
    yield from press("pause")


def cancelling(world: World) -> Steps:
    yield from measuring(world)
    yield from held(world)
    yield from press("cancel")


def answered(world: World) -> Steps:
    yield from measuring(world)
    yield lambda: button("try-now")


def trying(world: World) -> Steps:
    yield from answered(world)
    yield from press("try-now")
    yield lambda: seen(KeepDialog)


def tuning(world: World) -> Steps:
    yield from answered(world)
    yield from press("tune-now")
    yield from press("start-measuring")
    yield lambda: button("pause")


def history(world: World) -> Steps:
    yield from disks(world)
    Store(world.bench.kept).save(result(6))
    yield from press("page-history")
    yield lambda: seen(HistoryPage)


def opened(world: World) -> Steps:
    yield from history(world)
    yield lambda: seen(QTableView)
    (table,) = seen(QTableView)
    table.setCurrentIndex(table.model().index(0, 0))
    yield from press("history-open")
    yield lambda: world.held.here.is_set() or seen(OpenedPage)


def monitor(world: World) -> Steps:
    yield from disks(world)
    yield from press("page-monitor")


def changing(world: World) -> Steps:
    yield from disks(world)
    yield from press("change")
    yield from held(world)


def another_language(world: World) -> Steps:
    yield lambda: seen(Window)
    before = seen(Window)
    before[0].language_button.chosen.emit("de")
    yield lambda: seen(Window) and seen(Window) != before


STATES: dict[str, tuple[str, tuple[Callable[[World], Steps], ...]]] = {
    "loading": ("disks", (held,)),
    "looking for leftovers": ("leftovers", (held,)),
    "disks": ("", (disks,)),
    "monitor": ("", (monitor,)),
    "check-up": ("check", (held,)),
    "check-up opened": ("", (disks, check_page)),
    "changing": ("writers", (changing,)),
    "purpose": ("places", (disks, purpose, held)),
    "announcing": ("announcing", (where, held)),
    "announced": ("", (announced,)),
    "measuring": ("measuring", (measuring, held)),
    "paused": ("pausing", (paused,)),
    "cancelling": ("measuring", (cancelling,)),
    "result": ("", (answered,)),
    "trying": ("", (trying,)),
    "tuning": ("tuning", (tuning,)),
    "history loading": ("entries", (history, held)),
    "history": ("", (history,)),
    "result loading": ("open", (opened, held)),
    "result opened": ("", (opened,)),
    "another language": ("", (disks, another_language)),
    "language changed while a disk is read": ("disks", (held, another_language)),
}
"""At what a thread is held, and the way to the state."""


class Person:
    """Goes the way to a state as the program gets there, and closes the window."""

    def __init__(self, steps: Steps, then: Callable[[], None]) -> None:
        self._steps, self._then = steps, then
        self._holds: Callable[[], object] = lambda: True
        self._timer = QTimer(QApplication.instance(), interval=5)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        if self._holds():
            following = next(self._steps, None)
            if following is not None:
                self._holds = following
            else:
                self._timer.stop()
                close()
                self._then()


def close() -> None:
    """The window's own way out; the question whether to end the measurement is answered with yes."""
    window = seen(Window)[-1]
    window.close()
    stop = button("leave-stop")
    if stop is not None:
        stop.click()


def use(state: str, how: str, folder: Path, patience_s: float) -> int:
    """In a process of its own: the program, from its start to its end."""
    at, ways = STATES[state]
    world = World(folder, Held(at))
    begun: list[Person] = []

    def sources() -> Sources:
        if not begun:
            steps = (step for way in ways for step in way(world))
            begun.append(Person(steps, world.held.go.set if how == "ends" else lambda: None))
        return world.sources()

    return main(["-platform", "offscreen"], sources=sources, patience_s=patience_s)


def serve(folder: Path, patience_s: float) -> None:
    """Be the process that all others are made of."""
    load_judging()
    for number, line in enumerate(sys.stdin):
        state, _, how = line.strip().rpartition(" ")
        place, said = folder / str(number), folder / f"{number}.log"
        place.mkdir()
        child = os.fork()
        if not child:
            handle = os.open(said, os.O_WRONLY | os.O_CREAT)
            os.dup2(handle, 2)
            os.environ.update(XDG_CONFIG_HOME=str(place), XDG_DATA_HOME=str(place), XDG_STATE_HOME=str(place))
            sys.exit(use(state, how, place, patience_s))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps([status, said.read_text(errors="replace")]), flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]))
