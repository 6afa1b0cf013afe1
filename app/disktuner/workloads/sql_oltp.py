# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``sql-oltp``: sysbench's transactions on a private PostgreSQL or MariaDB server."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.distribution import Distribution
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.programs import missing
from disktuner.workloads.servers import mariadb, postgresql
from disktuner.workloads.servers.server import NOWHERE, Server, length_s, running
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

TABLES = 8
ROWS = 25_000
THREADS = 16
TABLES_BYTES = 96 * MIB
PER_CPU = 1000  # transactions of 18 statements per second that a processor manages at most
TRANSACTION_BYTES = 150_000  # four changed rows with their indexes, whole pages in the log for each
LOGGED_BYTES = 1024 * MIB
_TRANSACTIONS = re.compile(r"transactions:\s+(\d+)\s+\(([0-9.]+) per sec")
_BIN = re.compile(r"^\s+([0-9.]+) \|\S*\s+(\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Target:
    """A server, and how sysbench reaches it."""

    server: Server
    options: tuple[str, ...]
    quickly: tuple[str, ...]
    new_bytes: int


def on_postgresql(scratch: Path) -> Target | None:
    """A private PostgreSQL cluster, the one that pgbench uses, too."""
    programs = postgresql.find_programs()
    if programs is None:
        return None
    user, database = f"--pgsql-user={postgresql.user_name()}", f"--pgsql-db={postgresql.DATABASE}"
    server = postgresql.Postgresql(scratch, programs)
    options = ("--db-driver=pgsql", f"--pgsql-host={server.folder}", user, database)
    return Target(server, options, postgresql.QUICKLY, postgresql.CLUSTER_BYTES)


def on_mariadb(scratch: Path) -> Target | None:
    """A private MariaDB server."""
    program = mariadb.find_program()
    if program is None:
        return None
    server = mariadb.Mariadb(scratch, program)
    socket = f"--mysql-socket={server.folder / mariadb.SOCKET}"
    options = ("--db-driver=mysql", socket, "--mysql-user=root", "--mysql-db=mysql")
    return Target(server, options, (), mariadb.NEW_BYTES)


SERVERS = (on_postgresql, on_mariadb)


class SqlOltp:
    """``scale`` is the length of a run in seconds. The first server that is installed is used."""

    id = "sql-oltp"
    summary = "sysbench: transactions of 18 statements on a private PostgreSQL or MariaDB server"
    program = "sysbench"
    package: str | None = "sysbench"
    metrics = (
        Metric("tps", "per_s", Better.HIGHER, "SQL transactions"),
        Metric("p50_s", "s", Better.LOWER, "Half of the SQL transactions"),
        Metric("p99_s", "s", Better.LOWER, "The slowest hundredth of the SQL transactions"),
    )
    deciding = "tps"
    goals = frozenset({Goal.DATABASE})
    source = "MySQL under a TPC-C-like load (B): sysbench oltp_read_write"

    def __init__(self, servers: Sequence[Callable[[Path], Target | None]] = SERVERS) -> None:
        self._servers = servers

    def unavailable(self) -> str | None:
        """Sysbench and one of the servers have to be installed."""
        if reason := missing(self.program, self.package):
            return reason
        if self._target(Path()):
            return None
        return "Neither PostgreSQL nor MariaDB is installed: install postgresql or mariadb-server, then start again."

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much of that time for the transactions as starting and the checkpoint leave."""
        length = length_s(seconds, lambda whole: _start_and_stop_s(probe, whole))
        most = _transactions(probe, length)
        written = min(most * TRANSACTION_BYTES, LOGGED_BYTES + most * TRANSACTION_BYTES // 8) + 32 * MIB
        prepared = self._new_bytes() + 3 * TABLES_BYTES
        kept = prepared + min(LOGGED_BYTES, written)
        return Size(length, written, prepared, length + _start_and_stop_s(probe, length), bytes_kept=kept)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Make the server's data, fill the tables, then make all of it durable."""
        target = self._found(scratch.folder)
        target.server.create(processes)
        timeout_s = 600 + 20 * size.expected_s
        with running(target.server, processes, timeout_s, target.quickly):
            processes.run([*_sysbench(target), "prepare"], NOWHERE, timeout_s)
        processes.run(["sync", "--file-system", "."], scratch.folder, timeout_s)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the server, run the transactions, stop the server in good order."""
        target = self._found(scratch.folder)
        timeout_s = 20 * size.expected_s + 120
        argv = [*_sysbench(target), f"--threads={THREADS}", f"--time={size.scale}", "--histogram=on"]
        with running(target.server, processes, timeout_s):
            text = processes.run([*argv, "run"], NOWHERE, timeout_s).out
        tps, times = parse_report(text)
        values = {"tps": tps, "p50_s": times.share(0.5), "p99_s": times.share(0.99)}
        return Measurement(values, float(size.scale), histograms={"latency_s": times.histogram()})

    def _target(self, scratch: Path) -> Target | None:
        return next((found for make in self._servers if (found := make(scratch))), None)

    def _found(self, scratch: Path) -> Target:
        target = self._target(scratch)
        assert target, "asked whether it is available before"
        return target

    def _new_bytes(self) -> int:
        target = self._target(Path())
        return target.new_bytes if target else 0


def _transactions(probe: Probe, length: float) -> int:
    """How many there can be at most: so many share one flush of the log, and so many a processor manages."""
    per_s = min(2 * THREADS / probe.durable_write_s, PER_CPU * len(os.sched_getaffinity(0)))
    return int(per_s * length) + THREADS


def _start_and_stop_s(probe: Probe, length: float) -> float:
    """The time of starting and of stopping in good order: some flushes, and scattered pages of a checkpoint."""
    dirty = min(TABLES_BYTES / 8192, _transactions(probe, length) / 8)
    return 1.0 + 10 * probe.durable_write_s + 0.6 * dirty * probe.random_read_s


def parse_report(text: str) -> tuple[float, Distribution]:
    """Read the transactions per second and the histogram (its bins are 1.8 % wide). Raises ``NotUnderstood``."""
    found = _TRANSACTIONS.search(text)
    head, _, _ = text.partition("SQL statistics")
    bins = [(float(bound) / 1000, int(count)) for bound, count in _BIN.findall(head)]
    if not found or not bins:
        raise NotUnderstood("sysbench", text)
    return float(found[2]), Distribution([bound for bound, count in bins for _ in range(count)])


def _sysbench(target: Target) -> list[str]:
    """Rows are chosen evenly: with few rows chosen often, waiting for each other is measured and not the disk.

    They are others in each run, as with pgbench.
    """
    argv = ["sysbench", "oltp_read_write", *target.options, f"--tables={TABLES}", f"--table-size={ROWS}"]
    return [*argv, "--rand-type=uniform"]


WORKLOADS = (SqlOltp(),)
