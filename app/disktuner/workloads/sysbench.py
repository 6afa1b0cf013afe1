# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``sysbench-rndrd``, ``-rndwr`` and ``-rndrw``: sysbench fileio with ever more threads."""

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
    """What one run of sysbench reports."""

    reads: int
    writes: int
    seconds: float
    p95_s: float
    histogram: tuple[tuple[float, int], ...]


def parse_report(text: str) -> Report:
    """Read sysbench 1.0's report of its fileio test. Raises ``NotUnderstood``."""
    seconds = number(text, r"total time:\s+([0-9.]+)s")
    reads, writes = (round(number(text, rf"{what}/s:\s+([0-9.]+)") * seconds) for what in ("reads", "writes"))
    p95_s = number(text, r"95th percentile:\s+([0-9.]+)") / 1000
    return Report(reads, writes, seconds, p95_s, tuple(histogram(text).items()))


def number(text: str, pattern: str) -> float:
    """Return what a pattern finds in sysbench's report. Raises ``NotUnderstood``."""
    found = re.search(pattern, text)
    if not found:
        raise NotUnderstood("sysbench", text)
    return float(found[1])


def histogram(text: str) -> Counter[float]:
    """Return the times in seconds that ``--histogram=on`` prints, with their counts; several lines may look alike."""
    counts: Counter[float] = Counter()
    for value, count in re.findall(r"^ +([0-9.]+) \|\** +(\d+)$", text, re.MULTILINE):
        counts[round(float(value) / 1000, 6)] += int(count)
    return counts


class SysbenchSpec(FileSpec, frozen=True):
    """So many ``requests`` per number of threads, in files of ``file_bytes``; ``writing`` is 0 where none may write."""

    WORK: ClassVar = {"requests": 20}
    GROWS: ClassVar = True
    ESTIMATES: ClassVar = frozenset({"expected_s", "writing"})

    requests: Count
    writing: CountOrZero

    @property
    def cost(self) -> Cost:
        """The files, and what is written if all requests write."""
        requests, total = self.requests * len(THREADS), FILES * self.file_bytes
        flushed = (requests // _FLUSHED_EVERY + len(THREADS)) * FILES * _JOURNAL_BYTES
        return Cost(self.writing * (requests * BLOCK_BYTES + flushed), total, total)


class Sysbench(Workload):
    """Ever more threads, one run after the other, on files of ours, because sysbench's own hold only zeros."""

    spec_type = SysbenchSpec

    def __init__(self, mode: str) -> None:
        self.mode, self.id = mode, f"sysbench-{mode}"

    def plan(self, probe: Probe, seconds: float, *_: float) -> SysbenchSpec:
        """As many requests as the disk serves in a fifth of that time with one thread."""
        events = max(40, min(MOST_EVENTS, int(seconds / len(THREADS) / probe.random_read_s)))
        file_mib = max(4, min(64, int(probe.write_bytes_per_s / FILES / MIB)))
        expected_s = events * len(THREADS) * probe.random_read_s + 0.5
        return SysbenchSpec(expected_s, file_mib * MIB, events, int(self.mode != "rndrd"))

    def prepare(self, scratch: Scratch, spec: SysbenchSpec) -> None:
        """Write the files under sysbench's names."""
        (scratch.folder / self.id).mkdir(0o700)
        for file in range(FILES):
            scratch.write(f"{self.id}/test_file.{file}", spec.file_bytes)

    def run(self, scratch: Scratch, spec: SysbenchSpec, abort_after_s: float = math.inf) -> Measurement:
        """Run sysbench once per number of threads; each ends after that time at the latest."""
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
            found = parse_report(scratch.processes.run(argv, folder, spec.timeout_s).out)
            reads, writes, seconds = reads + found.reads, writes + found.writes, seconds + found.seconds
            ios_per_s = (found.reads + found.writes) / found.seconds
            values[f"t{count}_ios_per_s"] = ios_per_s
            values[f"t{count}_bytes_per_s"] = ios_per_s * BLOCK_BYTES
            values[f"t{count}_p95_s"] = found.p95_s
            histograms[f"t{count}_latency_s"] = found.histogram
        values = {"ios_per_s": (reads + writes) / seconds, **values}
        # sysbench prints rates rounded, so what it claims is good to a percent only
        read_bytes, written_bytes = int(reads * BLOCK_BYTES * 0.99), int(writes * BLOCK_BYTES * 0.99)
        return Measurement(values, seconds, read_bytes, written_bytes, histograms, direct=True)


RUNNERS = (Sysbench("rndrd"), Sysbench("rndwr"), Sysbench("rndrw"))
