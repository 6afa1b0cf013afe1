# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines for the check-up, as their kernels show them: healthy ones of many kinds, and faulty parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.unit.block.trees import MQ, NONE, PCI, Tree, sata, usb

NVME = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
SLOT = "sys/devices/pci0000:00/0000:00:1d.0"
STICK = "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1"
ATA = {"device/vendor": "ATA"}
OLD, NEW = "6.12.5-amd64", "6.18.2-amd64"


def queue(**attributes: object) -> dict[str, str | bytes]:
    return {f"queue/{name}": str(value) for name, value in attributes.items()}


def hard_disk(tree: Tree, scheduler: str = MQ, files: Mapping[str, str | bytes] | None = None) -> None:
    """A SATA hard disk with emulated 512-byte sectors, one partition, its port, cache and queue."""
    usual = queue(physical_block_size=4096, optimal_io_size=0, max_sectors_kb=1280, write_cache="write back")
    more = {"device/model": "ST4000DM004-2CV1", "device/queue_depth": "32", "mq/0/nr_tags": "32",
            "device/scsi_disk/1:0:0:0/cache_type": "write back"}  # fmt: skip
    udev = {"ID_ATA_ROTATION_RATE_RPM": "5425", "ID_ATA_WRITE_CACHE": "1", "ID_ATA_WRITE_CACHE_ENABLED": "1"}
    tree.disk("sda", "8:0", sata(1), scheduler, 1, {**ATA, **usual, **more, **(files or {})}, udev)
    partition(tree, "sda", 0)
    port(tree)


def solid_disk(tree: Tree, files: Mapping[str, str | bytes] | None = None, rotational: int = 0) -> None:
    """A SATA SSD on a 6 Gb/s port."""
    usual = queue(physical_block_size=512, optimal_io_size=0, max_sectors_kb=1280, write_cache="write back")
    more = {"device/model": "CT500MX500SSD1", "device/queue_depth": "32", "device/scsi_disk/1:0:0:0/cache_type":
            "write back", "mq/0/nr_tags": "32"}  # fmt: skip
    udev = {"ID_ATA_ROTATION_RATE_RPM": "0", "ID_ATA_WRITE_CACHE": "1", "ID_ATA_WRITE_CACHE_ENABLED": "1"}
    tree.disk("sda", "8:0", sata(1), MQ, rotational, {**ATA, **usual, **more, **(files or {})}, udev)
    partition(tree, "sda", 0)
    port(tree)


def partition(tree: Tree, disk: str, offset: int, name: str = "") -> None:
    name = name or f"{disk}1"
    devno = (tree.root / "sys/block" / disk / "dev").read_text().strip()
    major, _, minor = devno.partition(":")
    tree.partition(disk, name, f"{major}:{int(minor) + int(name[-1])}")
    tree.write(f"sys/block/{disk}/{name}/alignment_offset", str(offset))
    tree.write(f"sys/block/{disk}/{name}/size", "2000000")


def port(tree: Tree, now: str = "6.0 Gbps", allowed: str = "6.0 Gbps") -> None:
    """A 6 Gb/s SATA port of an AHCI controller, as libata shows it."""
    tree.write("sys/class/ata_link/link1/sata_spd", now)
    tree.write("sys/class/ata_link/link1/sata_spd_limit", allowed)
    words = [f"{ {75: 31, 76: 0x850E}.get(place, 0):04x}" for place in range(256)]
    tree.write("sys/class/ata_device/dev1.0/id", "\n".join(" ".join(words[at : at + 8]) for at in range(0, 256, 8)))
    tree.write("sys/class/scsi_host/host1/proc_name", "ahci")
    tree.write("sys/class/scsi_host/host1/ahci_host_caps", "e734ff45")


def nvme(tree: Tree, now: str = "16.0 GT/s PCIe", lanes: int = 4) -> None:
    usual = queue(physical_block_size=512, optimal_io_size=0, max_sectors_kb=1280, nr_requests=1023,
                  write_cache="write back")  # fmt: skip
    more = {"device/model": "Samsung SSD 980 PRO 1TB", "device/transport": "pcie"}
    tags = {f"mq/{number}/nr_tags": "1023" for number in range(8)}
    tree.disk("nvme0n1", "259:0", NVME, NONE, 0, {**usual, **more, **tags})
    for place, at in ((SLOT, "8.0 GT/s PCIe"), (f"{SLOT}/0000:03:00.0", now)):
        tree.write(f"{place}/max_link_speed", "16.0 GT/s PCIe")
        tree.write(f"{place}/max_link_width", "4")
        tree.write(f"{place}/current_link_speed", at)
        tree.write(f"{place}/current_link_width", str(lanes))


def usb_disk(tree: Tree, speed: str, version: str, driver: str = "uas",
             files: Mapping[str, str | bytes] | None = None) -> None:  # fmt: skip
    """An SSD in a USB case."""
    page = bytes([0, 0xB1, 0, 0x3C, 0, 1]) + bytes(58)
    tags = "30" if driver == "uas" else "1"
    usual = queue(nr_requests=2 * int(tags), physical_block_size=512, optimal_io_size=0, max_sectors_kb=512)
    more = {"device/vendor": "Samsung", "device/model": "PSSD T7", "device/vpd_pgb1": page, "mq/0/nr_tags": tags}
    tree.disk("sda", "8:0", usb(6), MQ, 0, {**usual, **more, **(files or {})})
    tree.write(f"{STICK}/speed", speed)
    tree.write(f"{STICK}/version", version)
    tree.write(f"{STICK}/idVendor", "04e8")
    tree.write(f"{STICK}/idProduct", "4001")
    tree.link(f"{STICK}/2-1:1.0/driver", f"../../../../../../bus/usb/drivers/{driver}")


def stick(tree: Tree, most_bytes: int = 0, *, limits: bool = True) -> None:
    """A USB stick, and the limit on what may wait for all disks: ``most_bytes``, or a fifth of 20 GB of free memory."""
    tree.disk("sda", "8:0", usb(6), MQ, 0, {"device/vendor": "SanDisk", "device/model": "Ultra", "removable": "1",
                                            **queue(nr_requests=2, physical_block_size=512)})  # fmt: skip
    tree.write("proc/sys/vm/dirty_ratio", "0" if most_bytes else "20")
    tree.write("proc/sys/vm/dirty_bytes", str(most_bytes))
    tree.write("proc/meminfo", "MemTotal:       24684096 kB\nMemAvailable:   20000000 kB")
    if limits:
        for name, value in (("max_bytes", most_bytes or 4_000_000_000), ("max_ratio", 100), ("strict_limit", 0)):
            tree.write(f"sys/block/sda/bdi/{name}", str(value))


def virtio(tree: Tree, rotational: int = 0, **attributes: object) -> None:
    usual = {"nr_requests": 256, "max_sectors_kb": 1280, "optimal_io_size": 0, "write_cache": "write back"}
    tree.disk("vda", "254:0", f"{PCI}/virtio1", MQ, rotational,
              {**queue(**{**usual, **attributes}), "mq/0/nr_tags": "256"})  # fmt: skip


def card(tree: Tree, files: Mapping[str, str | bytes] | None = None) -> None:
    where = "platform/emmc2bus/fe340000.mmc/mmc_host/mmc0/mmc0:0001"
    usual = {"device/type": "MMC", "device/name": "BJTD4R", "device/life_time": "0x01 0x01", "mq/0/nr_tags": "64",
             "device/pre_eol_info": "0x01"}  # fmt: skip
    tree.disk("mmcblk0", "179:0", where, MQ, 0, {**usual, **queue(nr_requests=128), **(files or {})})


# ---- healthy ones --------------------------------------------------------------------------------------------------


def hard_disk_of_today(tree: Tree) -> None:
    """Linux 6.17 and later read far ahead on rotating disks, on purpose."""
    tree.kernel(NEW)
    hard_disk(tree, files=queue(read_ahead_kb=8192, max_sectors_kb=4096))


def desktop_of_today(tree: Tree) -> None:
    tree.kernel(NEW)
    nvme(tree)
    solid_disk(tree)


def sas_server(tree: Tree) -> None:
    """SAS disks are delivered with their cache off, for a reason."""
    tree.kernel(OLD)
    page = bytes([0, 0xB1, 0, 0x3C, 0x2A, 0x30]) + bytes(58)
    tree.disk("sda", "8:0", f"{PCI}/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0", MQ, 1, {
        "device/vendor": "SEAGATE", "device/model": "ST1200MM0009", "device/vpd_pgb1": page,
        "device/queue_depth": "254",
        "device/scsi_disk/0:0:0:0/cache_type": "write through", "mq/0/nr_tags": "8191",
        **queue(write_cache="write through", nr_requests=256)})  # fmt: skip


def bfq_switches_throttling_off(tree: Tree) -> None:
    tree.kernel(OLD)
    hard_disk(tree, "none mq-deadline kyber [bfq]", queue(wbt_lat_usec=0))


def shared_by_cost(tree: Tree) -> None:
    """io.cost switches it off too."""
    tree.kernel(OLD)
    solid_disk(tree, files=queue(wbt_lat_usec=0))
    tree.write("sys/fs/cgroup/io.cost.qos", "8:0 enable=1 ctrl=user rpct=95.00 rlat=10000")


def adios_by_default(tree: Tree) -> None:
    """CONFIG_MQ_IOSCHED_DEFAULT_ADIOS sets it for all disks, also those with many queues."""
    tree.kernel("6.18.2-2-cachyos")
    offered = "none mq-deadline kyber bfq [adios]"
    hard_disk(tree, offered, queue(wbt_lat_usec=75_000, read_ahead_kb=8192, max_sectors_kb=4096))
    nvme(tree)
    for name, text in (("scheduler", offered), ("nr_requests", "256"), ("wbt_lat_usec", "2000")):
        tree.write(f"sys/block/nvme0n1/queue/{name}", text)


def rotating_nvme(tree: Tree) -> None:
    """A namespace that reports rotation, as since Linux 6.13, with the read-ahead of kernels from 6.17 on."""
    tree.kernel(NEW)
    nvme(tree)
    for name, text in (("rotational", "1"), ("read_ahead_kb", "8192"), ("max_sectors_kb", "4096"), ("scheduler", MQ),
                       ("wbt_lat_usec", "75000"), ("nr_requests", "256")):  # fmt: skip
        tree.write(f"sys/block/nvme0n1/queue/{name}", text)
    tree.write("sys/block/nvme0n1/device/model", "ST24000NM002H-NVMe")
    tree.write(f"{SLOT}/0000:03:00.0/current_link_speed", "16.0 GT/s PCIe")


def two_actuators(tree: Tree) -> None:
    tree.kernel(OLD)
    hard_disk(tree, files={"device/model": "ST14000NM0001", "queue/independent_access_ranges/0/sector": "0",
                           "queue/independent_access_ranges/1/sector": "13672382464"})  # fmt: skip


def weighted_under_bfq(tree: Tree) -> None:
    """A weight that is respected: by bfq, or by io.cost."""
    tree.kernel(OLD)
    hard_disk(tree, "none mq-deadline kyber [bfq]", queue(wbt_lat_usec=0))
    tree.write("run/systemd/system/db.service", "[Service]\nIOWeight=500")


def weighted_by_cost(tree: Tree) -> None:
    tree.kernel(OLD)
    solid_disk(tree)
    tree.write("sys/fs/cgroup/io.cost.qos", "8:0 enable=1 ctrl=auto")
    tree.write("etc/systemd/system/db.service", "[Service]\nIOWeight=500")


def cards_of_other_classes(tree: Tree) -> None:
    """An A2 card with its queue, whose log names another host; and something that is no status at all."""
    tree.kernel(NEW)
    card(tree, {"device/type": "SD", "device/ssr": "0" * 44 + "02" + "0" * 82, "mq/0/nr_tags": "31"})
    tree.write("dev/kmsg", "4,2,2,-;mmc1: running CQE recovery\n4,2,2,-;usb 2-1: reset SuperSpeed USB device")


def array_of_disks_that_give_up(tree: Tree) -> None:
    """Disks that can be told to give up early, or that no array can drop, need no long timeout."""
    tree.kernel(OLD)
    hard_disk(tree, files={"device/timeout": "30"})
    tree.write("sys/block/sda/sda1/holders/md0/dev", "9:0")
    words = (tree.root / "sys/class/ata_device/dev1.0/id").read_text().split()
    tree.write("sys/class/ata_device/dev1.0/id", " ".join([*words[:206], "003d", *words[207:]]))


def btrfs_discards_later(tree: Tree) -> None:
    tree.kernel(OLD)
    solid_disk(tree)
    tree.mount("8:1", "/", "btrfs", "/dev/sda1", "rw,ssd,discard=async")


def passed_through(tree: Tree) -> None:
    """A guest sees the link of a disk passed through to it, but not the slot."""
    tree.kernel(NEW)
    place = "pci0000:00/0000:00:05.0"
    tree.disk("nvme0n1", "259:0", f"{place}/nvme/nvme0", NONE, 0, {"device/model": "WD_BLACK SN770",
                                                                 "device/transport": "pcie"})  # fmt: skip
    for name, value in (("max_link_speed", "16.0 GT/s PCIe"), ("current_link_speed", "8.0 GT/s PCIe"),
                        ("max_link_width", "4"), ("current_link_width", "4")):  # fmt: skip
        tree.write(f"sys/devices/{place}/{name}", value)


def little_waits(tree: Tree) -> None:
    """Somebody has limited what may wait for all disks."""
    tree.kernel(NEW)
    stick(tree, 64 * 1024**2)


HEALTHY: Mapping[str, Callable[[Tree], None]] = {
    function.__name__: function
    for function in (
        hard_disk_of_today, desktop_of_today, sas_server, bfq_switches_throttling_off, adios_by_default,
        shared_by_cost, btrfs_discards_later, passed_through, little_waits, rotating_nvme, two_actuators,
        weighted_under_bfq, weighted_by_cost, cards_of_other_classes, array_of_disks_that_give_up,
    )
}  # fmt: skip
