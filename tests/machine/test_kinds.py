# SPDX-License-Identifier: GPL-3.0-or-later
"""Every attached disk is identified, on two kernels, against a table written by hand."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

import pytest

from tests.machine.devices import NVME
from tests.machine.machine import Machine

_HELPER = "busctl call org.disktuner.Helper1 /org/disktuner/Helper1 org.disktuner.Helper1"
_STACKS = """
set -e
plain=$(readlink -f /dev/disk/by-id/ata-SILENT_PLAIN01)
echo secret | cryptsetup luksFormat --batch-mode --type luks1 --pbkdf-force-iterations 1000 $plain -
echo secret | cryptsetup open --key-file - $plain locked
pvcreate -q /dev/mapper/locked >/dev/null && vgcreate -q deep /dev/mapper/locked >/dev/null
lvcreate -q -y -l 100%FREE -n down deep >/dev/null
mkfs.ext4 -q /dev/deep/down && mkdir -p /mnt/deep && mount /dev/deep/down /mnt/deep
modprobe loop
twins=$(for disk in /sys/block/sd?; do if grep -q TWIN $disk/device/model; then echo /dev/${disk##*/}; fi; done)
mdadm --create /dev/md0 --quiet --run --level=1 --raid-devices=2 --metadata=1.2 --assume-clean $twins
truncate -s 64M /root/loop.img && losetup /dev/loop0 /root/loop.img
modprobe zram && echo 16M >/sys/block/zram0/disksize
modprobe scsi_debug dev_size_mb=64
modprobe null_blk nr_devices=1 gb=1
zoned=/sys/kernel/config/nullb/nullb1
mkdir $zoned && cd $zoned && echo 64 >size && echo 4 >zone_size
echo 1 >memory_backed && echo 1 >zoned && echo 1 >power
udevadm settle
"""


class Row(NamedTuple):
    """What must be reported about a disk. ``who`` is its serial number, or its name if it has none."""

    who: str
    kind: str
    transport: str
    certain: bool = True
    tunable: bool = True


TABLE = (
    Row("HDD7200", "hdd", "sata"),
    Row("SSD0001", "sata-ssd", "sata"),
    Row("PLAIN01", "hdd", "sata"),  # it does not say whether it turns, and nothing speaks against the kernel's guess
    Row("DVD0001", "optical", "sata"),
    Row("SAS0001", "virtual", "virtio"),
    Row("NOWWN01", "virtual", "virtio"),
    Row("TWIN001", "virtual", "virtio"),
    Row("TWIN001", "virtual", "virtio"),
    Row('O"d *$d{x}', "virtual", "virtio"),
    Row("USB0001", "usb-flash", "usb"),
    Row("USB0002", "virtual", "usb"),  # its maker is called QEMU
    Row("0xdeadbeef", "sd-card", "mmc"),
    Row("root", "virtual", "virtio"),
    Row("VIRT0001", "virtual", "virtio"),
    Row("vdc", "virtual", "virtio"),  # the one without a serial number
    Row("NVME0001", "virtual", "nvme"),  # its model is called QEMU
    Row("dm-0", "device-mapper", "none", tunable=False),
    Row("dm-1", "device-mapper", "none", tunable=False),
    Row("md0", "raid", "none", tunable=False),
    Row("loop0", "loop", "loop"),
    Row("zram0", "zram", "none", tunable=False),
    Row("scsi_debug", "virtual", "scsi"),
    Row("nullb0", "virtual", "none"),
    Row(
        "nullb1", "virtual", "none", tunable=False
    ),  # zoned: before 6.10 it had but mq-deadline, since then it may hang
)


def _who(disk: dict[str, Any]) -> str:
    if disk["model"] == "scsi_debug":
        return "scsi_debug"
    made_by_software = re.fullmatch(r"dm-\d+|md\d+|loop\d+|zram\d+|nullb\d+", disk["name"])
    return str(disk["name"] if made_by_software or not disk["serial"] else disk["serial"])


def _with_everything(machine: Machine) -> list[dict[str, Any]]:
    machine.plug(NVME)
    machine.run(_STACKS)
    machine.until("test -e /sys/block/nvme0n1 && udevadm settle")
    disks: list[dict[str, Any]] = machine.json("disktuner list --json")["disks"]
    return disks


def _restart(machine: Machine) -> None:
    machine.restart()
    machine.until("test -b /dev/disk/by-id/ata-SILENT_PLAIN01 -a -b /dev/mmcblk0 && udevadm settle")


def _compare(disks: list[dict[str, Any]], table: tuple[Row, ...]) -> None:
    kinds_seen = Counter(
        Row(_who(disk), disk["kind"], disk["transport"], disk["kind_certain"], disk["tunable"]) for disk in disks
    )
    assert (kinds_seen - Counter(table), Counter(table) - kinds_seen) == (Counter(), Counter())
    for disk in disks:
        assert (disk["why_not"] is None) == disk["tunable"]


def _below(disks: list[dict[str, Any]], who: str) -> dict[str, Any]:
    return next(disk for disk in disks if _who(disk) == who)


def _check_stacks(disks: list[dict[str, Any]]) -> None:
    deep = [mount for mount in _below(disks, "PLAIN01")["mounts"] if mount["path"] == "/mnt/deep"]
    assert len(deep) == 1 and deep[0]["via"] == ["dm-1", "dm-0"]
    assert [mount["path"] for mount in _below(disks, "root")["mounts"]] == ["/"]


@pytest.mark.smoke
def test_every_disk_is_told_truly_on_6_12(debian13: Machine) -> None:
    """Except the SD card: QEMU's does not survive being restored from a snapshot."""
    assert debian13.out("uname -r").startswith("6.12.")
    disks = [disk for disk in _with_everything(debian13) if disk["kind"] != "sd-card"]
    _compare(disks, tuple(row for row in TABLE if row.kind != "sd-card"))
    _check_stacks(disks)
    _refused(debian13, ("dm-0", "dm-1", "md0", "zram0", "nullb1"))


_SECRET = """
set -e
modprobe null_blk nr_devices=0
zoned=/sys/kernel/config/nullb/nullb1
mkdir $zoned && cd $zoned && echo 64 >size && echo 4 >zone_size && echo 8 >zone_nr_conv
echo 1 >memory_backed && echo 1 >zoned && echo 1 >power
udevadm settle
head -c 32 /dev/urandom >/root/key
cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --key-file /root/key /dev/nullb1 secret
udevadm settle
"""
_WRITES = "while dd if=/dev/zero of=/dev/mapper/secret bs=64k count=256 oflag=direct; do :; done"


def test_a_zoned_disk_below_dm_crypt_is_changed_for_who_insists_while_nothing_is_written(debian13: Machine) -> None:
    debian13.run(_SECRET)
    file = "/sys/block/nullb1/queue/scheduler"
    before = debian13.out(f"cat {file}")
    other = "none" if "[none]" not in before else "mq-deadline"
    _refused(debian13, ("nullb1", "dm-0"))
    debian13.run(f"systemd-run --unit writes sh -c '{_WRITES}'")
    debian13.until("test $(awk '{print $5}' /sys/block/nullb1/stat) -gt 1000")
    output = debian13.run(f"disktuner set nullb1 {other} --insist", check=False)
    assert output.code == 5 and "written" in output.err, output
    assert debian13.out(f"cat {file}") == before, "nothing hangs, nothing was changed"
    debian13.run("systemctl stop writes && udevadm settle")
    debian13.run(f"disktuner set nullb1 {other} --insist")
    assert f"[{other}]" in debian13.out(f"cat {file}")
    debian13.run("disktuner revert nullb1")
    assert debian13.out(f"cat {file}") == before


def test_every_disk_is_told_truly_on_6_1(debian12: Machine) -> None:
    """There, writing a scheduler to dm, md and zram succeeds without effect: ``set`` must refuse."""
    assert debian12.out("uname -r").startswith("6.1.")
    _restart(debian12)
    disks = _with_everything(debian12)
    _compare(disks, TABLE)
    _check_stacks(disks)
    for name in ("dm-0", "md0", "zram0"):
        file = f"/sys/block/{name}/queue/scheduler"
        before = debian12.out(f"cat {file}")
        debian12.run(f"echo bfq >{file}")
        assert debian12.out(f"cat {file}") == before and "[bfq]" not in before
    _refused(debian12, ("dm-0", "dm-1", "md0", "zram0", "nullb1"))


def _refused(machine: Machine, names: tuple[str, ...]) -> None:
    """Check that the command refuses with the reason, and the helper for every caller."""
    reasons = {disk["name"]: disk["why_not"] for disk in machine.json("disktuner list --json")["disks"]}
    for name in names:
        output = machine.run(f"disktuner set {name} bfq", check=False)
        assert output.code == 4 and reasons[name] in output.err, output
        reply = machine.run(f"{_HELPER} Set 'a(st)sa{{ss}}b' 1 {name} 0 bfq 0 false", check=False)
        assert reply.code != 0 and "bfq" not in machine.run(f"cat /sys/block/{name}/queue/scheduler", check=False).out
