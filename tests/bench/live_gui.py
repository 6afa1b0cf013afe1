# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a running measurement, fed 30 times a second: what it costs and whether it keeps what it should drop.

``./dev bench live_gui`` watches the memory for 30 minutes; ``bench_gui`` starts it for a shorter look.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from disktuner.gui.application import Application, dress
from tests.gui.stand_ins import Bench, some_disks
from tests.gui.walk import until

RATE_HZ = 30
POINTS_A_RUN = 120
FAST = 20


def measuring(pace_s: float, folder: Path) -> Application:
    """A window that shows a measurement without end."""
    bench = Bench(some_disks(folder), rounds=5000, points=POINTS_A_RUN, pace=lambda: time.sleep(pace_s))
    running = Application(bench.sources())
    running.start()
    until(lambda: running.ready and running._stop_watching is not None and not running.jobs.busy)
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    until(wizard.next_button.isEnabled)
    wizard.next()
    until(lambda: wizard.running_page._bar.maximum() > 0)
    return running


def wait(ms: int) -> None:
    """Let the window go on for so long."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def cost(seconds: float) -> None:
    """Processor time of all threads of this process while the page is live."""
    wait(4000)
    began, used = time.monotonic(), time.process_time()
    wait(round(seconds * 1000))
    share = (time.process_time() - used) / (time.monotonic() - began)
    print(f"live page at {RATE_HZ} Hz: {share * 100:.1f} % of a core over {seconds:.0f} s")


def growth(minutes: float, speed: float = 1.0) -> None:
    """Resident memory, once the graph's minute is full, then ten times until the end."""
    part_ms = round(minutes * 60_000 / speed / 10)
    wait(3 * part_ms if speed > 1 else part_ms)  # what is imported with the first verdict is no growth
    seen = [resident_kb()]
    for number in range(9):
        wait(part_ms)
        seen.append(resident_kb())
        if speed == 1:
            print(f"  after {(number + 2) * part_ms / 60_000:4.0f} min: {seen[-1] / 1024:.1f} MB", flush=True)
    per_min = (sum(seen[-3:]) / 3 - sum(seen[:3]) / 3) / (minutes * 0.7)
    first, last = seen[0] / 1024, seen[-1] / 1024
    print(f"memory over {minutes:.0f} min of live graph: {first:.1f} to {last:.1f} MB, {per_min:+.0f} kB a minute")


def main() -> None:
    what, amount = (*sys.argv[1:], "keep", "30")[:2] if len(sys.argv) > 2 else ("keep", "30")
    application = QApplication(["disktuner"])
    dress(application)
    with TemporaryDirectory() as folder:
        speed = FAST if what == "fast" else 1
        running = measuring(1 / RATE_HZ / speed, Path(folder))
        cost(float(amount)) if what == "cost" else growth(float(amount), speed)
        assert running.window.wizard is not None
        running.window.wizard.stop()
        until(lambda: running.window.wizard is None)
        running.window.close()


if __name__ == "__main__":
    main()
