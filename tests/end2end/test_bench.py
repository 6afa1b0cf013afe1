# SPDX-License-Identifier: GPL-3.0-or-later
"""Every workload for real on a loop disk, through the command."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from disktuner.results.codec import decode
from disktuner.results.model import Bins, Result
from disktuner.vocabulary.metrics import is_cost
from disktuner.vocabulary.workloads import metrics_of
from disktuner.workloads.catalogue import catalogue, find
from tests.conftest import LoopDisk
from tests.end2end.comparing import written_bytes
from tests.end2end.conftest import Run


def announced_bytes(output: str) -> float:
    """Return the most that a measurement announced it would write."""
    announced = re.search(r"writes about [0-9.,]+ [kMG]?B, ([0-9.,]+) ([kMG]?)B at most", output)
    assert announced, output
    return float(announced[1].replace(",", "")) * 1000.0 ** " kMG".index(announced[2] or " ")


def histograms(result: Result) -> list[Bins]:
    """Return the full latency distributions of all runs; there must be some."""
    histograms = [bins for run in result.histograms.values() for bins in run.values()]
    assert histograms
    return histograms


FEW = ("dd-write", "copy-contended", "launch-office", "commit-log", "pgbench")
"""A plain program, several at once, a replay beside writers, our own writer, a server."""


def the_others() -> list[object]:
    """Return all other workloads; raw-read needs udisks and its permission: tests/bus/test_raw_read.py."""
    ids = [workload.id for workload in catalogue() if workload.id not in (*FEW, "raw-read")]
    return [pytest.param(id_, marks=pytest.mark.long) for id_ in ids]


@pytest.mark.parametrize("workload", [*FEW, *the_others()])
def test_a_workload_runs_and_stays_within_what_it_announced(
    workload: str, loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=2048)
    before, files = written_bytes(disk), set(disk.folder.rglob("*"))
    felt = ["--felt", "/var/tmp"] if find(workload).is_elsewhere else []

    completed = disktuner(
        "bench", disk.folder, "--workload", workload, *felt,
        "--rounds", "1", "--seconds", "0.3", "--seed", "7", "--json",
    )  # fmt: skip

    result = decode(completed.stdout) if completed.returncode == 0 else None
    # A busy test machine may take the CPU away from every run; then the reason is said and nothing is left.
    assert result or completed.returncode == 5, completed.stderr
    if result:
        names = {sample.metric for sample in result.samples}
        (known,) = [candidate for candidate in catalogue() if candidate.id == workload]
        missing = set(metrics_of(known.facts)) - names
        assert names <= set(metrics_of(known.facts))
        assert all(is_cost(name) for name in missing)  # a short run may be over before a CPU time is counted
        assert all(sample.value > 0 for sample in result.samples if sample.valid)
        assert result.series
        if any("p99" in name or "p95" in name for name in names):
            assert all(sum(count for _, count in bins) for bins in histograms(result))  # however few
        assert result.plan.seed == 7
    assert written_bytes(disk) - before <= announced_bytes(completed.stderr) + 0.05e9
    assert set(disk.folder.rglob("*")) == files
