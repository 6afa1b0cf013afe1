# SPDX-License-Identifier: GPL-3.0-or-later
"""What nobody needs to see the disks: loaded by a thread once they are seen, so that the window is there sooner."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from disktuner.gui.collector import loading

LATER = (
    "disktuner.block.system",
    "disktuner.block.writers.rivals",
    "disktuner.gui.archive",
    "disktuner.gui.models.monitor",
    "disktuner.gui.saving",
    "disktuner.gui.telling",
    "disktuner.gui.wizard.wizard",
    "disktuner.gui.widgets.change_dialog",
    "disktuner.gui.widgets.empty_page",
    "disktuner.gui.widgets.history_page",
    "disktuner.gui.widgets.keep_dialog",
    "disktuner.gui.widgets.monitor_page",
    "disktuner.gui.widgets.sheet",
    "disktuner.gui.widgets.between_page",
    "disktuner.gui.plots.live",
    "disktuner.gui.plots.course",
    "disktuner.comparison.real",
    "disktuner.comparison.comparison",
    "scipy.special",
)
"""The larger part of the program and its libraries, in the order in which it is likely to be needed."""

_QT = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGLWidgets", "QtTest")
"""What pyqtgraph goes through from end to end when it is imported; the last three only where they are installed."""


def make_types() -> Iterator[None]:
    """In the GUI thread, step by step: have PySide make all types that ``load`` will touch.

    PySide 6 makes a type and its enums when it is first touched, running Python meanwhile. Where another thread takes
    its turn and touches the same type, the program crashes.
    """
    for name in _QT:
        with suppress(ImportError):
            module = importlib.import_module(f"PySide6.{name}")
            for each in dir(module):
                getattr(module, each, None)
                yield


def load() -> None:
    """Load all of it; called in a thread, after ``make_types``."""
    with loading():
        for name in LATER:
            importlib.import_module(name)
        importlib.import_module("disktuner.workloads.catalogue").catalogue()


def part(name: str) -> Any:
    """A module of the window by its name below ``disktuner.gui``; waits where it is being loaded right now."""
    return importlib.import_module(f"disktuner.gui.{name}")
