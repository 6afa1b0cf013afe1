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
"""A new cluster with its first segment of the log."""
LOG_BYTES = 1024 * MIB
"""PostgreSQL's own limit of its log between two checkpoints (max_wal_size)."""

NOWHERE = Path("/")
"""The current folder of the server and its clients, which reach the cluster and its socket by ``folder`` alone.

Before version 16 the server goes back to the current folder by its name, which somebody may have given to another.
"""

_PRIVATE = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "dynamic_shared_memory_type=mmap",
)
_DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
QUICKLY = ("fsync=off", "wal_level=minimal", "max_wal_senders=0")
"""For filling a database that is made durable afterwards, as a whole."""

SCALE = 10
_PER_DOUBLING = 8  # bins; each is at most 9 % wide


def find_postgresql(installed: Path = Path("/usr/lib/postgresql")) -> Path | None:
    """Find the folder with the newest version of all programs: Debian has one per version, others use the PATH."""

    def version(folder: Path) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))

    there = shutil.which("postgres")
    folders = [*sorted(installed.glob("*/bin"), key=version, reverse=True), *([Path(there).parent] if there else [])]
    return next((each for each in folders if all(is_there(each / name) for name in PROGRAMS)), None)


class Postgresql:
    """A cluster in a scratch folder: its own socket, no TCP port, only this user may connect, every commit durable.

    Attributes: ``folder`` has data and socket. A socket's path may have 107 bytes at most (unix(7)); that of a scratch
    folder is short wherever it lies.
    """

    def __init__(self, scratch: Path, programs: Path, processes: Processes) -> None:
        self.folder = scratch / "postgresql"
        self._programs, self._processes = programs, processes

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        return str(self._programs / name)

    def create(self) -> None:
        """Run initdb once per scratch folder. It is made durable with the first database, not file by file.

        initdb runs in a session of its own. So it alone is killed on a cancel, and the server that it
        started sees the end of its input and gives its shared memory back. Raises ``RunFailed``.
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
        """Run the server while the block runs; in good order, so all data are durable then. Raises ``RunFailed``."""
        every = (*_PRIVATE, *_DURABLE, f"unix_socket_directories={self.folder}", *settings)
        argv = [self.program("postgres"), "-D", str(self.folder), *(word for each in every for word in ("-c", each))]
        # An immediate shutdown, after which it gives its shared memory back.
        pid = self._processes.start(argv, NOWHERE, ended_by=signal.SIGQUIT)
        self._await(pid, min(timeout_s, 60.0))
        try:
            yield
        except RunFailed:
            self._processes.pause(0.5)  # a client notices that its server ends before the kernel tells us
            self._blame(pid)
            raise
        os.kill(pid, signal.SIGINT)  # a fast shutdown: ends the clients, writes a checkpoint
        self._processes.wait(pid, timeout_s)

    def _await(self, pid: int, timeout_s: float) -> None:
        """Return when this server reports in its own file (its first and its eighth line, pidfile.h) to be ready."""
        deadline, lines = time.monotonic() + timeout_s, list[str]()
        while lines[:1] != [str(pid)] or lines[7:8] != ["ready"]:
            self._blame(pid)
            if time.monotonic() > deadline:
                raise RunFailed("server-too-slow", server=NAME, waited=timeout_s)
            self._processes.pause(0.01)
            with suppress(FileNotFoundError):
                lines = [line.strip() for line in (self.folder / "postmaster.pid").read_text().splitlines()]

    def _blame(self, pid: int) -> None:
        """Raise ``RunFailed`` with what the server printed last if it is not there any more."""
        if self._processes.ended(pid):
            self._processes.wait(pid, 1.0)
            raise RunFailed("server-stopped", server=NAME)


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
            dirty = min(asked.TABLES_BYTES / 8192, per_s * length / asked.PER_PAGE)
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
