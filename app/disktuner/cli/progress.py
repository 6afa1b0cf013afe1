# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement's progress on stderr: a bar with the remaining time on a terminal, a line per step elsewhere."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import TypeVar

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from disktuner.cli.screen import Screen, cell
from disktuner.comparison.request import Announcement
from disktuner.experiment.events import EndedEarly, Event, LivePoint, Phase, RoundDone, RunStarted, Warned
from disktuner.experiment.progress import Advance
from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.workloads import WORKLOADS

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BAR_WIDTH = 32
DRAWN_EVERY_S = 0.25


class Progress:
    """A listener that writes for people; never to stdout, which is for results.

    The bar is there from the first run on: before, polkit's agent may be asking for a password on the same terminal.
    """

    def __init__(self) -> None:
        self._screen = Screen(sys.stderr)
        self._live = Live(
            console=self._screen, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._run: RunStarted | None = None
        self._run_began = 0.0
        self._drawn = 0.0
        self._warned: set[str] = set()

    def __call__(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case Phase() if self._live.is_started:
                self._draw(say(event.message))
            case Phase():
                self._screen.show(say(event.message))
            case RunStarted():
                self._start(event)
            case LivePoint() if event.time_s - self._drawn >= DRAWN_EVERY_S:
                self._drawn = event.time_s
                figures = event.figures
                speeds = text("live-speeds", read=figures.read_bytes_per_s, written=figures.write_bytes_per_s)
                self._draw(self._running(speeds))
            case RoundDone() if self._run and not self._screen.moves:
                self._screen.show(text("round-done", round=event.round + 1, left=self._advance().at_most_s))
            case Warned() if event.message.id not in self._warned:
                self._warned.add(event.message.id)
                self._screen.show(text("note", what=event.message))
            case EndedEarly():
                self._screen.show(text("kept-until-then", result=event.result))
            case _:
                pass

    def announce(self, announced: Announcement) -> None:
        """Say beforehand what will happen."""
        plan = announced.plan
        others = tuple(setting.name for setting in plan.settings if setting != plan.record.baseline)
        lines = [
            text(
                "plan" if others else "plan-of-one",
                schedulers=others,
                baseline=plan.record.baseline.name,
                disk=announced.target.disk.title,
                folder=str(plan.folder),
            ),
            text(
                "plan-cost",
                typical=plan.typical_s,
                most=math.ceil(plan.announced_s),
                usual=plan.typical_bytes,
                written=plan.bytes_written,
            ),
        ]
        if len(plan.disks) > 1:
            lines.append(text("plan-disks", disks=plan.disks))
        for id_, why in announced.unavailable.items():
            lines.append(text("plan-left-out", summary=named(WORKLOADS[id_].summary), why=why))
        self._screen.show(*lines)

    def close(self) -> None:
        """Clear the bar."""
        self._live.stop()

    def _start(self, run: RunStarted) -> None:
        self._run, self._run_began = run, time.monotonic()
        if self._screen.moves:
            self._live.start()
            self._draw(self._running(""))

    def _advance(self) -> Advance:
        """Return the progress of the whole since this run began."""
        assert self._run is not None
        return self._run.advance.after(time.monotonic() - self._run_began)

    def _running(self, speeds: str) -> str:
        if self._run is None:
            return speeds
        facts = WORKLOADS.get(self._run.workload)
        activity = named(facts.activity) if facts else self._run.workload
        return text("progress-run", scheduler=self._run.setting.name, activity=activity, speeds=speeds)

    def _draw(self, happens: str) -> None:
        if not self._run or not self._live.is_started:
            return
        advance = self._advance()
        heading = cell(text("progress", left=advance.at_most_s, round=self._run.round + 1))
        bar: list[RenderableType] = []
        if self._screen.color_system:
            bar.append(ProgressBar(total=1.0, completed=advance.share, width=BAR_WIDTH, complete_style="cyan"))
        first = Table.grid(padding=(0, 2))
        first.add_row(*bar, heading)
        below = cell(happens)
        below.no_wrap, below.overflow = True, "ellipsis"
        self._live.update(Group(first, below), refresh=True)


def run_cancellable(work: Callable[[], T], cancel: Callable[[], None]) -> T:
    """Do the work in a thread of its own, so that Ctrl+C, a polite kill and a closed terminal are heard at any time.

    They cancel; the work then ends by itself, restored and cleaned up, and raises ``Cancelled``.
    """
    done: Future[T] = Future()

    def do() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            done.set_exception(error)

    def handle(_number: int, _frame: FrameType | None) -> None:
        cancel()

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    worker = threading.Thread(target=do, name="measurement")
    try:
        worker.start()
        while worker.is_alive():
            worker.join(0.1)
        return done.result()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
