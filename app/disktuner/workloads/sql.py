# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``pgbench`` and ``sql-oltp``: transactions on a private PostgreSQL or MariaDB server."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.database_servers import (
    DATABASE,
    MARIADB_SOCKET,
    WAL_BYTES,
    Mariadb,
    Postgresql,
    find_mariadb,
    find_postgresql,
    user_name,
)
from disktuner.workloads.errors import NotUnderstood, RunFailed
from disktuner.workloads.private_folder import in_memory, private_folder
from disktuner.workloads.server import NOWHERE, Server, length_s, running
from disktuner.workloads.spec import Cost, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Workload

SCALE = 10
FIRST_BYTES, LATER_BYTES = 40_000, 10_000  # written per transaction before and after every page was in the log once
TABLES = 8
ROWS = 25_000
TRANSACTION_BYTES = 150_000  # four changed rows with their indexes, whole pages in the log for each
LOGGED_BYTES = 1024 * MIB
PAGE_BYTES = 8192

_TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)
_TRANSACTIONS = re.compile(r"transactions:\s+(\d+)\s+\(([0-9.]+) per sec")
_HISTOGRAM_END = "SQL statistics"
_BIN = re.compile(r"^\s+([0-9.]+) \|\S*\s+(\d+)$", re.MULTILINE)
_PER_DOUBLING = 8  # bins; each is at most 9 % wide


class Distribution:
    """Times in seconds. Raises ``RunFailed`` where there are none: then nothing was finished in the time."""

    def __init__(self, times_s: Sequence[float]) -> None:
        if not times_s:
            raise RunFailed("nothing-finished")
        self._sorted = sorted(times_s)

    def share(self, share: float) -> float:
        """The time within which that share was done (nearest rank)."""
        return self._sorted[max(0, math.ceil(share * len(self._sorted)) - 1)]

    def histogram(self) -> tuple[tuple[float, int], ...]:
        """Upper bounds in seconds and counts, in bins that grow with the time."""
        bins = Counter(math.ceil(_PER_DOUBLING * math.log2(max(time_s, 1e-7))) for time_s in self._sorted)
        return tuple((float(f"{2 ** (number / _PER_DOUBLING):.5g}"), bins[number]) for number in sorted(bins))


@dataclass(frozen=True, slots=True)
class Load:
    """What clients ask of a database.

    ``together`` transactions share one flush of the log at most, a processor manages ``per_cpu`` a second at most,
    and ``per_page`` of them change one more page that a checkpoint writes.
    """

    clients: int
    together: int
    per_cpu: int
    per_page: int
    tables_bytes: int

    def per_s(self, probe: Probe) -> float:
        """How many there can be a second at most."""
        return min(self.together / probe.durable_write_s, self.per_cpu * len(os.sched_getaffinity(0)))

    def around_s(self, probe: Probe, seconds: float) -> float:
        """The time of starting and of stopping in good order: some flushes, and scattered pages of a checkpoint."""
        dirty = min(self.tables_bytes / PAGE_BYTES, self.per_s(probe) * seconds / self.per_page)
        return 1.0 + 10 * probe.durable_write_s + 0.6 * dirty * probe.random_read_s

    def length_s(self, probe: Probe, seconds: float) -> int:
        """As much of that time for the transactions as starting and the checkpoint leave."""
        return length_s(seconds, lambda whole: self.around_s(probe, whole))


PGBENCH = Load(64, SCALE * 4, 5000, 4, SCALE * 17 * MIB)
"""Each transaction locks one of ``SCALE`` branches until its commit is durable."""
SQL_OLTP = Load(16, 32, 1000, 8, 96 * MIB)
"""Transactions of 18 statements."""


@dataclass(frozen=True, slots=True)
class SqlSpec(Spec):
    """Clients work for ``duration_s``, whole seconds; a fixed number of transactions would take forever on a slow disk.

    They finish ``transactions_per_s`` at most; ``server_bytes`` is what a new server takes.
    """

    WORK: ClassVar = {"duration_s": 1}
    ESTIMATES: ClassVar = frozenset({"expected_s", "transactions_per_s", "server_bytes"})

    duration_s: int
    transactions_per_s: float
    server_bytes: int

    def transactions(self, load: Load) -> int:
        """How many there can be at most."""
        return int(self.transactions_per_s * self.duration_s) + load.clients


@dataclass(frozen=True, slots=True)
class PgbenchSpec(SqlSpec):
    """pgbench's own tables."""

    @property
    def cost(self) -> Cost:
        """The cluster with its tables, and every changed page, once in the log and once in its place."""
        most, tables = self.transactions(PGBENCH), 2 * PGBENCH.tables_bytes
        written = min(most * FIRST_BYTES, tables + most * LATER_BYTES) + 16 * MIB
        prepared = self.server_bytes + tables
        return Cost(self.expected_s, written, prepared, prepared + min(WAL_BYTES, written))


@dataclass(frozen=True, slots=True)
class SqlOltpSpec(SqlSpec):
    """sysbench's tables."""

    @property
    def cost(self) -> Cost:
        """The server with its tables, its log, and what of it is written to its place."""
        most = self.transactions(SQL_OLTP)
        written = min(most * TRANSACTION_BYTES, LOGGED_BYTES + most * TRANSACTION_BYTES // 8) + 32 * MIB
        prepared = self.server_bytes + 3 * SQL_OLTP.tables_bytes
        return Cost(self.expected_s, written, prepared, prepared + min(LOGGED_BYTES, written))


class Pgbench(Workload):
    """Each run starts the server, which was stopped in good order before: so a checkpoint lies between two runs, and an
    idle server disturbs no other workload. The rows are others in each run: the same ones again would be those that
    the checkpoint has just written, and be served differently.
    """

    id = "pgbench"
    spec_type = PgbenchSpec

    def unavailable(self) -> Message | None:
        """The server and pgbench have to be installed."""
        return None if find_postgresql() else message("postgresql-missing", package=self.facts.package)

    def plan(self, probe: Probe, seconds: float, *_: float) -> PgbenchSpec:
        """As much of that time for the transactions as starting and the checkpoint leave."""
        length = PGBENCH.length_s(probe, seconds)
        expected_s = length + PGBENCH.around_s(probe, length)
        return PgbenchSpec(expected_s, length, PGBENCH.per_s(probe), Postgresql.new_bytes)

    def prepare(self, scratch: Scratch, spec: SqlSpec, processes: Processes) -> None:
        """Make the cluster and fill it, then make all of it durable."""
        server = _cluster(scratch)
        argv = [server.programs.path("pgbench"), "-h", str(server.folder), "-i", "-s", str(SCALE), "-q"]
        _fill(server, [*argv, DATABASE], scratch, spec, processes)

    def run(self, scratch: Scratch, spec: SqlSpec, processes: Processes, *_: float) -> Measurement:
        """Start the server, run pgbench, stop the server, read what pgbench noted of each transaction."""
        server, timeout_s = _cluster(scratch), spec.timeout_s + 60
        argv = [server.programs.path("pgbench"), "-h", str(server.folder), "-c", str(PGBENCH.clients)]
        argv += ["-M", "prepared", "-T", str(spec.duration_s), "-l"]
        with private_folder(*in_memory(), scratch.folder) as notes:  # best where they cost the tested disk nothing
            argv += [f"--log-prefix={notes.named}/pgbench", DATABASE]
            with running(server, processes, timeout_s):
                finished = processes.run(argv, NOWHERE, timeout_s)
            times = Distribution(_microseconds(notes.path))
        return _measurement(parse_tps(finished.out), times, spec)


@dataclass(frozen=True, slots=True)
class Target:
    """A server, and how sysbench reaches it."""

    server: Server
    options: tuple[str, ...]


def on_postgresql(scratch: Path) -> Target | None:
    """A private PostgreSQL cluster, the one that pgbench uses, too."""
    programs = find_postgresql()
    if programs is None:
        return None
    server = Postgresql(scratch, programs)
    user, database = f"--pgsql-user={user_name()}", f"--pgsql-db={DATABASE}"
    options = ("--db-driver=pgsql", f"--pgsql-host={server.folder}", user, database)
    return Target(server, options)


def on_mariadb(scratch: Path) -> Target | None:
    """A private MariaDB server."""
    program = find_mariadb()
    if program is None:
        return None
    server = Mariadb(scratch, program)
    socket = f"--mysql-socket={server.folder / MARIADB_SOCKET}"
    options = ("--db-driver=mysql", socket, "--mysql-user=root", "--mysql-db=mysql")
    return Target(server, options)


class SqlOltp(Workload):
    """The first server that is installed is used."""

    id = "sql-oltp"
    spec_type = SqlOltpSpec

    def __init__(self, servers: Sequence[Callable[[Path], Target | None]] = (on_postgresql, on_mariadb)) -> None:
        self._servers = servers

    def unavailable(self) -> Message | None:
        """Sysbench and one of the servers have to be installed."""
        if reason := super().unavailable():
            return reason
        return None if self._target(Path()) else message("no-database-server")

    def plan(self, probe: Probe, seconds: float, *_: float) -> SqlOltpSpec:
        """As much of that time for the transactions as starting and the checkpoint leave."""
        length, target = SQL_OLTP.length_s(probe, seconds), self._target(Path())
        expected_s = length + SQL_OLTP.around_s(probe, length)
        return SqlOltpSpec(expected_s, length, SQL_OLTP.per_s(probe), target.server.new_bytes if target else MIB)

    def prepare(self, scratch: Scratch, spec: SqlSpec, processes: Processes) -> None:
        """Make the server's data, fill the tables, then make all of it durable."""
        target = self._found(scratch)
        _fill(target.server, [*_sysbench(target), "prepare"], scratch, spec, processes)

    def run(self, scratch: Scratch, spec: SqlSpec, processes: Processes, *_: float) -> Measurement:
        """Start the server, run the transactions, stop the server in good order."""
        target, timeout_s = self._found(scratch), spec.timeout_s + 60
        argv = [
            *_sysbench(target),
            f"--threads={SQL_OLTP.clients}",
            f"--time={spec.duration_s}",
            "--histogram=on",
            "run",
        ]
        with running(target.server, processes, timeout_s):
            text = processes.run(argv, NOWHERE, timeout_s).out
        return _measurement(*parse_transactions(text), spec)

    def _target(self, scratch: Path) -> Target | None:
        return next((found for make in self._servers if (found := make(scratch))), None)

    def _found(self, scratch: Scratch) -> Target:
        target = self._target(scratch.folder)
        assert target, "asked whether it is available before"
        return target


def parse_tps(text: str) -> float:
    """Read the last figure that pgbench prints; before version 14 the one before counts the time of connecting."""
    found = _TPS.findall(text)
    if not found:
        raise NotUnderstood("pgbench", text)
    return float(found[-1])


def parse_transactions(text: str) -> tuple[float, Distribution]:
    """Read sysbench's transactions per second and histogram (its bins are 1.8 % wide). Raises ``NotUnderstood``."""
    found = _TRANSACTIONS.search(text)
    head, _, _ = text.partition(_HISTOGRAM_END)
    bins = [(float(bound) / 1000, int(count)) for bound, count in _BIN.findall(head)]
    if not found or not bins:
        raise NotUnderstood("sysbench", text)
    return float(found[2]), Distribution([bound for bound, count in bins for _ in range(count)])


def _cluster(scratch: Scratch) -> Postgresql:
    programs = find_postgresql()
    assert programs, "asked whether it is available before"
    return Postgresql(scratch.folder, programs)


def _fill(server: Server, argv: list[str], scratch: Scratch, spec: SqlSpec, processes: Processes) -> None:
    """Make the server's data and fill its tables, quickly, then make all of it durable."""
    timeout_s = 600 + 20 * spec.expected_s
    server.create(processes)
    with running(server, processes, timeout_s, server.quickly):
        processes.run(argv, NOWHERE, timeout_s)
    processes.run(["sync", "--file-system", "."], scratch.folder, timeout_s)


def _measurement(tps: float, times: Distribution, spec: SqlSpec) -> Measurement:
    values = {"tps": tps, "p50_s": times.share(0.5), "p99_s": times.share(0.99)}
    return Measurement(values, float(spec.duration_s), histograms={"latency_s": times.histogram()})


def _microseconds(notes: Path) -> list[float]:
    """The durations of all transactions: the third word of each line."""
    lines = [line for path in notes.glob("pgbench.*") for line in path.read_text().splitlines()]
    try:
        return [int(line.split(" ", 3)[2]) / 1e6 for line in lines]
    except (IndexError, ValueError) as error:
        raise NotUnderstood("pgbench", "\n".join(lines[-1:])) from error


def _sysbench(target: Target) -> list[str]:
    """Rows are chosen evenly: with few rows chosen often, waiting for each other is measured and not the disk.

    They are others in each run, as with pgbench.
    """
    argv = ["sysbench", "oltp_read_write", *target.options, f"--tables={TABLES}", f"--table-size={ROWS}"]
    return [*argv, "--rand-type=uniform"]


RUNNERS = (Pgbench(), SqlOltp())
