# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``pgbench``: PostgreSQL's own benchmark on a private cluster, with the parameters of the write-up."""

from __future__ import annotations

import os
import re
from pathlib import Path

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.distribution import Distribution
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.private_folder import in_memory, private_folder
from disktuner.workloads.servers.postgresql import (
    CLUSTER_BYTES,
    DATABASE,
    PACKAGE,
    QUICKLY,
    WAL_BYTES,
    Postgresql,
    Programs,
    find_programs,
)
from disktuner.workloads.servers.server import NOWHERE, length_s, running
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

SCALE = 10
CLIENTS = 64
TABLES_BYTES = SCALE * 17 * MIB
FLUSHED_TOGETHER = SCALE * 4  # each transaction locks one of SCALE branches until its commit is durable
PER_CPU = 5000  # transactions per second that a processor manages at most
FIRST_BYTES, LATER_BYTES = 40_000, 10_000  # written per transaction before and after every page was in the log once
_TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)


class Pgbench:
    """``scale`` is the length of a run in seconds: a fixed number of transactions would take forever on a slow disk.

    Each run starts the server, which was stopped in good order before: so a checkpoint lies between two runs, and an
    idle server disturbs no other workload. The rows are others in each run: the same ones again would be those that
    the checkpoint has just written, and be served differently.
    """

    id = "pgbench"
    summary = "PostgreSQL: 64 clients with small transactions on a private server"
    program = "pgbench"
    package: str | None = PACKAGE
    metrics = (
        Metric("tps", "per_s", Better.HIGHER, "PostgreSQL transactions"),
        Metric("p50_s", "s", Better.LOWER, "Half of the PostgreSQL transactions"),
        Metric("p99_s", "s", Better.LOWER, "The slowest hundredth of the PostgreSQL transactions"),
    )
    deciding = "tps"
    goals = frozenset({Goal.DATABASE})
    source = "pgbench -i -s 10, pgbench -c 64 -M prepared, by time instead of -t 1000 (A)"

    def unavailable(self) -> str | None:
        """The server and pgbench have to be installed."""
        if find_programs():
            return None
        return f"PostgreSQL's server is not installed: install the package {PACKAGE}, then start again."

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much of that time for the transactions as starting and the checkpoint leave."""
        length = length_s(seconds, lambda whole: start_and_stop_s(probe, whole))
        most = transactions(probe, length)
        written = min(most * FIRST_BYTES, 2 * TABLES_BYTES + most * LATER_BYTES) + 16 * MIB
        kept = CLUSTER_BYTES + 2 * TABLES_BYTES + min(WAL_BYTES, written)
        expected_s = length + start_and_stop_s(probe, length)
        return Size(length, written, CLUSTER_BYTES + 2 * TABLES_BYTES, expected_s, bytes_kept=kept)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Make the cluster and fill it, then make all of it durable."""
        server = Postgresql(scratch.folder, _programs())
        server.create(processes)
        argv = [server.programs.path("pgbench"), "-h", str(server.folder), "-i", "-s", str(SCALE), "-q", DATABASE]
        timeout_s = 600 + 20 * size.expected_s
        with running(server, processes, timeout_s, QUICKLY):
            processes.run(argv, NOWHERE, timeout_s)
        processes.run(["sync", "--file-system", "."], scratch.folder, timeout_s)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the server, run pgbench, stop the server, read what pgbench noted of each transaction."""
        server = Postgresql(scratch.folder, _programs())
        argv = [server.programs.path("pgbench"), "-h", str(server.folder), "-c", str(CLIENTS), "-M", "prepared"]
        argv += ["-T", str(size.scale), "-l"]
        timeout_s = 20 * size.expected_s + 120
        with private_folder(*in_memory(), scratch.folder) as notes:  # best where they cost the tested disk nothing
            argv += [f"--log-prefix={notes.named}/pgbench", DATABASE]
            with running(server, processes, timeout_s):
                finished = processes.run(argv, NOWHERE, timeout_s)
            times = Distribution(_microseconds(notes.path))
        values = {"tps": parse_tps(finished.out), "p50_s": times.share(0.5), "p99_s": times.share(0.99)}
        return Measurement(values, float(size.scale), histograms={"latency_s": times.histogram()})


def transactions(probe: Probe, seconds: float) -> int:
    """How many there can be at most: so many share one flush of the log, and so many a processor manages."""
    per_s = min(FLUSHED_TOGETHER / probe.durable_write_s, PER_CPU * len(os.sched_getaffinity(0)))
    return int(per_s * seconds) + CLIENTS


def start_and_stop_s(probe: Probe, seconds: float) -> float:
    """The time that starting and stopping in good order take: some flushes, and scattered pages of a checkpoint."""
    dirty = min(TABLES_BYTES / 8192, transactions(probe, seconds) / 4)
    return 1.0 + 10 * probe.durable_write_s + 0.6 * dirty * probe.random_read_s


def parse_tps(text: str) -> float:
    """Read what pgbench says last; before version 14 the line before counts the time of connecting, too."""
    found = _TPS.findall(text)
    if not found:
        raise NotUnderstood("pgbench", text)
    return float(found[-1])


def _microseconds(notes: Path) -> list[float]:
    """The durations of all transactions: the third word of each line."""
    lines = [line for path in notes.glob("pgbench.*") for line in path.read_text().splitlines()]
    try:
        return [int(line.split(" ", 3)[2]) / 1e6 for line in lines]
    except (IndexError, ValueError) as error:
        raise NotUnderstood("pgbench", "\n".join(lines[-1:])) from error


def _programs() -> Programs:
    found = find_programs()
    assert found, "asked whether it is available before"
    return found


WORKLOADS = (Pgbench(),)
