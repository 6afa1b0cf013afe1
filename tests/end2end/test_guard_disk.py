# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard when the disk itself is at fault: pulled out, full, read-only, or answering from its cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.block.counters import Counters
from disktuner.block.system import System
from disktuner.private_folder import abandoned
from disktuner.workloads.processes import Processes
from disktuner.workloads.workload import Measurement
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import left_in
from tests.end2end.conftest import Run
from tests.end2end.guarded import SMALL, Doing, measure, small
from tests.simdisk.simulated import simulated_disk
from tests.waiting import until


def server_of(folder: Path) -> str:
    """Return the process that serves the simulated disk made in a folder."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "simdisk-" in words[0] and f"{folder}/served" in words:
            return entry.name
    raise AssertionError(f"nobody serves {folder}/served")


class PulledOut(Doing):
    """Writes, and in its second run (the first only warms up) kills the disk's other end: every request fails."""

    def __init__(self, sudo: Sudo, folder: Path) -> None:
        super().__init__(self.write)
        self.runs, self.sudo, self.folder = 0, sudo, folder

    def write(self, folder: Path, processes: Processes) -> Measurement:
        self.runs += 1
        if self.runs == 2:
            self.sudo("kill", "-KILL", server_of(self.folder))
        processes.run(["dd", "if=/dev/urandom", "of=out", "bs=256K", "oflag=direct", "count=8"], folder, 60)
        return Measurement({"wall_s": 1.0}, 1.0)


class Vanishing(System):
    """This machine; the disk's folder in /sys disappears after it was read once since the first failed request."""

    def __init__(self, workload: PulledOut, vanish: Callable[[], None]) -> None:
        super().__init__()
        self.workload, self.vanish, self.looks = workload, vanish, 0

    def counters(self, name: str) -> Counters | None:
        actual = super().counters(name)
        if self.workload.runs == 2 and actual:
            self.looks += 1
            if self.looks == 3:  # as the program runs, when it failed, once more
                self.vanish()
        return actual


def test_a_disk_whose_other_end_dies_ends_the_run_with_a_sentence(sudo: Sudo, tmp_path: Path) -> None:
    """To a file system this is a pulled cable: every request fails from now on."""
    with simulated_disk(sudo, tmp_path, 300, "flash", "read_us=200") as disk:
        result = measure(disk, PulledOut(sudo, tmp_path), SMALL, rounds=9)
    assert result.error
    assert "Input/output error" in result.said
    assert not any(sample.valid for sample in result.samples)
    assert 1 <= len(result.samples) <= 3


def test_a_disk_that_is_dead_already_is_told_in_the_same_way(sudo: Sudo, disktuner: Run, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 300, "flash", "read_us=200") as disk:
        sudo("kill", "-KILL", server_of(tmp_path))
        completed = disktuner("compare", disk.folder, "--goal", "copying", "--workloads", "dd-read")
    assert completed.returncode == 5 and "Input/output error" in completed.stderr, completed.stderr
    assert "unforeseen" not in completed.stderr


def test_a_disk_that_vanishes_from_the_kernel_is_named(sudo: Sudo, tmp_path: Path) -> None:
    """The disk's other end dies and then its folder in /sys goes, as when the kernel gives up a disk that was pulled
    out.

    In between, requests fail, which must not be taken for a failing program.
    """
    with simulated_disk(sudo, tmp_path, 300, "flash", "read_us=200") as disk:
        kernel = (Path("/sys/block") / disk.name).resolve()
        workload = PulledOut(sudo, tmp_path)
        system = Vanishing(workload, lambda: sudo("mount", "-t", "tmpfs", "none", kernel) and None)
        try:
            result = measure(disk, workload, SMALL, rounds=9, system=system)
        finally:
            sudo("umount", kernel)
    assert result.reasons[0] == "disk-gone"
    assert result.error and f"{disk.name} was disconnected" in str(result.error)
    assert len(result.samples) == 1


def test_a_detached_loop_disk_ends_the_run_and_is_clean_at_the_next_start(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    """Unmounted lazily and detached while a program writes: the kernel releases it with its last user."""
    disk = loop_disk(size_mb=256)
    folder = disk.folder
    image = (Path("/sys/block") / disk.name / "loop/backing_file").read_text().strip()

    def detach(below: Path, processes: Processes) -> Measurement:
        if folder.is_mount():
            sudo("umount", "--lazy", folder)
            sudo("losetup", "--detach", disk.device)
        processes.run(["dd", "if=/dev/urandom", "of=out", "bs=1M", "count=8", "oflag=direct"], below, 60)
        return Measurement({"wall_s": 1.0}, 1.0)

    result = measure(disk, Doing(detach), SMALL, rounds=9)
    assert result.error
    assert not any(sample.valid for sample in result.samples)
    # Nothing of ours holds the disk; programs of others that list all disks may hold it for a moment.
    until(lambda: not Path(f"/sys/block/{disk.name}/loop/backing_file").exists())
    sudo("losetup", disk.device, image)
    sudo("mount", disk.device, folder)
    for left in abandoned(folder):
        left.remove()
    assert left_in(folder) == []


def test_a_full_disk_ends_the_run_with_a_sentence(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=128)

    def fill(folder: Path, processes: Processes) -> Measurement:
        try:
            processes.run(["dd", "if=/dev/zero", "of=out", "bs=1M"], folder, 60)
        finally:
            (folder / "out").unlink()
        raise AssertionError("a disk of 128 MB took more than that")

    result = measure(disk, Doing(fill), SMALL, rounds=3)
    assert result.error and "No space left" in str(result.error)
    assert "No space left" in result.said
    assert left_in(disk.folder) == []


def test_a_remount_read_only_ends_the_run_with_a_sentence(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=256)

    def write(folder: Path, processes: Processes) -> Measurement:
        sudo("mount", "-o", "remount,ro", "--", disk.folder)
        processes.run(["dd", "if=/dev/zero", "of=out", "bs=1M", "count=1", "conv=fsync"], folder, 30)
        return Measurement({"wall_s": 1.0}, 1.0)

    try:
        result = measure(disk, Doing(write), SMALL)
    finally:
        sudo("mount", "-o", "remount,rw", "--", disk.folder)
    assert "read-only" in result.reasons
    assert result.error and "became read-only" in str(result.error)


@pytest.mark.parametrize(
    ("fs", "options", "marked"),
    [
        ("ext4", "data=journal", True),
        ("btrfs", "", False),
        pytest.param("ext4", "data=ordered", False, marks=pytest.mark.long),
        pytest.param("xfs", "", False, marks=pytest.mark.long),
    ],
)
def test_a_file_system_that_ignores_o_direct_is_noticed(
    loop_disk: Callable[..., LoopDisk], fs: str, options: str, marked: bool
) -> None:
    """ext4 that journals data opens files with O_DIRECT but goes through the page cache nevertheless."""
    result = measure(loop_disk(size_mb=512, fs=fs, options=options), *small("scan"))
    assert ("o-direct-ignored" in result.reasons) == marked
