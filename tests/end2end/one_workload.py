# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepares and runs one workload in a scratch folder below a place, as an experiment does.

A run in which nothing was finished is made again with more time, as its error says: under strace a database is slow.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.experiment.scratch import scratch_folder
from disktuner.workloads.catalogue import find
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.source import Source
from disktuner.workloads.sql import SqlOltp, on_mariadb
from disktuner.workloads.workload import Probe, Scratch

PROBE = Probe(50e6, 50e6, 0.002, 1 << 32, 1 << 30, 0.01)
SECONDS = (4.0, 16.0, 64.0)


def main(place: Path, workload_id: str) -> None:
    """Do it, and print the deciding figure."""
    for seconds in SECONDS:
        try:
            print(run(place, workload_id, seconds))
            return
        except RunFailed as error:
            if error.message.id != "nothing-finished":
                raise
    sys.exit(f"Nothing was finished in {SECONDS[-1]:.0f} s.")


def run(place: Path, workload_id: str, seconds: float) -> float:
    """Prepare a workload, run it once for about so many seconds, and return its deciding figure."""
    workload = SqlOltp((on_mariadb,)) if workload_id == "mariadb" else find(workload_id)
    size = workload.size(PROBE, seconds)
    with (
        closing(Control()) as control,
        scratch_folder(place) as folder,
        Source(size.bytes_source, 1) as source,
        UserProcesses(control, kept_fds=folder.fds, unblock=folder.empty) as processes,
    ):
        scratch = Scratch(folder.path, 1, source)
        workload.prepare(scratch, size, processes)
        return workload.run(scratch, size, processes).values[workload.deciding]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
