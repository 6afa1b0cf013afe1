# SPDX-License-Identifier: GPL-3.0-or-later
"""The share of time that programs waited for each disk: what the kernel reports, if the disk confirms it."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.block.sysfs import Tree
from disktuner.block.waiting import NEEDS_S, Shares


class Machine:
    """A kernel that counts pressure, two disks, and a program."""

    def __init__(self, root: Path) -> None:
        self._root, self.time_s, self._waited_s = root, 0.0, 0.0
        self._busy_ms = {"sda": 0, "sdb": 0}
        for folder in ("proc/pressure", "proc/77", "sys/block/sda", "sys/block/sdb"):
            (root / folder).mkdir(parents=True)
        (root / "proc/77/io").write_text("rchar: 1")
        self.program("S")
        self.goes_on(0.0)
        self._shares = Shares(Tree(root), lambda: self.time_s)

    def program(self, state: str) -> None:
        (self._root / "proc/77/stat").write_text(f"77 (db) {state} 1 77")

    def goes_on(self, waited_s: float, seconds: float = 1.0, **busy_s: float) -> None:
        self.time_s += seconds
        self._waited_s += waited_s
        text = f"some avg10=0 total={round(self._waited_s * 1e6)}\nfull avg10=0 total=0\n"
        (self._root / "proc/pressure/io").write_text(text)
        for disk, known_ms in self._busy_ms.items():
            self._busy_ms[disk] = known_ms + round(1000 * busy_s.get(disk, 0.0))
            words = [0] * 9 + [self._busy_ms[disk]] * 2 + [0] * 6
            (self._root / f"sys/block/{disk}/stat").write_text(" ".join(map(str, words)))

    def look(self) -> dict[str, float | None]:
        return self._shares.look(["sda", "sdb"])

    def rests(self, pressure: float) -> None:
        for _ in range(int(NEEDS_S) + 1):
            self.goes_on(pressure)
            assert self.look() == {"sda": 0.0, "sdb": 0.0}, "nobody can have waited for a disk at rest"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_any_program_that_waits_counts_for_the_disk_that_was_busy(machine: Machine) -> None:
    machine.rests(0.0)
    machine.goes_on(0.6, sda=0.9, sdb=0.25)
    assert machine.look() == pytest.approx({"sda": 0.6, "sdb": 0.25})


def test_a_program_that_sleeps_in_io_uring_counts_for_nothing(machine: Machine) -> None:
    machine.rests(1.0)
    machine.goes_on(1.0, sda=0.9)
    assert machine.look() == {"sda": 0.0, "sdb": 0.0}
    machine.program("D")
    machine.goes_on(1.0, sda=0.9)
    assert machine.look() == pytest.approx({"sda": 0.9, "sdb": 0.0})


def test_idle_time_that_the_kernel_counts_as_busy_confirms_nothing(machine: Machine, tmp_path: Path) -> None:
    """If two processors start requests at once after the disk was idle; these took 20 ms."""
    machine.goes_on(0.6)
    (tmp_path / "sys/block/sda/stat").write_text("1844 1 16392 135 2290 3172 51392 242 0 8760 20")
    assert machine.look()["sda"] == pytest.approx(0.02)


def test_where_the_kernel_counts_nothing_nothing_is_told(tmp_path: Path) -> None:
    assert Shares(Tree(tmp_path)).look(["sda"]) == {"sda": None}
