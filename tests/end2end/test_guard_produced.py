# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard's conditions, really produced: each marks the sample with its reason and the run ends well."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.workloads.workload import MIB, Measurement, Processes
from tests.conftest import LoopDisk, Sudo
from tests.end2end.guarded import SMALL, Doing, at_start, measure, small


def test_a_warm_file_is_the_page_cache(loop_disk: Callable[..., LoopDisk]) -> None:
    def warm(folder: Path, processes: Processes) -> Measurement:
        (folder / "in").read_bytes()
        began = time.monotonic()
        size = len((folder / "in").read_bytes())
        processes.pause(0.1)
        return Measurement({"wall_s": time.monotonic() - began}, time.monotonic() - began, size, 0)

    found = measure(loop_disk(), Doing(warm), SMALL)
    assert "page-cache" in found.reasons


@pytest.mark.parametrize(("fs", "options"), [("btrfs", ""), ("xfs", "")])
def test_a_reflink_copy_moved_nothing(loop_disk: Callable[..., LoopDisk], fs: str, options: str) -> None:
    def reflink(folder: Path, processes: Processes) -> Measurement:
        done = processes.run(["cp", "--reflink=always", "in", "out"], folder, 30)
        processes.run(["sync", "out"], folder, 30)
        processes.pause(0.05)
        (folder / "out").unlink()
        return Measurement({"wall_s": done.wall_s}, 1.0, 0, 32 * MIB)

    found = measure(loop_disk(size_mb=512, fs=fs, options=options), Doing(reflink), SMALL)
    assert "not-written" in found.reasons


def test_a_file_system_that_compresses_is_noticed(loop_disk: Callable[..., LoopDisk]) -> None:
    def zeros(folder: Path, processes: Processes) -> Measurement:
        argv = ["dd", "if=/dev/zero", "of=out", "bs=1M", "count=64", "conv=fsync"]
        done = processes.run(argv, folder, 30)
        return Measurement({"wall_s": done.wall_s}, 1.0, 0, 64 * MIB)

    disk = loop_disk(size_mb=512, fs="btrfs", options="compress-force=zstd")
    assert "not-written" in measure(disk, Doing(zeros), SMALL).reasons


def test_our_own_data_are_incompressible(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=512, fs="btrfs", options="compress-force=zstd")
    assert "not-written" not in measure(disk, *small("dd-write")).reasons


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
        found = measure(disk, Doing(wait), SMALL, hear)
    assert "other-io" in found.reasons


def test_a_scheduler_changed_behind_our_back_is_noticed(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=512)

    def change() -> None:
        sudo("tee", disk.queue / "scheduler", stdin="bfq")

    def wait(folder: Path, processes: Processes) -> Measurement:
        processes.pause(1)
        return Measurement({"wall_s": 1.0}, 1.0, 0, 0)

    with at_start(change, 0.1) as hear:
        found = measure(disk, Doing(wait), SMALL, hear)
    assert "scheduler-changed" in found.reasons


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
            found = measure(disk, Doing(wait), SMALL, hear)
    finally:
        sudo("tee", disk.queue / "read_ahead_kb", stdin=before)
    assert "tunable-changed" in found.reasons and "queue/read_ahead_kb" in found.said


def test_a_full_disk_ends_the_run_with_a_sentence(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=512)
    assert disk.folder

    def fill(folder: Path, processes: Processes) -> Measurement:
        try:
            processes.run(["dd", "if=/dev/zero", "of=out", "bs=1M"], folder, 60)
        finally:
            (folder / "out").unlink()
        raise AssertionError("a disk of 512 MB took more than that")

    found = measure(disk, Doing(fill), SMALL, rounds=3)
    assert found.error and "No space left" in str(found.error)
    assert "No space left" in found.said
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
        with at_start(remount, 0.1) as hear:
            found = measure(disk, Doing(write), SMALL, hear)
    finally:
        sudo("mount", "-o", "remount,rw", "--", disk.folder or "")
    assert "read-only" in found.reasons
    assert found.error and "became read-only" in str(found.error)
