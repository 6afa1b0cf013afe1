# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes results with known truth."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting, setting_of

LAUNCH, WRITER, WRITE = "launch-office.wall_s", "launch-office.write_bytes_per_s", "dd-write.bytes_per_s"
COPY = "copy-contended.wall_s"
READ = "read-latency-under-writes.slowest_tenth_s"
GAP, SAFE, DONE = (f"copy-then-unplug.{name}_s" for name in ("gap", "safe", "done"))
READS = tuple(f"sysbench-rndrd.t{threads}_ios_per_s" for threads in (2, 8, 32))
FAIRNESS, WORST = "copy-contended.fairness", "launch-office.worst_s"  # not among our workloads' metrics
METRICS = {
    FAIRNESS: Metric(FAIRNESS, "", Better.HIGHER, "How alike the copies were served"),
    WORST: Metric(WORST, "s", Better.LOWER, "The slowest start"),
    LAUNCH: Metric(LAUNCH, "s", Better.LOWER, "Starting a program while files are written"),
    COPY: Metric(COPY, "s", Better.LOWER, "Four copies at once"),
    READ: Metric(READ, "s", Better.LOWER, "Tail read latency while a file is written"),
    WRITER: Metric(WRITER, "bytes_per_s", Better.HIGHER, "Writing while a program starts"),
    WRITE: Metric(WRITE, "bytes_per_s", Better.HIGHER, "Writing one big file"),
    GAP: Metric(GAP, "s", Better.LOWER, "Wait after a copy until it is safe to unplug"),
    SAFE: Metric(SAFE, "s", Better.LOWER, "Copying until it is safe to unplug"),
    DONE: Metric(DONE, "s", Better.LOWER, "Copying until it seems done"),
    **{name: Metric(name, "per_s", Better.HIGHER, f"Random reads, {name[16:-10]} threads") for name in READS},
}
FOUR = ("mq-deadline", "none", "kyber", "bfq")
FAST = {LAUNCH: 0.25, READ: 0.0008, COPY: 2.0, WRITER: 424e6, WRITE: 500e6}
"""What a fast disk takes: nothing of it can be felt, but how fast it writes can be seen."""


def settings(*names: str) -> tuple[Setting, ...]:
    """Settings by their names."""
    return tuple(map(setting_of, names))


def made(
    effects: Mapping[tuple[str, str], float],
    deviation: float = 0.02,
    done: int = 8,
    planned: int | None = 12,
    metrics: Sequence[str] = (LAUNCH, WRITER, WRITE),
    schedulers: Sequence[str] = FOUR,
    goal: str | None = "desktop",
    seed: int = 1,
    now: Mapping[str, float] | None = None,
) -> Result:
    """A result whose schedulers differ by factors from what there is ``now`` (else 10), with log-normal noise."""
    chance = random.Random(seed)
    samples = tuple(
        Sample(
            m,
            setting_of(s),
            r,
            r * 10 + at,
            (now or {}).get(m, 10.0) * effects.get((m, s), 1.0) * math.exp(chance.gauss(0, deviation)),
            duration_s=5.0,
        )
        for r in range(done)
        for at, s in enumerate(schedulers)
        for m in metrics
    )
    known = {name: METRICS[name] for name in metrics}
    asked = question_for(goal, known.values())
    return Result(
        "made",
        "2026-11-21T02:00:00Z",
        "0.1",
        Machine("6.1.0-28-amd64", "Debian GNU/Linux 12", "AMD Ryzen 5 3600", 2**34, "root=UUID=aa-bb quiet"),
        {"name": "sda", "model": "WD10EZEX", "serial": "WD-SECRET99", "wwn": "0x5000c500aaaa", "kind": "hdd"},
        FileSystem("/home/jana/data", "ext4", ("rw", "lowerdir=/home/jana"), ("sda1",)),
        PlanRecord(goal, "quick", settings(*schedulers), setting_of(schedulers[0]), (), 1, planned, question=asked),
        known,
        samples,
    )
