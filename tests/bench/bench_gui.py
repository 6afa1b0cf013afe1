# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon the window shows its disks, and what a live graph costs: ``bench_gui.py`` prints both."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]
RUNS, LIVE_S, RATE_HZ = 5, 6.0, 30


def first_cards() -> None:
    """In a process of its own: until all disks have been painted."""
    from PySide6.QtWidgets import QApplication

    from disktuner.gui.application import Application, dress
    from disktuner.gui.sources import real_sources
    from tests.gui.screenshots import until

    application = QApplication(["disktuner"])
    dress(application)
    running = Application(real_sources())
    running.start()
    until(lambda: running.window.disks_page.cards)
    running.window.grab()
    print(f"shown {time.time():.4f}")
    sys.stdout.flush()
    os._exit(0)


def live_cost() -> float:
    """The share of one core that a live graph takes at 30 points a second."""
    from PySide6.QtWidgets import QApplication

    from disktuner.gui.application import dress
    from disktuner.gui.plots.live import LivePlot
    from tests.gui.screenshots import wait
    from tests.gui.stand_ins import live_points

    application = QApplication(["disktuner"])
    dress(application)
    plot = LivePlot()
    plot.resize(800, 400)
    plot.show()
    wait(300)
    points = live_points()
    began, used = time.monotonic(), time.process_time()
    while time.monotonic() - began < LIVE_S:
        plot.add(next(points))
        wait(round(1000 / RATE_HZ))
    return (time.process_time() - used) / (time.monotonic() - began)


def main() -> None:
    times = []
    for _ in range(RUNS):
        began = time.time()
        done = subprocess.run([sys.executable, __file__, "cards"], capture_output=True, text=True, check=True)
        times.append(float(done.stdout.split()[-1]) - began)
    print(f"first painted list of disks: median {statistics.median(times) * 1000:.0f} ms of {RUNS} starts")
    print(f"live graph at {RATE_HZ} Hz: {live_cost() * 100:.1f} % of a core")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    first_cards() if sys.argv[1:] == ["cards"] else main()
