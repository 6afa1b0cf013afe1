# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt: seconds of waiting that the disk confirms; a sleeping computer and an idle disk tell nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from disktuner.block.waiting import NEEDS_S
from disktuner.field.blocks import Look
from disktuner.field.feeling import DOUBTFUL_LOOK_S, IDLE_S, LOOK_S, Feeling
from disktuner.vocabulary.errors import MeasurementImpossible


class World:
    """A kernel's counters and clocks, and a program of this user's."""

    def __init__(self, root: Path) -> None:
        self.root, self.file = root, root / "proc/pressure/io"
        self.file.parent.mkdir(parents=True)
        self.clocks = {time.CLOCK_MONOTONIC: 100.0, time.CLOCK_BOOTTIME: 900.0}
        self.waited_us, self.away = 5_000_000, False
        self.stats = {name: [0] * 17 for name in ("sda", "sdb")}
        (root / "proc/77").mkdir()
        (root / "proc/77/io").write_text("rchar: 1")
        self.program("S")
        self.goes_on(0.0)
        self.feeling = Feeling(lambda: "sda", lambda: self.away, root, self.clocks.__getitem__)

    def program(self, state: str, parent: int = 1) -> None:
        (self.root / "proc/77/stat").write_text(f"77 (a (b) c) {state} {parent} 77")

    def goes_on(
        self,
        seconds: float,
        waited_s: float = 0,
        *,
        busy_s: float = 0,
        read_s: float = 0,
        disk: str = "sda",
        slept_s: float = 0.0,
    ) -> None:
        self.clocks[time.CLOCK_MONOTONIC] += seconds
        self.clocks[time.CLOCK_BOOTTIME] += seconds + slept_s
        self.waited_us += round(waited_s * 1e6)
        line = "avg10=0.00 avg60=0.00 avg300=0.00 total="
        self.file.write_text(f"some {line}{self.waited_us * 2}\nfull {line}{self.waited_us}\n")
        stat = self.stats[disk]
        stat[9] += round(busy_s * 1000)
        stat[3] += round(read_s * 1000)
        for name, words in self.stats.items():
            (self.root / f"sys/block/{name}").mkdir(parents=True, exist_ok=True)
            (self.root / f"sys/block/{name}/stat").write_text(" ".join(map(str, words)))

    def rests(self, pressure: float = 0.0) -> None:
        """Nothing happens at any disk for some time, while the kernel counts pressure for a share of it."""
        for _ in range(int(NEEDS_S) + 1):
            self.goes_on(1.0, pressure)
            self.feeling.look()

    def looks(self, waited_s: float, busy_s: float, read_s: float = 0, disk: str = "sda") -> float:
        """For how long of a second programs waited, says the look."""
        self.goes_on(1.0, waited_s, busy_s=busy_s, read_s=read_s, disk=disk)
        look = self.feeling.look()
        assert look and look.stalled_s + look.unconfirmed_s == pytest.approx(min(waited_s, 1.0))
        return look.stalled_s


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_it_is_what_the_kernel_counts_while_the_disk_works(world: World) -> None:
    world.rests()
    assert world.looks(0.25, busy_s=0.5) == 0.25
    assert world.looks(0.0, busy_s=0.5) == 0.0
    assert world.looks(9.0, busy_s=1.0) == 1.0, "never more than the time there was"
    assert world.looks(0.9, busy_s=0.2) == pytest.approx(0.2), "nor than the disk was busy"
    assert world.looks(0.9, busy_s=0.9, disk="sdb") == 0.0, "another disk is not waited for here"
    assert world.feeling.every_s == LOOK_S


def test_pressure_that_disks_at_rest_see_is_not_believed_without_a_witness(world: World) -> None:
    world.rests(pressure=1.0)  # something sleeps in io_uring
    assert world.looks(1.0, busy_s=0.0) == 0.0
    assert world.looks(1.0, busy_s=0.9) == 0.0, "written out meanwhile, and nobody waits"
    assert world.feeling.every_s == DOUBTFUL_LOOK_S, "who is held up is looked for more often"
    assert world.looks(1.0, busy_s=0.9, read_s=0.1) == pytest.approx(0.1), "shortly, for reads"
    assert world.looks(1.0, busy_s=0.9, read_s=0.9) == 0.0, "nobody is in D state: the reads are of others"
    world.program("D")
    assert world.looks(1.0, busy_s=0.9) == pytest.approx(0.9)
    world.program("D", parent=2)
    assert world.looks(1.0, busy_s=0.9) == 0.0, "the kernel's own thread"
    (world.root / "proc/77/io").unlink()
    world.program("D")
    assert world.looks(1.0, busy_s=0.9) == 0.0, "another user's program"
    for _ in range(15):
        world.rests()
    assert world.looks(0.7, busy_s=0.9) == pytest.approx(0.7), "it has ended: pressure is believed again"


def test_before_a_disk_rested_nothing_is_believed_without_a_witness(world: World) -> None:
    assert world.looks(1.0, busy_s=1.0) == 0.0
    world.program("D")
    assert world.looks(1.0, busy_s=1.0) == 1.0


def test_nothing_counts_while_nobody_is_there_or_the_computer_sleeps(world: World) -> None:
    world.rests()
    world.away = True
    world.goes_on(1.0, 0.5, busy_s=1.0)
    look = world.feeling.look()
    assert look and not look.in_use
    world.away = False
    world.goes_on(IDLE_S)
    assert world.feeling.look() == Look(IDLE_S, 0.0, False), "the disk served nothing"
    world.goes_on(1.0, 1.0, slept_s=30_000.0)
    assert world.feeling.look() is None
    world.goes_on(1.0, 0.25, busy_s=0.5)
    assert world.feeling.look() == Look(1.0, 0.25, True)


def test_a_kernel_that_does_not_count_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementImpossible):
        Feeling(lambda: "sda", lambda: False, tmp_path)
