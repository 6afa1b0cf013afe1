# SPDX-License-Identifier: GPL-3.0-or-later
"""What waits to be written to a disk, against made-up machines whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from mmap import PAGESIZE
from pathlib import Path

import pytest

from disktuner.block.counters import Counters
from disktuner.block.pending import Estimator, PageCache, Pending, Sureness, read_page_cache
from disktuner.block.sysfs import Tree
from disktuner.vocabulary.messages import say

MB = 1_000_000
SETTLE_S = 40.0
STICK, SYSTEM, NFS = "sdb", "sda", "server"


@dataclass
class Machine:
    """Pools of dirty data that drain at fixed speeds, once a second; ``NFS`` belongs to no disk."""

    speed: dict[str, float]
    settle_s: float = SETTLE_S
    waiting: dict[str, float] = field(default_factory=dict)
    written: dict[str, float] = field(default_factory=dict)
    dirtied: float = 0
    cached: float = 0
    now: float = 1000.0
    begun: bool = True
    ahead: float = 0
    estimator: Estimator = field(default_factory=Estimator)

    def copy(self, to: str, size: float) -> None:
        """Make data dirty in memory."""
        self.waiting[to] = self.waiting.get(to, 0) + size
        self.dirtied += size

    def pass_by(self, disk: str, size: float) -> None:
        """Write past the page cache."""
        self.written[disk] = self.written.get(disk, 0) + size

    def tick(self, seconds: float = 1.0) -> None:
        """Let the disks write for a second, and take a reading."""
        self.now += seconds
        for name, speed in self.speed.items():
            size = min(self.waiting.get(name, 0), speed * seconds)
            self.waiting[name] = self.waiting.get(name, 0) - size
            self.written[name] = self.written.get(name, 0) + size
            self.cached += size
        waiting, cached = sum(self.waiting.values()) + self.ahead, self.cached - self.ahead
        cache = PageCache(round(waiting), round(self.ahead), round(self.dirtied), round(cached), self.settle_s)
        disks = {name: self._counters(name) for name in self.speed if name != NFS}
        self.estimator.add(self.now, cache, disks)

    def ticks(self, count: int) -> Iterator[Pending]:
        """Yield each second's report on the stick."""
        for _ in range(count):
            self.tick()
            yield self.said

    def run(self, seconds: int) -> Pending:
        """Let time pass."""
        return list(self.ticks(seconds))[-1]

    @property
    def said(self) -> Pending:
        pending = self.estimator.of(STICK)
        assert pending
        return pending

    def _counters(self, name: str) -> Counters:
        in_flight = int(self.begun and self.waiting.get(name, 0) > 0)
        sectors = int(self.written.get(name, 0) // 512)
        return Counters(self.now, 0, 0, 0, 0, 0, 0, sectors, 0, in_flight, 0, 0)


def test_a_copy_to_one_disk_is_told_to_a_hundredth() -> None:
    machine = Machine({STICK: 12 * MB})
    machine.tick()
    machine.copy(STICK, 200 * MB)
    machine.run(2)
    while (left := machine.waiting[STICK]) > 0:
        pending = machine.said
        assert pending.bytes == pytest.approx(left, rel=0.01)
        assert pending.seconds == pytest.approx(left / (12 * MB), rel=0.01)
        machine.tick()
    assert not machine.said.is_safe(mounted=False), "not at once"
    assert machine.run(2) == Pending(0, 0.0, Sureness.NOTHING, True)
    assert machine.said.is_safe(mounted=False)


def test_what_the_disk_has_of_a_long_request_does_not_wait() -> None:
    machine = Machine({STICK: 12 * MB})
    machine.tick()
    machine.copy(STICK, 1000 * MB)
    machine.run(50)
    machine.ahead = 8 * MB
    assert machine.run(2).sureness == Sureness.ABOUT
    assert machine.said.bytes == pytest.approx(machine.waiting[STICK], rel=0.01)


def test_who_looks_in_the_middle_is_sure_once_others_would_have_written() -> None:
    machine = Machine({STICK: 12 * MB})
    machine.copy(STICK, 1000 * MB)
    assert {pending.sureness for pending in machine.ticks(40)} == {Sureness.AT_MOST}
    assert machine.run(1).sureness == Sureness.ABOUT
    assert machine.said.bytes == pytest.approx(machine.waiting[STICK], rel=0.01)


def test_what_others_made_dirty_at_the_same_time_is_not_taken_for_the_sticks() -> None:
    machine = Machine({STICK: 12 * MB, SYSTEM: 0})
    machine.run(50)
    machine.copy(STICK, 1000 * MB)
    machine.copy(SYSTEM, 500 * MB)
    assert {pending.sureness for pending in machine.ticks(30)} == {Sureness.AT_MOST}
    machine.speed[SYSTEM] = 100 * MB
    for pending in machine.ticks(40):
        assert pending.bytes >= machine.waiting[STICK] * 0.999
        assert pending.sureness == Sureness.AT_MOST or pending.bytes <= machine.waiting[STICK] * 1.2


def test_where_another_disk_writes_as_much_it_is_a_bound() -> None:
    machine = Machine({STICK: 12 * MB, SYSTEM: 100 * MB})
    machine.run(50)
    for _ in range(20):
        machine.copy(STICK, 20 * MB)
        machine.copy(SYSTEM, 90 * MB)
        machine.tick()
        assert machine.said.sureness == Sureness.AT_MOST
        assert machine.said.bytes >= machine.waiting[STICK] * 0.999


def test_little_that_others_write_does_not_hide_a_copy() -> None:
    machine = Machine({STICK: 12 * MB, SYSTEM: 100 * MB})
    machine.run(50)
    machine.copy(STICK, 1000 * MB)
    for second in range(60):
        machine.copy(SYSTEM, 0.2 * MB)
        machine.tick()
        assert machine.said.sureness == (Sureness.ABOUT if second >= 40 else Sureness.AT_MOST)
        assert machine.said.bytes == pytest.approx(machine.waiting[STICK], rel=0.1)


def test_what_waits_for_a_server_that_does_not_answer_is_not_the_disks() -> None:
    machine = Machine({STICK: 12 * MB, NFS: 0})
    machine.copy(NFS, 500 * MB)
    assert machine.run(30).sureness == Sureness.UNKNOWN
    assert machine.run(20) == Pending(0, None, Sureness.AT_MOST, True)
    machine.copy(STICK, 200 * MB)
    pending = machine.run(5)
    assert pending.sureness == Sureness.AT_MOST and pending.bytes == pytest.approx(140 * MB, rel=0.01)
    assert machine.run(30).sureness != Sureness.NOTHING


def test_what_is_written_to_a_server_counts_as_others() -> None:
    machine = Machine({STICK: 12 * MB, NFS: 100 * MB})
    machine.run(50)
    machine.copy(STICK, 200 * MB)
    machine.copy(NFS, 200 * MB)
    assert machine.run(3).sureness == Sureness.AT_MOST


def test_a_stick_that_stalls_has_no_end_and_is_never_safe() -> None:
    machine = Machine({STICK: 12 * MB})
    machine.run(2)
    machine.copy(STICK, 200 * MB)
    machine.run(5)
    machine.speed[STICK] = 0
    pending = list(machine.ticks(20))
    assert all(
        pending.bytes == pytest.approx(140 * MB, rel=0.01) and not pending.is_safe(mounted=False) for pending in pending
    )
    assert pending[2].seconds and pending[-1].seconds is None
    machine.run(2)
    machine.speed[STICK] = 12 * MB
    assert machine.run(3).seconds


def test_dirty_data_that_nobody_writes_yet_may_be_for_any_disk() -> None:
    machine = Machine({STICK: 0, SYSTEM: 0}, begun=False)
    machine.run(50)
    machine.copy(STICK, 200 * MB)
    pending = machine.run(3)
    assert pending == Pending(200 * MB, None, Sureness.UNKNOWN, True)
    assert not pending.is_safe(mounted=True) and not pending.is_safe(mounted=False)


def test_writing_past_the_page_cache_leaves_what_waits() -> None:
    machine = Machine({STICK: 0, SYSTEM: 0})
    machine.run(2)
    machine.copy(STICK, 200 * MB)
    for _ in range(5):
        machine.pass_by(STICK, 30 * MB)
        machine.tick()
    assert machine.said.bytes == 200 * MB


def test_a_gap_between_readings_loses_nothing() -> None:
    machine = Machine({STICK: 12 * MB})
    machine.run(2)
    machine.copy(STICK, 200 * MB)
    machine.tick()
    machine.tick(10)
    assert machine.said.bytes == pytest.approx(68 * MB, rel=0.01)
    assert machine.said.seconds == pytest.approx(68 / 12, rel=0.01)


def test_another_disk_under_the_same_name_begins_anew() -> None:
    machine = Machine({STICK: 12 * MB})
    machine.copy(STICK, 100 * MB)
    machine.run(20)
    machine.written[STICK] = 0
    machine.copy(STICK, 10 * MB)
    machine.tick(0.1)
    assert machine.said.bytes == machine.waiting[STICK] and not machine.said.is_safe(mounted=False)
    assert machine.estimator.of("gone") is None


@pytest.mark.parametrize(
    ("size", "seconds", "sureness", "quiet", "mounted", "sentence"),
    [
        (3.1e9, 290.0, Sureness.ABOUT, False, True, "3.1 GB still to be written, 5 minutes left"),
        (3.1e9, None, Sureness.ABOUT, False, True, "3.1 GB still to be written"),
        (3.1e9, 290.0, Sureness.AT_MOST, False, True, "At most 3.1 GB still to be written, 5 minutes or less"),
        (3.1e9, None, Sureness.AT_MOST, False, False, "At most 3.1 GB still to be written"),
        (3.1e9, None, Sureness.UNKNOWN, True, False, "Can't tell: 3.1 GB are still to be written, here or elsewhere"),
        (
            4e6,
            None,
            Sureness.AT_MOST,
            True,
            True,
            "At most 4 MB still to be written; unmounting will not take long",
        ),
        (4e6, None, Sureness.AT_MOST, True, False, "Safe to unplug"),
        (0, 0.0, Sureness.NOTHING, True, True, "Everything is written; unmounting will not take long"),
        (0, 0.0, Sureness.NOTHING, True, False, "Safe to unplug"),
    ],
)
def test_it_is_said_how_sure_it_is_and_that_a_mounted_disk_is_to_be_unmounted(
    size: float, seconds: float | None, sureness: Sureness, quiet: bool, mounted: bool, sentence: str
) -> None:
    assert say(Pending(int(size), seconds, sureness, quiet).sentence(mounted)) == sentence


def test_the_kernels_files_are_read_as_it_writes_them(tmp_path: Path) -> None:
    vm = tmp_path / "proc/sys/vm"
    vm.mkdir(parents=True)
    (vm / "dirty_expire_centisecs").write_text("3000\n")
    (vm / "dirty_writeback_centisecs").write_text("500\n")
    assert read_page_cache(Tree(tmp_path)) is None
    (tmp_path / "proc/vmstat").write_text(
        "nr_dirty 10\nnr_writeback 5\nnr_writeback_temp 99\nnr_dirtied 70\nnr_written 40\n"
    )
    assert read_page_cache(Tree(tmp_path)) == PageCache(15 * PAGESIZE, 5 * PAGESIZE, 70 * PAGESIZE, 40 * PAGESIZE, 40.0)
    (vm / "dirty_writeback_centisecs").write_text("0\n")  # nothing is written unless somebody asks
    cache = read_page_cache(Tree(tmp_path))
    assert cache and cache.settle_s == math.inf


def test_this_machine_says_what_waits() -> None:
    cache = read_page_cache(Tree(Path("/")))
    assert cache and cache.dirtied_bytes > 0
