#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots each guest in QEMU, lets it record itself, and stores the recording and its tools' output in tests/data.

Needs root and a folder with ``kernel-SUITE``, ``initrd-SUITE`` and ``root-SUITE.ext4`` (see README.md).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/machines"
NVME_MODEL = "WD_BLACK SN770"
"""QEMU cannot be told another NVMe model: `record` changes this name of equal length in a copy of it."""
TIME_LIMIT_S = 240
COMMAND_LINE = "root=LABEL=guest rw console=ttyS0 quiet panic=-1 init=/sbin/record-init mitigations=off"
BEFORE = """
exec 2>&1
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
"""
AFTER = """
udevadm settle
python3 -I /host/tree.py /run/tree
mkdir -p /host/said
lsblk -J -b -o NAME,KNAME,MAJ:MIN,SIZE,ROTA,RM,SCHED,MODEL,VENDOR,TRAN,ZONED,TYPE,MOUNTPOINTS > /host/said/lsblk
findmnt -J -l -o TARGET,SOURCE,FSTYPE,MAJ:MIN > /host/said/findmnt
for one in /sys/class/block/*; do
  udevadm info -q property -p $one | grep -E '^(DEVNAME|DEVTYPE|MAJOR|MINOR|DISKSEQ|ID_BUS|ID_MODEL|ID_FS_TYPE|\
ID_ATA_ROTATION_RATE_RPM)='
  echo
done > /host/said/udev
tar -C /run/tree --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - . | xz -9e > /host/said/tree.tar.xz
lsblk -o NAME,TYPE,SIZE,TRAN,MODEL,MOUNTPOINTS
"""


@dataclass(frozen=True, slots=True)
class Guest:
    """A machine. ``root`` is the device with the system; ``renamed`` asks for the other NVMe model."""

    name: str
    suite: str
    root: str
    devices: str
    script: str
    renamed: bool = False


GUESTS = tuple(Guest(**guest) for guest in tomllib.loads(Path(__file__).with_name("guests.toml").read_text())["guest"])


def main() -> None:
    """Record the named guests, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("images", type=Path, help="the folder of the images")
    parser.add_argument("--qemu", default="qemu-system-x86_64", help="QEMU's command (%(default)s)")
    parser.add_argument("names", nargs="*", default=[guest.name for guest in GUESTS])
    args = parser.parse_args()
    for guest in GUESTS:
        if guest.name in args.names:
            record(guest, args.images, shlex.split(args.qemu))


def record(guest: Guest, images: Path, qemu: list[str]) -> None:
    """Boot a guest and store its output. Raises SystemExit if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        share = Path(folder)
        shutil.copy(Path(__file__).with_name("tree.py"), share)
        (share / "run.sh").write_text(BEFORE + guest.script + AFTER)
        program = [_renamed(word, share) for word in qemu] if guest.renamed else qemu
        command = [*program, *_arguments(guest, images, share)]
        completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT_S)
        output = share / "said"
        if not (output / "tree.tar.xz").exists():
            raise SystemExit(f"{guest.name} said nothing:\n{completed.stderr}\nSee {images}/{guest.name}.log")
        target = DATA / guest.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        shutil.copy(output / "tree.tar.xz", target)
        (target / "said.json").write_text(_compact(output))
    print(f"{guest.name}: {sum(file.stat().st_size for file in target.iterdir())} bytes", flush=True)


def _compact(folder: Path) -> str:
    """Return the output of the guest's tools, a line per device: lsblk repeats a device below each of its parents."""
    devices: dict[str, dict[str, Any]] = {}
    _flatten(json.loads((folder / "lsblk").read_text())["blockdevices"], None, devices)
    parts = (folder / "udev").read_text().split("\n\n")
    udev = [dict(line.split("=", 1) for line in part.splitlines()) for part in parts]
    rows = {"lsblk": list(devices.values()), "udev": list(filter(None, udev)),
            "findmnt": json.loads((folder / "findmnt").read_text())["filesystems"]}  # fmt: skip
    texts = (f'"{name}": [\n' + ",\n".join(map(json.dumps, lines)) + "\n]" for name, lines in rows.items())
    return "{" + ",\n".join(texts) + "}\n"


def _flatten(tree: list[dict[str, Any]], below: str | None, devices: dict[str, dict[str, Any]]) -> None:
    for device in tree:
        above = device.pop("children", [])
        device.pop("name")
        known = devices.setdefault(device["kname"], {**device, "below": []})
        known["below"] += [below] if below and below not in known["below"] else []
        _flatten(above, device["kname"], devices)


def _renamed(word: str, folder: Path) -> str:
    """Replace QEMU's program by a copy whose NVMe disks have another name (of equal length); return other words as they
    are.
    """
    if not word.endswith("qemu-system-x86_64"):
        return word
    program = Path(shutil.which(word) or word).read_bytes()
    copy = folder / "qemu"
    copy.write_bytes(program.replace(b"QEMU NVMe Ctrl", NVME_MODEL.encode()))
    copy.chmod(0o755)
    return str(copy)


def _arguments(guest: Guest, images: Path, share: Path) -> list[str]:
    return [
        *("-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "1024"),
        *("-kernel", str(images / f"kernel-{guest.suite}"), "-initrd", str(images / f"initrd-{guest.suite}")),
        *("-append", COMMAND_LINE),
        *("-drive", f"file={images}/root-{guest.suite}.ext4,format=raw,if=none,id=root,snapshot=on"),
        *("-device", f"{guest.root},drive=root", "-nic", "none", "-display", "none"),
        *("-serial", f"file:{images}/{guest.name}.log", "-monitor", "none", "-no-reboot", "-vga", "none"),
        *("-virtfs", f"local,path={share},mount_tag=host,security_model=none"),
        *(word for line in guest.devices.splitlines() for word in _words(line, share)),
    ]


def _words(line: str, share: Path) -> Iterator[str]:
    """Return QEMU's arguments for a line: ``drive ID FILE SIZE``, ``disk ID SIZE DEVICE`` or a literal option."""
    option, value = line.split(" ", 1)
    if option not in {"drive", "disk"}:
        yield from (option, value)
        return
    id_, rest = value.split(" ", 1)
    name, size = rest.split() if option == "drive" else (id_, rest.partition(" ")[0])
    file = share / f"{name}.img"
    subprocess.run(["truncate", "-s", size, file], check=True)
    # discard off: a drive must not grow when a guest makes file systems; locking off: two paths, one file.
    yield from ("-drive", f"file={file},format=raw,if=none,id={id_},file.locking=off,cache=writeback")
    if option == "disk":
        yield from ("-device", f"{rest.partition(' ')[2]},drive={id_}")


if __name__ == "__main__":
    os.umask(0o022)
    main()
