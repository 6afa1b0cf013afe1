# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens the program's window, brings it into a state, and closes it as a person does, in a new process each time.

``closing.py FOLDER PATIENCE`` reads lines from standard input, ``STATE ends`` or ``STATE hangs``: whether the working
thread then ends after the window, or never. For each it prints the program's exit status and its output, as JSON.
Disks, helper and comparisons are stand-ins; the rest is real.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

# Imported before the first process is made of this one: that costs the program's start once.
import pyqtgraph  # noqa: E402, F401
from PySide6.QtCore import QTimer  # noqa: E402
from PySide6.QtWidgets import QAbstractButton, QTableView, QWidget  # noqa: E402

from disktuner.comparison.request import Announcement, JudgedResult, Request  # noqa: E402
from disktuner.experiment.events import Event  # noqa: E402
from disktuner.gui.instruments import Instruments, load_judging  # noqa: E402
from disktuner.gui.main import main  # noqa: E402
from disktuner.gui.measurement.result_page import ResultPage  # noqa: E402
from disktuner.gui.sources import Sources  # noqa: E402
from disktuner.gui.widgets.disk_card import DiskCard  # noqa: E402
from disktuner.gui.widgets.history_page import HistoryPage  # noqa: E402
from disktuner.gui.widgets.opened_page import OpenedPage  # noqa: E402
from disktuner.gui.widgets.trial_banner import TrialBanner  # noqa: E402
from disktuner.gui.widgets.window import Window  # noqa: E402
from disktuner.results.store import Store  # noqa: E402
from disktuner.vocabulary.messages import text  # noqa: E402
from tests.gui.person import PAGES, click, click_tab, pressable, seen, until  # noqa: E402
from tests.gui.stand_ins import Bench, ScriptedComparison, result, some_disks  # noqa: E402


class Held:
    """Holds threads: ``at`` names where, ``here`` is set once one is held, and ``go`` releases all."""

    def __init__(self, at: str) -> None:
        self.at, self.here, self.go = at, threading.Event(), threading.Event()

    def holding(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same work, held before it begins if this is the place."""

        def held(*arguments: Any) -> Any:
            if name == self.at:
                self.here.set()
                self.go.wait()
            return work(*arguments)

        return held


class HeldComparison(ScriptedComparison):
    """A comparison that is held while it is announced or, ignoring its cancellation, while it measures."""

    def __init__(self, request: Request, bench: HeldBench) -> None:
        super().__init__(request, bench)
        self._held = bench.held

    def announce(self) -> Announcement:
        return self._held.holding("announcing", super().announce)()

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        measures = "measuring" if self.request.after is None else "tuning"
        return super().run(self._held.holding(measures, self._held.holding("pausing", listener)))

    def pause(self) -> None:
        super().pause()
        if self._held.at == "pausing":
            self._held.go.set()


class HeldBench(Bench):
    """The stand-ins of one process."""

    def __init__(self, folder: Path, held: Held) -> None:
        super().__init__(some_disks(folder), kept=folder / "kept")
        self.held = held
        self.check = held.holding("check", self.check)
        self.find_writers = held.holding("writers", self.find_writers)
        self.places = held.holding("places", self.places)
        self.leftovers.find = held.holding("leftovers", self.leftovers.find)

    def instruments(self) -> Instruments:
        instruments, hold = super().instruments(), self.held.holding
        library = instruments.library
        library.entries, library.open = hold("entries", library.entries), hold("open", library.open)
        return instruments

    def compare(self, request: Request) -> ScriptedComparison:
        return HeldComparison(request, self)


def held(bench: HeldBench) -> None:
    until(bench.held.here.is_set)


def save_one(bench: HeldBench) -> None:
    Store(bench.kept).save(result(6))


def choose_first(_: HeldBench) -> None:
    until(lambda: seen(QTableView))[0].selectRow(0)


Step = str | type[QWidget] | Callable[[HeldBench], None]
"""A button to press, on the card of sda if it is there; a widget that must be visible; or another action."""

DISKS = (DiskCard,)
HISTORY = (*DISKS, save_one, "page-history", HistoryPage)


def choose_disk(_: HeldBench) -> None:
    click(next(card.option for card in seen(DiskCard) if card.disk.name == "sda"))


def try_it(_: HeldBench) -> None:
    seen(ResultPage)[0].use_button.click()


def unfold(_: HeldBench) -> None:
    for section in seen(ResultPage)[0].details.sections:
        section.click()


WHERE = (*DISKS, choose_disk)
MEASURING = (*WHERE, "start-measuring")
ANSWERED = (*MEASURING, ResultPage)

STATES: dict[str, tuple[str, tuple[Step, ...]]] = {
    "loading": ("disks", (held,)),
    "looking for leftovers": ("leftovers", (held,)),
    "disks": ("", DISKS),
    "monitor": ("", (*DISKS, "page-monitor")),
    "check-up": ("check", (held,)),
    "check-up opened": ("", (*DISKS, "checkup-line-fine", OpenedPage)),
    "changing": ("writers", (*DISKS, "change", held)),
    "looking for folders": ("places", (*WHERE, held)),
    "announcing": ("announcing", (*WHERE, held)),
    "announced": ("", (*WHERE, lambda _: until(lambda: button("start-measuring")))),
    "measuring": ("measuring", (*MEASURING, held)),
    "paused": ("pausing", (*MEASURING, "pause")),
    "cancelling": ("measuring", (*MEASURING, held, "cancel")),
    "result": ("", ANSWERED),
    "trying": ("", (*ANSWERED, try_it, TrialBanner)),
    "tuning": ("tuning", (*ANSWERED, unfold, "tune-now", "start-measuring", held)),
    "history loading": ("entries", (*HISTORY, held)),
    "history": ("", HISTORY),
    "result loading": ("open", (*HISTORY, choose_first, "history-open", held)),
    "result opened": ("", (*HISTORY, choose_first, "history-open", OpenedPage)),
}
"""By state: where a thread is held, and the steps to the state."""


def button(id_: str) -> QAbstractButton | None:
    """The enabled button with this text; on the card of sda, if it is on one."""
    cards = [card for card in seen(DiskCard) if card.disk.name == "sda"]
    return pressable(text(id_), cards[0] if cards else None) or pressable(text(id_))


def take(step: Step, bench: HeldBench) -> None:
    """Take a step as soon as it is possible."""
    if step in PAGES:
        click_tab(until(lambda: seen(Window))[-1], str(step))
    elif isinstance(step, str):
        click(until(lambda: button(step)))
    elif isinstance(step, type):
        until(lambda: seen(step))
    else:
        step(bench)


def close() -> None:
    """Close the window; the question whether to end the measurement or the trial is answered with yes."""
    until(lambda: seen(Window))[-1].close()
    stop = button("leave-stop") or button("close-now")
    if stop is not None:
        click(stop)


def use(state: str, how: str, folder: Path, patience_s: float) -> int:
    """Run the program in this process, from its start to its end."""
    at, steps = STATES[state]
    bench, begun = HeldBench(folder, Held(at)), list[str]()

    def go() -> None:
        try:
            for step in steps:
                take(step, bench)
        finally:
            close()
            if how == "ends":
                bench.held.go.set()

    def sources() -> Sources:
        if not begun:
            begun.append(state)
            QTimer.singleShot(0, go)
        return bench.sources(bench.held.holding("disks", lambda: bench.disks))

    return main(["-platform", "offscreen"], None, sources, patience_s)


def serve(folder: Path, patience_s: float) -> None:
    """Be the process that all others are forked from."""
    load_judging()
    for number, line in enumerate(sys.stdin):
        state, _, how = line.strip().rpartition(" ")
        place, log = folder / str(number), folder / f"{number}.log"
        place.mkdir()
        child = os.fork()
        if not child:
            handle = os.open(log, os.O_WRONLY | os.O_CREAT)
            os.dup2(handle, 2)
            os.environ.update(XDG_CONFIG_HOME=str(place), XDG_DATA_HOME=str(place), XDG_STATE_HOME=str(place))
            sys.exit(use(state, how, place, patience_s))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps([status, log.read_text(errors="replace")]), flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]))
