# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``pgbench`` and ``sql-oltp``: transactions on a private PostgreSQL server of the system's version."""

from __future__ import annotations

import math
import os
import pwd
import re
import shutil
import signal
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from disktuner.opening import is_there
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.errors import NotUnderstood, ProgramFailed, RunFailed
from disktuner.workloads.processes import Processes, dying_with_us
from disktuner.workloads.spec import Cost, Rate, Spec, WholeSeconds
from disktuner.workloads.sysbench import histogram, number
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload

NAME, INITDB = "PostgreSQL", "initdb"
PROGRAMS = (INITDB, "postgres", "pgbench", "psql")
DATABASE = "postgres"
NEW_BYTES = 64 * MIB
"""A new cluster with the first segment of its log."""
LOG_BYTES = 1024 * MIB
"""PostgreSQL's default limit of its log between two checkpoints (max_wal_size)."""

NOWHERE = Path("/")
"""The current folder of the server and its clients, which reach cluster and socket by ``folder`` alone.

Before version 16 the server returns to the current folder by name, which by then may belong to another folder.
"""

_PRIVATE = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "dynamic_shared_memory_type=mmap",
)
_DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
QUICKLY = ("fsync=off", "wal_level=minimal", "max_wal_senders=0")
"""For filling a database that is synced as a whole afterwards."""

SCALE = 10
_PER_DOUBLING = 8  # bins; each is at most 9 % wide


def find_postgresql(installed: Path = Path("/usr/lib/postgresql")) -> Path | None:
    """Find the folder with the newest version of all programs: Debian has one per version, others use PATH."""

    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))

    postgres = shutil.which("postgres")
    folders = [
        *sorted(installed.glob("*/bin"), key=version, reverse=True),
        *([Path(postgres).parent] if postgres else []),
    ]
    return next((folder for folder in folders if all(is_there(folder / name) for name in PROGRAMS)), None)


class Postgresql:
    """A cluster in a scratch folder: its own socket, no TCP port, only this user may connect, every commit durable.

    Attributes: ``folder`` has data and socket. A socket's path may have 107 bytes at most (unix(7)); paths of scratch
    folders are short.
    """

    def __init__(self, scratch: Path, programs: Path, processes: Processes) -> None:
        self.folder = scratch / "postgresql"
        self._programs, self._processes = programs, processes

    def program(self, name: str) -> str:
        return str(self._programs / name)

    def create(self) -> None:
        """Run initdb once per scratch folder; its files are synced with the first database, not one by one.

        initdb runs in its own session, so that a cancel kills it alone, and the server that it started sees the end of
        its input and frees its shared memory. Raises ``RunFailed``.
        """
        if is_there(self.folder / "PG_VERSION"):
            return
        self.folder.mkdir(0o700, exist_ok=True)
        argv = ["setsid", "--wait", *dying_with_us(), self.program(INITDB), f"--pgdata={self.folder}"]
        argv += ["--auth=peer", "--no-sync", "--no-locale", "--encoding=UTF8"]
        try:
            self._processes.run(argv, NOWHERE, timeout_s=300.0)
        except ProgramFailed as failed:
            said = " ".join(failed.output.split())[-300:]
            raise RunFailed("server-not-made", server=NAME, program=INITDB, output=said) from failed

    @contextmanager
    def running(self, timeout_s: float, settings: Sequence[str] = ()) -> Iterator[None]:
        """Run the server during the block, and shut it down in order, so that all data are durable.

        Raises ``RunFailed``.
        """
        all_settings = (*_PRIVATE, *_DURABLE, f"unix_socket_directories={self.folder}", *settings)
        argv = [
            self.program("postgres"),
            "-D",
            str(self.folder),
            *(word for setting in all_settings for word in ("-c", setting)),
        ]
        # An immediate shutdown, which still frees the shared memory.
        pid = self._processes.start(argv, NOWHERE, ended_by=signal.SIGQUIT)
        self._await(pid, min(timeout_s, 60.0))
        try:
            yield
        except RunFailed:
            self._processes.pause(0.5)  # clients notice the server's end before the kernel tells us
            self._blame(pid)
            raise
        os.kill(pid, signal.SIGINT)  # a fast shutdown: ends the clients, writes a checkpoint
        self._processes.wait(pid, timeout_s)

    def _await(self, pid: int, timeout_s: float) -> None:
        """Wait until this server says in its file (first and eighth line, pidfile.h) that it is ready."""
        deadline, lines = time.monotonic() + timeout_s, list[str]()
        while lines[:1] != [str(pid)] or lines[7:8] != ["ready"]:
            self._blame(pid)
            if time.monotonic() > deadline:
                raise RunFailed("server-too-slow", server=NAME, waited=timeout_s)
            self._processes.pause(0.01)
            with suppress(FileNotFoundError):
                lines = [line.strip() for line in (self.folder / "postmaster.pid").read_text().splitlines()]

    def _blame(self, pid: int) -> None:
        """Raise ``RunFailed`` with the server's last output if it has ended."""
        if self._processes.ended(pid):
            self._processes.wait(pid, 1.0)
            raise RunFailed("server-stopped", server=NAME)


def within_s(times_s: Sequence[float], share: float) -> float:
    """Return the quantile ``share`` of times (nearest rank)."""
    return sorted(times_s)[max(0, math.ceil(share * len(times_s)) - 1)]


def bins(times_s: Sequence[float]) -> tuple[tuple[float, int], ...]:
    """Return a histogram: upper bounds in seconds and counts, of logarithmic bins."""
    counts = Counter(math.ceil(_PER_DOUBLING * math.log2(max(time_s, 1e-7))) for time_s in times_s)
    return tuple((float(f"{2 ** (number / _PER_DOUBLING):.5g}"), counts[number]) for number in sorted(counts))


class SqlSpec(Spec, frozen=True):
    """Clients work for ``duration_s`` whole seconds; a fixed number of transactions would take forever on a slow disk.

    They finish at most ``transactions_per_s``: at most ``TOGETHER`` transactions share one flush of the log, a
    processor does at most ``PER_CPU`` a second, and ``PER_PAGE`` of them change one more page for a checkpoint to
    write. One writes ``FIRST_BYTES`` until ``WHOLE_BYTES`` are written, when every page has been in the log once, and
    ``LATER_BYTES`` from then on. With its indexes and the first part of the log, a table takes ``FILLED`` times its
    size. These figures are for pgbench, whose transactions each lock one of ``SCALE`` branches until their commit is
    durable.
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
        """The cluster with its tables, the log, and the pages that checkpoints write."""
        most = int(self.transactions_per_s * self.duration_s) + self.CLIENTS
        written = min(most * self.FIRST_BYTES, self.WHOLE_BYTES + most * self.LATER_BYTES) + 32 * MIB
        prepared = NEW_BYTES + self.FILLED * self.TABLES_BYTES
        return Cost(written, prepared, prepared + min(LOG_BYTES, written))


class SqlOltpSpec(SqlSpec, frozen=True):
    """sysbench's tables; a transaction's 18 statements change four rows and their indexes, each a whole logged page."""

    CLIENTS, TOGETHER, PER_CPU, PER_PAGE = 16, 32, 1000, 8
    TABLES_BYTES, FILLED, WHOLE_BYTES = 96 * MIB, 3, LOG_BYTES
    FIRST_BYTES, LATER_BYTES = 150_000, 18_750


class _Transactions(Workload):
    """Each run starts the server, which was shut down in order: there is a checkpoint between two runs, and no idle
    server disturbs other workloads. Each run uses other rows, as those that the checkpoint has just written would be
    served differently.
    """

    spec_type: type[SqlSpec]

    def unavailable(self, disks: Sequence[str] | None = None) -> Message | None:
        server = None if find_postgresql() else message("postgresql-missing", package="postgresql")
        return super().unavailable(disks) or server

    def plan(self, probe: Probe, seconds: float, *_: float) -> SqlSpec:
        """As many whole seconds as starting and stopping (flushes, pages of a checkpoint) leave."""
        asked = self.spec_type
        per_s = min(asked.TOGETHER / probe.durable_write_s, asked.PER_CPU * len(os.sched_getaffinity(0)))

        def around_s(length: float) -> float:
            dirty = min(asked.TABLES_BYTES / 8192, per_s * length / asked.PER_PAGE)
            return 1.0 + 10 * probe.durable_write_s + 0.6 * dirty * probe.random_read_s

        fit = (length for length in range(1, int(seconds) + 1) if length + around_s(length) <= seconds)
        length = max(fit, default=1)
        return asked(length + around_s(length), length, per_s)

    def prepare(self, scratch: Scratch, spec: SqlSpec) -> None:
        """Create the cluster and fill its tables without syncing, then sync it all."""
        server, timeout_s = _cluster(scratch), 600 + 20 * spec.expected_s
        server.create()
        with server.running(timeout_s, QUICKLY):
            scratch.processes.run(self.command(server, None), NOWHERE, timeout_s)
        scratch.sync(timeout_s)

    def run(self, scratch: Scratch, spec: SqlSpec, *_: float) -> Measurement:
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
        """Return the command that runs the transactions, or without a spec the one that fills the tables."""

    @abstractmethod
    def read(self, text: str, server: Postgresql) -> tuple[float, list[float]]:
        """Return transactions per second, and their seconds, from the command's output and logs."""


class Pgbench(_Transactions):
    """pgbench logs each transaction in files next to the server's: 50 bytes each, which nothing waits for."""

    id = "pgbench"
    spec_type = SqlSpec

    def command(self, server: Postgresql, spec: SqlSpec | None) -> list[str]:
        """Remove the logs of an earlier run, and return the command."""
        argv = [server.program("pgbench"), "-h", str(server.folder)]
        if spec is None:
            return [*argv, "-i", "-s", str(SCALE), "-q", DATABASE]
        for old in server.folder.glob("pgbench.*"):
            old.unlink()
        argv += ["-c", str(spec.CLIENTS), "-M", "prepared", "-T", str(spec.duration_s)]
        return [*argv, "-l", f"--log-prefix={server.folder}/pgbench", DATABASE]

    def read(self, text: str, server: Postgresql) -> tuple[float, list[float]]:
        lines = [line for path in server.folder.glob("pgbench.*") for line in path.read_text().splitlines()]
        try:  # microseconds
            return parse_tps(text), [int(line.split(" ", 3)[2]) / 1e6 for line in lines]
        except (IndexError, ValueError) as error:
            raise NotUnderstood("pgbench", "\n".join(lines[-1:])) from error


class SqlOltp(_Transactions):
    """Rows are chosen uniformly: with few popular rows, waiting for locks would be measured instead of the disk."""

    id = "sql-oltp"
    spec_type = SqlOltpSpec

    def command(self, server: Postgresql, spec: SqlSpec | None) -> list[str]:
        argv = ["sysbench", "oltp_read_write", "--db-driver=pgsql", f"--pgsql-host={server.folder}"]
        argv += [f"--pgsql-user={pwd.getpwuid(os.geteuid()).pw_name}", f"--pgsql-db={DATABASE}"]
        argv += ["--tables=8", "--table-size=25000", "--rand-type=uniform"]
        if spec is None:
            return [*argv, "prepare"]
        return [*argv, f"--threads={spec.CLIENTS}", f"--time={spec.duration_s}", "--histogram=on", "run"]

    def read(self, text: str, server: Postgresql) -> tuple[float, list[float]]:  # noqa: ARG002 - it prints all
        return parse_transactions(text)


def parse_tps(text: str) -> float:
    """Parse pgbench's last rate; before version 14, the one before it includes the time to connect."""
    rates = re.findall(r"^tps = ([0-9.]+)", text, re.MULTILINE)
    if not rates:
        raise NotUnderstood("pgbench", text)
    return float(rates[-1])


def parse_transactions(text: str) -> tuple[float, list[float]]:
    """Parse sysbench's transactions per second and histogram (bins 1.8 % wide). Raises ``NotUnderstood``."""
    return number(text, r"transactions:\s+\d+\s+\(([0-9.]+) per sec"), list(histogram(text).elements())


def _cluster(scratch: Scratch) -> Postgresql:
    programs = find_postgresql()
    assert programs, "asked whether it is available before"
    return Postgresql(scratch.folder, programs, scratch.processes)


RUNNERS = (Pgbench(), SqlOltp())
