# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes results with known truth."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

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


def drawn(
    chance: random.Random, metrics: Iterable[str], names: Sequence[str], rounds: int, deviation: float,
    value: Callable[[str, str], float],
) -> tuple[Sample, ...]:  # fmt: skip
    """Samples of each metric under each setting around its true value, with log-normal noise."""
    return tuple(
        Sample(m, setting_of(s), r, r * 10 + at, value(m, s) * math.exp(chance.gauss(0, deviation)), duration_s=5.0)
        for r in range(rounds)
        for at, s in enumerate(names)
        for m in metrics
    )


def result_of(
    metrics: Mapping[str, Metric], names: Iterable[str], samples: Iterable[Sample] = (), goal: str | None = "desktop",
    **facts: Any,
) -> Result:  # fmt: skip
    """A result with samples of settings, the first being the baseline; ``facts`` override its own or its plan's."""
    tried = settings(*names)
    plan = PlanRecord(goal, "quick", tried, tried[0], (), 1)
    of_plan = {plan_field.name: facts.pop(plan_field.name) for plan_field in fields(plan) if plan_field.name in facts}
    result = Result(
        "made", "2026-11-21T02:00:00Z", "0.1",
        Machine("6.1.0-28-amd64", "Debian GNU/Linux 12", "AMD Ryzen 5 3600", 2**34, "root=UUID=aa-bb quiet"),
        {"name": "sda", "model": "WD10EZEX", "serial": "WD-SECRET99", "wwn": "0x5000c500aaaa", "kind": "hdd"},
        FileSystem("/home/jana/data", "ext4", ("rw", "lowerdir=/home/jana"), ("sda1",)),
        replace(plan, **of_plan), metrics, tuple(samples),
    )  # fmt: skip
    return replace(result, **facts)


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
    """A result whose schedulers differ by factors from ``now`` (default 10), with log-normal noise."""

    def value(metric: str, name: str) -> float:
        return (now or {}).get(metric, 10.0) * effects.get((metric, name), 1.0)

    known = {name: METRICS[name] for name in metrics}
    samples = drawn(random.Random(seed), metrics, schedulers, done, deviation, value)
    return result_of(known, schedulers, samples, goal, rounds=planned, question=question_for(goal, known.values()))
