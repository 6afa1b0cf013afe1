# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what docs/ shows pictures of: comparisons on simulated disks, kept as result files in docs/measured.

``./dev bench measured`` measures those that are not there, ten minutes each; take a file away to have it measured
anew, then ``./dev docs`` renews pictures and figures. What no verdict needs is left out: live figures, histograms, and
metrics that neither decide nor price.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.report.exporting import check_suffix, render
from disktuner.results.codec import load
from disktuner.results.model import Result
from tests.bench.family import COMMAND, STOPS, ended, held, keep, let_through, say, stop, sudo
from tests.conftest import LoopDisk
from tests.simdisk.family import BASELINE, limits
from tests.simdisk.simulated import DEPTH, simulated_disk

MEASURED = Path(__file__).resolve().parents[2] / "docs" / "measured"


@dataclass(frozen=True, slots=True)
class Shape:
    """A simulated disk: the server's profile with its settings, and how many requests it takes at once."""

    size_mb: int
    profile: str
    settings: tuple[str, ...] = ()
    depth: str = DEPTH


DISKS: Mapping[str, Shape] = {
    "hard-disk": Shape(6000, "hdd"),
    "stick": Shape(3500, "flash", ("read_us=500", "write_us=600", "jump_us=4000", "rate_mb=40")),
    "ssd": Shape(5000, "flash", ("read_us=100", "write_us=100", "jump_us=0", "rate_mb=450"), "32"),
}
BUDGET = "standard"
COMPARISONS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("hard-disk", "desktop", ()),
    ("ssd", "desktop", ()),
    ("hard-disk", "copying", ()),
    ("stick", "desktop", ()),
    ("ssd", "database", ("commit-log", "oltp")),
    ("hard-disk", "database", ("commit-log", "oltp")),
)
"""Disk, goal, and with which workloads, if not with all of the goal: 64 clients of pgbench want a quiet machine."""


def compare(disk: LoopDisk, folder: Path, goal: str, workloads: Sequence[str], file: Path) -> None:
    """Compare as a user would, and keep what was measured without what says where."""
    sudo("tee", disk.queue / "scheduler", stdin=BASELINE)
    out = folder / "result.json"
    argv = ["compare", str(disk.folder), "--goal", goal, "--budget", BUDGET, "--seed", "1", "--out", str(out)]
    status, text, said = ended([COMMAND, *argv, *(["--workloads", ",".join(workloads)] if workloads else [])])
    say(text or said)
    if status:
        raise AssertionError(f"compare ended with {status}: {said.strip()[-500:]}")
    keep(file, render(check_suffix(file), essence(load(out))).decode(), "w")


def essence(result: Result) -> Result:
    """What the verdict rests on."""
    wanted = limits(result.plan.goal, result.metrics)
    return replace(
        result,
        metrics={name: metric for name, metric in result.metrics.items() if name in wanted},
        samples=tuple(each for each in result.samples if each.metric in wanted),
        series=(),
        extra={},
    )


def main() -> None:
    """Measure what is missing, one after the other."""
    for number in STOPS:
        signal.signal(number, stop)
    sudo("mkdir", "-p", MEASURED)
    for name, goal, workloads in COMPARISONS:
        file, shape = MEASURED / f"{name}-{goal}.json", DISKS[name]
        if file.exists():
            continue
        say(f"{name} for {goal}")
        with held(), tempfile.TemporaryDirectory() as folder:
            made = simulated_disk(sudo, Path(folder), shape.size_mb, shape.profile, *shape.settings, depth=shape.depth)
            with made as disk, let_through():
                compare(disk, Path(folder), goal, workloads, file)


if __name__ == "__main__":
    main()
