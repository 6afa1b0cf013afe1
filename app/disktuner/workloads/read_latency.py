# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``read-latency-under-writes``: how long small reads of a server's clients take beside a writer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import ClassVar

from disktuner.vocabulary.background import ONE_WRITER
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.fio import START_S, fio, parse_job
from disktuner.workloads.load import Background, LoadedSpec, affordable_s, plan_load
from disktuner.workloads.processes import Processes
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload, preferred

BUSY_SHARE = 0.25
LEAST_S, QUICK_S, MOST_S = 0.5, 0.6, 6.0
"""How long reads come: on a disk that answers at once there are hundreds soon, and keeping it busy wears it."""
LASTING = 1.5
"""Reads come for a fixed time: the writer may only be faster than the look at the disk found."""
DEPTH = 256
TAIL = 0.1
"""The part of the small reads whose mean decides. On a hard disk a run has hardly a hundred of them, and their p99 is
about their maximum, which varies by 20 to 50 % from run to run."""
OUTLYING = 0.01
"""So many of all, at least one, count as the slowest of the rest: a single read cannot decide a run."""


@dataclass(frozen=True, slots=True)
class LatencySpec(LoadedSpec):
    """So many reads per second come for ``duration_s``, from a file of ``prepared_bytes``."""

    WORK: ClassVar = {"duration_s": LEAST_S}

    reads_per_s: int
    duration_s: float


class ReadLatencyUnderWrites(Workload):
    """Reads of 4 KiB come at random times at a fixed mean rate (a Poisson process).

    They come whether the ones before were answered or not: a stall delays all that arrive meanwhile and is seen (no
    coordinated omission). fio keeps up to 256 under way. Alone they would keep the disk busy for a quarter of the time.
    """

    id = "read-latency-under-writes"
    spec_type = LatencySpec

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> LatencySpec:
        """A rate for a quarter of the disk's time, and a writer for all of it."""
        rate = max(8, min(4096, preferred(BUSY_SHARE / probe.random_read_s)))
        wanted_s = min(seconds - START_S, MOST_S) if probe.seeks_slowly else QUICK_S
        duration_s = max(LEAST_S, min(wanted_s, affordable_s(probe, most_bytes) - START_S))
        file_bytes = MIB * max(16, min(256, preferred(2 * probe.write_bytes_per_s / MIB)))
        load = plan_load(ONE_WRITER, probe, START_S + duration_s, most_bytes, LASTING)
        return LatencySpec(START_S + duration_s + load.around_s, file_bytes, load, rate, duration_s)

    def prepare(self, scratch: Scratch, spec: LatencySpec, processes: Processes) -> None:
        """Write the file that is read."""
        self.write(scratch, spec.prepared_bytes, processes)

    def run(self, scratch: Scratch, spec: LatencySpec, processes: Processes, *_: float) -> Measurement:
        """Start the writer, read beside it, end it."""
        path = self.file(scratch)
        make_cold(path)
        options = ["--rw=randread", "--bs=4k", "--direct=1", "--ioengine=libaio", f"--iodepth={DEPTH}"]
        options += [f"--rate_iops={spec.reads_per_s}", "--rate_process=poisson", "--time_based"]
        options += [f"--runtime={spec.duration_s * 1000:.0f}ms", f"--size={spec.prepared_bytes}", "--norandommap"]
        background = Background(spec.load, scratch, processes)
        background.start()
        text = processes.run(fio("reads", path, options, scratch.seed + 1), scratch.folder, spec.timeout_s).out
        carried = background.finish(spec.timeout_s)
        reads = parse_job(text, "reads", "read")
        values = {
            "slowest_tenth_s": mean_of_slowest(reads.histogram, TAIL),
            "p99_s": reads.latency_s[99.0],
            "p50_s": reads.latency_s[50.0],
            "worst_s": reads.worst_s,
            **carried.values,
        }
        histograms = {"latency_s": reads.histogram}
        return Measurement(values, reads.runtime_s, reads.total_bytes, carried.written_bytes, histograms, direct=True)


def mean_of_slowest(histogram: Iterable[tuple[float, int]], share: float) -> float:
    """Return the winsorised mean of the slowest share of a distribution, in seconds, to the width of its bins.

    Raises ``NotUnderstood`` where it is empty.
    """
    return mean_of_tail([*chain.from_iterable(repeat(latency_s, count) for latency_s, count in histogram)], share)


def mean_of_tail(times_s: Sequence[float], share: float) -> float:
    """Return the mean of the slowest share of some times, whose outlying ones count as the slowest of the rest."""
    if not times_s:
        raise NotUnderstood("fio", "no request was answered")
    slowest = sorted(times_s, reverse=True)
    cap = slowest[min(len(slowest) - 1, math.ceil(OUTLYING * len(slowest)))]
    counted = slowest[: max(1, round(share * len(slowest)))]
    return sum(min(each, cap) for each in counted) / len(counted)


RUNNERS = (ReadLatencyUnderWrites(),)
