# SPDX-License-Identifier: GPL-3.0-or-later
"""The real ``disktuner`` in a process of its own, but it compares one scheduler with one workload.

Its quick budget is shorter, so that a machine on which nothing can be decided takes no longer. The first run waits for
the named file, so that even a slow reader sees the page of the measurement.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from PySide6.QtWidgets import QApplication  # noqa: E402

from disktuner.comparison.comparison import Comparison  # noqa: E402
from disktuner.comparison.real import real_environment  # noqa: E402
from disktuner.comparison.request import JudgedResult, Request  # noqa: E402
from disktuner.experiment.events import Event, RunStarted  # noqa: E402
from disktuner.gui.application import Application  # noqa: E402
from disktuner.gui.instruments import real_instruments  # noqa: E402
from disktuner.gui.main import dress  # noqa: E402
from disktuner.gui.sources import real_sources  # noqa: E402
from disktuner.vocabulary.goals import BUDGETS, QUICK  # noqa: E402
from disktuner.vocabulary.settings import Setting  # noqa: E402
from tests.machine.guest.window import won_by  # noqa: E402
from tests.waiting import HANG_S, until  # noqa: E402

COMPARED_S = 15.0


class Switching(Comparison):
    """Real to the end, but the verdict always says bfq, whatever wins here: applying it is what is tested."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        def heard(event: Event) -> None:
            listener(event)
            if isinstance(event, RunStarted):
                until(Path(sys.argv[1]).exists)

        return won_by(super().run(heard), Setting("bfq"))


def switching(request: Request) -> Comparison:
    """Return the requested comparison, with one scheduler against the current one and one workload."""
    return Switching(replace(request, settings=(Setting("bfq"),), workloads=("dd-write",), seed=11), real_environment())


def main() -> int:
    application = QApplication(["disktuner", "-style", "Fusion"])
    dress(application)
    BUDGETS[QUICK.id] = replace(QUICK, limits=replace(QUICK.limits, seconds=COMPARED_S))
    with_ = replace(real_instruments(), compare=switching)
    running = Application(replace(real_sources(), instruments=lambda: with_), try_s=HANG_S)
    running.start()
    status = application.exec()
    running.jobs.leave()
    return status


if __name__ == "__main__":
    sys.exit(main())
