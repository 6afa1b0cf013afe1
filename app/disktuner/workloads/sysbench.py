# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``sysbench-rndrd``, ``-rndwr`` and ``-rndrw``: sysbench fileio with more and more threads."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from disktuner.vocabulary.workloads import THREADS
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.spec import Cost, Count, CountOrZero, FileSpec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload

BLOCK_BYTES = 16384
FILES = 4
MOST_EVENTS = 10_000
_FLUSHED_EVERY = 100
_JOURNAL_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one run of sysbench."""

    reads: int
    writes: int
    seconds: float
    p95_s: float
    histogram: tuple[tuple[float, int], ...]


def parse_report(text: str) -> Report:
    """Parse sysbench 1.0's fileio report. Raises ``NotUnderstood``."""
    seconds = number(text, r"total time:\s+([0-9.]+)s")
    reads, writes = (round(number(text, rf"{what}/s:\s+([0-9.]+)") * seconds) for what in ("reads", "writes"))
    p95_s = number(text, r"95th percentile:\s+([0-9.]+)") / 1000
    return Report(reads, writes, seconds, p95_s, tuple(histogram(text).items()))


def number(text: str, pattern: str) -> float:
    """Return the number that a pattern captures in sysbench's report. Raises ``NotUnderstood``."""
    match = re.search(pattern, text)
    if not match:
        raise NotUnderstood("sysbench", text)
    return float(match[1])


def histogram(text: str) -> Counter[float]:
    """Parse what ``--histogram=on`` prints: times in seconds with their counts; times may repeat."""
    counts: Counter[float] = Counter()
    for value, count in re.findall(r"^ +([0-9.]+) \|\** +(\d+)$", text, re.MULTILINE):
        counts[round(float(value) / 1000, 6)] += int(count)
    return counts


class SysbenchSpec(FileSpec, frozen=True):
    """``requests`` for each number of threads, in files of ``file_bytes``; ``writing`` is 1 if any may write."""

    WORK: ClassVar = {"requests": 20}
    CAN_GROW: ClassVar = True
    ESTIMATES: ClassVar = frozenset({"expected_s", "writing"})

    requests: Count
    writing: CountOrZero

    @property
    def cost(self) -> Cost:
        """The files, and the writes if all requests write."""
        requests, total = self.requests * len(THREADS), FILES * self.file_bytes
        flushed = (requests // _FLUSHED_EVERY + len(THREADS)) * FILES * _JOURNAL_BYTES
        return Cost(self.writing * (requests * BLOCK_BYTES + flushed), total, total)


class Sysbench(Workload):
    """Runs with more and more threads, on our own files, as sysbench's hold only zeros."""

    spec_type = SysbenchSpec

    def __init__(self, mode: str) -> None:
        self.mode, self.id = mode, f"sysbench-{mode}"

    def plan(self, probe: Probe, seconds: float, *_: float) -> SysbenchSpec:
        """For each number of threads, as many requests as one thread makes in its part of ``seconds``."""
        events = max(40, min(MOST_EVENTS, int(seconds / len(THREADS) / probe.random_read_s)))
        file_mib = max(4, min(64, int(probe.write_bytes_per_s / FILES / MIB)))
        expected_s = events * len(THREADS) * probe.random_read_s + 0.5
        return SysbenchSpec(expected_s, file_mib * MIB, events, int(self.mode != "rndrd"))

    def prepare(self, scratch: Scratch, spec: SysbenchSpec) -> None:
        (scratch.folder / self.id).mkdir(0o700)
        for file in range(FILES):
            scratch.write(f"{self.id}/test_file.{file}", spec.file_bytes)

    def run(self, scratch: Scratch, spec: SysbenchSpec, abort_after_s: float = math.inf) -> Measurement:
        """Run sysbench once per number of threads, each for ``abort_after_s`` at most."""
        folder = scratch.folder / self.id
        for path in folder.iterdir():
            make_cold(path)
        reads, writes, seconds, values, histograms = 0, 0, 0.0, dict[str, float](), {}
        most_s = math.ceil(abort_after_s) if math.isfinite(abort_after_s) else 0
        for count in THREADS:
            argv = ["sysbench", "fileio", f"--file-num={FILES}", f"--file-total-size={FILES * spec.file_bytes}"]
            argv += [f"--file-test-mode={self.mode}", "--file-extra-flags=direct", f"--threads={count}"]
            argv += ["--histogram=on", f"--events={spec.requests}", f"--time={most_s}"]
            argv += [f"--rand-seed={scratch.seed + count}", "run"]
            report = parse_report(scratch.processes.run(argv, folder, spec.timeout_s).out)
            reads, writes, seconds = reads + report.reads, writes + report.writes, seconds + report.seconds
            ios_per_s = (report.reads + report.writes) / report.seconds
            values[f"t{count}_ios_per_s"] = ios_per_s
            values[f"t{count}_bytes_per_s"] = ios_per_s * BLOCK_BYTES
            values[f"t{count}_p95_s"] = report.p95_s
            histograms[f"t{count}_latency_s"] = report.histogram
        values = {"ios_per_s": (reads + writes) / seconds, **values}
        # sysbench rounds its rates, so that they are only good to a percent
        read_bytes, written_bytes = int(reads * BLOCK_BYTES * 0.99), int(writes * BLOCK_BYTES * 0.99)
        return Measurement(values, seconds, read_bytes, written_bytes, histograms, direct=True)


RUNNERS = (Sysbench("rndrd"), Sysbench("rndwr"), Sysbench("rndrw"))
