# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of server programs is understood, and whether priorities are honoured is detected where known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from disktuner.experiment.scratch import scratch_folder
from disktuner.presentation.priorities import Honoured, honoured
from disktuner.workloads.many_files import parse_dbench
from disktuner.workloads.priorities import Priorities
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Probe, Scratch
from tests.conftest import Sudo
from tests.simdisk.simulated import simulated_disk

DISK = Probe(120e6, 140e6, 0.009, 4 << 30, 3 << 30, 0.017)


@pytest.mark.machine
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("scheduler", "idle", "low"),
    [
        ("bfq", Honoured.YES, Honoured.YES),
        ("mq-deadline", Honoured.YES, Honoured.NO),  # it knows classes, but no levels in them
        ("none", Honoured.NO, Honoured.NO),
        ("kyber", Honoured.NO, Honoured.NO),
    ],
)
def test_priorities_tell_who_honours_them(
    scheduler: str, idle: Honoured, low: Honoured, sudo: Sudo, tmp_path: Path
) -> None:
    workload, answers = Priorities(), []
    spec = workload.plan(DISK, 13.0)
    with simulated_disk(sudo, tmp_path, 3000, "hdd") as disk:
        sudo("tee", disk.queue / "scheduler", stdin=scheduler)
        with (
            scratch_folder(disk.folder) as folder,
            Source(1 << 20, 1) as source,
            Processes(Control(), kept_fds=folder.fds, truncate_files=folder.empty) as processes,
        ):
            workload.prepare(Scratch(folder.path, 1, source, processes), spec)
            for number in range(10):
                figures = workload.run(Scratch(folder.path, number * 1000, source, processes), spec).values
                answers.append([honoured(figures[gain], figures["slowdown"]) for gain in ("idle_gain", "low_gain")])
    assert sum(answer[0] is idle for answer in answers) >= 9, answers
    assert sum(answer[1] is low for answer in answers) >= 9, answers


def test_a_real_dbench_is_understood(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    argv = ["dbench", "-t", "1", "-D", "here", "2"]
    completed = subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert parse_dbench(completed.stdout, 1).values["bytes_per_s"] >= 0, "in a second perhaps nothing"
