# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs are held back until everything is there, and not waited for beyond what they may take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
    ready, found = processes.wait(pid, 30).out.splitlines()
    assert ready == "ready" and json.loads(found) == 0


def test_what_takes_too_long_is_ended_and_took_that_long_at_least(scratch: Scratch, processes: Processes) -> None:
    with pytest.raises(Aborted) as slow:
        processes.run(["tail", "-f", "/dev/null"], scratch.folder, 30, abort_after_s=0.05)
    assert slow.value.took_s > 0.05


def test_the_look_at_a_disk_finds_everything_and_leaves_nothing(tmp_path: Path) -> None:
    found = probe(tmp_path, lambda: None)
    assert found.random_read_s > 0
    assert found.beside_read_s > 0
    assert found.stream_bytes_per_s > 0
    assert found.write_bytes_per_s > 0
    assert list(tmp_path.iterdir()) == []
