# SPDX-License-Identifier: GPL-3.0-or-later
"""Generates results as wild as measurements and other programs make them: few runs, ties, gaps, noise, odd metrics."""

from __future__ import annotations

import math
import random

from hypothesis import strategies as st
from tests.unit.verdict.making import result_of

from disktuner.results.model import Result, Sample
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import Setting

METRICS = {
    metric.name: metric
    for metric in (
        Metric("launch-office.wall_s", "s", Better.LOWER, "Starting an office program while files are written"),
        Metric("launch-office.write_bytes_per_s", "bytes_per_s", Better.HIGHER, "Writing meanwhile"),
        Metric("dd-write.bytes_per_s", "bytes_per_s", Better.HIGHER, "Writing one big file"),
        Metric("copy-contended.jain_index", "", Better.HIGHER, "Fairness"),
        Metric("commit-log.commits_per_s", "per_s", Better.HIGHER, "Commits"),
        Metric("commit-log.cpu_s_per_1000", "s", Better.LOWER, "CPU time"),
        Metric("stream-under-copy.late_frames", "frames", Better.LOWER, "Late frames"),
        Metric("strange.p90_ms", "ms", Better.LOWER, "90th percentile of *strange* | waits"),
        Metric("odd.score", "points", Better.HIGHER, "Score <of> another program"),
    )
}
SCHEDULERS = ("mq-deadline", "none", "kyber", "bfq", "ünknöwn 2")
DISK = {"name": "sda", "model": "WD10EZEX", "kind": "hdd", "size_bytes": 10**12}


@st.composite
def results(draw: st.DrawFn) -> Result:
    """Draw a valid result; everything but its shape follows from one seed, for speed."""
    schedulers = draw(st.lists(st.sampled_from(SCHEDULERS), min_size=1, max_size=4, unique=True))
    metrics = draw(st.lists(st.sampled_from(sorted(METRICS)), min_size=1, max_size=3, unique=True))
    rounds, planned = draw(st.integers(0, 9)), draw(st.sampled_from((None, None, 3, 5, 8, 12)))
    goal = draw(st.sampled_from(("desktop", "copying", "database", "media", "server", None, "foreign")))
    noise = draw(st.sampled_from((0.0, 0.001, 0.02, 0.3, 3.0)))
    missing, invalid, zero = (draw(st.sampled_from((0.0, 0.0, 0.2, 0.6))) for _ in range(3))
    chance = random.Random(draw(st.integers(0, 2**32)))
    samples = []
    for metric in metrics:
        level = 10 ** chance.uniform(-6, 12)
        effects = {name: chance.choice((1.0, 1.0, 1.04, 0.5, 3.0, chance.uniform(0.01, 100))) for name in schedulers}
        samples += [
            Sample(
                metric,
                Setting(name),
                number,
                number * len(schedulers) + at,
                _value(METRICS[metric], level * effects[name] * math.exp(chance.gauss(0, noise)), chance, zero),
                valid=chance.random() >= invalid,
                duration_s=chance.uniform(0, 9),
            )
            for number in range(rounds)
            for at, name in enumerate(schedulers)
            if chance.random() >= missing
        ]
    known, finished = {name: METRICS[name] for name in metrics}, chance.random() < 0.8
    return result_of(known, schedulers, samples, goal, rounds=planned, disk=DISK, finished=finished)


def _value(metric: Metric, value: float, chance: random.Random, zero: float) -> float:
    """Counts are whole; other programs may round any value, or make it an impossible zero."""
    if chance.random() < zero / 2:
        return 0.0
    if metric.unit == "frames":
        return float(round(min(value, 1e6)))
    return float(f"{value:.2g}") if chance.random() < 0.2 else value
