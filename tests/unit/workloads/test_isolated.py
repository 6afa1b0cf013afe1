# SPDX-License-Identifier: GPL-3.0-or-later
"""No Python that a workload starts imports anything from the folder it works in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Probe, Scratch
from disktuner.workloads.writers import SOURCE_BYTES


def plant(folder: Path, witness: Path) -> None:
    """A module for every name of Python's own library; each tells that it was imported."""
    text = f"import posix; posix.write(posix.open({str(witness)!r}, posix.O_WRONLY), __file__.encode())\n"
    for name in sys.stdlib_module_names:
        (folder / f"{name}.py").write_text(text)


@pytest.mark.parametrize(
    "id_",
    [
        "launch-under-writes",
        "stream-under-copy",
        *(pytest.param(id_, marks=pytest.mark.long) for id_ in ("launch-program-under-writes", "mapped-reads")),
    ],
)
def test_nothing_is_imported_from_the_scratch_folder(id_: str, tmp_path: Path) -> None:
    witness, control = tmp_path / "witness", Control()
    witness.touch()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    workload, probe = find(id_), Probe(50e6, 50e6, 0.0001, 1 << 30, 1 << 40)
    size = workload.size(probe, 0.3)
    try:
        with Source(SOURCE_BYTES, 1) as source, UserProcesses(control) as processes:
            workload.prepare(Scratch(scratch, 1, source), size, processes)
            for folder in (scratch, scratch / id_, scratch / id_ / "program"):
                if folder.exists():
                    plant(folder, witness)
            assert workload.run(Scratch(scratch, 1, source), size, processes).values
    finally:
        control.close()
    assert witness.read_text() == ""
