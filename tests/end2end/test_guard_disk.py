# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard where the disk itself is the matter: pulled out, its quota used up, its cache or its host answering."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.block.system import System
from disktuner.workloads.private_folder import abandoned
from disktuner.workloads.workload import Measurement, Processes
from tests.conftest import LoopDisk, Sudo
from tests.end2end.guarded import SMALL, Doing, at_start, measure, small
from tests.simdisk.simulated import simulated_disk


def server_of(folder: Path) -> str:
    """The process that serves the simulated disk made in a folder."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "simdisk-" in words[0] and f"{folder}/served" in words:
            return entry.name
    raise AssertionError(f"nobody serves {folder}/served")


def keep_writing(folder: Path, processes: Processes) -> Measurement:
    """Write for longer than any of these tests wait."""
    processes.run(["dd", "if=/dev/urandom", "of=out", "bs=256K", "oflag=direct", "count=100000"], folder, 60)
    raise AssertionError("a disk that was pulled out took everything")


def test_a_disk_whose_other_end_dies_ends_the_run_with_a_sentence(sudo: Sudo, tmp_path: Path) -> None:
    """What a pulled cable is to a file system: every request fails from now on."""
    with simulated_disk(sudo, tmp_path, 600, "flash", "read_us=200") as disk:

        def pull_out() -> None:
            sudo("kill", "-KILL", server_of(tmp_path))

        with at_start(pull_out, 0.5) as hear:
            found = measure(disk, Doing(keep_writing), SMALL, hear, rounds=9)
    assert found.error
    assert "Input/output error" in found.said
    assert not any(sample.valid for sample in found.samples)
    assert 1 <= len(found.samples) <= 3


def test_a_disk_that_vanishes_from_the_kernel_is_named(sudo: Sudo, tmp_path: Path) -> None:
    """Its other end dies and then its folder in /sys goes, as when the kernel gives up a disk that was pulled out.

    Between the two requests fail already, which must not be taken for a program that failed.
    """
    with simulated_disk(sudo, tmp_path, 600, "flash", "read_us=200") as disk:
        kernel = (Path("/sys/block") / disk.name).resolve()

        def pull_out() -> None:
            sudo("sh", "-c", 'kill -KILL "$0"; sleep 0.2; mount -t tmpfs none "$1"', server_of(tmp_path), kernel)

        try:
            with at_start(pull_out, 0.5) as hear:
                found = measure(disk, Doing(keep_writing), SMALL, hear, rounds=9)
        finally:
            sudo("umount", kernel)
    assert found.reasons[0] == "disk-gone"
    assert found.error and f"{disk.name} vanished" in str(found.error)
    assert len(found.samples) == 1


def test_a_detached_loop_disk_ends_the_run_and_is_clean_at_the_next_start(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    """Unmounted lazily and detached while a program writes: the kernel lets it go when the last of us lets it go."""
    disk = loop_disk(size_mb=512)
    folder = disk.folder
    assert folder
    image = (Path("/sys/block") / disk.name / "loop/backing_file").read_text().strip()

    def detach() -> None:
        sudo("umount", "--lazy", folder)
        sudo("losetup", "--detach", disk.device)

    def write_again(folder: Path, processes: Processes) -> Measurement:
        processes.run(["dd", "if=/dev/urandom", "of=out", "bs=1M", "count=60", "oflag=direct"], folder, 60)
        processes.run(["dd", "if=out", "of=/dev/null", "bs=1M", "iflag=direct"], folder, 60)
        return Measurement({"wall_s": 1.0}, 1.0)

    with at_start(detach, 0.05) as hear:
        found = measure(disk, Doing(write_again), SMALL, hear, rounds=9)
    assert found.error
    assert not any(sample.valid for sample in found.samples[1:])
    assert not Path(f"/sys/block/{disk.name}/loop/backing_file").exists(), "something of ours still holds the disk"
    sudo("losetup", disk.device, image)
    sudo("mount", disk.device, folder)
    for left in abandoned(folder):
        left.remove()
    assert list(folder.glob(".disktuner-*")) == []


def test_a_used_up_quota_ends_the_run_with_a_sentence(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk = loop_disk(size_mb=1024, fs="btrfs")
    assert disk.folder
    sudo("btrfs", "quota", "enable", disk.folder)
    sudo("btrfs", "qgroup", "limit", "30M", disk.folder)

    found = measure(disk, *small("dd-write"), rounds=9)

    assert found.error, found.reasons
    assert "quota" in str(found.error).lower()
    assert "run-failed" in found.reasons and "dd failed" in found.said
    assert list(disk.folder.glob(".disktuner-*")) == []


class Said(System):
    """This machine, but a disk's bus is as slow as said: what the kernel tells of a USB 2 port, say."""

    def __init__(self, most_bytes_per_s: float) -> None:
        super().__init__()
        self.most_bytes_per_s = most_bytes_per_s

    def ceiling_bytes_per_s(self, name: str) -> float | None:
        return self.most_bytes_per_s


def test_a_disk_faster_than_any_of_its_kind_is_a_host_cache(sudo: Sudo, tmp_path: Path) -> None:
    """A disk served from memory that says it hangs on USB 2 (60 MB/s): the answers came from elsewhere."""
    with simulated_disk(sudo, tmp_path, 600, "null") as disk:
        found = measure(disk, *small("scan"), queues=Said(20e6))
        believed = measure(disk, *small("scan"), queues=Said(32e9))
    assert "host-cache" in found.reasons
    assert "host-cache" not in believed.reasons


@pytest.mark.parametrize(("options", "marked"), [("data=journal", True), ("data=ordered", False)])
def test_a_file_system_that_ignores_o_direct_is_noticed(
    loop_disk: Callable[..., LoopDisk], options: str, marked: bool
) -> None:
    """ext4 that journals its data opens files with O_DIRECT and then goes through the page cache nevertheless."""
    found = measure(loop_disk(size_mb=512, options=options), *small("scan"))
    assert ("o-direct-ignored" in found.reasons) == marked


@pytest.mark.parametrize("fs", ["xfs", "btrfs"])
def test_o_direct_works_on_the_other_file_systems(loop_disk: Callable[..., LoopDisk], fs: str) -> None:
    assert "o-direct-ignored" not in measure(loop_disk(size_mb=512, fs=fs), *small("scan")).reasons
