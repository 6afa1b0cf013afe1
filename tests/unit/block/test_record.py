# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording tells nothing of the people, the machine and the network, and yet the same of its disks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.block.test_writers import OWN_RULE
from tests.unit.block.trees import Tree, sata

from disktuner.block.disk import Disk
from disktuner.block.record import Recorder
from disktuner.block.system import System

PERSONAL = (
    "jana", "mueller", "geheim", "laptop", "example", "nas01", "urlaub", "steuer", "cloudkey", "hypervguid",
    "192.168.178.23", "10.9.8.7", "52:54:00:ab:cd:ef", "wd-secret99", "secret99", "5000c500aabbccdd", "acme",
    "4f6a1c2e", "9d8b7a65", "1b2c3d4e", "0a1b2c3d", "müller", "f8b3781b",
)  # fmt: skip
"""Every one of them stands somewhere in the tree below; none may stand in the recording, whatever its case."""

UUID = "4f6a1c2e-1111-2222-3333-444455556666"
SERIAL = "WDC_WD10EZEX_WD-SECRET99"
RULES = f"""# Jana Mueller <jana.mueller@example.org>: see /home/jana/notes on janas-laptop
SUBSYSTEM!="block", GOTO="jana_end"
KERNEL=="sd*", ENV{{ID_SERIAL}}=="{SERIAL}", ENV{{JANA}}="1", ATTR{{queue/read_ahead_kb}}="4096"
KERNEL=="sd*", ENV{{ID_FS_LABEL}}=="Janas_Urlaub|Müller", ATTR{{queue/scheduler}}="kyber"
KERNEL=="sd*", ENV{{ID_MODEL}}=="WDC_WD10EZEX*", ATTR{{queue/nr_requests}}="64"
KERNEL=="sd*", PROGRAM=="/home/jana/bin/ask 192.168.178.23 %k", ATTR{{queue/iosched/slice_idle}}="0"
KERNEL=="sd*", SYMLINK=="disk/by-label/geheim", \\
  OWNER="jana", ATTR{{queue/nomerges}}="2"
KERNEL=="sda", SYMLINK+="jana/geheim", RUN+="/home/jana/bin/mail jana@example.org"
KERNEL=="sd*", RUN+="/bin/sh -c 'echo bfq > /sys/block/%k/queue/scheduler'"
LABEL="jana_end"
"""
UNIT = """[Unit]
Description=Jana's backup on janas-laptop
[Service]
User=jana
Environment=TOKEN=geheim
ExecStart=/home/jana/bin/tune.sh --host nas01.example.org
ExecStartPost=/bin/sh -c "echo mq-deadline > /sys/block/sda/queue/scheduler # jana@example.org"
ExecStop=/usr/bin/curl https://geheim@nas01.example.org/
"""
SCRIPT = """#!/bin/bash -eu
# by jana, 52:54:00:ab:cd:ef
scp /home/jana/x jana@nas01:/urlaub
echo 128 > /sys/block/sda/queue/nr_requests
for jana in sda; do echo kyber > /sys/block/$jana/queue/scheduler; done
"""
PROFILE = """[main]
summary=Jana's own
include=acme-geheim
[janas_disks]
type=disk
devices=sda, !sdb
elevator=bfq
[script]
script=/home/jana/tune.sh
[sysfs]
/sys/block/sd*/queue/rq_affinity=2
/home/jana/x=1
"""


@pytest.fixture
def real(tmp_path: Path) -> Tree:
    """A machine on which people have put their names wherever they can."""
    tree = Tree(tmp_path / "real")
    tree.kernel(
        "6.1.0-acme-jana", f"BOOT_IMAGE=/vmlinuz root=UUID={UUID} ro hostname=janas-laptop elevator=noop ip=10.9.8.7"
    )
    udev = {
        "ID_SERIAL": SERIAL, "ID_SERIAL_SHORT": "WD-SECRET99", "ID_MODEL": "WDC_WD10EZEX-00BN5A0",
        "ID_WWN": "0x5000c500aabbccdd",
        "ID_FS_LABEL": "Janas_Urlaub", "ID_FS_UUID": UUID, "ID_PART_ENTRY_NAME": "Müllers Steuer", "ID_BUS": "ata",
        "ID_PATH": "ip-192.168.178.23:3260-iscsi-iqn.2004-04.org.example:jana-lun-1", "ID_JANA": "geheim",
    }  # fmt: skip
    files: dict[str, str | bytes] = {
        "device/model": "WDC WD10EZEX-00B", "device/vendor": "ATA", "device/serial": "WD-SECRET99", "device/wwid":
        "t10.ATA     WDC WD10EZEX                        WD-SECRET99", "mq/0/nr_tags": "1",
        "uevent": "DEVNAME=sda\nPARTNAME=Janas Urlaub",
    }  # fmt: skip
    tree.disk("sda", "8:0", sata(1), rotational=1, files=files, udev=udev)
    for number in (1, 2):
        tree.partition("sda", f"sda{number}", f"8:{number}", udev={"ID_FS_LABEL": "Janas_Urlaub", "ID_FS_TYPE": "ext4"})
        tree.write(f"sys/block/sda/sda{number}/uevent", f"PARTNAME=Müllers Steuer\nPARTUUID={UUID}")
    hyperv = "LNXSYSTM:00/VMBUS:00/f8b3781b-1e82-4818-a1c3-63d806ec15bb/host9/target9:0:0/9:0:0:0"
    tree.disk("sdb", "8:16", hyperv, files={"device/model": "Virtual Disk", "device/vendor": "Msft"})
    tree.disk("dm-0", "253:0", "virtual", None, slaves=("sda2",), files={
        "dm/name": "vgjana-home", "dm/uuid": "LVM-9d8b7a65geheim"})  # fmt: skip
    tree.disk("dm-1", "253:1", "virtual", None, slaves=("dm-0",), files={
        "dm/name": f"luks-{UUID}", "dm/uuid": "CRYPT-LUKS2-1b2c3d4e-janas_urlaub"})  # fmt: skip
    tree.disk("md_janas", "9:127", "virtual", "none", slaves=("sdb",), files={"md/level": "raid0"})
    tree.disk("loop0", "7:0", "virtual", "[none] bfq", files={"loop/backing_file": "/home/jana/geheim/urlaub.img"})
    mounts(tree)
    settings(tree)
    tree.write("sys/class/dmi/id/product_name", "Janas Laptop")
    tree.write("run/disktuner/hold/8:0-0-until-restart", "bfq 2026-11-21T02:00:00Z jana")
    return tree


def mounts(tree: Tree) -> None:
    tree.mount("8:1", "/media/jana/Janas\\040Urlaub", "ext4", "/dev/sda1", "rw,errors=jana")
    tree.mount("253:0", "/home/jana", "xfs", "/dev/mapper/vgjana-home", "rw,logdev=/dev/vgjana/home")
    tree.mount("253:1", "/srv/geheim", "ext4", f"/dev/mapper/luks-{UUID}")
    tree.mount("9:127", "/srv/md", "ext4", "/dev/md_janas")
    tree.mount("7:0", "/snap/geheim/12", "squashfs", "/dev/loop0")
    tree.mount(
        "0:50", "/mnt/nas", "nfs4", "nas01.example.org:/export/jana", "rw,addr=192.168.178.23,clientaddr=10.9.8.7"
    )
    tree.mount("0:51", "/mnt/cifs", "cifs", "//nas01/urlaub", "rw,username=jana,domain=ACME,uid=1000")
    tree.mount("0:52", "/mnt/ssh", "fuse.sshfs", "jana@nas01:/steuer")
    tree.mount("0:53", "/mnt/own", "fuse.janafs", "janafs")
    tree.mount(
        "0:54", "/over", "overlay", "overlay", "rw,lowerdir=/home/jana/l,upperdir=/home/jana/u,workdir=/home/jana/w"
    )
    tree.write(
        "proc/swaps",
        "Filename\tType\tSize\tUsed\tPriority\n/home/jana/swap\\040file file 1024 0 -2\n/dev/sda2 partition 2048 0 -3",
    )


def settings(tree: Tree) -> None:
    tree.write("etc/udev/rules.d/60-janas-laptop.rules", RULES)
    tree.write("usr/lib/udev/rules.d/60-vendor.rules", 'KERNEL=="sd*", ATTR{queue/scheduler}="kyber"')
    tree.write("etc/udev/rules.d/61-jana.rules", 'KERNEL=="sda", ATTR{queue/scheduler}="mq-deadline"')
    tree.write("usr/lib/udev/rules.d/70-hidden.rules", 'KERNEL=="sd*", ATTR{queue/scheduler}="none"')
    tree.write("etc/udev/rules.d/70-hidden.rules", "# jana: off")
    tree.write("etc/udev/rules.d/90-disktuner.rules", OWN_RULE)
    tree.write("etc/systemd/system/janas-backup.service", UNIT)
    tree.write("home/jana/bin/tune.sh", SCRIPT)
    tree.write("etc/systemd/system/jana@nas01.service", "[Service]\nExecStart=/home/jana/urlaub")
    tree.write("etc/tuned/active_profile", "janas-profile")
    tree.write("etc/tuned/janas-profile/tuned.conf", PROFILE)
    tree.write("etc/tuned/acme-geheim/tuned.conf", "[main]\ninclude=throughput-performance\n[disk]\nreadahead=>4096")
    tree.write("usr/lib/tuned/throughput-performance/tuned.conf", "[disk]\nreadahead=>1024\n[sysctl]\nx=1")
    tree.write(
        "etc/tlp.conf", f'# jana\nTLP_ENABLE=1\nDISK_DEVICES="ata-{SERIAL} nvme0n1"\nDISK_IOSCHED="bfq none"\nX=geheim'
    )
    tree.write("etc/sysfs.d/jana.conf", "# geheim\nblock/sda/queue/scheduler = deadline\nkernel/jana = 1")
    tree.write("etc/tmpfiles.d/jana.conf", "d /home/jana 0700 jana\nw /sys/block/sda/queue/scheduler - - - - bfq")
    tree.write("etc/rc.local", "#!/bin/sh\nssh jana@10.9.8.7\necho noop > /sys/block/sda/queue/scheduler # geheim")
    tree.write(
        "etc/cloud/cloud.cfg.d/99-jana.cfg",
        "user: jana\nkey: cloudkey\nbootcmd:\n - echo none > /sys/block/sda/queue/scheduler",
    )
    tree.write("etc/default/grub", f'GRUB_CMDLINE_LINUX="cryptdevice=UUID={UUID}:geheim elevator=deadline"')
    tree.write(
        "boot/loader/entries/0a1b2c3djana-6.1.conf", f"title Janas\noptions root=UUID={UUID} elevator=bfq user=jana"
    )


def recorded(real: Tree) -> Path:
    copy = real.root.parent / "copy"
    Recorder(real.root, b"salt").record(copy)
    return copy


def everything(folder: Path) -> Iterator[tuple[str, str]]:
    """Names, what links say, and contents."""
    for path in folder.rglob("*"):
        place = str(path.relative_to(folder))
        yield place, place
        if path.is_symlink():
            yield place, str(path.readlink())
        elif path.is_file():
            yield place, path.read_bytes().decode("utf-8", "replace")


def test_nothing_personal_is_recorded(real: Tree) -> None:
    there = "\n".join(text for _, text in everything(real.root)).casefold()
    assert [word for word in PERSONAL if word not in there and word != "hypervguid"] == [], "the tree holds them all"
    for place, text in everything(recorded(real)):
        assert [word for word in PERSONAL if word in text.casefold()] == [], (place, text)


def plain(disk: Disk) -> dict[str, Any]:
    """A disk without what people called it."""
    nothing: dict[str, Any] = {"path": "", "source": "", "size_bytes": 0, "free_bytes": 0, "options": ()}
    mounts = tuple(replace(each, via=tuple(map(called, each.via)), **nothing) for each in disk.mounts)
    known = replace(disk, serial="", alias="", mounts=mounts, wwn="")
    return {name: getattr(known, name) for name in known.__dataclass_fields__} | {"name": called(disk.name)}


def called(name: str) -> str:
    return re.sub(r"^md_.*", "md_", name)


def test_the_same_is_said_of_the_disks(real: Tree) -> None:
    live, copy = System(real.root), System(recorded(real))
    disks = {called(disk.name): disk for disk in copy.disks()}
    assert len(disks) == len(live.disks()) == 6
    for disk in live.disks():
        other = disks[called(disk.name)]
        assert plain(other) == plain(disk)
        assert (bool(other.serial), bool(other.wwn), other.wwn == disk.wwn) == (
            bool(disk.serial),
            bool(disk.wwn),
            not disk.wwn,
        )
        assert len({mount.path for mount in other.mounts}) == len({mount.path for mount in disk.mounts})
    upper = [line for line in (copy.sysroot / "proc/self/mountinfo").read_text().splitlines() if "overlay" in line]
    assert re.search(r"upperdir=/home/[0-9a-f]{4}/u$|upperdir=/home/[0-9a-f]{4}/[0-9a-f]$", upper[0])


def test_the_same_is_said_of_who_sets_them(real: Tree) -> None:
    live, copy = System(real.root), System(recorded(real))
    names: dict[str, str] = {}
    for disk in ("sda", "sdb"):
        here, there = live.writers(live.disk(disk)), copy.writers(copy.disk(disk))
        assert [replace(one, file="") for one in there] == [replace(one, file="") for one in here]
        names |= {one.file: other.file for one, other in zip(here, there, strict=True)}
    assert {one.who for one in live.writers(live.disk("sda"))} >= {
        "udev", "tuned", "tlp", "sysfs.conf", "tmpfiles.d", "rc.local", "systemd unit", "cloud agent", "boot loader",
    }  # fmt: skip
    assert len(set(names.values())) == len(names), "different files have different names"
    assert [name for name in names if names[name] == name and "jana" in name] == []
    kept = ("/usr/lib/udev/rules.d/60-vendor.rules", "/etc/udev/rules.d/90-disktuner.rules", "/etc/rc.local")
    assert all(names[name] == name for name in kept)
    assert copy.disk("sda").persistent == live.disk("sda").persistent is not None
