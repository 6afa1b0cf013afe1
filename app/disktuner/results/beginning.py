# SPDX-License-Identifier: GPL-3.0-or-later
"""A result before its first sample, and the machine that it is of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from disktuner import __version__
from disktuner.block.disk import Disk, Mount, disk_to_json
from disktuner.block.machine import cpu_name, os_name
from disktuner.opening import is_there
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result
from disktuner.results.store import new_id
from disktuner.vocabulary.metrics import Metric


def new_result(disk: Disk, mount: Mount | None, record: PlanRecord, metrics: Mapping[str, Metric]) -> Result:
    """Return a result of now without a sample: what was planned on a disk, and below ``mount`` if it has one."""
    return Result(
        id=new_id(),
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        app_version=__version__,
        machine=this_machine(),
        disk=disk_to_json(disk),
        filesystem=FileSystem(mount.path, mount.fstype, mount.options, mount.via) if mount else FileSystem(),
        plan=record,
        metrics=metrics,
        samples=(),
    )


def _boot_id(proc: Path) -> str:
    """Within one boot a diskseq belongs to one disk; empty where that is not told."""
    file = proc / "sys/kernel/random/boot_id"
    return file.read_text().strip() if is_there(file) else ""


def this_machine(proc: Path = Path("/proc")) -> Machine:
    """Describe the running machine."""
    return Machine(
        kernel=os.uname().release,
        os=os_name(),
        cpu=cpu_name(proc),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        cmdline=(proc / "cmdline").read_text(errors="replace").strip(),
        boot_id=_boot_id(proc),
    )
