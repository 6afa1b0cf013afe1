# SPDX-License-Identifier: GPL-3.0-or-later
"""A run cut short still has a value: at least the timed part's duration so far."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.experiment.playing import Clock

from disktuner.workloads import many_files, stream_player
from disktuner.workloads.many_files import SmallFiles, SmallFilesSpec
from disktuner.workloads.processes import Deadline, Processes
from disktuner.workloads.workload import Scratch


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time that passes only as told, for the player."""
    clock = Clock()

    def sleep(seconds: float) -> None:
        clock.now_s += seconds

    monkeypatch.setattr(stream_player, "time", SimpleNamespace(monotonic=clock, sleep=sleep))
    return clock


def test_frames_that_are_missing_when_a_film_is_given_up_are_that_late(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow_read(_fd: int, size: int, _place: int) -> bytes:
        clock.now_s += 1.0
        return bytes(size)

    monkeypatch.setattr(stream_player, "os", SimpleNamespace(pread=slow_read))
    stalls_s, read = stream_player.play(0, 10, 75, most_s=12.0)
    assert (len(stalls_s), read) == (75, 120), "twelve frames came"
    assert stalls_s[:12] == pytest.approx([number + 1 - 0.04 * number for number in range(12)])
    assert stalls_s[12:] == pytest.approx([12 - 0.04 * number for number in range(12, 75)])
    stalls_s, read = stream_player.play(0, 10, 3, most_s=12.0)
    assert (len(stalls_s), read) == (3, 30)


def test_small_files_that_are_cut_short_took_what_is_timed(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making them cold is not timed, and cuts nothing short."""
    clock = Clock()

    class Timed(Deadline):
        def __init__(self, processes: Processes, abort_after_s: float) -> None:
            super().__init__(processes, abort_after_s)
            self._began = clock()

        @property
        def spent_s(self) -> float:
            return clock() - self._began

        def check(self) -> None:
            clock.now_s += 0.01
            super().check()

    def make_cold(path: Path) -> None:
        clock.now_s += 1.0

    monkeypatch.setattr(many_files, "Deadline", Timed)
    monkeypatch.setattr(many_files, "make_cold", make_cold)
    spec = SmallFilesSpec(1.0, 50)
    whole = SmallFiles().run(scratch, spec)
    assert not whole.cut_short and whole.wall_s == pytest.approx(1.5)
    cut = SmallFiles().run(scratch, spec, 0.7)
    assert cut.cut_short and cut.values == pytest.approx({"wall_s": 0.71}) and cut.wall_s == pytest.approx(0.71)
    assert not list(scratch.folder.iterdir())
