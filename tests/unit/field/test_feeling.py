# SPDX-License-Identifier: GPL-3.0-or-later
"""What is felt: seconds of waiting as the kernel counts them; a sleeping computer and an idle disk tell nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from disktuner.field.blocks import Look
from disktuner.field.feeling import IDLE_S, Feeling
from disktuner.vocabulary.errors import MeasurementImpossible


class World:
    """A kernel's counters and clocks."""

    def __init__(self, root: Path) -> None:
        self.root, self.file = root, root / "proc/pressure/io"
        self.file.parent.mkdir(parents=True)
        self.clocks = {time.CLOCK_MONOTONIC: 100.0, time.CLOCK_BOOTTIME: 900.0}
        self.waited_us, self.requests, self.away = 5_000_000, 1, False
        self.goes_on(0.0)
        self.feeling = Feeling(lambda: self.requests, lambda: self.away, root, self.clocks.__getitem__)

    def goes_on(self, seconds: float, waited_us: int = 0, slept_s: float = 0.0) -> None:
        self.clocks[time.CLOCK_MONOTONIC] += seconds
        self.clocks[time.CLOCK_BOOTTIME] += seconds + slept_s
        self.waited_us += waited_us
        line = "avg10=0.00 avg60=0.00 avg300=0.00 total="
        self.file.write_text(f"some {line}{self.waited_us * 2}\nfull {line}{self.waited_us}\n")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_it_is_what_the_kernel_counts_while_the_disk_works(world: World) -> None:
    world.goes_on(1.0, 250_000)
    assert world.feeling.look() == Look(1.0, 0.25, True)
    world.goes_on(2.0)
    assert world.feeling.look() == Look(2.0, 0.0, True)
    world.goes_on(IDLE_S)
    assert world.feeling.look() == Look(IDLE_S, 0.0, False), "the disk served nothing"
    world.requests += 1
    world.goes_on(1.0, 9_000_000)
    assert world.feeling.look() == Look(1.0, 1.0, True), "never more than the time there was"


def test_nothing_counts_while_nobody_is_there_or_the_computer_sleeps(world: World) -> None:
    world.away = True
    world.goes_on(1.0, 500_000)
    look = world.feeling.look()
    assert look and not look.in_use
    world.away = False
    world.goes_on(1.0, 1_000_000, slept_s=30_000.0)
    assert world.feeling.look() is None
    world.goes_on(1.0, 250_000)
    assert world.feeling.look() == Look(1.0, 0.25, True)


def test_a_kernel_that_does_not_count_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementImpossible):
        Feeling(lambda: 1, lambda: False, tmp_path)
