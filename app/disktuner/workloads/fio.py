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
from disktuner.workloads.workload import Scratch

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
class Latency:
    """A distribution of times in seconds: its worst, some percentiles, upper bounds with their counts."""

    worst_s: float
    percentiles: Mapping[str, float]
    histogram: tuple[tuple[float, int], ...]

    def at(self, percent: int) -> float:
        """Return the time within which so many were answered. Raises ``NotUnderstood`` where there are none."""
        found = self.percentiles.get(f"{percent}.000000")
        if found is None:
            raise NotUnderstood("fio", "no request was answered")
        return found / 1e9


@dataclass(frozen=True, slots=True)
class Direction:
    """What fio reports of its reads or its writes. Latencies are from submission, or from the due time if paced.

    ``syncs`` are those of what made them durable.
    """

    total_bytes: int
    ios: int
    bytes_per_s: float
    runtime_s: float
    latency: Latency
    syncs: Latency


def until(abort_after_s: float) -> list[str]:
    """Return the option that ends a job after so long, whatever is left of its work: its rates are true then, too."""
    return [f"--runtime={max(1, round(1000 * abort_after_s))}ms"] if math.isfinite(abort_after_s) else []


def fio(path: Path, options: Sequence[str], seed: int) -> list[str]:
    """Return the command of one job on one file."""
    return ["fio", *COMMON, "--name=job", f"--filename={path.name}", *options, f"--randseed={seed}"]


def run_fio(scratch: Scratch, path: Path, options: Sequence[str], timeout_s: float) -> tuple[Direction, Direction]:
    """Run one job and return its reads and its writes."""
    return parse_job(scratch.run(fio(path, options, scratch.seed + 1), timeout_s))


def parse_job(text: str) -> tuple[Direction, Direction]:
    """Read the reads and the writes of the one job, or group of jobs, from ``--output-format=json+``.

    fio counts total latency (``lat_ns``) from the moment a request is made, completion latency (``clat_ns``) with
    the histogram from its submission; with an I/O depth of one per paced job they differ by the queueing in fio.
    Raises ``NotUnderstood``.
    """
    try:
        (found,) = json.loads(text[text.index("{") :])["jobs"]
        syncs = _latency(found.get("sync", {}).get("lat_ns", {}))
        return _direction(found["read"], syncs), _direction(found["write"], syncs)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotUnderstood("fio", text[:200]) from error


def _direction(found: Mapping[str, Any], syncs: Latency) -> Direction:
    return Direction(
        total_bytes=int(found["io_bytes"]),
        ios=int(found["total_ios"]),
        bytes_per_s=float(found["bw_bytes"]),
        runtime_s=float(found["runtime"]) / 1000,
        latency=_latency(found["clat_ns"]),
        syncs=syncs,
    )


def _latency(found: Mapping[str, Any]) -> Latency:
    bins = tuple((int(upper) / 1e9, int(count)) for upper, count in found.get("bins", {}).items() if count)
    return Latency(float(found.get("max", 0)) / 1e9, found.get("percentile", {}), bins)
