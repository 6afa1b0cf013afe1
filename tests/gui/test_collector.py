# SPDX-License-Identifier: GPL-3.0-or-later
"""What is part of a cycle is taken down in the GUI thread, whoever allocates meanwhile."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from disktuner.gui.collector import Collector


class Knot:
    """A cycle that tells in which thread it was taken down."""

    undone: list[int]

    def __init__(self, undone: list[int]) -> None:
        self.undone, self.itself = undone, self

    def __del__(self) -> None:
        self.undone.append(threading.get_ident())


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.stop()


def allocate() -> list[list[int]]:
    return [[number] for number in range(200_000)]


@pytest.mark.usefixtures("collector")
def test_cycles_end_in_the_thread_of_the_window(qtbot: QtBot) -> None:
    undone: list[int] = []
    Knot(undone)
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert undone == []
    kept = allocate()
    qtbot.waitUntil(lambda: bool(undone), timeout=5000)
    assert undone == [threading.get_ident()]
    assert kept


def test_python_collects_again_after_the_end(collector: Collector) -> None:
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
