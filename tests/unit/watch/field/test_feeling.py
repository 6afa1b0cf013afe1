# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt: seconds of waiting that the disk confirms; a sleeping computer and an idle disk count for nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from disktuner.block.waiting import NEEDS_S
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner_watch.field.blocks import FeltInterval
from disktuner_watch.field.feeling import DOUBTFUL_LOOK_S, IDLE_S, LOOK_S, MOST_COST, Feeling


class World:
    """A kernel's counters and clocks, and one of this user's programs."""

    def __init__(self, root: Path) -> None:
        self.root, self.file = root, root / "proc/pressure/io"
        self.file.parent.mkdir(parents=True)
        self.clocks = {time.CLOCK_MONOTONIC: 100.0, time.CLOCK_BOOTTIME: 900.0}
        self.waited_us, self.away, self.cpu_s = 5_000_000, False, 0.0
        self.stats = {name: [0] * 17 for name in ("sda", "sdb")}
        (root / "proc/77").mkdir()
        (root / "proc/77/io").write_text("rchar: 1")
        self.program("S")
        self.goes_on(0.0)
        self.feeling = Feeling(lambda: "sda", lambda: self.away, root, self.clocks.__getitem__, lambda: self.cpu_s)

    def program(self, state: str, parent: int = 1) -> None:
        (self.root / "proc/77/stat").write_text(f"77 (a (b) c) {state} {parent} 77")

    def goes_on(
        self,
        seconds: float,
        waited_s: float = 0,
        *,
        busy_s: float = 0,
        read_s: float = 0,
        in_flight: int = 0,
        disk: str = "sda",
        slept_s: float = 0.0,
    ) -> None:
        self.clocks[time.CLOCK_MONOTONIC] += seconds
        self.clocks[time.CLOCK_BOOTTIME] += seconds + slept_s
        self.waited_us += round(waited_s * 1e6)
        line = "avg10=0.00 avg60=0.00 avg300=0.00 total="
        self.file.write_text(f"some {line}{self.waited_us * 2}\nfull {line}{self.waited_us}\n")
        stat = self.stats[disk]
        stat[8] = in_flight
        for counter in (9, 10):
            stat[counter] += round(busy_s * 1000)
        stat[3] += round(read_s * 1000)
        for name, words in self.stats.items():
            (self.root / f"sys/block/{name}").mkdir(parents=True, exist_ok=True)
            (self.root / f"sys/block/{name}/stat").write_text(" ".join(map(str, words)))

    def rests(self, pressure: float = 0.0) -> None:
        """Let time pass with idle disks, while the kernel counts pressure for a share of it."""
        for _ in range(int(NEEDS_S) + 1):
            self.goes_on(1.0, pressure)
            self.feeling.look()

    def looks(self, waited_s: float, busy_s: float, read_s: float = 0, disk: str = "sda", in_flight: int = 1) -> float:
        """Return for how long of a second programs waited, according to the look."""
        self.goes_on(1.0, waited_s, busy_s=busy_s, read_s=read_s, disk=disk, in_flight=in_flight)
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
    assert world.feeling.every_s == DOUBTFUL_LOOK_S, "who is held up is looked for more often, and from the beginning"
    assert world.looks(1.0, busy_s=0.9) == 0.0, "written out meanwhile, and nobody waits"
    assert world.looks(1.0, busy_s=0.9, read_s=0.1) == pytest.approx(0.1), "shortly, for reads"
    assert world.looks(1.0, busy_s=0.9, read_s=0.9) == 0.0, "nobody is in D state: the reads are of others"
    world.program("D")
    assert world.looks(1.0, busy_s=0.9) == pytest.approx(0.9)
    assert world.looks(1.0, busy_s=0.9, in_flight=0) == 0.0, "the disk has answered: it waits for another"
    (world.root / "proc/77/io").unlink()
    assert world.looks(1.0, busy_s=0.9) == 0.0, "another user's program"
    for _ in range(15):
        world.rests()
    assert world.looks(0.7, busy_s=0.9) == pytest.approx(0.7), "it has ended: pressure is believed again"


def test_a_look_is_early_only_where_the_disk_has_a_request(world: World) -> None:
    world.rests(pressure=1.0)
    world.goes_on(DOUBTFUL_LOOK_S, DOUBTFUL_LOOK_S)
    assert world.feeling.look() is None
    world.program("D")
    world.goes_on(DOUBTFUL_LOOK_S, DOUBTFUL_LOOK_S, busy_s=0.05, in_flight=1)
    look = world.feeling.look()
    assert look and (look.wall_s, look.stalled_s) == pytest.approx((2 * DOUBTFUL_LOOK_S, 0.05))


def test_a_disk_that_works_for_long_is_looked_at_so_often_only_as_far_as_that_costs_little(world: World) -> None:
    world.rests(pressure=1.0)

    def costs(cpu_s: float, looks: int) -> set[float]:
        intervals = set()
        for _ in range(looks):
            world.cpu_s += cpu_s
            world.looks(1.0, busy_s=0.9)
            intervals.add(world.feeling.every_s)
        return intervals

    assert costs(0.9 * MOST_COST, 1000) == {DOUBTFUL_LOOK_S}, "what is saved up is not touched"
    assert costs(5 * MOST_COST, 10) == {DOUBTFUL_LOOK_S}
    assert LOOK_S in costs(5 * MOST_COST, 20)
    assert costs(5 * MOST_COST, 20) == {LOOK_S}
    assert DOUBTFUL_LOOK_S in costs(0.0, 200)


@pytest.mark.parametrize("share_at_work", [0.0, 0.2, 1.0])
def test_looking_never_costs_more_than_its_share_of_the_time_since_the_start(
    world: World, share_at_work: float
) -> None:
    """As on a machine with 300 programs: a look without requests, one at the counters, one at all programs."""
    early_s, counters_s, programs_s, began_s = 0.00015, 0.0005, 0.004, world.clocks[time.CLOCK_MONOTONIC]
    world.program("D")
    while (passed_s := world.clocks[time.CLOCK_MONOTONIC] - began_s) < 300:
        at_work = passed_s % 20 < 20 * share_at_work
        every_s = world.feeling.every_s
        world.goes_on(every_s, every_s, busy_s=every_s * at_work, in_flight=int(at_work))
        look = world.feeling.look()
        world.cpu_s += early_s if look is None else programs_s if at_work else counters_s
        assert world.cpu_s <= MOST_COST * (passed_s + every_s) + 2 * programs_s, "a look's cost is known at the next"


def test_the_kernels_threads_are_nobodys_programs_and_their_numbers_are_given_to_others(world: World) -> None:
    world.rests(pressure=1.0)
    world.program("D", parent=2)
    assert world.looks(1.0, busy_s=0.9) == 0.0
    (world.root / "proc/77").rename(world.root / "ended")
    assert world.looks(1.0, busy_s=0.9) == 0.0
    (world.root / "ended").rename(world.root / "proc/77")
    world.program("D")
    assert world.looks(1.0, busy_s=0.9) == pytest.approx(0.9)


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
    assert world.feeling.look() == FeltInterval(IDLE_S, 0.0, False), "the disk served nothing"
    world.goes_on(1.0, 1.0, slept_s=30_000.0)
    assert world.feeling.look() is None
    world.goes_on(1.0, 0.25, busy_s=0.5)
    assert world.feeling.look() == FeltInterval(1.0, 0.25, True)


def test_a_kernel_that_does_not_count_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementImpossible):
        Feeling(lambda: "sda", lambda: False, tmp_path)
