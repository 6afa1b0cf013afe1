# SPDX-License-Identifier: GPL-3.0-or-later
"""A hard disk on which it is plain how far the kernel should read ahead, whatever the computer.

QEMU hands out only so many bytes a second of what is read, by its own clock: who reads in vain waits for it, and an
emulated processor takes far less time for each read than that. What is written is not held back.
"""

from __future__ import annotations

from tests.machine.devices import SATA_HDD
from tests.machine.machine import Machine
from tests.machine.test_restart import HDD, disk_at

FOLDER = "/films"
_MAKE = """
set -e
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 $link
mkdir -p $folder
echo "$link $folder ext4 noatime,nofail 0 0" >>/etc/fstab
systemctl daemon-reload
mount $folder
"""


def add(machine: Machine, owner: str, reads_bytes_per_s: int) -> str:
    """Mount it for its owner, also at every start, and slow it down until the next one. Returns its name."""
    machine.run(f"link={HDD} folder={FOLDER}\n{_MAKE} chown {owner} $folder")
    machine.monitor.human(f"block_set_io_throttle {SATA_HDD.name} 0 {reads_bytes_per_s} 0 0 0 0")
    return name(machine)


def name(machine: Machine) -> str:
    """Its name now."""
    return disk_at(machine, HDD)


def values(machine: Machine) -> dict[str, str]:
    """Every byte that can be read of its queue and its scheduler; of the schedulers that there are only the active."""
    read = 'find . -type f -perm /444 | sort | while read -r file; do echo "$file=$(cat $file 2>&1)"; done'
    lines = machine.out(f"cd /sys/block/{name(machine)}/queue && {read}").splitlines()
    found = dict(line.removeprefix("./").split("=", 1) for line in lines if "=" in line)
    found["scheduler"] = found["scheduler"].partition("[")[2].partition("]")[0]
    return found


def changed(before: dict[str, str], now: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """What is not the same, and how it was and is."""
    return {key: (before.get(key), now.get(key)) for key in sorted(before | now) if before.get(key) != now.get(key)}
