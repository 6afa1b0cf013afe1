# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``launch-under-reads``: the cold start of a program beside four readers and one writer."""

from __future__ import annotations

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.launch_under_writes import FILE_NAME, SLOW_READ_S, launch
from disktuner.workloads.programs import missing, parse_dd
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, preferred
from disktuner.workloads.writers import END_S, MOST_BYTES_PER_S, SETTLE_S, SOURCE_BYTES, Load, Writers

READERS = 4
MOST_READER_MIB = 512
BEGIN_S = 0.2  # until all readers read


class LaunchUnderReads:
    """``scale`` is the number of dependent reads, ``extra`` the MiB that the writer writes; each of the four readers
    reads its own file of the same size once with dd and O_DIRECT. All of them go on after the start is done.
    """

    id = "launch-under-reads"
    summary = "Starts a program cold beside four readers and one writer"
    program = "dd"
    package: str | None = "coreutils"
    metrics = (
        Metric("wall_s", "s", Better.LOWER, "Starting a program beside four readers and a writer"),
        Metric("read_bytes_per_s", "bytes_per_s", Better.HIGHER, "Reading while a program starts"),
    )
    deciding = "wall_s"
    goals = frozenset({Goal.DESKTOP, Goal.SERVER})
    source = "a server that chokes under 4 readers and 1 writer (A)"

    def unavailable(self) -> str | None:
        """dd is part of coreutils."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """Four fifths of the time for the readers, one for the writer, and a start that alone takes a fifteenth."""
        slow = probe.random_read_s > SLOW_READ_S
        around_s = SETTLE_S + BEGIN_S + END_S
        speed = min(probe.read_bytes_per_s, probe.write_bytes_per_s, 4 * MOST_BYTES_PER_S)
        mib = min(MOST_READER_MIB, preferred(speed * (seconds - around_s) / (READERS + 1) / MIB))
        reads = min(12_288, max(16, preferred((seconds - around_s) / (15 if slow else 5) / probe.random_read_s)))
        launch_mib = max(16, min(256, preferred(2 * probe.write_bytes_per_s / MIB)))
        prepared = (launch_mib + READERS * mib) * MIB
        expected_s = (READERS + 1) * mib * MIB / speed + around_s
        return Size(reads, mib * MIB, prepared, expected_s, prepared + mib * MIB, SOURCE_BYTES, mib)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the files that are read."""
        launch_bytes = size.bytes_prepared - READERS * size.extra * MIB
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        write_file(folder / FILE_NAME, launch_bytes, scratch.seed, processes.check)
        for number in range(READERS):
            write_file(folder / f"reader-{number}.in", size.extra * MIB, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the readers and the writer, then the program; wait for all."""
        timeout_s = 20 * size.expected_s + 60
        scratch = Scratch(scratch.folder / self.id, scratch.seed, scratch.source)
        make_cold(scratch.folder / FILE_NAME)
        writers = Writers(Load(1, size.extra), scratch, processes)
        writers.start()
        readers = [processes.start(_reader(number), scratch.folder) for number in range(READERS)]
        processes.pause(BEGIN_S)
        walked = launch(scratch, size.scale, processes, timeout_s)
        copied = [parse_dd(processes.wait(pid, timeout_s).err) for pid in readers]
        written = writers.finish(timeout_s)
        read_bytes = sum(each.size_bytes for each in copied)
        values = {"wall_s": walked.wall_s, "read_bytes_per_s": read_bytes / max(each.seconds for each in copied)}
        return Measurement(values, walked.wall_s, read_bytes + walked.size_bytes, written.size_bytes, direct=True)


def _reader(number: int) -> list[str]:
    return ["dd", f"if=reader-{number}.in", "of=/dev/null", "bs=256K", "iflag=direct"]


WORKLOADS = (LaunchUnderReads(),)
