# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``scan``: large sequential reads of changing size, as a query over a whole table makes them."""

from __future__ import annotations

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.fio import COMMON, parse_job
from disktuner.workloads.programs import missing
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

MOST_MIB = 1024
MOST_TIMES = 20


class Scan:
    """``scale`` is the file's size in MiB, ``extra`` how often it is read with O_DIRECT in pieces of 32 to 256 KiB."""

    id = "scan"
    summary = "Reads a big table from its beginning to its end"
    program = "fio"
    package: str | None = "fio"
    metrics = (Metric("bytes_per_s", "bytes_per_s", Better.HIGHER, "Reading a whole table"),)
    deciding = "bytes_per_s"
    goals = frozenset({Goal.DATABASE})
    source = "DSS load: 100 % sequential reads of 32 to 256 KiB (D)"

    def unavailable(self) -> str | None:
        """Fio has to be installed."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk reads in that time, not more than it writes in twice that time."""
        wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds
        mib = max(8, min(MOST_MIB, int(wanted / MIB)))
        once_s = mib * MIB / probe.read_bytes_per_s
        times = max(1, min(MOST_TIMES, int(seconds / once_s)))
        return Size(mib, 0, mib * MIB, times * once_s + 0.5, bytes_kept=mib * MIB, extra=times)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the table."""
        write_file(scratch.folder / f"{self.id}.in", size.scale * MIB, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read it cold."""
        path = scratch.folder / f"{self.id}.in"
        make_cold(path)
        argv = ["fio", *COMMON, "--name=scan", f"--filename={path.name}", f"--size={size.scale}m", "--rw=read"]
        argv += [f"--loops={size.extra}"]
        argv += ["--bsrange=32k-256k", "--direct=1", "--ioengine=psync", f"--randseed={scratch.seed + 1}"]
        text = processes.run(argv, scratch.folder, 20 * size.expected_s + 60).out
        reads = parse_job(text, "scan", "read")
        values = {"bytes_per_s": reads.bytes_per_s}
        return Measurement(values, reads.runtime_s, reads.total_bytes, 0, direct=True)


WORKLOADS = (Scan(),)
