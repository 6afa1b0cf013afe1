# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds sysroots that look like the kernel's: real link structure, real file formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

PCI = "pci0000:00/0000:00:17.0"
MQ = "none [mq-deadline] kyber bfq"
NONE = "[none] mq-deadline kyber bfq"
DEADLINE = {
    "async_depth": "48",
    "fifo_batch": "16",
    "front_merges": "1",
    "prio_aging_expire": "10000",
    "read_expire": "500",
    "write_expire": "5000",
    "writes_starved": "2",
}


@dataclass
class Tree:
    """A sysroot under construction."""

    root: Path
    mounts: list[str] = field(default_factory=list)

    def write(self, path: str, text: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else f"{text}\n".encode())

    def link(self, path: str, target: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def disk(
        self,
        name: str,
        devno: str,
        where: str,
        scheduler: str | None = MQ,
        rotational: int = 0,
        files: dict[str, str | bytes] | None = None,
        udev: dict[str, str] | None = None,
        slaves: tuple[str, ...] = (),
        size: int = 1_000_215_216,
    ) -> None:
        """Add a disk. ``where`` is the device's folder below /sys/devices, without ``block/NAME``."""
        place = f"sys/devices/{where}/block/{name}"
        self._device(name, devno, place, f"../devices/{where}/block/{name}", size, udev)
        self.link(f"sys/block/{name}", f"../devices/{where}/block/{name}")
        if "virtual" not in where:
            (self.root / place / "device").symlink_to("../../../" + where.rsplit("/", 1)[-1])
        queue = {"rotational": str(rotational), "zoned": "none", "nr_requests": "64", "read_ahead_kb": "128",
                 "nomerges": "0", "rq_affinity": "1", "wbt_lat_usec": "75000" if rotational else "2000",
                 "logical_block_size": "512"}  # fmt: skip
        for key, value in queue.items():
            self.write(f"{place}/queue/{key}", value)
        if scheduler is not None:
            self.write(f"{place}/queue/scheduler", scheduler)
            if "[mq-deadline]" in scheduler:
                for key, value in DEADLINE.items():
                    self.write(f"{place}/queue/iosched/{key}", value)
        (self.root / place / "slaves").mkdir()
        for slave in slaves:
            self.slave(place, slave)
        standard: dict[str, str | bytes] = {
            "removable": "0",
            "hidden": "0",
            "ro": "0",
            "diskseq": devno.partition(":")[2] or "0",
        }
        for key, content in {**standard, **(files or {})}.items():
            self.write(f"{place}/{key}", content)

    def slave(self, place: str, slave: str) -> None:
        target = self.root / "sys/class/block" / slave
        real = str(target.readlink()).removeprefix("../../") if target.is_symlink() else f"block/{slave}"
        up = "../" * (place.count("/"))
        self.link(f"{place}/slaves/{slave}", f"{up}{real}")

    def partition(self, disk: str, name: str, devno: str, udev: dict[str, str] | None = None) -> None:
        target = str((self.root / "sys/block" / disk).readlink())
        place = f"sys/{target.removeprefix('../')}/{name}"
        self._device(name, devno, place, f"{target}/{name}", 500_000, udev)
        self.write(f"{place}/partition", "".join(filter(str.isdigit, name))[-1:])

    def _device(self, name: str, devno: str, place: str, target: str, size: int, udev: dict[str, str] | None) -> None:
        if devno:
            self.write(f"{place}/dev", devno)
            self.link(f"sys/dev/block/{devno}", f"../{target}")
        self.write(f"{place}/size", str(size))
        self.write(f"{place}/stat", "1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0")
        self.link(f"sys/class/block/{name}", f"../{target}")
        if udev is not None:
            self.write(f"run/udev/data/b{devno}", "\n".join(f"E:{key}={value}" for key, value in udev.items()))

    def mount(self, devno: str, path: str, fstype: str, source: str, options: str = "rw") -> None:
        number = 20 + len(self.mounts)
        self.mounts.append(f"{number} 1 {devno} / {path} rw,relatime shared:1 - {fstype} {source} {options}")
        self.write("proc/self/mountinfo", "\n".join(self.mounts))

    def kernel(self, release: str, command_line: str = "quiet") -> None:
        self.write("proc/sys/kernel/osrelease", release)
        self.write("proc/cmdline", command_line)
        self.write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority")


def sata(host: int) -> str:
    return f"{PCI}/ata{host}/host{host}/target{host}:0:0/{host}:0:0:0"


def usb(host: int) -> str:
    return f"pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host{host}/target{host}:0:0/{host}:0:0:0"
