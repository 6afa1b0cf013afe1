# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks, partitions and mounts that come and go are heard from the kernel; lsblk and udevadm agree on them."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from disktuner.block.record import Recorder
from disktuner.block.system import System
from disktuner.block.uevents import Monitor
from tests.conftest import LoopDisk, Sudo, attach, detach

SECTOR = 512
LIMIT_S = 20


def partition_table(*sectors: int) -> bytes:
    """A DOS partition table with partitions of these lengths, one after the other."""
    table, start = bytearray(SECTOR), 2048
    for number, length in enumerate(sectors):
        entry = b"\0\0\0\0\x83\0\0\0" + start.to_bytes(4, "little") + length.to_bytes(4, "little")
        table[446 + 16 * number : 462 + 16 * number] = entry
        start += length
    table[510:] = b"\x55\xaa"
    return bytes(table)


@pytest.fixture
def partitioned(sudo: Sudo, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Attaches a loop disk with two partitions and returns its name; detached afterwards."""
    made: list[str] = []

    def make() -> str:
        image = tmp_path / f"parts{len(made)}.img"
        with image.open("wb") as file:
            file.write(partition_table(64 * 1024, 32 * 1024))
            file.truncate(64 << 20)
        made.append(Path(attach(sudo, image, "--partscan")).name)
        if not Path(f"/sys/block/{made[-1]}/{made[-1]}p1").exists():  # a kernel that cannot read such tables itself
            sudo("partx", "--add", f"/dev/{made[-1]}")
        return made[-1]

    yield make
    for name in made:
        detach(sudo, f"/dev/{name}")


class Heard:
    """All that a monitor has heard, by name."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.events: set[tuple[str, str]] = set()

    def until(self, *wanted: tuple[str, str]) -> None:
        """Listen until all of them were heard."""
        end = time.monotonic() + LIMIT_S
        while not self.events.issuperset(wanted):
            assert time.monotonic() < end, f"heard only {self.events}"
            self.events |= {(event.action, event.name) for event in self._monitor.read(timeout_s=1)}


def test_a_disk_and_its_partitions_come_and_go(partitioned: Callable[[], str], sudo: Sudo) -> None:
    with Monitor() as monitor:
        heard = Heard(monitor)
        name = partitioned()
        heard.until(("change", name), ("add", f"{name}p1"), ("add", f"{name}p2"))
        assert name in [disk.name for disk in System().disks()]
        heard.events.clear()
        sudo("losetup", "--detach", f"/dev/{name}")
        heard.until(("change", name), ("remove", f"{name}p1"), ("remove", f"{name}p2"))
        assert name not in [disk.name for disk in System().disks()]


def test_a_change_that_is_announced_by_hand_is_heard(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    """What `udevadm trigger` does: the kernel tells all who listen that something changed."""
    disk = loop_disk(fs=None)
    with Monitor() as monitor:
        monitor.read()
        sudo("tee", f"/sys/block/{disk.name}/uevent", stdin="change")
        Heard(monitor).until(("change", disk.name))


def test_more_than_fits_is_reported_as_lost_and_listening_goes_on(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    disk = loop_disk(fs=None)
    uevent = f"/sys/block/{disk.name}/uevent"
    with Monitor() as monitor:
        for source in monitor._sources:
            with socket.socket(fileno=os.dup(source.fileno())) as small:
                small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        sudo("sh", "-c", f"for number in $(seq 100); do echo change >{uevent}; done")
        assert "lost" in {event.action for event in monitor.read(timeout_s=1)}
        while monitor.read():
            pass
        assert not select.select([monitor], [], [], 0)[0]
        sudo("tee", uevent, stdin="change")
        Heard(monitor).until(("change", disk.name))


def test_a_mount_and_its_end_are_heard(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    with Monitor() as monitor:
        monitor.read()
        disk = loop_disk(fs="ext4")
        heard = Heard(monitor)
        heard.until(("mounts", ""))
        assert [mount.path for mount in System().disk(disk.name).mounts] == [str(disk.folder)]
        monitor.read()
        heard.events.clear()
        sudo("umount", str(disk.folder))
        heard.until(("mounts", ""))
        assert System().disk(disk.name).mounts == ()


def test_partitions_are_told_as_lsblk_tells_them(partitioned: Callable[[], str], sudo: Sudo, tmp_path: Path) -> None:
    name, folder = partitioned(), tmp_path / "mounted"
    folder.mkdir()
    sudo("mkfs.ext4", "-q", f"/dev/{name}p2")
    sudo("mount", f"/dev/{name}p2", folder)
    try:
        rows = _lsblk(name)
        disk = System().disk(name)
        assert [(mount.path, mount.via, mount.source) for mount in disk.mounts] == [
            (rows[f"{name}p2"]["mountpoint"], (f"{name}p2",), rows[f"{name}p2"]["path"])
        ]
        assert rows[f"{name}p2"]["pkname"] == name
        assert disk.size_bytes == rows[name]["size"]
        assert System().disks_below(folder).disks == (name,)
        assert System().disk_of_device(Path(f"/dev/{name}p1")) == name
    finally:
        sudo("umount", folder)


def test_udevadm_says_the_same(partitioned: Callable[[], str]) -> None:
    name = partitioned()
    text = subprocess.run(["udevadm", "info", "-q", "property", "-p", f"/sys/block/{name}"], capture_output=True,
                          check=True, text=True).stdout  # fmt: skip
    said = dict(line.split("=", 1) for line in text.splitlines())
    disk = System().disk(name)
    assert (said["DEVNAME"], said["DEVTYPE"]) == (f"/dev/{disk.name}", "disk")
    assert f"{said['MAJOR']}:{said['MINOR']}" == disk.devno
    assert int(said["DISKSEQ"]) == disk.diskseq


def test_a_btrfs_over_several_disks_and_its_recording(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo, tmp_path: Path
) -> None:
    disks = [loop_disk(fs=None) for _ in range(3)]
    folder = tmp_path / "pool"
    folder.mkdir()
    sudo("mkfs.btrfs", "--quiet", "--data", "raid0", *(disk.device for disk in disks))
    sudo("btrfs", "device", "scan", *(disk.device for disk in disks))
    sudo("mount", disks[1].device, folder)
    try:
        where = System().disks_below(folder)
        assert sorted(where.disks) == sorted(disk.name for disk in disks)
        assert where.mount is not None
        found = json.loads(_said("findmnt", "-J", "-T", str(folder)))["filesystems"][0]
        assert (where.mount.path, where.mount.fstype, where.mount.source) == (
            found["target"], "btrfs", found["source"])  # fmt: skip
        copy = tmp_path / "copy"
        Recorder(Path("/"), b"salt").record(copy)
        for disk in disks:
            live, recorded = System().disk(disk.name), System(copy).disk(disk.name)
            assert [mount.path for mount in live.mounts] == [str(folder)]
            assert [(mount.fstype, mount.via, mount.size_bytes) for mount in recorded.mounts] == [
                (mount.fstype, mount.via, mount.size_bytes) for mount in live.mounts]  # fmt: skip
            assert (recorded.schedulers, recorded.kind, recorded.size_bytes, recorded.diskseq) == (
                live.schedulers, live.kind, live.size_bytes, live.diskseq)  # fmt: skip
    finally:
        sudo("umount", folder)


def _lsblk(name: str) -> dict[str, dict[str, Any]]:
    text = _said("lsblk", "-J", "-b", "-l", "-o", "KNAME,PKNAME,PATH,SIZE,MOUNTPOINT", f"/dev/{name}")
    return {row["kname"]: row for row in json.loads(text)["blockdevices"]}


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout
