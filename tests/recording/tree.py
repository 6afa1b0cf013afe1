#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies all that `disktuner list --sysroot` and `check --sysroot` read on a machine, including serial numbers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_OF_A_DEVICE = [
    "dev",
    "diskseq",
    "size",
    "removable",
    "hidden",
    "ro",
    "stat",
    "serial",
    "wwid",
    "partition",
    "alignment_offset",
    "dm/name",
    "dm/uuid",
    "loop/backing_file",
    "md/level",
    "device/model",
    "device/vendor",
    "device/type",
    "device/name",
    "device/serial",
    "device/wwid",
    "device/transport",
    "device/vpd_pgb1",
    "device/queue_depth",
    "device/timeout",
    "device/life_time",
    "device/ssr",
    "device/scsi_disk/*/cache_type",
    "queue/[a-z]*",
    "queue/iosched/*",
    "queue/independent_access_ranges/*/sector",
    "bdi/read_ahead_kb",
    "bdi/max_ratio",
    "bdi/max_bytes",
    "bdi/strict_limit",
    "mq/0/nr_tags",
]
_OF_A_LINK = ["current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "speed", "version"]
_ELSEWHERE = [
    "proc/cmdline",
    "proc/meminfo",
    "proc/swaps",
    "proc/sys/vm/dirty_*",
    "proc/self/mountinfo",
    "proc/sys/kernel/osrelease",
    "sys/class/scsi_host/host*/proc_name",
    "sys/class/scsi_host/host*/ahci_host_caps",
    "sys/class/ata_link/link*/sata_spd*",
    "sys/class/ata_device/dev*/id",
    "sys/class/dmi/id/product_name",
    "sys/fs/cgroup/io.cost.qos",
    "run/udev/data/b*",
    "run/disktuner/hold/*",
    "etc/NIXOS",
    "etc/udev/rules.d/*.rules",
    "etc/systemd/system/*.service",
    "etc/systemd/system.control/*.d/*.conf",
    "etc/tmpfiles.d/*.conf",
    "etc/sysctl.conf",
    "etc/sysctl.d/*.conf",
    "etc/sysfs.conf",
    "etc/tuned/active_profile",
    "etc/tuned/*/tuned.conf",
    "etc/tlp.conf",
    "etc/rc.local",
    "etc/fstab",
]
_FOLDERS = ("mq/*", "queue")


def record(root: Path, copy: Path) -> None:
    """Copy the tree of the machine below ``root`` to a new folder."""
    copy.mkdir()
    for name in ("sys/block/*", "sys/class/block/*", "sys/dev/block/*"):
        for link in root.glob(name):
            _link(root, copy, link)
    for device in {Path(os.path.realpath(link)) for link in root.glob("sys/class/block/*")}:
        _device(root, copy, device)
    modules = f"lib/modules/{_text(root / 'proc/sys/kernel/osrelease').strip()}/modules.alias"
    for path in (*(file for name in _ELSEWHERE for file in root.glob(name)), root / modules):
        _file(root, copy, path)
    for member in root.glob("sys/fs/btrfs/*/devices/*"):
        (copy / member.relative_to(root)).mkdir(parents=True)
    lines = _text(root / "proc/self/mountinfo").splitlines()
    rooms = "".join(f"{_room(root, line.split()[4])}\n" for line in lines)
    (copy / "disktuner-record").mkdir()
    (copy / "disktuner-record/room").write_text(rooms)


def _device(root: Path, copy: Path, device: Path) -> None:
    for file in (file for name in _OF_A_DEVICE for file in device.glob(name)):
        _file(root, copy, file)
    for folder in (folder for name in _FOLDERS for folder in device.glob(name) if folder.is_dir()):
        (copy / folder.relative_to(root)).mkdir(parents=True, exist_ok=True)
    for link in device.glob("slaves/*"):
        _link(root, copy, link)
    for above in _above(root, device):
        for file in (above / name for name in _OF_A_LINK):
            _file(root, copy, file)
        if re.fullmatch(r"\d+-[\d.]+:\d+\.\d+", above.name):
            _link(root, copy, above / "driver")


def _above(root: Path, device: Path) -> Iterator[Path]:
    """Return the devices above a disk."""
    for above in device.parents:
        if above == root / "sys":
            return
        yield above


def _file(root: Path, copy: Path, path: Path) -> None:
    if path.is_file():
        place = copy / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            place.write_bytes(path.read_bytes())
        except OSError:
            place.unlink()  # some attributes may be read by root alone, or by nobody


def _link(root: Path, copy: Path, path: Path) -> None:
    if path.is_symlink():
        place = copy / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(path.readlink())


def _room(root: Path, path: str) -> str:
    try:
        room = os.statvfs(root / path.lstrip("/"))
    except (OSError, ValueError):
        return f"0 0 {path}"
    return f"{room.f_blocks * room.f_frsize} {room.f_bavail * room.f_frsize} {path}"


def _text(path: Path) -> str:
    return path.read_text(errors="surrogateescape") if path.exists() else ""


if __name__ == "__main__":
    record(Path("/"), Path(sys.argv[1]))
