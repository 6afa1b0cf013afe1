# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks and file systems of which there is no recording are told truly, too; what can be below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.trees import MQ, PCI, Tree, sata, usb

from disktuner.block.kind import Evidence, judge, rotation_rate
from disktuner.block.system import System
from disktuner.comparison.tasks import choose_settings
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import message, say

NVME = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
HYPER_V = "LNXSYSTM:00/VMBUS:00/f8b3781a/host0/target0:0:0/0:0:0:0"
FIBRE = f"{PCI}/host4/rport-4:0-0/target4:0:0/4:0:0:0"
RAID = f"{PCI}/host0/target0:2:0/0:2:0:0"


@pytest.mark.parametrize(
    ("evidence", "kind", "transport", "doubt"),
    [
        (Evidence("xvda", "vbd-51712", False, False, "", ""), "virtual", "xen", None),
        (Evidence("sda", f"{PCI}/virtio2/host0", True, False, "PersistentDisk", "Google"), "virtual", "virtio", None),
        (Evidence("nvme0n1", NVME, False, False, "Amazon Elastic Block Store", ""), "virtual", "nvme", None),
        (Evidence("sda", HYPER_V, True, False, "Virtual Disk", "Msft"), "virtual", "scsi", None),
        (Evidence("sda", RAID, True, False, "PERC H730 Mini", "DELL", host_driver="megaraid_sas"), "raid", "scsi",
         None),
        (Evidence("sda", FIBRE, False, False, "LUN", "NETAPP"), "network", "scsi", None),
        (Evidence("mmcblk1", "mmc_host/mmc0", False, False, "", "", card_type="MMC"), "emmc", "mmc", None),
        (Evidence("sda", sata(1), False, False, "WDC WD40EZRZ", "ATA", 5400), "hdd", "sata", "doubt-rotates"),
        (Evidence("sda", usb(6), True, False, "Generic", "JMicron"), "usb-hdd", "usb", "doubt-usb-bridge"),
        (Evidence("sda", usb(6), True, False, "XS2000 SSD", "Kingston"), "usb-ssd", "usb", "doubt-model"),
        (Evidence("sda", usb(6), True, False, "Elements 25A3", "WD", 5400), "usb-hdd", "usb", None),
        (Evidence("sda", usb(6), True, True, "Ultra Fit", "SanDisk"), "usb-flash", "usb", None),
    ],
)  # fmt: skip
def test_what_a_disk_is(evidence: Evidence, kind: str, transport: str, doubt: str | None) -> None:
    found = judge(evidence)
    assert (found.kind.id, found.transport.value, found.doubt and found.doubt.id) == (kind, transport, doubt)


@pytest.mark.parametrize(("rate", "rpm"), [((0, 0), None), ((0, 1), 0), ((0x2A, 0x30), 10800), ((0, 9), None)])
def test_a_scsi_disk_says_how_fast_it_rotates(rate: tuple[int, int], rpm: int | None) -> None:
    page = bytes([0, 0xB1, 0, 0x3C, *rate]) + bytes(58)
    assert rotation_rate({}, page) == rpm
    assert rotation_rate({"ID_ATA_ROTATION_RATE_RPM": "5425"}, page) == 5425


def test_an_old_kernel_leaves_a_zoned_disk_alone(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.6.0")
    tree.disk("sda", "8:0", sata(4), "none [adios] mq-deadline", 1, {"queue/zoned": "host-managed"})
    assert System(tmp_path).disk("sda").why_not == message("zoned-on-old-kernel")
    tree.kernel("6.12.0")
    zoned = System(tmp_path).disk("sda")
    assert zoned.tunable and zoned.suggestion is not None and zoned.suggestion.scheduler == "mq-deadline"


@pytest.mark.parametrize(
    ("fstype", "source", "options", "words"),
    [
        ("nfs4", "nas:/export", "rw", "server's disks"),
        ("cifs", "//nas/share", "rw", "server's disks"),
        ("overlay", "overlay", "rw,lowerdir=/a,upperdir=/var/lib/up,workdir=/w", "/var/lib/up"),
        ("tmpfs", "tmpfs", "rw", "in memory"),
        ("fuse.mergerfs", "a:b", "rw", "provided by a program"),
        ("virtiofs", "share", "rw", "by the host"),
    ],
)
def test_where_nothing_can_be_tuned_it_is_said(
    tmp_path: Path, fstype: str, source: str, options: str, words: str
) -> None:
    Tree(tmp_path).mount("0:50", "/x", fstype, source, options)
    where = System(tmp_path).disks_below(Path("/x/y"))
    assert where.disks == ()
    assert where.why_nothing is not None and words in say(where.why_nothing)


def test_a_folder_bound_onto_its_own_place_is_no_mount_more(tmp_path: Path) -> None:
    """As an overlay over /etc is opened for one folder, NixOS protects its store, and ostree its programs."""
    tree = Tree(tmp_path)
    tree.disk("vda", "254:0", f"{PCI}/virtio1")
    tree.write(
        "proc/self/mountinfo",
        "39 1 254:0 / / rw - xfs /dev/vda rw\n"
        "40 1 254:0 /etc/udev/rules.d /etc/udev/rules.d rw - xfs /dev/vda rw\n"
        "41 1 254:0 /nix/store /nix/store ro - xfs /dev/vda rw\n"
        "42 1 254:0 /data/home /home rw - xfs /dev/vda rw\n"
        "43 1 254:0 / /again rw - xfs /dev/vda rw",
    )
    assert [mount.path for mount in System(tmp_path).disk("vda").mounts] == ["/", "/home", "/again"]
    assert System(tmp_path).disks_below(Path("/nix/store")).disks == ("vda",)


def test_modules_that_are_not_loaded_are_loadable(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0-18-amd64")
    tree.disk("sda", "8:0", sata(1), "[mq-deadline] none")
    for name in ("bfq.ko", "kyber-iosched.ko.xz", "mq-deadline.ko", "t10-pi.ko"):
        tree.write(f"lib/modules/6.1.0-18-amd64/kernel/block/{name}", "")
    aliases = "alias mq-deadline-iosched mq_deadline\nalias bfq-iosched bfq\nalias pci:x foo"
    tree.write("lib/modules/6.1.0-18-amd64/modules.alias", aliases)
    disk = System(tmp_path).disk("sda")
    assert (disk.loadable, disk.schedulers) == (("bfq", "kyber"), ("mq-deadline", "none"))
    assert disk.compiled_out == ()
    with pytest.raises(NoSuchThing, match="disktuner list"):
        System(tmp_path).disk("sdz")


@pytest.mark.parametrize(
    ("alias", "loadable"), [("mq-adios", ("adios",)), ("adios", ("adios",)), ("mq-stranger", ()), ("stranger", ())]
)
def test_an_alias_of_a_module_is_no_name_of_a_scheduler(tmp_path: Path, alias: str, loadable: tuple[str, ...]) -> None:
    """ADIOS has had either alias; what a stranger's module registers, nobody knows before it is loaded."""
    tree = Tree(tmp_path)
    tree.kernel("6.18.2-2-cachyos")
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline] kyber bfq")
    for name, text in (
        ("alias", f"alias {alias}-iosched adios"),
        ("builtin", "kernel/block/kyber-iosched.ko\nkernel/block/bfq.ko"),
        ("order", "kernel/block/adios.ko"),
    ):
        tree.write(f"lib/modules/6.18.2-2-cachyos/modules.{name}", text)
    tree.write("lib/modules/6.18.2-2-cachyos/kernel/block/adios.ko.zst", "")
    disk = System(tmp_path).disk("sda")
    assert disk.loadable == loadable
    compared = choose_settings([disk], None)
    assert [each.name for each in compared] == ["mq-deadline", "none", "kyber", "bfq", *loadable]
    tree.disk("sdb", "8:16", sata(2), "none mq-deadline kyber bfq [adios]")
    loaded = System(tmp_path).disk("sdb")
    assert ("adios" in loaded.schedulers, loaded.loadable) == (True, ())


def test_what_holds_nothing_is_not_tuned_and_a_loop_device_without_a_file_no_disk(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.disk("loop0", "7:0", "virtual", MQ, size=0)
    tree.disk("loop1", "7:1", "virtual", MQ, files={"loop/backing_file": "/var/lib/snapd/core.snap"})
    tree.disk("sdb", "8:16", usb(6), size=0)  # a reader without a card
    assert [(disk.name, disk.why_not) for disk in System(tmp_path).disks()] == [
        ("loop1", None), ("sdb", message("no-medium"))
    ]  # fmt: skip
