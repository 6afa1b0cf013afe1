# SPDX-License-Identifier: GPL-3.0-or-later
"""The writers beside other work: they write until they are told to end, never more than they may, and leave nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.waiting import until

from disktuner.experiment.probe import MOST_BYTES, probe
from disktuner.experiment.processes import UserProcesses
from disktuner.workloads import dependent_reader
from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.workload import MIB, Scratch, own_program
from disktuner.workloads.writers import Gate, Load, Writers, wait_until_ready


def test_writers_go_on_until_they_are_told_to_end(scratch: Scratch, processes: UserProcesses) -> None:
    load = Load(2, 4096)
    writers = Writers(load, scratch, processes)
    writers.start()
    until(lambda: any(path.stat().st_size for path in scratch.folder.glob("writer-*.out")))
    written = writers.finish(30)
    on_disk = sum(path.stat().st_size for path in scratch.folder.glob("writer-*.out"))
    assert 0 < written.size_bytes == on_disk < load.total_bytes
    assert written.bytes_per_s > 0


def test_what_a_writer_may_not_write_is_said(scratch: Scratch, processes: UserProcesses) -> None:
    (scratch.folder / "writer-0.out").mkdir()
    writers = Writers(Load(1, 3), scratch, processes)
    writers.start()
    with pytest.raises(ProgramFailed, match="Is a directory"):
        writers.finish(30)


def test_nothing_is_read_before_the_gate_opens(scratch: Scratch, processes: UserProcesses) -> None:
    (scratch.folder / "in").write_bytes(bytes(65536))
    argv = own_program(Path(dependent_reader.__file__), "in", 4, 16384, 1)
    with Gate() as gate:
        pid = processes.start(argv, scratch.folder, stdin=gate.fd)
        wait_until_ready(processes, pid)
        assert processes.printed(pid) and not processes.ended(pid)
    ready, found = processes.wait(pid, 30).out.splitlines()
    assert ready == "ready" and json.loads(found)["wall_s"] > 0


def test_the_look_at_a_disk_finds_everything_and_leaves_nothing(tmp_path: Path) -> None:
    found = probe(tmp_path, lambda: None)
    assert found.random_read_s > 0
    assert found.beside_read_s > 0
    assert found.stream_bytes_per_s > 0
    assert found.write_bytes_per_s > 0
    assert MOST_BYTES == 384 * MIB
    assert list(tmp_path.iterdir()) == []
