# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks and file systems without a recording are reported correctly too; what can lie below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.trees import MQ, NONE, PCI, Tree, sata, usb

from disktuner.block.kind import Evidence, judge, rotation_rate
from disktuner.block.queue import suggest
from disktuner.block.system import System
from disktuner.cli.main import main
from disktuner.comparison.tasks import choose_settings
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import message, say

NVME = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
HYPER_V = "LNXSYSTM:00/VMBUS:00/f8b3781a/host0/target0:0:0/0:0:0:0"
FIBRE = f"{PCI}/host4/rport-4:0-0/target4:0:0/4:0:0:0"
RAID = f"{PCI}/host0/target0:2:0/0:2:0:0"


def on_nvme(model: str, release: str | None) -> Evidence:
    """An NVMe namespace that the kernel calls rotational."""
    return Evidence("nvme0n1", NVME, True, False, model, "", nvme_transport="pcie", release=release)


def on_bridge(model: str, vendor: str, has_write_cache: bool) -> Evidence:
    """A USB disk that is called rotational and reports no speed."""
    return Evidence("sda", usb(6), True, False, model, vendor, has_write_cache=has_write_cache)


def array(driver: str, model: str, vendor: str) -> Evidence:
    return Evidence("sda", RAID, True, False, model, vendor, host_driver=driver)


@pytest.mark.parametrize(
    ("evidence", "kind", "transport", "doubt"),
    [
        (Evidence("xvda", "vbd-51712", False, False, "", ""), "virtual", "xen", None),
        (Evidence("xvda1", "vbd-51713", False, False, "", ""), "virtual", "xen", None),
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
        (on_nvme("Seagate ST24000NMNVME", "6.17.0-9-generic"), "hdd", "nvme", None),
        (on_nvme("WUH722222ALN6L4", "6.13.0"), "hdd", "nvme", None),
        (on_nvme("TOSHIBA MG10NVMe", None), "hdd", "nvme", None),
        (on_nvme("Samsung SSD 990 PRO 2TB", "6.17.0"), "nvme-ssd", "nvme", "doubt-model"),
        (on_nvme("WD_BLACK SN770", "6.12.9-amd64"), "nvme-ssd", "nvme", "doubt-nvme-rotates"),
        (on_bridge("Flash Disk", "Generic", False), "usb-ssd", "usb", "doubt-model"),
        (on_bridge("Ultra", "SanDisk", False), "usb-flash", "usb", "doubt-usb-without-cache"),
        (on_bridge("Extreme Pro", "SanDisk", False), "usb-flash", "usb", "doubt-usb-without-cache"),
        (on_bridge("External", "ASMT", True), "usb-hdd", "usb", "doubt-usb-bridge"),
        (Evidence("sda", usb(6), True, False, "Elements", "WD", 5400, has_write_cache=False), "usb-hdd", "usb", None),
        (array("arcmsr", "ST4000 backup", "Areca"), "raid", "scsi", None),
        (array("arcmsr", "ARC-1882-VOL#00", "Seagate"), "raid", "scsi", None),
        (array("3w-9xxx", "9650SE-8LP DISK", "AMCC"), "raid", "scsi", None),
        (array("3w-sas", "data SSD", "LSI"), "raid", "scsi", None),
        (array("aacraid", "films", "Adaptec"), "raid", "scsi", None),
        (array("megaraid_sas", "ST1200MM0009", "SEAGATE"), "hdd", "scsi", None),
    ],
)  # fmt: skip
def test_what_a_disk_is(evidence: Evidence, kind: str, transport: str, doubt: str | None) -> None:
    judgement = judge(evidence)
    assert (judgement.kind.id, judgement.transport.value, judgement.doubt and judgement.doubt.id) == (
        kind,
        transport,
        doubt,
    )


@pytest.mark.parametrize(("rate", "rpm"), [((0, 0), None), ((0, 1), 0), ((0x2A, 0x30), 10800), ((0, 9), None)])
def test_a_scsi_disk_says_how_fast_it_rotates(rate: tuple[int, int], rpm: int | None) -> None:
    page = bytes([0, 0xB1, 0, 0x3C, *rate]) + bytes(58)
    assert rotation_rate({}, page) == rpm
    assert rotation_rate({"ID_ATA_ROTATION_RATE_RPM": "5425"}, page) == 5425


@pytest.mark.parametrize("says", ["write through", "none"])
def test_a_usb_disk_without_a_cache_is_flash_and_one_with_a_cache_may_rotate(tmp_path: Path, says: str) -> None:
    tree = Tree(tmp_path)
    for name, host, cache in (("sda", 6, says), ("sdb", 7, "write back")):
        tree.disk(name, f"8:{16 * (host - 6)}", usb(host), rotational=1, files={
            "device/vendor": "Generic", "device/model": "Disk", f"device/scsi_disk/{host}:0:0:0/cache_type": cache,
            "queue/write_cache": "write through"})  # fmt: skip
    kinds_of_disks = [(disk.kind.id, disk.kind_certain) for disk in System(tmp_path).disks()]
    assert kinds_of_disks == [("usb-flash", False), ("usb-hdd", False)]


@pytest.mark.parametrize(("vendor", "kind"), [("ATA", "sata-ssd"), ("TOSHIBA", "sas-ssd")])
@pytest.mark.parametrize("path", [f"{PCI}/host0/port-0:0/end_device-0:0/t", RAID])
def test_a_sata_ssd_is_one_behind_a_sas_controller_too(path: str, vendor: str, kind: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.disk("sda", "8:0", path, files={"device/vendor": vendor, "device/model": "Samsung SSD 870"})
    tree.write("sys/class/scsi_host/host0/proc_name", "mpt3sas")
    assert System(tmp_path).disk("sda").kind.id == kind
    assert System(tmp_path).ceiling_bytes_per_s("sda") == {"sata-ssd": 600e6, "sas-ssd": 4.8e9}[kind]


@pytest.mark.parametrize(("driver", "model"), [("arcmsr", "ST16000-backup"), ("3w-9xxx", "9750-8i DISK")])
def test_nothing_is_too_fast_for_an_array_whatever_its_name(tmp_path: Path, driver: str, model: str) -> None:
    tree = Tree(tmp_path)
    tree.disk("sda", "8:0", RAID, rotational=1, files={"device/vendor": "Areca", "device/model": model})
    tree.write("sys/class/scsi_host/host0/proc_name", driver)
    assert System(tmp_path).disk("sda").kind.id == "raid" and System(tmp_path).ceiling_bytes_per_s("sda") is None


@pytest.mark.parametrize(
    ("where", "goal"), [(sata(1), "desktop"), (f"{PCI}/host0/port-0:0/end_device-0:0/t", "server")]
)
def test_actuators_are_told_and_bfq_knows_them(
    tmp_path: Path, where: str, goal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = Tree(tmp_path)
    ranges = {f"queue/independent_access_ranges/{number}/sector": str(number << 34) for number in range(2)}
    tree.disk("sda", "8:0", where, rotational=1, files={"device/model": "ST18000NM0092", **ranges})
    disk = System(tmp_path).disk("sda")
    first = suggest(disk, goal)
    assert disk.actuators == 2 and first is not None and first.scheduler == "bfq"
    assert "2 actuators" in say(first.why) and "Source:" in say(first.why)
    assert main(["list", "--sysroot", str(tmp_path)]) == 0
    assert "2 actuators" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["Seagate ST24000NMNVME", "WUH722222ALN6L4"])
def test_a_hard_disk_on_nvme_gets_mq_deadline_first_and_no_limit_of_a_hard_disk(tmp_path: Path, model: str) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.17.0-9-generic")
    tree.disk("nvme0n1", "259:0", NVME, NONE, 1, {"device/model": model, "device/transport": "pcie"})
    disk = System(tmp_path).disk("nvme0n1")
    assert disk.suggestion is not None and disk.suggestion.scheduler == "mq-deadline"
    assert System(tmp_path).ceiling_bytes_per_s("nvme0n1") == 32e9, "the flag may be anybody's"


def test_an_old_kernel_leaves_a_zoned_disk_alone(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.6.0")
    tree.disk("sda", "8:0", sata(4), "none [adios] mq-deadline", 1, {"queue/zoned": "host-managed"})
    assert System(tmp_path).disk("sda").why_not == message("zoned-on-old-kernel")


@pytest.mark.parametrize("zoned", ["host-managed", "host-aware"])
@pytest.mark.parametrize("release", ["6.10.0", "6.12.57-amd64", "6.17.0"])
def test_a_zoned_disk_may_hang_and_is_tuned_only_where_somebody_insists(
    tmp_path: Path, release: str, zoned: str
) -> None:
    tree = Tree(tmp_path)
    tree.kernel(release)
    tree.disk("sda", "8:0", sata(4), MQ, 1, {"queue/zoned": zoned})
    tree.disk("dm-0", "253:0", "virtual", None, 1, {"dm/name": "secret", "queue/zoned": zoned}, slaves=("sda",))
    tree.mount("253:0", "/srv", "btrfs", "/dev/mapper/secret")
    disk = System(tmp_path).disk("sda")
    assert (disk.tunable, disk.may_hang, disk.suggestion) == (False, True, None)
    where = System(tmp_path).disks_below(Path("/srv"))
    assert where.disks == () and where.why_nothing is not None and "zbd/013" in say(where.why_nothing)
    tree.kernel("6.9.0")
    assert not System(tmp_path).disk("sda").may_hang


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
    """As with an overlay over /etc that was opened for one folder, NixOS's protected store, and ostree's programs."""
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


def test_disks_are_listed_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    names = ("dm-2", "dm-10", "nvme1n1", "nvme1n2", "nvme1n10", "nvme2n1", "nvme10n1", "sdb", "sdaa")
    for number, name in enumerate(reversed(names)):
        tree.disk(name, f"259:{number}", "virtual")
    assert tuple(disk.name for disk in System(tmp_path).disks()) == names


def test_what_a_zoned_disk_is_not_offered_may_be_in_the_kernel(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline]", 1, {"queue/zoned": "host-managed"})
    tree.disk("sdb", "8:16", sata(2), "none [mq-deadline] kyber", 1)
    assert [disk.compiled_out for disk in System(tmp_path).disks()] == [(), ("bfq",)]


def test_boot_partitions_of_an_emmc_are_no_cards_to_pull(tmp_path: Path) -> None:
    """Linux makes them disks below the eMMC's own disk (mmc_blk_alloc_part() in drivers/mmc/core/block.c)."""
    tree, chip = Tree(tmp_path), "platform/fe340000.mmc/mmc_host/mmc0/mmc0:0001"
    tree.disk("mmcblk0", "179:0", chip, files={"device/type": "MMC"})
    tree.write(f"sys/devices/{chip}/block/mmcblk0/mmcblk0boot0/dev", "179:8")
    tree.link(f"sys/devices/{chip}/block/mmcblk0/mmcblk0boot0/device", "../../mmcblk0")
    tree.link("sys/block/mmcblk0boot0", f"../devices/{chip}/block/mmcblk0/mmcblk0boot0")
    boot = System(tmp_path).disk("mmcblk0boot0")
    assert (boot.kind.id, boot.kind_certain, boot.can_be_unplugged) == ("emmc", True, False)


@pytest.mark.parametrize("target", ["../../sda1", "/dev/sda1"])
def test_a_file_system_mounted_by_a_link_is_on_its_disk(tmp_path: Path, target: str) -> None:
    """Only mount(8) resolves links: NixOS' and Alpine's first stages mount by UUID, which btrfs then shows."""
    tree = Tree(tmp_path)
    tree.disk("sda", "8:0", sata(1))
    tree.partition("sda", "sda1", "8:1")
    tree.link("dev/disk/by-uuid/aaaa", target)
    tree.mount("0:40", "/", "btrfs", "/dev/disk/by-uuid/aaaa")
    assert System(tmp_path).disks_below(Path("/")).disks == ("sda",)
    assert [mount.path for mount in System(tmp_path).disk("sda").mounts] == ["/"]


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
    """ADIOS has had either alias; what an unknown module registers is not known before it is loaded."""
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
    assert [setting.name for setting in compared] == ["mq-deadline", "none", "kyber", "bfq", *loadable]
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
