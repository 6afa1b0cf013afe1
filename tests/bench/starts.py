# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the window again and again on a busy machine, and walks through all of its pages: none of it may crash.

``./dev bench starts`` takes half an hour. Each start and each walk is a process of its own, in which nothing is
imported before it is needed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QTimer

from disktuner.gui.application import Application, main
from tests.bench.screen import screen

STARTS, WALKS = 200, 50
BURNERS = 2
CLOSED_AFTER_MS = (None, 0, 150, 400, 800)
"""When the window is closed again: once all of it is there, or at some moment of the start."""

LONGEST_S = 300
WALK = Path(__file__).resolve().parents[1] / "gui/screenshots.py"


def one(after_ms: int | None) -> int:
    """Start the window as ``disktuner`` does, and close it."""
    start = Application.start

    def start_and_close(running: Application) -> None:
        start(running)
        if after_ms is not None:
            QTimer.singleShot(after_ms, running.window, running.window.close)
            return
        timer = QTimer(running, interval=20)
        timer.timeout.connect(lambda: running.window.close() if running.ready and not running.jobs.busy else None)
        timer.start()

    Application.start = start_and_close  # type: ignore[method-assign]
    return main([])


@contextmanager
def busy() -> Iterator[None]:
    """Programs beside that take all the processor time they can get."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNERS)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def wrong(argv: Sequence[str], env: dict[str, str] | None, expected: str, folder: str) -> str:
    """Run it, and say what was wrong with it; an empty text if nothing was."""
    try:
        done = subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, check=False, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        return f"did not end within {LONGEST_S} s"
    if done.returncode == 0 and done.stdout.strip() == expected:
        return ""
    return f"ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}"


def start(number: int, env: dict[str, str], folder: str) -> str:
    """The start of this number."""
    after_ms = CLOSED_AFTER_MS[number % len(CLOSED_AFTER_MS)]
    program = [sys.executable, "-P", "-X", "faulthandler", "-m", "tests.bench.starts", str(after_ms)]
    return wrong(program, env, "", folder)


def walk(_: int, folder: str) -> str:
    """A walk through all pages; it prints what threads imported: nothing."""
    return wrong([sys.executable, "-I", "-X", "faulthandler", str(WALK), "first"], None, "[]", folder)


def report(what: str, found: Sequence[str], began: float) -> bool:
    """Print how it went."""
    failed = [f"{number}: {text}" for number, text in enumerate(found) if text]
    print(f"{len(found)} {what}, {len(failed)} went wrong, {time.monotonic() - began:.0f} s", *failed, sep="\n")
    sys.stdout.flush()
    return not failed


def everything() -> int:
    """All starts one after the other, then all walks two at a time."""
    with TemporaryDirectory() as folder:
        began = time.monotonic()
        with screen() as on, busy():
            starts = [start(number, on.env, folder) for number in range(STARTS)]
        fine = report(f"starts beside {BURNERS} programs that burn", starts, began)
        began = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            walks = list(pool.map(partial(walk, folder=folder), range(WALKS)))
        return 0 if report("walks through all pages", walks, began) and fine else 1


if __name__ == "__main__":
    sys.exit(one(None if sys.argv[1] == "None" else int(sys.argv[1])) if len(sys.argv) > 1 else everything())
