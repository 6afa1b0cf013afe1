# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks, partitions and mounts that come and go are reported by the kernel; lsblk and udevadm agree."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from disktuner.block.stack import Stack
from disktuner.block.sysfs import Tree
from disktuner.block.system import System
from disktuner.block.uevents import Monitor
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

SECTOR = 512


def partition_table(*sectors: int) -> bytes:
    """Return a DOS partition table with partitions of these lengths, one after the other."""
    table, start = bytearray(SECTOR), 2048
    for number, length in enumerate(sectors):
        entry = b"\0\0\0\0\x83\0\0\0" + start.to_bytes(4, "little") + length.to_bytes(4, "little")
        table[446 + 16 * number : 462 + 16 * number] = entry
        start += length
    table[510:] = b"\x55\xaa"
    return bytes(table)


@pytest.fixture
def partitioned(sudo: Sudo, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Attach a loop disk with two partitions and return its name; it is detached afterwards."""
    names: list[str] = []

    def make() -> str:
        image = tmp_path / f"parts{len(names)}.img"
        with image.open("wb") as file:
            file.write(partition_table(64 * 1024, 32 * 1024))
            file.truncate(64 << 20)
        names.append(Path(sudo.attach(image, "--partscan")).name)
        if not Path(f"/sys/block/{names[-1]}/{names[-1]}p1").exists():  # a kernel that cannot read such tables itself
            sudo("partx", "--add", f"/dev/{names[-1]}")
        return names[-1]

    yield make
    for name in names:
        sudo.detach(f"/dev/{name}")


def wait_for(monitor: Monitor, holds: Callable[[], bool]) -> None:
    """Wait until something holds after it was reported: nothing is looked at without a report."""
    until(lambda: bool(select.select([monitor], [], [], 1)[0]) and monitor.read() and holds())


def partitions(name: str) -> list[str]:
    return Stack(Tree(Path("/"))).partitions(name)


def mounted(name: str) -> list[str]:
    return [mount.path for mount in System().disk(name).mounts]


def sockets() -> set[int]:
    """Return the sockets that this process has open."""
    devices = set()
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of the folder itself
            if str(path.readlink()).startswith("socket:"):
                devices.add(int(path.name))
    return devices


def test_a_disk_and_its_partitions_come_and_go(partitioned: Callable[[], str], sudo: Sudo) -> None:
    with Monitor() as monitor:
        name = partitioned()
        wait_for(monitor, lambda: partitions(name) == [f"{name}p1", f"{name}p2"])
        assert name in [disk.name for disk in System().disks()]
        sudo("losetup", "--detach", f"/dev/{name}")
        wait_for(monitor, lambda: not partitions(name) and name not in [disk.name for disk in System().disks()])


def test_more_than_fits_is_reported_as_lost_and_listening_goes_on(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    disk, before = loop_disk(fs=None), sockets()
    uevent = f"/sys/block/{disk.name}/uevent"
    with Monitor() as monitor:
        for number in (overrun := sockets() - before):
            with socket.socket(fileno=os.dup(number)) as small:
                small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        sudo("sh", "-c", f"for number in $(seq 100); do echo change >{uevent}; done")
        assert monitor.read() and overrun.isdisjoint(sockets())

        def has_read_all() -> bool:
            """Other disks of the computer come and go meanwhile."""
            monitor.read()
            return not select.select([monitor], [], [], 0)[0]

        until(has_read_all)
        sudo("tee", uevent, stdin="change")
        wait_for(monitor, lambda: True)


def test_a_mount_and_its_end_are_heard(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    with Monitor() as monitor:
        disk = loop_disk(fs="ext4")
        wait_for(monitor, lambda: mounted(disk.name) == [str(disk.folder)])
        while monitor.read():
            pass
        sudo("umount", str(disk.folder))
        wait_for(monitor, lambda: not mounted(disk.name))


def test_a_partition_is_told_as_lsblk_tells_it(partitioned: Callable[[], str], sudo: Sudo, tmp_path: Path) -> None:
    name, folder = partitioned(), tmp_path / "mounted"
    folder.mkdir()
    sudo("mkfs.ext4", "-q", f"/dev/{name}p2")
    sudo("mount", f"/dev/{name}p2", folder)
    try:
        ask = ["lsblk", "-J", "-b", "-o", "PKNAME,PATH,MOUNTPOINT", f"/dev/{name}p2"]
        output = subprocess.run(ask, capture_output=True, check=True, text=True).stdout
        (part,) = json.loads(output)["blockdevices"]
        (mount,) = System().disk(name).mounts
        assert (mount.path, mount.source) == (part["mountpoint"], part["path"])
        assert mount.via == (f"{name}p2",) and part["pkname"] == name
        assert System().disks_below(folder).disks == (name,)
    finally:
        sudo("umount", folder)
