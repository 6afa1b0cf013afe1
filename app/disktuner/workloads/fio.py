# SPDX-License-Identifier: GPL-3.0-or-later
"""fio: its command, its JSON output, and a database's requests: the workloads ``commit-log``, ``oltp`` and ``scan``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.spec import Cost, Count, FileSpec, ReadSpec, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload, plan_reading

# Threads, not processes, so that ending the program ends all of it. Naming the clock saves 0.2 s of trying clocks.
COMMON = (
    "--thread", "--output-format=json+", "--group_reporting", "--fallocate=none", "--invalidate=1",
    "--clocksource=clock_gettime",
)  # fmt: skip
START_S = 0.3
"""The time until its first request."""
HELD = ("--exec_prerun=echo ready; cat", "--exec_postrun=echo done; true")
"""The job begins when fio's standard input ends, and prints ``done`` at its end: fio itself takes some tenths of a
second before and after the job, during which no background load is needed."""

BLOCK_BYTES = 4096
JOURNAL_FACTOR = 8  # the most blocks that the file system's journal writes per append
CLIENTS = 10
WRITES_PER_COMMIT = 4  # a small transaction changes a few pages, then waits for fdatasync(2)
MOST_PER_S = 20_000  # beyond this the disk is not the limit
FLUSH_BYTES = 8 * BLOCK_BYTES  # the most that the file system's journal adds to a commit


@dataclass(frozen=True, slots=True)
class Latency:
    """A distribution of times: the worst, percentiles in nanoseconds, upper bounds in seconds with their counts."""

    worst_s: float
    percentiles: Mapping[str, float]
    histogram: tuple[tuple[float, int], ...]

    def at(self, percent: int) -> float:
        """Return a percentile in seconds: fio's is the middle of a bin, which may lie beyond the worst.

        Raises ``NotUnderstood`` if no request was answered.
        """
        percentile_ns = self.percentiles.get(f"{percent}.000000")
        if percentile_ns is None:
            raise NotUnderstood("fio", "no request was answered")
        return min(percentile_ns / 1e9, self.worst_s)


@dataclass(frozen=True, slots=True)
class Direction:
    """fio's report of its reads or writes: latencies from submission (from the due time if paced), and of syncs."""

    total_bytes: int
    ios: int
    bytes_per_s: float
    runtime_s: float
    latency: Latency
    syncs: Latency


def until(abort_after_s: float) -> list[str]:
    """Return the option that ends a job early; its rates are true even then."""
    return [f"--runtime={max(1, round(1000 * abort_after_s))}ms"] if math.isfinite(abort_after_s) else []


def fio(path: Path, options: Sequence[str], seed: int) -> list[str]:
    """Return the command for one job on one file; without --randrepeat=0, fio 3 ignores --randseed."""
    job = ("--randrepeat=0", "--name=job", f"--filename={path.name}")
    return ["fio", *COMMON, *job, *options, f"--randseed={seed}"]


def run_fio(scratch: Scratch, path: Path, options: Sequence[str], timeout_s: float) -> tuple[Direction, Direction]:
    """Run one job and return its reads and its writes."""
    return parse_job(scratch.run(fio(path, options, scratch.seed + 1), timeout_s))


def parse_job(text: str) -> tuple[Direction, Direction]:
    """Parse the reads and writes of the only job, or group of jobs, from ``--output-format=json+``.

    Total latency (``lat_ns``) counts from the creation of a request, completion latency (``clat_ns``, with the
    histogram) from its submission; at an I/O depth of one per paced job they differ by the queueing in fio. Raises
    ``NotUnderstood``.
    """
    try:
        (job,) = json.loads(text[text.index("{") :])["jobs"]
        syncs = _latency(job.get("sync", {}).get("lat_ns", {}))
        return _direction(job["read"], syncs), _direction(job["write"], syncs)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotUnderstood("fio", text[:200]) from error


def _direction(report: Mapping[str, Any], syncs: Latency) -> Direction:
    return Direction(
        total_bytes=int(report["io_bytes"]),
        ios=int(report["total_ios"]),
        bytes_per_s=float(report["bw_bytes"]),
        runtime_s=float(report["runtime"]) / 1000,
        latency=_latency(report["clat_ns"]),
        syncs=syncs,
    )


def _latency(report: Mapping[str, Any]) -> Latency:
    bins = tuple((int(upper) / 1e9, int(count)) for upper, count in report.get("bins", {}).items() if count)
    return Latency(float(report.get("max", 0)) / 1e9, report.get("percentile", {}), bins)


class LogSpec(Spec, frozen=True):
    """A run makes ``commits`` of 4 KiB, each followed by fdatasync(2)."""

    WORK: ClassVar = {"commits": 25}
    CAN_GROW: ClassVar = True

    commits: Count

    @property
    def cost(self) -> Cost:
        """The log, and the file system's journal."""
        total = self.commits * BLOCK_BYTES
        return Cost(total * JOURNAL_FACTOR + MIB, bytes_kept=total + MIB)


class CommitLog(Workload):
    """fio appends to a log and waits for each append."""

    id = "commit-log"
    spec_type = LogSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> LogSpec:
        commits = max(50, min(50_000, int(seconds / probe.durable_write_s)))
        return LogSpec(commits * probe.durable_write_s + 0.5, commits)

    def run(self, scratch: Scratch, spec: LogSpec, abort_after_s: float = math.inf) -> Measurement:
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


class OltpSpec(FileSpec, frozen=True):
    """Each client makes ``ios`` reads and writes in the table."""

    WORK: ClassVar = {"ios": 8}
    CAN_GROW: ClassVar = True

    ios: Count

    @property
    def cost(self) -> Cost:
        """The table, the writes, and their commits."""
        writes = self.ios * CLIENTS * 0.6
        written = int(writes * BLOCK_BYTES + writes / WRITES_PER_COMMIT * FLUSH_BYTES) + MIB
        return Cost(written, self.file_bytes, self.file_bytes)


class Oltp(Workload):
    """All clients work on one table with O_DIRECT, as a database without the system's page cache does."""

    id = "oltp"
    spec_type = OltpSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> OltpSpec:
        """As many as the disk serves one by one: ten clients at once are faster, commits slower."""
        each_s = max(1 / MOST_PER_S, 0.8 * probe.random_read_s + probe.durable_write_s / (2 * WRITES_PER_COMMIT * 3))
        ios = max(16, int(seconds / each_s / CLIENTS))
        file_mib = max(16, min(512, int(2 * probe.write_bytes_per_s / MIB)))
        return OltpSpec(ios * CLIENTS * each_s + 0.5, file_mib * MIB, ios)

    def run(self, scratch: Scratch, spec: OltpSpec, abort_after_s: float = math.inf) -> Measurement:
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


class Scan(Workload):
    """Reads the table with O_DIRECT in pieces of 32 to 256 KiB."""

    id = "scan"
    spec_type = ReadSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> ReadSpec:
        return plan_reading(probe, seconds, besides_s=0.5)

    def run(self, scratch: Scratch, spec: ReadSpec, abort_after_s: float = math.inf) -> Measurement:
        path = self.file(scratch)
        make_cold(path)
        options = [f"--size={spec.file_bytes}", "--rw=read", f"--io_size={spec.read_bytes}", "--bsrange=32k-256k"]
        options += ["--direct=1", "--ioengine=psync", *until(abort_after_s)]
        reads, _ = run_fio(scratch, path, options, spec.timeout_s)
        return Measurement({"bytes_per_s": reads.bytes_per_s}, reads.runtime_s, reads.total_bytes, 0, direct=True)


RUNNERS = (CommitLog(), Oltp(), Scan())
