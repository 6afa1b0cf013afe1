# SPDX-License-Identifier: GPL-3.0-or-later
"""What is part of a cycle is taken down in the GUI thread, whoever allocates meanwhile."""

from __future__ import annotations

import gc
import threading

from tests.gui.person import Visit, until
from tests.gui.stand_ins import Bench


class Knot:
    """A cycle that tells in which thread it was taken down."""

    def __init__(self, undone: list[int]) -> None:
        self.undone, self.itself = undone, self

    def __del__(self) -> None:
        self.undone.append(threading.get_ident())


def allocate() -> list[list[int]]:
    return [[number] for number in range(200_000)]


def taken_down() -> list[int]:
    """In which threads a cycle ends that was left while another thread allocated much."""
    undone: list[int] = []
    Knot(undone)
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert undone == []
    kept = allocate()
    until(lambda: undone)
    assert kept
    return undone


def test_cycles_end_in_the_thread_of_the_window(visit: Visit, bench: Bench) -> None:
    here = [threading.get_ident()]
    visit(bench)
    assert taken_down() == here
    assert not gc.isenabled()
