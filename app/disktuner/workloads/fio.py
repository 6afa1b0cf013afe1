# SPDX-License-Identifier: GPL-3.0-or-later
"""fio's command, and its JSON read: rates, percentiles and whole histograms."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner.workloads.errors import NotUnderstood

# Threads, not processes, so that the end of the program is the end of all of it. Without --randrepeat=0 fio 3
# silently takes its own seed instead of --randseed, and every round would read the same places.
COMMON = (
    "--thread",
    "--output-format=json+",
    "--group_reporting",
    "--fallocate=none",
    "--invalidate=1",
    "--randrepeat=0",
)
START_S = 0.3
"""What it needs until its first request."""


@dataclass(frozen=True, slots=True)
class Direction:
    """What fio reports of its reads or its writes. Latencies are from submission, or from the due time if paced."""

    total_bytes: int
    ios: int
    bytes_per_s: float
    runtime_s: float
    latency_s: Mapping[float, float]
    worst_s: float
    histogram: tuple[tuple[float, int], ...]
    sync_p99_s: float | None
    sync_histogram: tuple[tuple[float, int], ...] = ()


def until(abort_after_s: float) -> list[str]:
    """Return the option that ends a job after so long, whatever is left of its work: its rates are true then, too."""
    return [f"--runtime={max(1, round(1000 * abort_after_s))}ms"] if math.isfinite(abort_after_s) else []


def fio(job: str, path: Path, options: Sequence[str], seed: int) -> list[str]:
    """Return the command of one job on one file."""
    return ["fio", *COMMON, f"--name={job}", f"--filename={path.name}", *options, f"--randseed={seed}"]


def parse_job(text: str, job: str, direction: str) -> Direction:
    """Read one job's reads or writes from ``--output-format=json+``.

    fio counts total latency (``lat_ns``) from the moment a request is made, completion latency (``clat_ns``) with
    the histogram from its submission; with an I/O depth of one per paced job they differ by the queueing in fio.
    Raises ``NotUnderstood``.
    """
    try:
        document = json.loads(text[text.index("{") :])
        found = next(each for each in document["jobs"] if each["jobname"] == job)
        return _direction(found[direction], found.get("sync", {}))
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise NotUnderstood("fio", text[:200]) from error


def _direction(found: Mapping[str, Any], sync: Mapping[str, Any]) -> Direction:
    latency = found["clat_ns"]
    syncs = sync.get("lat_ns", {})
    sync_p99 = syncs.get("percentile", {}).get("99.000000")
    return Direction(
        total_bytes=int(found["io_bytes"]),
        ios=int(found["total_ios"]),
        bytes_per_s=float(found["bw_bytes"]),
        runtime_s=float(found["runtime"]) / 1000,
        latency_s={float(name): value / 1e9 for name, value in latency.get("percentile", {}).items()},
        worst_s=float(latency["max"]) / 1e9,
        histogram=_histogram(latency),
        sync_p99_s=None if sync_p99 is None else sync_p99 / 1e9,
        sync_histogram=_histogram(syncs),
    )


def _histogram(latency: Mapping[str, Any]) -> tuple[tuple[float, int], ...]:
    """Upper bounds in seconds with their counts."""
    return tuple((int(upper) / 1e9, int(count)) for upper, count in latency.get("bins", {}).items() if count)
