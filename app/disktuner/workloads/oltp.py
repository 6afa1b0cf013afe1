# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``oltp``: ten clients of a database, simulated by fio: small random reads and writes, made durable."""

from __future__ import annotations

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.fio import COMMON, parse_job
from disktuner.workloads.programs import missing
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

CLIENTS = 10
BLOCK_BYTES = 4096
WRITES_PER_COMMIT = 4  # of a client, as a small transaction changes a few pages; then it waits for fdatasync(2)
MOST_MIB = 512
MOST_PER_S = 20_000  # a faster disk than this is not what decides
FLUSH_BYTES = 8 * BLOCK_BYTES  # what the file system's journal may add to a commit


class Oltp:
    """``scale`` is the number of reads and writes of each client, ``extra`` the size of the table in MiB.

    All clients work on one table with O_DIRECT, as a database without the system's page cache does.
    """

    id = "oltp"
    summary = "Ten clients read and write small random blocks, each waiting for its commits"
    program = "fio"
    package: str | None = "fio"
    metrics = (
        Metric("ios_per_s", "per_s", Better.HIGHER, "Small reads and writes of ten clients"),
        Metric("read_p99_s", "s", Better.LOWER, "The slowest hundredth of ten clients' reads"),
        Metric("commit_p99_s", "s", Better.LOWER, "The slowest hundredth of ten clients' commits"),
    )
    deciding = "ios_per_s"
    goals = frozenset({Goal.DATABASE})
    source = "OLTP load: 4 KiB random, half reads and half writes, 10 users (D)"

    def unavailable(self) -> str | None:
        """Fio has to be installed."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many as the disk does in that time one after the other: ten at once are faster, commits are slower."""
        each_s = max(1 / MOST_PER_S, 0.8 * probe.random_read_s + probe.durable_write_s / (2 * WRITES_PER_COMMIT * 3))
        ios = max(16, int(seconds / each_s / CLIENTS))
        file_mib = max(16, min(MOST_MIB, int(2 * probe.write_bytes_per_s / MIB)))
        writes = ios * CLIENTS * 0.6
        written = int(writes * BLOCK_BYTES + writes / WRITES_PER_COMMIT * FLUSH_BYTES) + MIB
        kept = file_mib * MIB
        return Size(ios, written, kept, ios * CLIENTS * each_s + 0.5, bytes_kept=kept, extra=file_mib)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the table."""
        write_file(scratch.folder / f"{self.id}.in", size.extra * MIB, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Let all clients work until each has done its part."""
        path = scratch.folder / f"{self.id}.in"
        make_cold(path)
        argv = ["fio", *COMMON, "--name=clients", f"--filename={path.name}", f"--size={size.extra}m", "--rw=randrw"]
        argv += [f"--bs={BLOCK_BYTES}", "--direct=1", "--ioengine=psync", f"--numjobs={CLIENTS}", "--rwmixread=50"]
        argv += [f"--fdatasync={WRITES_PER_COMMIT}", f"--number_ios={size.scale}", "--norandommap", "--refill_buffers"]
        argv += [f"--randseed={scratch.seed + 1}"]
        text = processes.run(argv, scratch.folder, 20 * size.expected_s + 60).out
        reads, writes = parse_job(text, "clients", "read"), parse_job(text, "clients", "write")
        if writes.sync_p99_s is None:
            raise NotUnderstood("fio", text)
        wall_s = max(reads.runtime_s, writes.runtime_s)
        values = {
            "ios_per_s": (reads.ios + writes.ios) / wall_s,
            "read_p99_s": reads.latency_s[99.0],
            "commit_p99_s": writes.sync_p99_s,
        }
        histograms = {"read_s": reads.histogram, "write_s": writes.histogram}
        return Measurement(values, wall_s, reads.total_bytes, writes.total_bytes, histograms)


WORKLOADS = (Oltp(),)
