# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``read-latency-under-writes``: how long small reads take while files are being written."""

from __future__ import annotations

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.fio import COMMON, parse_job
from disktuner.workloads.programs import missing
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, preferred
from disktuner.workloads.writers import END_S, SETTLE_S, SOURCE_BYTES, Load, Writers, load_for

BUSY_SHARE = 0.25
START_S = 0.3  # of fio
MOST_MIB = 256
DEPTH = 256


class ReadLatencyUnderWrites:
    """``scale`` is the number of reads per second, ``extra`` the MiB that the writer writes.

    Reads of 4 KiB come at random times at a fixed mean rate (a Poisson process), whether the ones before were answered
    or not: a stall delays all that arrive meanwhile and is seen (no coordinated omission). fio keeps up to 256 under
    way. Alone they would keep the disk busy for a quarter of the time.
    """

    id = "read-latency-under-writes"
    summary = "Small reads at a steady rate while a file is being written"
    program = "fio"
    package: str | None = "fio"
    metrics = (
        Metric("p99_s", "s", Better.LOWER, "The slowest hundredth of small reads beside a writer"),
        Metric("p50_s", "s", Better.LOWER, "Half of the small reads beside a writer"),
        Metric("worst_s", "s", Better.LOWER, "The slowest small read beside a writer"),
        Metric("write_bytes_per_s", "bytes_per_s", Better.HIGHER, "Writing beside small reads"),
    )
    deciding = "p99_s"
    goals = frozenset({Goal.DESKTOP, Goal.SERVER})
    source = "a server that chokes beside one writer (A); fixed arrivals as in G. Tene, How not to measure latency"

    def unavailable(self) -> str | None:
        """Fio has to be installed."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """A rate for a quarter of the disk's time, and a writer for the whole time."""
        around_s = SETTLE_S + START_S + END_S
        reading_s = max(0.5, min(seconds - around_s, 6.0))
        rate = max(8, min(4096, preferred(BUSY_SHARE / probe.random_read_s)))
        load = load_for(probe.write_bytes_per_s, SETTLE_S + START_S + reading_s, 1)
        file_mib = max(16, min(MOST_MIB, preferred(2 * probe.write_bytes_per_s / MIB)))
        kept = load.total_bytes + file_mib * MIB
        expected_s = reading_s + around_s
        return Size(rate, load.total_bytes, file_mib * MIB, expected_s, kept, SOURCE_BYTES, load.mib_each)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file that is read."""
        write_file(scratch.folder / f"{self.id}.in", size.bytes_prepared, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the writer, read, end the writer."""
        timeout_s = 20 * size.expected_s + 60
        path = scratch.folder / f"{self.id}.in"
        make_cold(path)
        writers = Writers(Load(1, size.extra), scratch, processes)
        writers.start()
        seconds = size.expected_s - SETTLE_S - START_S - END_S
        argv = ["fio", *COMMON, "--name=reads", f"--filename={path.name}", "--rw=randread", "--bs=4k", "--direct=1"]
        argv += ["--ioengine=libaio", f"--iodepth={DEPTH}", f"--rate_iops={size.scale}", "--rate_process=poisson"]
        argv += ["--time_based", f"--runtime={seconds * 1000:.0f}ms", f"--size={size.bytes_prepared}", "--norandommap"]
        argv += [f"--randseed={scratch.seed + 1}"]
        text = processes.run(argv, scratch.folder, timeout_s).out
        reads = parse_job(text, "reads", "read")
        written = writers.finish(timeout_s)
        values = {
            "p99_s": reads.latency_s[99.0],
            "p50_s": reads.latency_s[50.0],
            "worst_s": reads.worst_s,
            "write_bytes_per_s": written.bytes_per_s,
        }
        histograms = {"latency_s": reads.histogram}
        return Measurement(values, reads.runtime_s, reads.total_bytes, written.size_bytes, histograms, direct=True)


WORKLOADS = (ReadLatencyUnderWrites(),)
