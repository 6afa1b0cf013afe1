# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded machines are reported correctly, and as lsblk, findmnt and udevadm reported them on the machine itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.block.recorded import FOLDER, said, unpacked
from tests.unit.block.recorded_expectations import EXPECTED

from disktuner.block.disk import disk_to_json
from disktuner.block.system import System
from disktuner.vocabulary.messages import message, say

TRANSPORTS = {"sata": "sata", "sas": "sas", "usb": "usb", "nvme": "nvme", "virtio": "virtio", "spi": "scsi",
              "iscsi": "scsi", "fc": "scsi", "mmc": "mmc"}  # fmt: skip
READABLE = ("/", "/boot/efi", "/home", "/media", "/mnt", "/mnt/data", "/opt", "/srv", "/srv/boot", "/srv/data",
            "/srv/home", "/var/lib")  # fmt: skip
"""Folders whose names the recorder leaves readable."""


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, System]]:
    name = str(request.param)
    yield name, System(unpacked(name, tmp_path_factory.mktemp(name)))


def test_there_are_expectations_for_each_recording() -> None:
    assert set(EXPECTED) == {path.name for path in FOLDER.iterdir()}


def test_each_disk_is_what_it_is(machine: tuple[str, System]) -> None:
    name, system = machine
    described = {
        disk.name: (disk.kind.id, disk.transport.value, disk.kind_certain, disk.scheduler)
        for disk in system.disks()
    }  # fmt: skip
    assert described == EXPECTED[name].disks
    for disk in system.disks():
        assert disk.tunable == (disk.why_not is None) == (disk.suggestion is not None)
        assert disk.kind_certain == (disk.kind_doubt is None)
        assert disk.loadable == (("bfq", "kyber") if disk.scheduler else ())
        form = json.loads(json.dumps(disk_to_json(disk)))
        assert form["why_not"] == (say(disk.why_not) if disk.why_not else None)
        assert (form["suggestion"] is None) == (disk.suggestion is None)


def test_the_paths_of_a_multipath_nvme_are_what_can_be_tuned(tmp_path: Path) -> None:
    system = System(unpacked("nvme-multipath", tmp_path))
    assert system.disk("nvme0c0n1").tunable
    paths = ("nvme0c0n1", "nvme0c1n1")
    assert system.disk("nvme0n1").why_not == message("tune-what-lies-below", disks=paths)


def test_the_way_down_from_each_folder(machine: tuple[str, System]) -> None:
    name, system = machine
    disks_below = {folder: system.disks_below(Path(folder)).disks for folder in EXPECTED[name].below}
    assert disks_below == EXPECTED[name].below


def test_lsblk_said_the_same(machine: tuple[str, System]) -> None:
    name, system = machine
    rows = {row["kname"]: row for row in said(name)["lsblk"]}
    disks = {disk.name: disk for disk in system.disks()}
    used = {
        kname for kname, row in rows.items() if row["type"] != "part" and (row["size"] or not kname.startswith("nbd"))
    }
    assert set(disks) == used
    for kname, disk in disks.items():
        row = rows[kname]
        assert (disk.devno, disk.size_bytes, disk.rotational, disk.removable, disk.zoned) == (
            row["maj:min"], int(row["size"]), row["rota"], row["rm"], row["zoned"])  # fmt: skip
        assert disk.scheduler == (row["sched"] if disk.scheduler else None)
        assert row["sched"] in (disk.scheduler, "none")  # a bare "none", without brackets, is no choice
        assert not row["model"] or disk.model == " ".join(row["model"].split())  # it has none of SD cards
        assert disk.vendor in ((row["vendor"] or "").strip(), "")
        if row["tran"]:
            assert disk.transport.value == TRANSPORTS[row["tran"]]
        ours = {mount.path: mount.fstype for mount in disk.mounts if mount.path in READABLE}
        readable = {path for path in mounted(kname, rows) if path in READABLE}
        assert readable <= set(ours)
        # Of a btrfs over several disks lsblk names one only.
        assert all(ours[path] == "btrfs" for path in set(ours) - readable)


def mounted(kname: str, rows: dict[str, dict[str, Any]]) -> set[str]:
    """Return the mounts of a device and of everything above it."""
    above = [mounted(other, rows) for other, row in rows.items() if kname in row["below"]]
    return {path for path in rows[kname]["mountpoints"] if path}.union(*above)


def test_udevadm_said_the_same(machine: tuple[str, System]) -> None:
    name, system = machine
    rows = {Path(row["DEVNAME"]).name: row for row in said(name)["udev"] if "DEVNAME" in row}
    for disk in system.disks():
        row = rows[disk.name]
        assert (row["DEVTYPE"], f"{row['MAJOR']}:{row['MINOR']}") == ("disk", disk.devno)
        assert int(row.get("DISKSEQ", 0)) == disk.diskseq
        if "ID_MODEL" in row:
            assert row["ID_MODEL"].replace("_", " ").split() == disk.model.replace("_", " ").split()
        if "ID_ATA_ROTATION_RATE_RPM" in row:
            assert (int(row["ID_ATA_ROTATION_RATE_RPM"]) > 0) == (disk.kind.id in ("hdd", "usb-hdd"))
        filesystems = {mount.fstype for mount in disk.mounts if mount.via == ()}
        assert not filesystems or filesystems == {row["ID_FS_TYPE"]}


def test_sticks_cards_and_disks_on_usb_are_unplugged_and_no_drive_for_discs(tmp_path: Path) -> None:
    pulled = {
        disk.kind.id
        for name in ("desktop", "usb", "sd-card")
        for disk in System(unpacked(name, tmp_path / name)).disks()
        if disk.can_be_unplugged
    }
    assert pulled == {"usb-flash", "usb-ssd", "usb-hdd", "sd-card", "virtual"}
