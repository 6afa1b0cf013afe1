# SPDX-License-Identifier: GPL-3.0-or-later
"""dd's figure is that of a disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disktuner.workloads.catalogue import find
from disktuner.workloads.dd import WriteSpec
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Scratch


def test_it_counts_what_is_on_the_disk(tmp_path: Path) -> None:
    """Not what is only in memory: it ends when everything is written."""
    ran: list[str] = []

    class Noted(Processes):
        def start(self, argv: Sequence[str], cwd: Path, stdin: int | None = None) -> int:  # type: ignore[override]
            ran.extend(argv)
            return super().start(argv, cwd, stdin)

    with Source(2 * MIB, 1) as source, Noted(Control()) as processes:
        measured = find("dd-write").run(Scratch(tmp_path, 5, source, processes), WriteSpec(1.0, MIB))
    assert measured.written_bytes == MIB and "conv=fdatasync" in ran
