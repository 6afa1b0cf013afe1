# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs wait until everything is ready, and are not waited for beyond their limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.waiting import HANG_S

from disktuner.experiment.probe import probe
from disktuner.workloads import background
from disktuner.workloads.errors import Aborted
from disktuner.workloads.processes import Processes
from disktuner.workloads.workload import Scratch, own_program


def test_nothing_is_read_before_the_gate_opens(scratch: Scratch, processes: Processes) -> None:
    (scratch.folder / "in").write_bytes(bytes(65536))
    with processes.held([own_program(Path(background.__file__), "in")], scratch.folder) as (pid,):
        assert not processes.ended(pid)
        processes.end(pid)
    ready, line = processes.wait(pid, HANG_S).out.splitlines()
    assert ready == "ready" and json.loads(line) == 0


def test_what_takes_too_long_is_ended_and_took_that_long_at_least(scratch: Scratch, processes: Processes) -> None:
    with pytest.raises(Aborted) as slow:
        processes.run(["tail", "-f", "/dev/null"], scratch.folder, HANG_S, abort_after_s=0.05)
    assert slow.value.took_s > 0.05


def test_the_look_at_a_disk_finds_everything_and_leaves_nothing(tmp_path: Path) -> None:
    probed = probe(tmp_path, lambda: None)
    assert probed.random_read_s > 0
    assert probed.beside_read_s > 0
    assert probed.stream_bytes_per_s > 0
    assert probed.write_bytes_per_s > 0
    assert list(tmp_path.iterdir()) == []
