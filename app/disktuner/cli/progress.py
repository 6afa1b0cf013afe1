# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells on stderr how a measurement goes: one line that renews itself on a terminal, few lines elsewhere."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import TypeVar

from disktuner.cli.columns import shortened
from disktuner.cli.terminal import CLEAR_LINE, control
from disktuner.comparison.request import Announcement
from disktuner.experiment.events import Event, LivePoint, Phase, RoundDone, RunStarted, Warned
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.printable import printable
from disktuner.workloads.catalogue import find

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Progress:
    """A listener that writes for people; never to stdout, which is for results."""

    def __init__(self) -> None:
        self._renews = sys.stderr.isatty()
        self._run: RunStarted | None = None
        self._run_began = 0.0
        self._shown = 0.0

    def __call__(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case Phase():
                self._line(say(event.message))
            case RunStarted():
                self._run, self._run_began = event, time.monotonic()
                self._renew("")
            case LivePoint() if event.time_s - self._shown >= 0.25:
                self._shown = event.time_s
                speeds = f"read {event.read_bytes_per_s / 1e6:.0f}, write {event.write_bytes_per_s / 1e6:.0f} MB/s"
                self._renew(speeds)
            case RoundDone():
                self._round_done(event)
            case Warned():
                self._line(f"Note: {say(event.message)}")
            case _:
                pass

    def close(self) -> None:
        """Clear the line that renews itself."""
        self._clear()
        sys.stderr.flush()

    def _round_done(self, event: RoundDone) -> None:
        left = self._remaining_s()
        self._line(f"Round {event.round + 1} done; about {clock(left)} left at most.")

    def _remaining_s(self) -> float:
        if self._run is None:
            return 0.0
        return max(0.0, self._run.remaining_s - (time.monotonic() - self._run_began))

    def _renew(self, speeds: str) -> None:
        if not self._renews or self._run is None:
            return
        run = self._run
        text = (
            f"{clock(self._remaining_s())} left  run {run.order + 1}/{run.runs_planned}  "
            f"{run.workload} with {run.scheduler}  {speeds}"
        )
        width = shutil.get_terminal_size().columns - 1
        self._clear()
        print(shortened(printable(text), width), end="", file=sys.stderr, flush=True)

    def _line(self, text: str) -> None:
        self._clear()
        print(text, file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._renews:
            control(sys.stderr, CLEAR_LINE)


def tell_plan(announced: Announcement) -> None:
    """Say on stderr what will happen, before it does."""
    names = ", ".join(announced.disks)
    lines = [
        f"Disk {announced.disk.title} below {announced.folder} ({announced.mount.fstype}); disks tuned: {names}",
        f"Schedulers: {', '.join(announced.schedulers)} (now: {announced.baseline}); "
        f"workloads: {', '.join(announced.workloads)}; {announced.rounds} rounds, seed {announced.seed}",
        f"This writes at most {announced.bytes_written / 1e9:.1f} GB, needs {announced.bytes_needed / 1e9:.1f} GB of "
        f"room, and takes about {clock(announced.seconds)}.",
    ]
    lines += [f"Left out: {name} ({find(name).facts.summary}). {say(why)}" for name, why in announced.unavailable.items()]
    print("\n".join(lines), file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


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
