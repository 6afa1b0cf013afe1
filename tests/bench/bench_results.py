# SPDX-License-Identifier: GPL-3.0-or-later
"""Large results in the window: a history of 1,000 opens within 0.5 s, a result with a million live points within 1 s.

Its whole course is drawn, and panned at 30 frames a second or more. Every figure is the median of several.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication, QToolButton

from disktuner.experiment.sampler import FIGURES
from disktuner.gui.application import Application, dress
from disktuner.gui.plots.course import CoursePlot
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.results.model import SeriesRecord
from disktuner.results.store import Store
from tests.bench.live_gui import wait
from tests.gui.stand_ins import SCHEDULERS, Bench, result, some_disks
from tests.gui.walk import until

POINTS, RUNS, RESULTS, REPEATS = 1_000_000, 480, 1_000, 5


def live(order: int) -> SeriesRecord:
    source = random.Random(order)
    count = POINTS // RUNS
    some = array("f", [source.lognormvariate(0, 1) for _ in range(count)])
    times = array("f", [0.1 * number for number in range(count)])
    return SeriesRecord(order, "copy", SCHEDULERS[order % 4], order // 4, times, dict.fromkeys(FIGURES, some))


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def tell(name: str, found_s: list[float], bound_s: float) -> bool:
    median = statistics.median(found_s)
    span = f"{min(found_s):.3f} to {max(found_s):.3f} of {len(found_s)}"
    print(f"{name}: {median:.3f} s (bound {bound_s:.3f} s; {span})")
    return median <= bound_s


class Session:
    """One window over the results of a folder."""

    def __init__(self, folder: Path) -> None:
        self.running = Application(Bench(some_disks(folder), kept=folder).sources())
        self.window, self.page = self.running.window, self.running.window.history_page
        self.running.start()
        until(lambda: not self.running.jobs.busy and self.running.disks.disks)
        wait(300)

    def open_history(self, rows: int) -> None:
        self.page.model.show(())
        self.window.findChildren(QToolButton)[2].click()
        until(lambda: self.page.model.rowCount() == rows)
        self.window.grab()

    def open_result(self) -> ResultPage:
        self.page.table.selectRow(0)
        self.page._open()
        until(lambda: self.window.opened is not None)
        self.window.grab()
        assert self.window.opened is not None and isinstance(self.window.opened.content, ResultPage)
        return self.window.opened.content

    def unfold(self) -> CoursePlot:
        page = self.open_result()
        next(fold for fold in page.folds if "Live" in fold.text()).setChecked(True)
        self.window.grab()
        found = page.findChild(CoursePlot)
        assert isinstance(found, CoursePlot)
        found.grab()
        return found

    def end(self) -> None:
        self.window.close()
        wait(50)


def history(folder: Path) -> bool:
    store = Store(folder / "many")
    for number in range(RESULTS):
        store.save(replace(result(6), id=f"r{number:04}"))
    session = Session(store.folder)
    first = timed(lambda: session.open_history(RESULTS))
    print(f"history of {RESULTS} results, no index yet: {first:.3f} s")
    good = tell(
        f"history of {RESULTS} results", [timed(lambda: session.open_history(RESULTS)) for _ in range(REPEATS)], 0.5
    )
    session.end()
    return good


def course(folder: Path) -> bool:
    store = Store(folder / "long")
    path = store.save(replace(result(6), id="long", series=tuple(map(live, range(RUNS)))))
    session = Session(store.folder)
    session.open_history(1)
    times = []
    for _ in range(REPEATS):
        times.append(timed(session.unfold))
        plot = session.window.opened.content.findChild(CoursePlot)  # type: ignore[union-attr]
        frames = pan(plot)
        session.window.back()
        wait(50)
    good = tell(f"result with {POINTS:,} live points ({path.stat().st_size / 1e6:.0f} MB), course drawn", times, 1.0)
    good &= tell("one frame of panning, a tenth of the points in view", frames[0], 1 / 30)
    good &= tell("one frame of panning, nine tenths in view", frames[1], 1 / 30)
    session.end()
    return good


def pan(plot: CoursePlot) -> list[list[float]]:
    """Time of single frames, in seconds: new range, work on the points, painting."""
    return [[timed(lambda at=at, share=share: look(plot, at / 40, share)) for at in range(40)] for share in (0.1, 0.9)]  # type: ignore[misc]


def look(plot: CoursePlot, place: float, share: float) -> None:
    """Show a share of the whole course; ``place`` 0 is its begin, 1 its end."""
    end = float(plot.course.times_s[-1])
    begin = end * (1 - share) * place
    plot.rate.setXRange(begin, begin + share * end, padding=0)
    plot.grab()


def main() -> int:
    application = QApplication(["disktuner"])
    dress(application)
    with tempfile.TemporaryDirectory() as folder:
        found = [history(Path(folder)), course(Path(folder))]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
