# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard's conditions, really produced: each marks the sample with its reason and the run ends well."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from disktuner.block.system import System
from disktuner.errors import MeasurementImpossible
from disktuner.experiment.control import Control
from disktuner.experiment.events import Event, RunStarted
from disktuner.experiment.experiment import Experiment
from disktuner.experiment.kernel import NoSwitch
from disktuner.experiment.plan import Plan, Planned
from disktuner.results.model import FileSystem, Goal, Machine, Metric, PlanRecord, Result, Sample
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload
from tests.conftest import LoopDisk, Sudo

EMPTY = Result(
    "id", "", "", Machine("", "", "", 0, ""), {}, FileSystem("", "", (), ()), PlanRecord(None, None, (), "", (), 1),
    {}, (),
)  # fmt: skip


class Doing:
    """A workload made of one function: what a program does that the guard must see through."""

    id = "doing"
    summary = source = program = deciding = "wall_s"
    package: str | None = None
    metrics: tuple[Metric, ...] = ()
    goals: frozenset[Goal] = frozenset()

    def __init__(self, act: Callable[[Path, Processes], Measurement]) -> None:
        self.act = act

    def unavailable(self) -> str | None:
        return None

    def size(self, probe: Probe, seconds: float) -> Size:
        return Size(1, 0, 0, 1.0)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        write_file(scratch.folder / "in", 32 * MIB, 1, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        return self.act(scratch.folder, processes)


def measure(
    disk: LoopDisk, workload: Workload, size: Size, heard: Callable[[Event], None] = lambda _: None, rounds: int = 1
) -> Sequence[Sample]:
    """Run a workload on a disk and return its samples, also when the experiment ends early."""
    assert disk.folder
    plan = Plan(disk.folder, (disk.name,), (disk.scheduler,), disk.scheduler, (Planned(workload, size),), rounds, 1, 1)
    control = Control()
    experiment = Experiment(
        plan,
        EMPTY,
        queues=System(),
        switch=NoSwitch(),
        save=lambda _: None,
        listener=heard,
        control=control,
        rest=lambda _: plan.schedulers,
    )
    try:
        experiment.run()
    finally:
        control.close()
        measure.last = experiment.result.samples  # type: ignore[attr-defined]
    return experiment.result.samples


def reasons(samples: Sequence[Sample]) -> str:
    return " | ".join(sample.reason or "valid" for sample in samples)


def small(workload: str) -> tuple[Workload, Size]:
    """A workload of some 50 MB."""
    found = find(workload)
    return found, found.size(Probe(50e6, 50e6, 0.001, 1 << 32, 1 << 32), 1.0)


@contextmanager
def at_start(act: Callable[[], None], delay_s: float) -> Iterator[Callable[[Event], None]]:
    """A listener that has something done shortly after each run began."""
    threads: list[threading.Thread] = []

    def later() -> None:
        time.sleep(delay_s)
        act()

    def hear(event: Event) -> None:
        if isinstance(event, RunStarted):
            threads.append(threading.Thread(target=later))
            threads[-1].start()

    yield hear
    for thread in threads:
        thread.join()


def test_a_warm_file_is_the_page_cache(loop_disk: Callable[..., LoopDisk]) -> None:
    def warm(folder: Path, processes: Processes) -> Measurement:
        (folder / "in").read_bytes()
        began = time.monotonic()
        size = len((folder / "in").read_bytes())
        processes.pause(0.1)
        return Measurement({"wall_s": time.monotonic() - began}, time.monotonic() - began, size, 0)

    found = measure(loop_disk(), Doing(warm), Size(1, 0, 32 * MIB, 1.0))
    assert "page cache" in reasons(found)


@pytest.mark.parametrize(("fs", "options"), [("btrfs", ""), ("xfs", "")])
def test_a_reflink_copy_moved_nothing(loop_disk: Callable[..., LoopDisk], fs: str, options: str) -> None:
    def reflink(folder: Path, processes: Processes) -> Measurement:
        done = processes.run(["cp", "--reflink=always", "in", "out"], folder, 30)
        processes.run(["sync", "out"], folder, 30)
        processes.pause(0.05)
        (folder / "out").unlink()
        return Measurement({"wall_s": done.wall_s}, 1.0, 0, 32 * MIB)

    found = measure(loop_disk(size_mb=512, fs=fs, options=options), Doing(reflink), Size(1, 0, 32 * MIB, 1.0))
    assert "not written" in reasons(found)


def test_a_file_system_that_compresses_is_noticed(loop_disk: Callable[..., LoopDisk]) -> None:
    def zeros(folder: Path, processes: Processes) -> Measurement:
        argv = ["dd", "if=/dev/zero", "of=out", "bs=1M", "count=64", "conv=fsync"]
        done = processes.run(argv, folder, 30)
        return Measurement({"wall_s": done.wall_s}, 1.0, 0, 64 * MIB)

    disk = loop_disk(size_mb=512, fs="btrfs", options="compress-force=zstd")
    assert "not written" in reasons(measure(disk, Doing(zeros), Size(1, 0, 32 * MIB, 1.0)))


def test_our_own_data_are_incompressible(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=512, fs="btrfs", options="compress-force=zstd")
    assert "not written" not in reasons(measure(disk, *small("dd-write")))


def test_another_writer_is_noticed(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=512)
    other = disk.folder and disk.folder / "other"

    def second_dd() -> None:
        argv = ["dd", "if=/dev/urandom", f"of={other}", "bs=1M", "count=48", "oflag=direct"]
        subprocess.run(argv, check=True, capture_output=True)

    def wait(folder: Path, processes: Processes) -> Measurement:
        processes.pause(2)
        return Measurement({"wall_s": 2.0}, 2.0, 0, 0)

    with at_start(second_dd, 0.0) as hear:
        found = measure(disk, Doing(wait), Size(1, 0, 32 * MIB, 2.0), hear)
    assert "other I/O" in reasons(found)


def test_a_scheduler_changed_behind_our_back_is_noticed(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=512)

    def change() -> None:
        sudo("tee", disk.queue / "scheduler", stdin="bfq")

    def wait(folder: Path, processes: Processes) -> Measurement:
        processes.pause(1)
        return Measurement({"wall_s": 1.0}, 1.0, 0, 0)

    with at_start(change, 0.1) as hear:
        found = measure(disk, Doing(wait), Size(1, 0, 32 * MIB, 1.0), hear)
    assert "scheduler changed" in reasons(found)


def test_a_tunable_changed_behind_our_back_is_noticed(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=512)
    before = (disk.queue / "read_ahead_kb").read_text()

    def change() -> None:
        sudo("tee", disk.queue / "read_ahead_kb", stdin="64")

    def wait(folder: Path, processes: Processes) -> Measurement:
        processes.pause(1)
        return Measurement({"wall_s": 1.0}, 1.0, 0, 0)

    try:
        with at_start(change, 0.1) as hear:
            found = measure(disk, Doing(wait), Size(1, 0, 32 * MIB, 1.0), hear)
    finally:
        sudo("tee", disk.queue / "read_ahead_kb", stdin=before)
    assert "tunable changed: queue/read_ahead_kb" in reasons(found)


def test_a_full_disk_ends_the_run_with_a_sentence(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=512)
    assert disk.folder

    def fill(folder: Path, processes: Processes) -> Measurement:
        try:
            processes.run(["dd", "if=/dev/zero", "of=out", "bs=1M"], folder, 60)
        finally:
            (folder / "out").unlink()
        raise AssertionError("a disk of 512 MB took more than that")

    with pytest.raises(MeasurementImpossible, match="No space left"):
        measure(disk, Doing(fill), Size(1, 0, 32 * MIB, 1.0), rounds=3)
    assert "No space left" in reasons(measure.last)  # type: ignore[attr-defined]
    assert list(disk.folder.glob(".disktuner-*")) == []


def test_a_remount_read_only_ends_the_run_with_a_sentence(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=512)

    def remount() -> None:
        sudo("mount", "-o", "remount,ro", "--", disk.folder or "")

    def write(folder: Path, processes: Processes) -> Measurement:
        processes.pause(1)
        processes.run(["dd", "if=/dev/zero", "of=out", "bs=1M", "count=1", "conv=fsync"], folder, 30)
        return Measurement({"wall_s": 1.0}, 1.0)

    try:
        with at_start(remount, 0.1) as hear, pytest.raises(MeasurementImpossible, match="read-only"):
            measure(disk, Doing(write), Size(1, 0, 32 * MIB, 1.0), hear)
    finally:
        sudo("mount", "-o", "remount,rw", "--", disk.folder or "")
    assert "Read-only" in reasons(measure.last)  # type: ignore[attr-defined]
