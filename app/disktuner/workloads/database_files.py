# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``commit-log``, ``oltp`` and ``scan``: what a database asks of its disk, asked by fio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from disktuner.workloads.cold import make_cold
from disktuner.workloads.fio import run_fio, until
from disktuner.workloads.spec import Cost, FileSpec, ReadSpec, Spec
from disktuner.workloads.workload import MIB, Measurement, OnFile, Probe, Scratch, Workload

BLOCK_BYTES = 4096
JOURNAL_FACTOR = 8  # what the file system's own journal may write per append, at most, in blocks
CLIENTS = 10
WRITES_PER_COMMIT = 4  # of a client, as a small transaction changes a few pages; then it waits for fdatasync(2)
MOST_OLTP_MIB = 512
MOST_PER_S = 20_000  # a faster disk than this is not what decides
FLUSH_BYTES = 8 * BLOCK_BYTES  # what the file system's journal may add to a commit
MOST_SCAN_MIB = 1024
MOST_SCANS = 20


@dataclass(frozen=True, slots=True)
class LogSpec(Spec):
    """A run has so many ``commits`` of 4 KiB, each followed by fdatasync(2)."""

    WORK: ClassVar = {"commits": 25}

    commits: int

    @property
    def cost(self) -> Cost:
        """The log, with what the file system's journal writes."""
        total = self.commits * BLOCK_BYTES
        return Cost(self.expected_s, total * JOURNAL_FACTOR + MIB, bytes_kept=total + MIB)


class CommitLog(Workload):
    """fio appends and waits."""

    id = "commit-log"
    spec_type = LogSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> LogSpec:
        """As many as are durable in that time."""
        commits = max(50, min(50_000, int(seconds / probe.durable_write_s)))
        return LogSpec(commits * probe.durable_write_s + 0.5, commits)

    def run(self, scratch: Scratch, spec: LogSpec, abort_after_s: float = math.inf) -> Measurement:
        """Append to a new log, and remove it."""
        path = self.file(scratch, "out")
        options = ["--rw=write", f"--bs={BLOCK_BYTES}", f"--size={spec.commits * BLOCK_BYTES}", "--file_append=1"]
        options += ["--fdatasync=1", "--ioengine=psync", "--refill_buffers", *until(abort_after_s)]
        path.touch(0o600)
        try:
            _, writes = run_fio(scratch, path, options, spec.timeout_s)
        finally:
            path.unlink(missing_ok=True)
        values = {"commits_per_s": writes.ios / writes.runtime_s, "p99_s": writes.syncs.at(99)}
        return Measurement(values, writes.runtime_s, histograms={"latency_s": writes.syncs.histogram})


@dataclass(frozen=True, slots=True)
class OltpSpec(FileSpec):
    """Each client makes so many reads and writes (``ios``) in the table."""

    WORK: ClassVar = {"ios": 8}

    ios: int

    @property
    def cost(self) -> Cost:
        """The table, the writes, and what makes them durable."""
        writes = self.ios * CLIENTS * 0.6
        written = int(writes * BLOCK_BYTES + writes / WRITES_PER_COMMIT * FLUSH_BYTES) + MIB
        return Cost(self.expected_s, written, self.file_bytes, self.file_bytes)


class Oltp(OnFile):
    """All clients work on one table with O_DIRECT, as a database without the system's page cache does."""

    id = "oltp"
    spec_type = OltpSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> OltpSpec:
        """As many as the disk does in that time one after the other: ten at once are faster, commits are slower."""
        each_s = max(1 / MOST_PER_S, 0.8 * probe.random_read_s + probe.durable_write_s / (2 * WRITES_PER_COMMIT * 3))
        ios = max(16, int(seconds / each_s / CLIENTS))
        file_mib = max(16, min(MOST_OLTP_MIB, int(2 * probe.write_bytes_per_s / MIB)))
        return OltpSpec(ios * CLIENTS * each_s + 0.5, file_mib * MIB, ios)

    def run(self, scratch: Scratch, spec: OltpSpec, abort_after_s: float = math.inf) -> Measurement:
        """Let all clients work until each has done its part."""
        path = self.file(scratch)
        make_cold(path)
        options = [f"--size={spec.file_bytes}", "--rw=randrw", f"--bs={BLOCK_BYTES}", "--direct=1", "--ioengine=psync"]
        options += [f"--numjobs={CLIENTS}", "--rwmixread=50", f"--fdatasync={WRITES_PER_COMMIT}"]
        options += [f"--number_ios={spec.ios}", "--norandommap", "--refill_buffers", *until(abort_after_s)]
        reads, writes = run_fio(scratch, path, options, spec.timeout_s)
        wall_s = max(reads.runtime_s, writes.runtime_s)
        values = {
            "ios_per_s": (reads.ios + writes.ios) / wall_s,
            "read_p99_s": reads.latency.at(99),
            "commit_p99_s": writes.syncs.at(99),
        }
        histograms = {"read_s": reads.latency.histogram, "write_s": writes.latency.histogram}
        return Measurement(values, wall_s, reads.total_bytes, writes.total_bytes, histograms)


class Scan(OnFile):
    """The table is read with O_DIRECT in pieces of 32 to 256 KiB."""

    id = "scan"
    spec_type = ReadSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> ReadSpec:
        """As much as the disk reads in that time, not more than it writes in twice that time."""
        wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds
        size = MIB * max(8, min(MOST_SCAN_MIB, int(wanted / MIB)))
        once_s = size / probe.read_bytes_per_s
        times = max(1, min(MOST_SCANS, int(seconds / once_s)))
        return ReadSpec(times * once_s + 0.5, size, times * size)

    def run(self, scratch: Scratch, spec: ReadSpec, abort_after_s: float = math.inf) -> Measurement:
        """Read it cold."""
        path = self.file(scratch)
        make_cold(path)
        options = [f"--size={spec.file_bytes}", "--rw=read", f"--io_size={spec.read_bytes}", "--bsrange=32k-256k"]
        options += ["--direct=1", "--ioengine=psync", *until(abort_after_s)]
        reads, _ = run_fio(scratch, path, options, spec.timeout_s)
        return Measurement({"bytes_per_s": reads.bytes_per_s}, reads.runtime_s, reads.total_bytes, 0, direct=True)


RUNNERS = (CommitLog(), Oltp(), Scan())
