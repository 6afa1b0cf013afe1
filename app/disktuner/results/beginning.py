# SPDX-License-Identifier: GPL-3.0-or-later
"""With what results and portraits begin, and the machine that they are of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disktuner import __version__
from disktuner.block.disk import Disk, Mount, disk_to_json
from disktuner.block.machine import cpu_name, os_name
from disktuner.block.sysfs import Tree
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result
from disktuner.results.store import new_id
from disktuner.vocabulary.metrics import Metric


def new_result(disk: Disk, mount: Mount | None, record: PlanRecord, metrics: Mapping[str, Metric]) -> Result:
    """Return a result of now without a sample: what was planned on a disk, and below ``mount`` if it has one."""
    return Result(**head_of(disk, mount), plan=record, metrics=metrics, samples=())


def head_of(disk: Disk, mount: Mount | None) -> dict[str, Any]:
    """Return the fields that a result and a portrait of now share, by name."""
    return {
        "id": new_id(),
        "created": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "app_version": __version__,
        "machine": this_machine(),
        "disk": disk_to_json(disk),
        "filesystem": FileSystem(mount.path, mount.fstype, mount.options, mount.via) if mount else FileSystem(),
    }


def this_machine() -> Machine:
    """Describe the running machine; within one boot, whose id it has, a diskseq belongs to one disk."""
    tree = Tree(Path("/"))
    return Machine(
        kernel=os.uname().release,
        os=os_name(),
        cpu=cpu_name(tree),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        cmdline=tree.text("proc/cmdline") or "",
        boot_id=tree.text("proc/sys/kernel/random/boot_id") or "",
    )
