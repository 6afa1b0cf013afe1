# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``read-latency-under-writes``: how long small reads take while files are being written."""

from __future__ import annotations

from disktuner.results.model import Better, Goal, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.fio import COMMON, parse_job
from disktuner.workloads.programs import missing
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size
from disktuner.workloads.writers import SOURCE_BYTES, Load, Writers, load_for

SETTLE_S = 0.3
BUSY_SHARE = 0.2
MOST_MIB = 256
DEPTH = 256


class ReadLatencyUnderWrites:
    """``scale`` is the number of reads per second, ``extra`` the MiB that the writer writes.

    Reads of 4 KiB come at random times at a fixed mean rate (a Poisson process), whether the ones before were answered
    or not: a stall delays all that arrive meanwhile and is seen (no coordinated omission). fio keeps up to 256 under
    way. Alone they would keep the disk busy for a fifth of the time.
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
        """A rate for a fifth of the disk's time, and a writer for the whole time."""
        seconds = min(seconds, 4.0)
        rate = max(10, min(5000, int(BUSY_SHARE / probe.random_read_s)))
        load = load_for(probe.write_bytes_per_s, seconds, 1)
        file_mib = max(16, min(MOST_MIB, int(3 * probe.write_bytes_per_s / MIB)))
        kept = load.total_bytes + file_mib * MIB
        written = load.total_bytes
        expected_s = seconds + SETTLE_S + 0.8
        return Size(rate, written, file_mib * MIB, expected_s, kept, SOURCE_BYTES, load.mib_each)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file that is read."""
        write_file(scratch.folder / f"{self.id}.in", size.bytes_prepared, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the writer, read for three quarters of its expected time, wait for it."""
        timeout_s = 20 * size.expected_s + 60
        path = scratch.folder / f"{self.id}.in"
        make_cold(path)
        writers = Writers(Load(1, size.extra), scratch, processes)
        writers.start()
        processes.pause(SETTLE_S)
        seconds = max(0.5, 0.75 * (size.expected_s - SETTLE_S - 0.8))
        argv = ["fio", *COMMON, "--name=reads", f"--filename={path.name}", "--rw=randread", "--bs=4k", "--direct=1"]
        argv += ["--ioengine=libaio", f"--iodepth={DEPTH}", f"--rate_iops={size.scale}", "--rate_process=poisson"]
        argv += ["--time_based", f"--runtime={seconds:.2f}s", f"--size={size.bytes_prepared}", "--norandommap"]
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
