# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``pgbench`` and ``sql-oltp``: transactions on a private PostgreSQL server."""

from __future__ import annotations

import math
import os
import pwd
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.errors import NotUnderstood, RunFailed
from disktuner.workloads.postgresql import DATABASE, LOG_BYTES, NEW_BYTES, NOWHERE, QUICKLY, Postgresql, find_postgresql
from disktuner.workloads.spec import Cost, Rate, Spec, WholeSeconds
from disktuner.workloads.sysbench import histogram, number
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload

SCALE = 10
PAGE_BYTES = 8192

_PER_DOUBLING = 8  # bins; each is at most 9 % wide


def within_s(times_s: Sequence[float], share: float) -> float:
    """Return the time within which that share of some was done (nearest rank)."""
    return sorted(times_s)[max(0, math.ceil(share * len(times_s)) - 1)]


def bins(times_s: Sequence[float]) -> tuple[tuple[float, int], ...]:
    """Return upper bounds in seconds and counts, in bins that grow with the time."""
    counts = Counter(math.ceil(_PER_DOUBLING * math.log2(max(time_s, 1e-7))) for time_s in times_s)
    return tuple((float(f"{2 ** (number / _PER_DOUBLING):.5g}"), counts[number]) for number in sorted(counts))


class SqlSpec(Spec, frozen=True):
    """Clients work for ``duration_s``, whole seconds; a fixed number of transactions would take forever on a slow disk.

    They finish ``transactions_per_s`` at most. ``TOGETHER`` of them share one flush of the log at most, a processor
    manages ``PER_CPU`` a second at most, and ``PER_PAGE`` of them change one more page that a checkpoint writes. One
    writes ``FIRST_BYTES`` until ``WHOLE_BYTES`` are written, when every page was in the log once, and ``LATER_BYTES``
    from then on. With its indexes and its first part of the log, a table takes ``FILLED`` times its size. The figures
    are those of pgbench, whose transactions lock one of ``SCALE`` branches each until their commit is durable.
    """

    WORK: ClassVar = {"duration_s": 1}
    ESTIMATES: ClassVar = frozenset({"expected_s", "transactions_per_s"})
    CLIENTS, TOGETHER, PER_CPU, PER_PAGE = 64, SCALE * 4, 5000, 4
    TABLES_BYTES, FILLED, WHOLE_BYTES = SCALE * 17 * MIB, 2, SCALE * 34 * MIB
    FIRST_BYTES, LATER_BYTES = 40_000, 10_000

    duration_s: WholeSeconds
    transactions_per_s: Rate

    @property
    def cost(self) -> Cost:
        """The cluster with its tables, its log, and what of it is written to its place."""
        most = int(self.transactions_per_s * self.duration_s) + self.CLIENTS
        written = min(most * self.FIRST_BYTES, self.WHOLE_BYTES + most * self.LATER_BYTES) + 32 * MIB
        prepared = NEW_BYTES + self.FILLED * self.TABLES_BYTES
        return Cost(written, prepared, prepared + min(LOG_BYTES, written))


class SqlOltpSpec(SqlSpec, frozen=True):
    """sysbench's tables; 18 statements change four rows with their indexes, whole pages in the log for each."""

    CLIENTS, TOGETHER, PER_CPU, PER_PAGE = 16, 32, 1000, 8
    TABLES_BYTES, FILLED, WHOLE_BYTES = 96 * MIB, 3, LOG_BYTES
    FIRST_BYTES, LATER_BYTES = 150_000, 18_750


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
        """As many whole seconds as starting and stopping in good order leave: flushes, and pages of a checkpoint."""
        asked = self.spec_type
        per_s = min(asked.TOGETHER / probe.durable_write_s, asked.PER_CPU * len(os.sched_getaffinity(0)))

        def around_s(length: float) -> float:
            dirty = min(asked.TABLES_BYTES / PAGE_BYTES, per_s * length / asked.PER_PAGE)
            return 1.0 + 10 * probe.durable_write_s + 0.6 * dirty * probe.random_read_s

        fit = (length for length in range(1, int(seconds) + 1) if length + around_s(length) <= seconds)
        length = max(fit, default=1)
        return asked(length + around_s(length), length, per_s)

    def prepare(self, scratch: Scratch, spec: SqlSpec) -> None:
        """Make the cluster and fill its tables, quickly, then make all of it durable."""
        server, timeout_s = _cluster(scratch), 600 + 20 * spec.expected_s
        server.create()
        with server.running(timeout_s, QUICKLY):
            scratch.processes.run(self.command(server, None), NOWHERE, timeout_s)
        scratch.sync(timeout_s)

    def run(self, scratch: Scratch, spec: SqlSpec, *_: float) -> Measurement:
        """Start the server, run the transactions, stop the server in good order."""
        server, timeout_s = _cluster(scratch), spec.timeout_s + 60
        with server.running(timeout_s):
            text = scratch.processes.run(self.command(server, spec), NOWHERE, timeout_s).out
        tps, times_s = self.read(text, server)
        if not times_s:
            raise RunFailed("nothing-finished")
        values = {"tps": tps, "p50_s": within_s(times_s, 0.5), "p99_s": within_s(times_s, 0.99)}
        return Measurement(values, float(spec.duration_s), histograms={"latency_s": bins(times_s)})

    @abstractmethod
    def command(self, server: Postgresql, spec: SqlSpec | None) -> list[str]:
        """Return what runs the transactions, or without a spec what fills the tables."""

    @abstractmethod
    def read(self, text: str, server: Postgresql) -> tuple[float, list[float]]:
        """Read transactions per second, and how long they took in seconds, out of what it printed and noted."""


class Pgbench(_Transactions):
    """pgbench notes each transaction in files beside the server's: 50 bytes each, which nothing waits for."""

    id = "pgbench"
    spec_type = SqlSpec

    def command(self, server: Postgresql, spec: SqlSpec | None) -> list[str]:
        """With the write-up's scale and clients, and without the notes of a run before."""
        argv = [server.program("pgbench"), "-h", str(server.folder)]
        if spec is None:
            return [*argv, "-i", "-s", str(SCALE), "-q", DATABASE]
        for old in server.folder.glob("pgbench.*"):
            old.unlink()
        argv += ["-c", str(spec.CLIENTS), "-M", "prepared", "-T", str(spec.duration_s)]
        return [*argv, "-l", f"--log-prefix={server.folder}/pgbench", DATABASE]

    def read(self, text: str, server: Postgresql) -> tuple[float, list[float]]:
        """Read the rate that it prints, and its notes."""
        lines = [line for path in server.folder.glob("pgbench.*") for line in path.read_text().splitlines()]
        try:  # microseconds
            return parse_tps(text), [int(line.split(" ", 3)[2]) / 1e6 for line in lines]
        except (IndexError, ValueError) as error:
            raise NotUnderstood("pgbench", "\n".join(lines[-1:])) from error


class SqlOltp(_Transactions):
    """Rows are chosen evenly: with few rows chosen often, waiting for each other is measured and not the disk."""

    id = "sql-oltp"
    spec_type = SqlOltpSpec

    def command(self, server: Postgresql, spec: SqlSpec | None) -> list[str]:
        """As sysbench does it, with a histogram."""
        argv = ["sysbench", "oltp_read_write", "--db-driver=pgsql", f"--pgsql-host={server.folder}"]
        argv += [f"--pgsql-user={pwd.getpwuid(os.geteuid()).pw_name}", f"--pgsql-db={DATABASE}"]
        argv += ["--tables=8", "--table-size=25000", "--rand-type=uniform"]
        if spec is None:
            return [*argv, "prepare"]
        return [*argv, f"--threads={spec.CLIENTS}", f"--time={spec.duration_s}", "--histogram=on", "run"]

    def read(self, text: str, server: Postgresql) -> tuple[float, list[float]]:  # noqa: ARG002 - it prints all
        """Read its report."""
        return parse_transactions(text)


def parse_tps(text: str) -> float:
    """Read the last figure that pgbench prints; before version 14 the one before counts the time of connecting."""
    found = re.findall(r"^tps = ([0-9.]+)", text, re.MULTILINE)
    if not found:
        raise NotUnderstood("pgbench", text)
    return float(found[-1])


def parse_transactions(text: str) -> tuple[float, list[float]]:
    """Read sysbench's transactions per second and histogram (its bins are 1.8 % wide). Raises ``NotUnderstood``."""
    return number(text, r"transactions:\s+\d+\s+\(([0-9.]+) per sec"), list(histogram(text).elements())


def _cluster(scratch: Scratch) -> Postgresql:
    programs = find_postgresql()
    assert programs, "asked whether it is available before"
    return Postgresql(scratch.folder, programs, scratch.processes)


RUNNERS = (Pgbench(), SqlOltp())
