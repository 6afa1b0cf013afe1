# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``launch-under-writes``, ``launch-under-reads`` and ``read-latency-under-writes``.

How long small reads take, of a program that starts or of a server's clients, while the disk is busy with big files.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from disktuner.workloads import dependent_reader
from disktuner.workloads.cold import make_cold
from disktuner.workloads.dd import parse_dd
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.fio import fio, parse_job
from disktuner.workloads.source import write_file
from disktuner.workloads.starts import Start, estimate, parse_start
from disktuner.workloads.workload import (
    MIB,
    Measurement,
    Probe,
    Processes,
    Scratch,
    Size,
    Workload,
    own_program,
    preferred,
)
from disktuner.workloads.writers import (
    END_S,
    MOST_BYTES_PER_S,
    SETTLE_S,
    SOURCE_BYTES,
    Gate,
    Load,
    Writers,
    load_for,
    read_so_far,
    settle_s,
    wait_until_ready,
)

BLOCK_BYTES = 16384
WRITERS = 2
SLOW_WAIT, FAST_WAIT = 8, 3
"""How many times as long as alone a scattered read takes beside writers, at least: about 8 on a 7200 rpm disk with any
scheduler that does not hold the writers back for it. Only sizes and announcements rest on this."""
SLOW_BESIDE, FAST_BESIDE = 4, 8
"""The time of a read beside a writer that the look at the disk found counts up to this many times that."""
MOST_WAIT = 1.4
"""For how many times the expected time the writers can go on, should a scheduler be that slow."""
MOST_STEPS = 12_288
LEAST_READS, LEAST_QUICK_READS = 16, 24
QUICK_BYTES = 256 * MIB
"""What is written in a run at most, as expected, where a scattered read takes fractions of a millisecond: keeping such
a disk busy takes much, and many short runs tell more than a few long ones. Half of it for a start, all of it for reads
at a fixed rate, of which only the slowest count."""
PREPARE_S = 0.1
"""What starting the programs of a run takes."""
FILE_NAME = "launch.in"

READERS = 4
MOST_READER_MIB = 512
BEGIN_S = 0.2  # until all readers read

BUSY_SHARE = 0.25
LEAST_QUICK_S, MOST_QUICK_S = 0.1, 0.5
"""How long reads of fractions of a millisecond come."""
MOST_QUICK_SHARE = 0.4
"""Which part of a run's time they come at most; the rest is what fio needs."""
MOST_MET = 1.3
"""For how many times that the writers can go on: they may be faster than the look at the disk found."""
START_S = 0.3  # of fio
DEPTH = 256
TAIL = 0.1
"""The part of the small reads whose mean decides. On a hard disk a run has 40 of them, and their p99 is their maximum,
which varies by 20 to 50 % from run to run."""


class LaunchUnderWrites(Workload):
    """A program's start is many small reads, each known only after the one before, from files that are not in memory.

    A process of its own does that on a scattered file while two others write beside it, as fast as the disk takes it,
    until it is done. ``scale`` is the number of reads, ``extra`` the MiB that each writer may write at most. The
    writers' speed during the start is the price.

    A scheduler that starves the start lets the writers be through before it is. From then on its reads take no longer
    than alone, which would flatter that scheduler: its time is worked out from the reads before, all being alike.
    """

    id = "launch-under-writes"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many reads as take that time beside the writers, less what the writers need before and after."""
        settle = settle_s(probe.busy_bytes_per_s, WRITERS, math.inf)
        around_s = PREPARE_S + settle + min(END_S, settle)
        slow = probe.seeks_slowly
        alone_s = (SLOW_WAIT if slow else FAST_WAIT) * probe.random_read_s
        read_s = min(max(alone_s, probe.beside_read_s), (SLOW_BESIDE if slow else FAST_BESIDE) * alone_s)
        lasting_s = seconds - around_s if slow else min(seconds - around_s, QUICK_BYTES / 2 / probe.busy_bytes_per_s)
        reads = min(MOST_STEPS, max(LEAST_READS if slow else LEAST_QUICK_READS, preferred(lasting_s / read_s)))
        load = load_for(probe.busy_bytes_per_s, settle + MOST_WAIT * reads * read_s, WRITERS, math.inf)
        file_bytes = _file_mib(probe) * MIB
        kept = load.total_bytes + file_bytes
        expected_s = reads * read_s + around_s
        return Size(reads, load.total_bytes, file_bytes, expected_s, kept, SOURCE_BYTES, load.mib_each, settle)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file that the start reads from."""
        write_file(scratch.folder / FILE_NAME, size.bytes_prepared, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make cold, start the writers, start the program, end the writers."""
        make_cold(scratch.folder / FILE_NAME)
        writers = Writers(Load(WRITERS, size.extra, size.settle_s, math.inf), scratch, processes)
        start, read_bytes = _launch(scratch, size, processes, writers)
        written = writers.finish(size.timeout_s)
        found = estimate([start], [1] * len(start.done_s), written.through_s)
        values = {"wall_s": found.wall_s, "write_bytes_per_s": written.bytes_per_s}
        remark = found.remark(written.size_bytes)
        return Measurement(values, start.wall_s, read_bytes, written.size_bytes, remark=remark)


class LaunchUnderReads(Workload):
    """``scale`` is the number of dependent reads, ``extra`` the MiB that the writer writes and each reader reads.

    Each of the four readers reads its own file once, with dd and O_DIRECT. All go on after the start is done.
    """

    id = "launch-under-reads"

    def size(self, probe: Probe, seconds: float) -> Size:
        """Four fifths of the time for the readers, one for the writer, and a start that alone takes a fifteenth."""
        around_s = SETTLE_S + BEGIN_S + END_S
        speed = min(probe.read_bytes_per_s, probe.write_bytes_per_s, 4 * MOST_BYTES_PER_S)
        mib = min(MOST_READER_MIB, preferred(speed * (seconds - around_s) / (READERS + 1) / MIB))
        reads = min(
            MOST_STEPS,
            max(16, preferred((seconds - around_s) / (15 if probe.seeks_slowly else 5) / probe.random_read_s)),
        )
        prepared = (_file_mib(probe) + READERS * mib) * MIB
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
        scratch = replace(scratch, folder=scratch.folder / self.id)
        make_cold(scratch.folder / FILE_NAME)
        writers = Writers(Load(1, size.extra), scratch, processes)
        writers.start()
        readers = [processes.start(_reader(number), scratch.folder) for number in range(READERS)]
        processes.pause(BEGIN_S)
        start, launched_bytes = _launch(scratch, size, processes)
        copied = [parse_dd(processes.wait(pid, size.timeout_s).err) for pid in readers]
        written = writers.finish(size.timeout_s)
        read_bytes = sum(each.size_bytes for each in copied)
        values = {"wall_s": start.wall_s, "read_bytes_per_s": read_bytes / max(each.seconds for each in copied)}
        return Measurement(values, start.wall_s, read_bytes + launched_bytes, written.size_bytes, direct=True)


class ReadLatencyUnderWrites(Workload):
    """``scale`` is the number of reads per second, ``extra`` the MiB that the writer writes.

    Reads of 4 KiB come at random times at a fixed mean rate (a Poisson process), whether the ones before were answered
    or not: a stall delays all that arrive meanwhile and is seen (no coordinated omission). fio keeps up to 256 under
    way. Alone they would keep the disk busy for a quarter of the time.

    Where a scattered read takes fractions of a millisecond two writers write at full speed, since one alone cannot fill
    the queue of such a disk, and the reads come for a shorter time, so that not much more is written.
    """

    id = "read-latency-under-writes"

    def size(self, probe: Probe, seconds: float) -> Size:
        """A rate for a quarter of the disk's time, and writers for the whole time."""
        rate = max(8, min(4096, preferred(BUSY_SHARE / probe.random_read_s)))
        if probe.seeks_slowly:
            settle = SETTLE_S - START_S
            reading_s = max(0.5, min(seconds - PREPARE_S - settle - START_S - END_S, 6.0))
            load = load_for(probe.write_bytes_per_s, settle + START_S + reading_s, 1)
        else:
            settle = 0.0
            preferred_s = max(LEAST_QUICK_S, QUICK_BYTES / probe.busy_bytes_per_s)
            reading_s = min(preferred_s, MOST_QUICK_S, MOST_QUICK_SHARE * seconds)
            load = load_for(probe.busy_bytes_per_s, MOST_MET * reading_s, WRITERS, math.inf)
        file_bytes = _file_mib(probe) * MIB
        kept = load.total_bytes + file_bytes
        expected_s = PREPARE_S + settle + START_S + reading_s + END_S
        return Size(rate, load.total_bytes, file_bytes, expected_s, kept, SOURCE_BYTES, load.mib_each, settle)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file that is read."""
        self.write(scratch, size.bytes_prepared, processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read beside the writer, end it."""
        path = self.file(scratch)
        make_cold(path)
        seconds = max(0.01, size.expected_s - PREPARE_S - size.settle_s - START_S - END_S)
        options = ["--rw=randread", "--bs=4k", "--direct=1", "--ioengine=libaio", f"--iodepth={DEPTH}"]
        options += [f"--rate_iops={size.scale}", "--rate_process=poisson", "--time_based"]
        options += [f"--runtime={seconds * 1000:.0f}ms", f"--size={size.bytes_prepared}", "--norandommap"]
        argv = fio("reads", path, options, scratch.seed + 1)
        pid, writers = self._start(argv, scratch, size, processes)
        reads = parse_job(processes.wait(pid, size.timeout_s).out, "reads", "read")
        written = writers.finish(size.timeout_s)
        values = {
            "slowest_tenth_s": mean_of_slowest(reads.histogram, TAIL),
            "p99_s": reads.latency_s[99.0],
            "p50_s": reads.latency_s[50.0],
            "worst_s": reads.worst_s,
            "write_bytes_per_s": written.bytes_per_s,
        }
        histograms = {"latency_s": reads.histogram}
        return Measurement(values, reads.runtime_s, reads.total_bytes, written.size_bytes, histograms, direct=True)

    def _start(self, argv: Sequence[str], scratch: Scratch, size: Size, processes: Processes) -> tuple[int, Writers]:
        """Start the reads, and what writes: before them, or as soon as they come where that is at full speed."""
        if size.settle_s:
            writers = Writers(Load(1, size.extra, size.settle_s), scratch, processes)
            writers.start()
            return processes.start(argv, scratch.folder), writers
        writers = Writers(Load(WRITERS, size.extra, 0.0, math.inf), scratch, processes)
        with writers.waiting():
            pid = processes.start(argv, scratch.folder)
            until_s = time.monotonic() + size.expected_s
            while not processes.ended(pid) and not read_so_far(pid) and time.monotonic() < until_s:
                processes.pause(0.005)
        return pid, writers


def mean_of_slowest(histogram: Sequence[tuple[float, int]], share: float) -> float:
    """Return the mean of the slowest share of a distribution, in seconds, to the width of its bins.

    Raises ``NotUnderstood`` where it is empty.
    """
    count = sum(number for _, number in histogram)
    if not count:
        raise NotUnderstood("fio", "no request was answered")
    wanted = left = max(1.0, share * count)
    total_s = 0.0
    for latency_s, number in sorted(histogram, reverse=True):
        taken = min(left, number)
        total_s, left = total_s + taken * latency_s, left - taken
    return total_s / wanted


def _launch(scratch: Scratch, size: Size, processes: Processes, writers: Writers | None = None) -> tuple[Start, int]:
    """Run the dependent reader as a new process; writers begin just before it reads. Also return what it read."""
    script = Path(dependent_reader.__file__)
    argv = own_program(script, FILE_NAME, size.scale, BLOCK_BYTES, scratch.seed)
    with Gate() as gate:
        pid = processes.start(argv, scratch.folder, stdin=gate.fd)
        wait_until_ready(processes, pid)
        if writers:
            writers.start()
    return parse_start(script, processes.wait(pid, size.timeout_s).out)


def _reader(number: int) -> list[str]:
    return ["dd", f"if=reader-{number}.in", "of=/dev/null", "bs=256K", "iflag=direct"]


def _file_mib(probe: Probe) -> int:
    """The size of the file with the small reads: what is written in two seconds."""
    return max(16, min(256, preferred(2 * probe.write_bytes_per_s / MIB)))


RUNNERS = (LaunchUnderWrites(), LaunchUnderReads(), ReadLatencyUnderWrites())
