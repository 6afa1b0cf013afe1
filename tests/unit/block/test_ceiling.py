# SPDX-License-Identifier: GPL-3.0-or-later
"""The most that a disk can move, from its kind and its link's own speed."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.block.counters import ceiling_bytes_per_s
from disktuner.block.disk import Disk, Transport
from disktuner.block.sysfs import Tree
from disktuner.vocabulary import kinds
from disktuner.vocabulary.kinds import Kind


def disk(kind: Kind, transport: Transport = Transport.SATA, name: str = "sda", certain: bool = True) -> Disk:
    return Disk(
        name, "8:0", 0, "", "", "", "", 0, kind, transport, False, certain, False, "none", None, (), (), True, None
    )  # fmt: skip


def usb(root: Path, mbits: str) -> Tree:
    """A stick on a hub's port, as sysfs has it."""
    below = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.3/2-1.3:1.0/host6/target6:0:0/6:0:0:0/block/sda"
    (root / "sys" / below).mkdir(parents=True)
    (root / "sys/block").mkdir()
    (root / "sys/block/sda").symlink_to(f"../{below}")
    (root / "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.3/speed").write_text(f"{mbits}\n")
    return Tree(root)


@pytest.mark.parametrize(
    "kind", [kinds.LOOP, kinds.DEVICE_MAPPER, kinds.RAID, kinds.ZRAM, kinds.NETWORK, kinds.UNKNOWN]
)
def test_what_may_be_anything_has_none(tmp_path: Path, kind: Kind) -> None:
    assert ceiling_bytes_per_s(Tree(tmp_path), disk(kind)) is None


@pytest.mark.parametrize(("mbits", "most"), [("480", 60e6), ("5000", 500e6), ("10000", 1.2121e9), ("12", 1.5e6)])
def test_a_usb_disk_is_no_faster_than_its_port(tmp_path: Path, mbits: str, most: float) -> None:
    found = ceiling_bytes_per_s(usb(tmp_path, mbits), disk(kinds.USB_FLASH, Transport.USB))
    assert found == pytest.approx(most, rel=0.001)


@pytest.mark.parametrize(("speed", "most"), [("16.0 GT/s PCIe", 7.877e9), ("nonsense", 32e9), ("32 GT/s", 15.75e9)])
def test_an_nvme_disk_is_no_faster_than_its_lanes(tmp_path: Path, speed: str, most: float) -> None:
    folder = tmp_path / "sys/block/nvme0n1/device/device"
    folder.mkdir(parents=True)
    (folder / "current_link_speed").write_text(f"{speed}\n")
    (folder / "current_link_width").write_text("4\n")
    found = ceiling_bytes_per_s(Tree(tmp_path), disk(kinds.NVME_SSD, Transport.NVME, "nvme0n1"))
    assert found == pytest.approx(most, rel=0.001)
