# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepares and runs one workload in a scratch folder below a place, as an experiment does."""

from __future__ import annotations

import sys
from pathlib import Path

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.experiment.scratch import scratch_folder
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import Source
from disktuner.workloads.sql import SqlOltp, on_mariadb
from disktuner.workloads.workload import Probe, Scratch

PROBE = Probe(50e6, 50e6, 0.002, 1 << 32, 1 << 30, 0.01)


def main(place: Path, workload_id: str) -> None:
    """Do it, and print the deciding figure."""
    workload = SqlOltp((on_mariadb,)) if workload_id == "mariadb" else find(workload_id)
    control = Control()
    size = workload.size(PROBE, 4.0)
    with (
        scratch_folder(place) as folder,
        Source(size.bytes_source, 1) as source,
        UserProcesses(control, kept_fds=folder.fds, unblock=folder.empty) as processes,
    ):
        scratch = Scratch(folder.path, 1, source)
        workload.prepare(scratch, size, processes)
        print(workload.run(scratch, size, processes).values[workload.deciding])
    control.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
