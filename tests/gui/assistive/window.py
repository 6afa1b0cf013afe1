# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner`` in a process of its own: all of it real, but it compares what the tests of the real window compare.

Its quick budget is shorter, so that a machine on which nothing can be decided takes no longer.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from PySide6.QtWidgets import QApplication  # noqa: E402

from disktuner.gui.application import Application, dress  # noqa: E402
from disktuner.gui.measuring import real_instruments  # noqa: E402
from disktuner.gui.sources import real_sources  # noqa: E402
from disktuner.vocabulary.goals import BUDGETS, QUICK  # noqa: E402
from tests.gui.real import switching  # noqa: E402

COMPARED_S = 15.0


def main() -> int:
    application = QApplication(["disktuner", "-style", "Fusion"])
    dress(application)
    BUDGETS[QUICK.id] = replace(QUICK, limits=replace(QUICK.limits, seconds=COMPARED_S))
    with_ = replace(real_instruments(), compare=switching)
    running = Application(replace(real_sources(), instruments=lambda: with_))
    running.start()
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
