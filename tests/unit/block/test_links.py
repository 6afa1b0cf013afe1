# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of links: the kernel's forms, odd ones too, and what is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata, usb
from tests.unit.checkup.machines import NVME, SLOT, STICK, nvme, port, usb_disk

from disktuner.block.links import PcieLink, pcie_link, sata_link, usb_link
from disktuner.block.sysfs import Tree as Files

DISK = f"../devices/{NVME}/nvme0n1"
ON_PORT = f"../devices/{sata(1)}/block/sda"
ON_USB = f"../devices/{usb(6)}/block/sda"


def test_a_link_is_as_fast_as_the_slower_end(tmp_path: Path) -> None:
    nvme(Tree(tmp_path), now="8.0 GT/s PCIe")
    assert pcie_link(Files(tmp_path), DISK) == PcieLink(8.0, 4, 16.0, 4)
    (tmp_path / SLOT / "max_link_speed").write_text("8 GT/s\n")  # as Linux 5.4 writes it
    assert pcie_link(Files(tmp_path), DISK) == PcieLink(8.0, 4, 8.0, 4)


@pytest.mark.parametrize("name", ["max_link_speed", "current_link_speed", "max_link_width", "current_link_width"])
@pytest.mark.parametrize("text", ["Unknown", "", "255", "-1"])
def test_what_cannot_be_read_of_a_slot_is_not_judged(tmp_path: Path, name: str, text: str) -> None:
    nvme(Tree(tmp_path))
    (tmp_path / SLOT / "0000:03:00.0" / name).write_text(f"{text}\n")
    assert pcie_link(Files(tmp_path), DISK) is None


@pytest.mark.parametrize("missing", ["sys/class/scsi_host/host1/ahci_host_caps", "sys/class/ata_device/dev1.0/id"])
def test_what_is_not_known_of_a_port_is_no_fault(tmp_path: Path, missing: str) -> None:
    """libata says "<unknown>" if nothing limits a port."""
    port(Tree(tmp_path), "3.0 Gbps", "<unknown>")
    (tmp_path / missing).unlink()
    link = sata_link(Files(tmp_path), ON_PORT)
    assert link is not None and link.best == 3.0 and not link.is_lowered


@pytest.mark.parametrize(
    ("speed", "version", "best"),
    [("480", " 2.10", 5000.0), ("480", " 2.01", 480.0), ("480", " 2.00", 480.0), ("12", " 2.00", 480.0),
     ("12", " 1.10", 12.0), ("1.5", " 2.10", 5000.0), ("5000", " 3.20", 5000.0), ("480", "", 480.0)],
)  # fmt: skip
def test_what_a_usb_disk_can(tmp_path: Path, speed: str, version: str, best: float) -> None:
    usb_disk(Tree(tmp_path), speed, version)
    link = usb_link(Files(tmp_path), ON_USB)
    assert link is not None and (link.best, link.driver) == (best, "uas")


@pytest.mark.parametrize("descriptors", [b"", b"\0\0\0\0", b"\5\x0f\0\0\1\0\x10\3", bytes([5, 15, 8, 0, 1, 255, 16])])
def test_odd_descriptors_are_no_superspeed(tmp_path: Path, descriptors: bytes) -> None:
    usb_disk(Tree(tmp_path), "480", " 2.10")
    (tmp_path / STICK / "bos_descriptors").write_bytes(descriptors)
    link = usb_link(Files(tmp_path), ON_USB)
    assert link is not None and link.best == 480.0
