# SPDX-License-Identifier: GPL-3.0-or-later
"""dd's figure is that of a disk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Finished, Scratch, Size


def test_it_counts_what_is_on_the_disk(tmp_path: Path) -> None:
    """Not what only lies in memory: it ends when all is written."""
    ran: list[str] = []

    class Noted(UserProcesses):
        def run(self, argv: Sequence[str], cwd: Path, timeout_s: float, stdin: int | None = None) -> Finished:
            ran.extend(argv)
            return super().run(argv, cwd, timeout_s, stdin)

    with closing(Control()) as control, Source(2 * MIB, 1) as source, Noted(control) as processes:
        measured = find("dd-write").run(Scratch(tmp_path, 5, source), Size(1, MIB, 0, 1.0), processes)
    assert measured.written_bytes == MIB and "conv=fdatasync" in ran
