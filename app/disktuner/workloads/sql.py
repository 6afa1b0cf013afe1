# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``pgbench`` and ``sql-oltp``: transactions on a private PostgreSQL server."""

from __future__ import annotations

import math
import os
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.errors import NotUnderstood, RunFailed
from disktuner.workloads.postgresql import (
    DATABASE,
    LOG_BYTES,
    NEW_BYTES,
    NOWHERE,
    QUICKLY,
    Postgresql,
    find_postgresql,
    user_name,
)
from disktuner.workloads.processes import Processes
from disktuner.workloads.spec import Cost, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload, length_s

SCALE = 10
TABLES = 8
ROWS = 25_000
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
class Demand:
    """What clients ask of a database.

    ``together`` transactions share one flush of the log at most, a processor manages ``per_cpu`` a second at most,
    and ``per_page`` of them change one more page that a checkpoint writes. A transaction writes ``first_bytes`` until
    ``whole_bytes`` are written, when every page was in the log once, and ``later_bytes`` from then on. With its indexes
    and its first part of the log, a table takes ``filled`` times its size.
    """

    clients: int
    together: int
    per_cpu: int
    per_page: int
    tables_bytes: int
    filled: int
    first_bytes: int
    later_bytes: int
    whole_bytes: int

    def per_s(self, probe: Probe) -> float:
        """How many there can be a second at most."""
        return min(self.together / probe.durable_write_s, self.per_cpu * len(os.sched_getaffinity(0)))

    def around_s(self, probe: Probe, seconds: float) -> float:
        """The time of starting and of stopping in good order: some flushes, and scattered pages of a checkpoint."""
        dirty = min(self.tables_bytes / PAGE_BYTES, self.per_s(probe) * seconds / self.per_page)
        return 1.0 + 10 * probe.durable_write_s + 0.6 * dirty * probe.random_read_s


PGBENCH = Demand(
    clients=64,
    together=SCALE * 4,
    per_cpu=5000,
    per_page=4,
    tables_bytes=SCALE * 17 * MIB,
    filled=2,
    first_bytes=40_000,
    later_bytes=10_000,
    whole_bytes=SCALE * 34 * MIB,
)
"""Each transaction locks one of ``SCALE`` branches until its commit is durable."""
SQL_OLTP = Demand(
    clients=16,
    together=32,
    per_cpu=1000,
    per_page=8,
    tables_bytes=96 * MIB,
    filled=3,
    first_bytes=150_000,
    later_bytes=18_750,
    whole_bytes=LOG_BYTES,
)
"""Transactions of 18 statements: four changed rows with their indexes, whole pages in the log for each."""


@dataclass(frozen=True, slots=True)
class SqlSpec(Spec):
    """Clients work for ``duration_s``, whole seconds; a fixed number of transactions would take forever on a slow disk.

    They finish ``transactions_per_s`` at most.
    """

    WORK: ClassVar = {"duration_s": 1}
    ESTIMATES: ClassVar = frozenset({"expected_s", "transactions_per_s"})
    DEMAND: ClassVar[Demand]

    duration_s: int
    transactions_per_s: float

    @property
    def cost(self) -> Cost:
        """The cluster with its tables, its log, and what of it is written to its place."""
        asked = self.DEMAND
        most = int(self.transactions_per_s * self.duration_s) + asked.clients
        written = min(most * asked.first_bytes, asked.whole_bytes + most * asked.later_bytes) + 32 * MIB
        prepared = NEW_BYTES + asked.filled * asked.tables_bytes
        return Cost(self.expected_s, written, prepared, prepared + min(LOG_BYTES, written))


class PgbenchSpec(SqlSpec):
    """pgbench's own tables."""

    DEMAND = PGBENCH


class SqlOltpSpec(SqlSpec):
    """sysbench's tables."""

    DEMAND = SQL_OLTP


class _Transactions(Workload):
    """Each run starts the server, which was stopped in good order before: so a checkpoint lies between two runs, and an
    idle server disturbs no other workload. The rows are others in each run: the same ones again would be those that
    the checkpoint has just written, and be served differently.
    """

    spec_type: type[SqlSpec]

    def unavailable(self, disks: Sequence[str] | None = None) -> Message | None:
        """The client and the server have to be installed."""
        server = None if find_postgresql() else message("postgresql-missing", package="postgresql")
        return super().unavailable(disks) or server

    def plan(self, probe: Probe, seconds: float, *_: float) -> SqlSpec:
        """As much of that time for the transactions as starting and the checkpoint leave."""
        demand = self.spec_type.DEMAND
        length = length_s(seconds, lambda whole: demand.around_s(probe, whole))
        return self.spec_type(length + demand.around_s(probe, length), length, demand.per_s(probe))

    def prepare(self, scratch: Scratch, spec: SqlSpec, processes: Processes) -> None:
        """Make the cluster and fill its tables, quickly, then make all of it durable."""
        server, timeout_s = _cluster(scratch), 600 + 20 * spec.expected_s
        server.create(processes)
        with server.running(processes, timeout_s, QUICKLY):
            processes.run(self.filling(server), NOWHERE, timeout_s)
        processes.run(["sync", "--file-system", "."], scratch.folder, timeout_s)

    def run(self, scratch: Scratch, spec: SqlSpec, processes: Processes, *_: float) -> Measurement:
        """Start the server, run the transactions, stop the server in good order."""
        server, timeout_s = _cluster(scratch), spec.timeout_s + 60
        with server.running(processes, timeout_s):
            text = processes.run(self.asking(server, spec), NOWHERE, timeout_s).out
        tps, times = self.read(text, server)
        values = {"tps": tps, "p50_s": times.share(0.5), "p99_s": times.share(0.99)}
        return Measurement(values, float(spec.duration_s), histograms={"latency_s": times.histogram()})

    @abstractmethod
    def filling(self, server: Postgresql) -> list[str]:
        """Return the command that fills the tables."""

    @abstractmethod
    def asking(self, server: Postgresql, spec: SqlSpec) -> list[str]:
        """Return the command that runs the transactions."""

    @abstractmethod
    def read(self, text: str, server: Postgresql) -> tuple[float, Distribution]:
        """Read transactions per second, and how long they took, out of what it printed and noted."""


class Pgbench(_Transactions):
    """pgbench notes each transaction in files beside the server's: 50 bytes each, which nothing waits for."""

    id = "pgbench"
    spec_type = PgbenchSpec

    def filling(self, server: Postgresql) -> list[str]:
        """With the write-up's scale."""
        return [server.program("pgbench"), "-h", str(server.folder), "-i", "-s", str(SCALE), "-q", DATABASE]

    def asking(self, server: Postgresql, spec: SqlSpec) -> list[str]:
        """With the write-up's clients, and without the notes of a run before."""
        for old in server.folder.glob("pgbench.*"):
            old.unlink()
        argv = [server.program("pgbench"), "-h", str(server.folder), "-c", str(PGBENCH.clients), "-M", "prepared"]
        return [*argv, "-T", str(spec.duration_s), "-l", f"--log-prefix={server.folder}/pgbench", DATABASE]

    def read(self, text: str, server: Postgresql) -> tuple[float, Distribution]:
        """Read the rate that it prints, and its notes."""
        lines = [line for path in server.folder.glob("pgbench.*") for line in path.read_text().splitlines()]
        try:  # microseconds
            return parse_tps(text), Distribution([int(line.split(" ", 3)[2]) / 1e6 for line in lines])
        except (IndexError, ValueError) as error:
            raise NotUnderstood("pgbench", "\n".join(lines[-1:])) from error


class SqlOltp(_Transactions):
    """Rows are chosen evenly: with few rows chosen often, waiting for each other is measured and not the disk."""

    id = "sql-oltp"
    spec_type = SqlOltpSpec

    def filling(self, server: Postgresql) -> list[str]:
        """As sysbench does it."""
        return [*self._sysbench(server), "prepare"]

    def asking(self, server: Postgresql, spec: SqlSpec) -> list[str]:
        """With a histogram."""
        timed = [f"--threads={SQL_OLTP.clients}", f"--time={spec.duration_s}", "--histogram=on"]
        return [*self._sysbench(server), *timed, "run"]

    def read(self, text: str, server: Postgresql) -> tuple[float, Distribution]:  # noqa: ARG002 - it prints all
        """Read its report."""
        return parse_transactions(text)

    def _sysbench(self, server: Postgresql) -> list[str]:
        argv = ["sysbench", "oltp_read_write", "--db-driver=pgsql", f"--pgsql-host={server.folder}"]
        argv += [f"--pgsql-user={user_name()}", f"--pgsql-db={DATABASE}"]
        return [*argv, f"--tables={TABLES}", f"--table-size={ROWS}", "--rand-type=uniform"]


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


RUNNERS = (Pgbench(), SqlOltp())
