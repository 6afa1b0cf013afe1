# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for workloads: the user's programs, and a scratch folder in memory or wherever /tmp is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from disktuner.workloads.load import SOURCE_BYTES
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes(Control()) as running:
        yield running


@pytest.fixture
def scratch(tmp_path: Path, processes: Processes) -> Iterator[Scratch]:
    with Source(SOURCE_BYTES, 1) as source:
        yield Scratch(tmp_path, 5, source, processes)


def programs_in(folder: Path, word: str = "") -> list[int]:
    """Return the processes that work in a folder and have a word in their command line; zombies have neither."""
    stopped = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").samefile(folder) and word.encode() in (entry / "cmdline").read_bytes():
                stopped.append(int(entry.name))
        except OSError:
            continue
    return stopped
