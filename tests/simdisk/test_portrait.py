# SPDX-License-Identifier: GPL-3.0-or-later
"""Portraits of simulated disks: where the cache really ends, what remains, and none where there is none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.block.system import System
from disktuner.comparison.portrait import Pace, Portraying
from disktuner.experiment.events import Event, LivePoint, Part, PortraitSoFar
from disktuner.experiment.scratch import Leftovers
from disktuner.presentation.portrait import end_of
from disktuner.results.portrait import Portrait, Portraits
from disktuner.vocabulary.states import is_fast
from disktuner.workloads import processes
from disktuner.workloads.paced import LatencySpec
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import left_in, processes_in, written_bytes
from tests.end2end.test_guard_disk import server_of
from tests.simdisk.caches import PACE, SIZE_MB, Cached, draw, draw_endless
from tests.simdisk.simulated import simulated_disk
from tests.waiting import until


def portrait_of(
    sudo: Sudo, folder: Path, drawn: Cached, size_mb: int = SIZE_MB, pace: Pace = PACE, meanwhile_bytes: int = 0
) -> Portrait:
    """Make a portrait; between its announcement and its beginning somebody else writes ``meanwhile_bytes``."""
    with simulated_disk(sudo, folder, size_mb, drawn.profile, *drawn.settings, depth="16") as disk:
        assert disk.folder
        files = set(disk.folder.rglob("*"))
        portraying = Portraying(str(disk.folder), System(), Portraits(folder / "portraits"), pace)
        announced = portraying.announce()
        with (disk.folder / "another").open("wb", 0) as another:
            another.write(os.urandom(meanwhile_bytes))
            os.fsync(another.fileno())
        (disk.folder / "another").unlink()
        before = written_bytes(disk)
        events = list[Event]()
        portrait = portraying.run(announced, events.append)
        assert written_bytes(disk) - before <= announced.most_bytes
        assert set(disk.folder.rglob("*")) == files
        assert Portraits(folder / "portraits").newest_of(System().disk(disk.name)) == portrait
    said = [event for event in events if isinstance(event, PortraitSoFar)]
    assert list(dict.fromkeys(event.part for event in said)) == list(Part)
    shares = [event.advance.share for event in said]
    assert shares == sorted(shares) and shares[-1] < 1 and [event.part for event in said].count(Part.WRITE) > 2
    assert any(isinstance(event, LivePoint) for event in events)
    assert portrait.finished and portrait.steps_s and portrait.copied
    assert [read.beside for read in portrait.reads] == [False, True, True, False]
    assert portrait.reads[0].written_bytes == 0 and portrait.reads[-1].written_bytes > portrait.reads[1].written_bytes
    return portrait


def test_all_parts_are_measured_within_what_was_announced(sudo: Sudo, tmp_path: Path) -> None:
    endless = Cached("flash", ("rate_mb=60", "read_us=200"), 0.0, 60e6, 60e6)
    portrait = portrait_of(sudo, tmp_path, endless, 600, Pace(curve_s=2.0, whole_s=10.0), 10**8)
    assert end_of(portrait) is None and not portrait.bursts
    assert 0 < portrait.earlier_bytes < 10**8, "what it wrote itself"


def test_a_writer_that_takes_a_while_to_end_after_a_long_curve_is_waited_for(
    sudo: Sudo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads are over long before a program of theirs is given up; the writer goes on for longer than that."""
    monkeypatch.setattr(LatencySpec, "timeout_s", 6.0)
    monkeypatch.setattr(processes, "TICK_S", 0.0)
    with simulated_disk(sudo, tmp_path, 800, "flash", "rate_mb=40", "read_us=200") as disk:
        portraying = Portraying(
            str(disk.folder), System(), Portraits(tmp_path / "kept"), Pace(curve_s=7.0, whole_s=40.0)
        )
        assert portraying.run(portraying.announce(), lambda _: None).finished


@pytest.mark.long
def test_a_slow_disk_whose_cache_stays_used_up_does_not_write_fast_again(sudo: Sudo, tmp_path: Path) -> None:
    """Such a burst is not waited for; as much as it should have written would be fast."""
    settings = ("rate_mb=16", "read_us=200", "cache_mb=150", "after_mb=3", "recover_mb=0")
    portrait = portrait_of(sudo, tmp_path, Cached("flash", settings, 150e6, 16e6, 3e6), 800, Pace(14.0, 40.0))
    end = end_of(portrait)
    assert end and portrait.bursts
    assert not any(is_fast(burst.bytes_per_s, end.fast_bytes_per_s, end.slow_bytes_per_s) for burst in portrait.bursts)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_the_end_of_a_cache_and_what_remains_are_found(seed: int, sudo: Sudo, tmp_path: Path) -> None:
    drawn = draw(seed)
    portrait = portrait_of(sudo, tmp_path, drawn)
    end = end_of(portrait)
    assert end, portrait.steps_s
    assert end.size_bytes == pytest.approx(drawn.cache_bytes, rel=0.15)
    assert end.slow_bytes_per_s == pytest.approx(drawn.slow, rel=0.1)
    assert is_fast(portrait.bursts[-1].bytes_per_s, end.fast_bytes_per_s, end.slow_bytes_per_s)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_none_is_found_where_there_is_none(seed: int, sudo: Sudo, tmp_path: Path) -> None:
    portrait = portrait_of(sudo, tmp_path, draw_endless(seed))
    assert end_of(portrait) is None


def fill(folder: Path) -> None:
    """Fill the file system."""
    with (folder / "everything").open("wb") as file:
        for size in (1 << 28, 1 << 22, 1 << 16):
            try:
                while True:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
            except OSError:
                continue


def end(how: str, process: subprocess.Popen[str], disk: LoopDisk, sudo: Sudo, served_in: Path) -> None:
    """End what measures on a simulated disk in one of the ways in which that may happen."""
    ends: dict[str, Callable[[], object]] = {
        "cancelled": lambda: process.send_signal(signal.SIGINT),
        "killed": process.kill,
        "full": lambda: fill(folder_of(disk)),
        "pulled out": lambda: sudo("kill", "-KILL", server_of(served_in)),
    }
    ends[how]()


def nothing_stays(how: str, folder: Path, files: set[Path]) -> None:
    """Wait until no process works there, and remove what one that was killed has left: nothing else is there."""
    until(lambda: not processes_in(folder))
    if how == "killed":
        assert left_in(folder)
        until(lambda: bool(Leftovers().find()))
        Leftovers().sweep(folder)
    if how != "pulled out":
        (folder / "everything").unlink(missing_ok=True)
        assert set(folder.iterdir()) == files


ENDS = pytest.mark.parametrize(
    "how", ["cancelled", *(pytest.param(how, marks=pytest.mark.long) for how in ("killed", "full", "pulled out"))]
)


@ENDS
def test_what_was_measured_is_kept_whatever_ends_it(
    how: str, sudo: Sudo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURVE_S", "60")
    portraits = Portraits()
    with simulated_disk(sudo, tmp_path, 800, "flash", "rate_mb=25", "read_us=200") as disk:
        assert disk.folder
        files = set(disk.folder.iterdir())
        argv = [sys.executable, str(Path(__file__).with_name("brief_portrait.py")), str(disk.folder)]
        with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
            until(lambda: process.poll() is not None or b'"steps_s":[0' in kept_in(portraits))
            end(how, process, disk, sudo, tmp_path)
            output = process.communicate()[1]
        assert process.returncode == {"cancelled": 130, "killed": -signal.SIGKILL}.get(how, 5), output
        portrait = portraits.newest_of(System().disk(disk.name))
        assert portrait and portrait.steps_s and not portrait.finished
        assert how == "killed" or "--last" in output
        nothing_stays(how, folder_of(disk), files)


def kept_in(portraits: Portraits) -> bytes:
    """Return all that is stored."""
    return b"".join(path.read_bytes() for path in portraits.folder.glob("*.jsonl"))


def folder_of(disk: LoopDisk) -> Path:
    assert disk.folder
    return disk.folder
