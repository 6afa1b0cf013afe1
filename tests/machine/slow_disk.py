# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk on which schedulers differ for a known reason, whatever the computer.

scsi_debug answers one request after the other, 20 ms each (``ndelay``, a queue depth of 1): an emulated processor would
blur anything much shorter. A large write is cut into requests of 128 KiB which are not merged again, the host takes 8
at a time, and no throttling of writes hides the difference: so a small read waits for everything that a scheduler
dispatches first. bfq serves the reader first and waits for its next read; the others have at least one write in
between.
"""

from __future__ import annotations

from tests.machine.machine import Machine

FOLDER = "/mnt/slow"
_OPTIONS = "options scsi_debug dev_size_mb=320 ndelay=20000000 max_queue=8 vpd_use_hostno=0\n"
_MAKE = """
set -e
disk=$(readlink -e /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*)
echo 1 >$disk/device/queue_depth
echo 2 >$disk/queue/nomerges
echo 128 >$disk/queue/max_sectors_kb
echo 0 >$disk/queue/wbt_lat_usec
mkfs.ext4 -q -F /dev/${disk##*/}
mkdir -p /mnt/slow && mount /dev/${disk##*/} /mnt/slow && chown anna /mnt/slow
"""


def add(machine: Machine) -> str:
    """Load the driver and mount the disk for Anna. Return the disk's name."""
    machine.agent.write("/etc/modprobe.d/slow.conf", _OPTIONS.encode())
    machine.run("modprobe scsi_debug")
    pattern = "/sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*"
    machine.until(f"test -e {pattern} && udevadm settle")
    machine.run(_MAKE)
    return machine.out(f"basename {pattern}")


def told_rightly(machine: Machine, decision: str, winner: str | None) -> bool:
    """Whether the answer is one that a desktop may get for this disk.

    An emulated processor with too little of the real one may be too slow to write during a start: then the schedulers
    may look alike, but never the other way round.
    """
    undecided = (decision, winner) == ("undecided", None)
    return (decision, winner) == ("switch", "bfq") or (undecided and not machine.emulator.kvm)
