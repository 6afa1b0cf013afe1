# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk of which we know the answer: 5 ms a request, one at a time, nothing merged."""

from __future__ import annotations

from tests.machine.machine import Machine

_SLOW_DISK = """
set -e
modprobe scsi_debug dev_size_mb=256 ndelay=5000000 max_queue=1 delay=0 no_uld=0
udevadm settle
disk=$(basename /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*)
echo 1 >/sys/block/$disk/device/queue_depth
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/$disk
mkdir -p /mnt/slow && mount /dev/$disk /mnt/slow
echo 2 >/sys/block/$disk/queue/nomerges
chown anna /mnt/slow
echo $disk
"""
_RULE = """polkit.addRule(function(action, subject) {
    if (action.id == "org.disktuner.trial" && subject.user == "anna") { return polkit.Result.YES; }
});
"""


def test_bfq_is_chosen_for_a_desktop_on_a_slow_disk(debian13: Machine) -> None:
    machine = debian13
    disk = machine.out(_SLOW_DISK, timeout_s=300)
    before = machine.out(f"cat /sys/block/{disk}/queue/scheduler")
    machine.agent.write("/etc/polkit-1/rules.d/50-anna.rules", _RULE.encode())
    told = machine.json("runuser -u anna -- disktuner compare /mnt/slow --goal desktop --json --seed 1", timeout_s=900)
    assert (told["decision"], told["winner"]) == ("switch", "bfq"), told
    assert machine.out(f"cat /sys/block/{disk}/queue/scheduler") == before
