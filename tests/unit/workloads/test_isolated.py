# SPDX-License-Identifier: GPL-3.0-or-later
"""No Python started by a workload imports anything from its working folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from disktuner.workloads.catalogue import find
from disktuner.workloads.workload import Probe, Scratch


def plant(folder: Path, witness: Path) -> None:
    """Put a module for every name of the standard library; each reports being imported."""
    text = f"import posix; posix.write(posix.open({str(witness)!r}, posix.O_WRONLY), __file__.encode())\n"
    for name in sys.stdlib_module_names:
        (folder / f"{name}.py").write_text(text)


def test_nothing_is_imported_from_the_scratch_folder(
    scratch: Scratch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    witness = tmp_path_factory.mktemp("witness") / "file"
    witness.touch()
    workload = find("stream-under-copy")
    spec = workload.plan(Probe(50e6, 50e6, 0.0001, 1 << 30, 1 << 40), 0.3)
    workload.prepare(scratch, spec)
    plant(scratch.folder, witness)
    assert workload.run(scratch, spec).values
    assert witness.read_text() == ""
