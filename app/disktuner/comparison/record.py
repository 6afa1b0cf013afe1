# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result says before its first run: machine, disk, file system, plan, and what is needed to judge it later."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from disktuner import __version__
from disktuner.block.disk import disk_to_json
from disktuner.block.machine import cpu_name, os_name
from disktuner.comparison.request import Announcement
from disktuner.results.mark import marked
from disktuner.results.model import FileSystem, Machine, Result
from disktuner.results.store import new_id
from disktuner.vocabulary.workloads import metrics_of


def empty_result(prepared: Announcement) -> Result:
    """The result before the first sample."""
    plan, mount = prepared.plan, prepared.target.mount
    return Result(
        id=new_id(),
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        app_version=__version__,
        machine=this_machine(),
        disk=disk_to_json(prepared.target.disk),
        filesystem=FileSystem(mount.path, mount.fstype, mount.options, mount.via),
        plan=replace(plan.record, rounds=plan.rounds),
        metrics={name: metric for each in plan.planned for name, metric in metrics_of(each.workload.facts).items()},
        samples=(),
        warnings=prepared.cautions,
        disks=prepared.target.names if len(prepared.target.names) > 1 else (),
        sizes={each.workload.id: each.spec.as_json() for each in plan.planned},
        own=plan.definition and marked(plan.definition),
    )


def continued_result(prepared: Announcement, before: Result) -> Result:
    """The result that an earlier one becomes when it is measured on: all that it holds, as a new one."""
    rounds = prepared.plan.rounds + max((sample.round + 1 for sample in before.samples), default=0)
    empty = empty_result(prepared)
    return replace(
        empty,
        plan=replace(before.plan, rounds=rounds),
        metrics={**empty.metrics, **before.metrics},
        samples=before.samples,
        series=before.series,
        warnings=tuple(dict.fromkeys((*before.warnings, *prepared.cautions))),
        notes=before.notes,
        finished=False,
        sizes=before.sizes,
        histograms=before.histograms,
        after=before.after,
        continues=before.id,
    )


def this_machine(proc: Path = Path("/proc")) -> Machine:
    """Describe the running machine."""
    return Machine(
        kernel=os.uname().release,
        os=os_name(),
        cpu=cpu_name(proc),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        cmdline=(proc / "cmdline").read_text(errors="replace").strip(),
    )
