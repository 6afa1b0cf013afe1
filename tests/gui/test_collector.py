# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles are destroyed in the GUI thread, whichever thread allocates meanwhile."""

from __future__ import annotations

import gc
import threading

from tests.gui.person import Visit, until
from tests.gui.stand_ins import Bench


class Knot:
    """A cycle that records the thread in which it is destroyed."""

    def __init__(self, undone: list[int]) -> None:
        self.undone, self.itself = undone, self

    def __del__(self) -> None:
        self.undone.append(threading.get_ident())


def allocate() -> list[list[int]]:
    return [[number] for number in range(200_000)]


def taken_down() -> list[int]:
    """Return the threads in which a cycle is destroyed while another thread allocates much."""
    undone: list[int] = []
    Knot(undone)
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert undone == []
    cycle = allocate()
    until(lambda: undone)
    assert cycle
    return undone


def test_cycles_end_in_the_thread_of_the_window(visit: Visit, bench: Bench) -> None:
    thread = [threading.get_ident()]
    visit(bench)
    assert taken_down() == thread
    assert not gc.isenabled()
