# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``commit-log``, ``oltp`` and ``scan``: what a database asks of its disk, asked by fio."""

from __future__ import annotations

from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.fio import fio, parse_job
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload

BLOCK_BYTES = 4096
JOURNAL_FACTOR = 8  # what the file system's own journal may write per append, at most, in blocks
CLIENTS = 10
WRITES_PER_COMMIT = 4  # of a client, as a small transaction changes a few pages; then it waits for fdatasync(2)
MOST_OLTP_MIB = 512
MOST_PER_S = 20_000  # a faster disk than this is not what decides
FLUSH_BYTES = 8 * BLOCK_BYTES  # what the file system's journal may add to a commit
MOST_SCAN_MIB = 1024
MOST_SCANS = 20


class CommitLog(Workload):
    """``scale`` is the number of commits of 4 KiB, each followed by fdatasync(2)."""

    id = "commit-log"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many as are durable in that time."""
        commits = max(50, min(50_000, int(seconds / probe.durable_write_s)))
        total = commits * BLOCK_BYTES
        expected_s = commits * probe.durable_write_s + 0.5
        return Size(commits, total * JOURNAL_FACTOR + MIB, 0, expected_s, bytes_kept=total + MIB)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Append to a new log, and remove it."""
        path = self.file(scratch, "out")
        options = ["--rw=write", f"--bs={BLOCK_BYTES}", f"--size={size.scale * BLOCK_BYTES}", "--file_append=1"]
        options += ["--fdatasync=1", "--ioengine=psync", "--refill_buffers"]
        path.touch(0o600)
        try:
            text = processes.run(fio("log", path, options, scratch.seed + 1), scratch.folder, size.timeout_s).out
        finally:
            path.unlink(missing_ok=True)
        writes = parse_job(text, "log", "write")
        if writes.sync_p99_s is None:
            raise NotUnderstood("fio", text)
        values = {"commits_per_s": writes.ios / writes.runtime_s, "p99_s": writes.sync_p99_s}
        return Measurement(values, writes.runtime_s, histograms={"latency_s": writes.sync_histogram})


class Oltp(Workload):
    """``scale`` is the number of reads and writes of each client, ``extra`` the size of the table in MiB.

    All clients work on one table with O_DIRECT, as a database without the system's page cache does.
    """

    id = "oltp"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many as the disk does in that time one after the other: ten at once are faster, commits are slower."""
        each_s = max(1 / MOST_PER_S, 0.8 * probe.random_read_s + probe.durable_write_s / (2 * WRITES_PER_COMMIT * 3))
        ios = max(16, int(seconds / each_s / CLIENTS))
        file_mib = max(16, min(MOST_OLTP_MIB, int(2 * probe.write_bytes_per_s / MIB)))
        writes = ios * CLIENTS * 0.6
        written = int(writes * BLOCK_BYTES + writes / WRITES_PER_COMMIT * FLUSH_BYTES) + MIB
        kept = file_mib * MIB
        return Size(ios, written, kept, ios * CLIENTS * each_s + 0.5, bytes_kept=kept, extra=file_mib)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the table."""
        self.write(scratch, size.extra * MIB, processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Let all clients work until each has done its part."""
        path = self.file(scratch)
        make_cold(path)
        options = [f"--size={size.extra}m", "--rw=randrw", f"--bs={BLOCK_BYTES}", "--direct=1", "--ioengine=psync"]
        options += [f"--numjobs={CLIENTS}", "--rwmixread=50", f"--fdatasync={WRITES_PER_COMMIT}"]
        options += [f"--number_ios={size.scale}", "--norandommap", "--refill_buffers"]
        text = processes.run(fio("clients", path, options, scratch.seed + 1), scratch.folder, size.timeout_s).out
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


class Scan(Workload):
    """``scale`` is the file's size in MiB, ``extra`` how often it is read with O_DIRECT in pieces of 32 to 256 KiB."""

    id = "scan"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk reads in that time, not more than it writes in twice that time."""
        wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds
        mib = max(8, min(MOST_SCAN_MIB, int(wanted / MIB)))
        once_s = mib * MIB / probe.read_bytes_per_s
        times = max(1, min(MOST_SCANS, int(seconds / once_s)))
        return Size(mib, 0, mib * MIB, times * once_s + 0.5, bytes_kept=mib * MIB, extra=times)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the table."""
        self.write(scratch, size.scale * MIB, processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read it cold."""
        path = self.file(scratch)
        make_cold(path)
        options = [f"--size={size.scale}m", "--rw=read", f"--loops={size.extra}", "--bsrange=32k-256k", "--direct=1"]
        argv = fio("scan", path, [*options, "--ioengine=psync"], scratch.seed + 1)
        reads = parse_job(processes.run(argv, scratch.folder, size.timeout_s).out, "scan", "read")
        return Measurement({"bytes_per_s": reads.bytes_per_s}, reads.runtime_s, reads.total_bytes, 0, direct=True)


RUNNERS = (CommitLog(), Oltp(), Scan())
