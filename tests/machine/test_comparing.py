# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons in a booted machine: a known answer, and a disk that is pulled meanwhile."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.machine import slow_disk
from tests.machine.devices import NVME
from tests.machine.machine import HANG_S, Machine
from tests.machine.people import let_tune
from tests.machine.test_restart import disk_at, scheduler_of

_AS_BEN = "runuser -u ben -- disktuner"
_NVME_LINK = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NVME0001"


def test_for_a_desktop_bfq_is_chosen_on_a_slow_disk(debian13: Machine) -> None:
    """All schedulers, all that counts for a desktop; the quick budget has time for two rounds only here."""
    machine = debian13
    let_tune(machine, "ben")
    disk = slow_disk.add(machine, "ben")
    before = scheduler_of(machine, disk)
    assert before == "mq-deadline"
    compare = f"{_AS_BEN} compare {slow_disk.FOLDER} --goal desktop --budget standard --json"
    told = machine.json(compare)
    verdict = told["verdict"]
    assert slow_disk.told_rightly(machine, verdict["decision"], verdict["winner"]), verdict
    assert {one["scheduler"] for one in verdict["comparisons"]} == {"none", "bfq", "kyber"}
    assert scheduler_of(machine, disk) == before
    assert machine.out(f"ls -A {slow_disk.FOLDER}") == "lost+found"


def test_a_disk_pulled_during_a_comparison(debian13: Machine) -> None:
    """The comparison ends with a reason; put back, the disk is as new, and can be compared."""
    machine = debian13
    let_tune(machine, "ben")
    disk = replace(NVME, size_mb=600)
    compare = f"{_AS_BEN} compare /mnt/it --goal copying --workloads dd-write --schedulers bfq --json"
    machine.plug(disk)
    _mount(machine)
    default = scheduler_of(machine, "nvme0n1")
    running = machine.begin(compare)
    machine.until("ls /home/ben/.local/share/disktuner/*.json.journal")
    machine.unplug(disk)
    ended = machine.agent.wait(running, HANG_S)
    assert ended.code == 5, ended
    assert "Traceback" not in ended.text and ended.err.strip()
    assert not _trials(machine)
    machine.run("umount --lazy /mnt/it")
    machine.plug(disk)
    _mount(machine)
    assert scheduler_of(machine, disk_at(machine, _NVME_LINK)) == default
    assert machine.out("ls -A /mnt/it") == "lost+found"
    again = machine.json(compare)
    assert again["verdict"]["comparisons"][0]["n"] >= 2  # a busy host may have spoiled some of the rounds


def _mount(machine: Machine) -> None:
    machine.until(f"udevadm settle && test -b {_NVME_LINK}")
    machine.run(f"mkfs.ext4 -q -F {_NVME_LINK} && mkdir -p /mnt/it && mount {_NVME_LINK} /mnt/it && chown ben /mnt/it")


def _trials(machine: Machine) -> Any:
    answer = machine.json(
        "busctl --json=short call org.disktuner.Helper1 /org/disktuner/Helper1 org.disktuner.Helper1 GetState"
    )
    return json.loads(answer["data"][0])["trials"]
