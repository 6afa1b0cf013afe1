# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines whose disks are recorded, out of ``guests.toml``.

QEMU emulates the controllers and drives; the kernel, its drivers, udev, lvm, cryptsetup, mdadm and lsblk in the
guest are real.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NVME_MODEL = "WD_BLACK SN770"
"""QEMU cannot be told another NVMe model: `record` changes this name of equal length in a copy of it."""


@dataclass(frozen=True, slots=True)
class Guest:
    """One machine. ``root`` is the device that carries the system; ``renamed`` asks for the other NVMe model."""

    name: str
    suite: str
    root: str
    devices: str
    script: str
    renamed: bool = False

    def words(self) -> Iterator[str]:
        """QEMU's arguments."""
        for line in self.devices.splitlines():
            option, value = line.split(" ", 1)
            if option == "disk":
                name, size, device = value.split(" ", 2)
                yield from ("-drive", f"file=/tmp/{name}:{size},id={name}", "-device", f"{device},drive={name}")
            else:
                yield from (option, value)


GUESTS = tuple(Guest(**each) for each in tomllib.loads(Path(__file__).with_name("guests.toml").read_text())["guest"])
