# SPDX-License-Identifier: GPL-3.0-or-later
"""What is part of a cycle is taken down in the GUI thread, whoever allocates meanwhile."""

from __future__ import annotations

import gc
import threading

from disktuner.gui.speaker import Speaker
from tests.gui.person import until


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


def test_cycles_end_in_the_thread_of_the_window_also_after_another_language_was_chosen(speaker: Speaker) -> None:
    """The window of the first language is closed then: Python must not collect wherever it likes because of that."""
    here = [threading.get_ident()]
    speaker.open()
    assert taken_down() == here
    first = speaker.running
    assert first is not None
    first.window.language_button.chosen.emit("de")
    until(lambda: speaker.running is not first and speaker.running.ready)
    assert not gc.isenabled()
    assert taken_down() == here
