# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what docs/ shows pictures of: comparisons on simulated disks, stored as result files in docs/measured.

``./dev bench measured`` measures those that are not there, ten minutes each; take a file away to have it measured
anew, then ``./dev docs`` renews pictures and figures. What no answer needs is left out: live figures, histograms, and
metrics that neither decide nor price, nor say what goes on beside what decides.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from disktuner.report.exporting import check_suffix, render
from disktuner.results.codec import load
from disktuner.results.model import Result
from disktuner.vocabulary.goals import REMOVABLE
from disktuner.vocabulary.metrics import BESIDE
from tests.bench.disks import ended, root, say, stoppable, whole
from tests.bench.truth import asked
from tests.docs_tables import MEASURED
from tests.simdisk.simulated import simulated_disk

DISKS: Mapping[str, tuple[str, int, str, str, Sequence[str]]] = {
    "hard-disk": ("Simulated 7200 rpm disk", 6000, "4", "hdd", ()),
    "stick": ("Simulated USB stick", 3500, "4", "flash", ("read_us=500", "write_us=600", "jump_us=4000", "rate_mb=40")),
    "slow-stick": (
        "Simulated slow USB stick",
        2000,
        "4",
        "flash",
        ("read_us=500", "write_us=500", "jump_us=500", "rate_mb=12"),
    ),
    "ssd": ("Simulated SATA SSD", 5000, "32", "flash", ("read_us=100", "write_us=100", "jump_us=0", "rate_mb=450")),
}
"""What it is called, its size in MB, how many requests it takes at once, and the server's profile with its settings."""
COMPARISONS: Sequence[tuple[str, str, str]] = (
    ("hard-disk", "desktop", ""),
    ("ssd", "desktop", ""),
    ("hard-disk", "copying", ""),
    ("stick", "desktop", ""),
    ("slow-stick", REMOVABLE.id, ""),
    ("ssd", "database", "commit-log,oltp"),
    ("hard-disk", "database", "commit-log,oltp"),
)
"""Disk, goal, and with which workloads, if not with all of the goal: 64 clients of pgbench want a quiet machine."""


def essence(result: Result, model: str) -> Result:
    """Return what the verdict rests on, with a model that says what the disk is."""
    question = asked(result.plan.goal or "", result.plan.workloads)
    beside = {f"{workload}.{last}" for workload in question.deciding_workloads for last in BESIDE}
    wanted = {*question.metrics, *beside}
    return replace(
        result,
        disk={**result.disk, "model": model},
        metrics={name: metric for name, metric in result.metrics.items() if name in wanted},
        samples=tuple(sample for sample in result.samples if sample.metric in wanted),
        series=(),
        sizes={},
        histograms={},
    )


def main() -> None:
    """Measure what is missing, one after the other, as a user would (``DISKTUNER_BUDGET``: standard)."""
    stoppable()
    budget = os.environ.get("DISKTUNER_BUDGET", "standard")
    for name, goal, workloads in COMPARISONS:
        file, (model, size_mb, depth, *profile) = MEASURED / f"{name}-{goal}.json", DISKS[name]
        if file.exists():
            continue
        say(f"{name} for {goal}")
        with tempfile.TemporaryDirectory() as folder:
            bounded = goal != REMOVABLE.id
            simulated = simulated_disk(
                root(), Path(folder), size_mb, profile[0], *profile[1], depth=depth, bounded=bounded
            )
            with whole(simulated) as disk:
                root()("tee", disk.queue / "scheduler", stdin="mq-deadline")
                out = Path(folder) / "result.json"
                options = ["--goal", goal, "--budget", budget, "--seed", "1", "--out", out]
                more = ["--workloads", workloads] if workloads else []
                status, text, messages = ended("compare", disk.folder, *options, *more)
            say(text or messages)
            if status:
                raise SystemExit(messages)
            root()("tee", file, stdin=render(check_suffix(file), essence(load(out), model)).decode())


if __name__ == "__main__":
    main()
