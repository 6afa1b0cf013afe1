# SPDX-License-Identifier: GPL-3.0-or-later
"""How precise comparisons on the machine's own disk get, and whether what they measure lasts.

``./dev bench own_disk`` compares ``DISKTUNER_TIMES`` (10) times below ``DISKTUNER_TARGET`` (/var/tmp), in turns in
``DISKTUNER_STATES`` (quiet, and busy beside two processes that take half of a processor each), for
``DISKTUNER_GOALS`` (desktop). Fails where the interval that decides is wider than promised (its median), a measured
part is shorter, or the disk has another scheduler afterwards.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from disktuner.vocabulary.workloads import WORKLOADS
from tests.bench.disks import Compared, chosen, compared, say, stoppable
from tests.simdisk.family import busy

WIDEST, SHORTEST_S = 1.5, 0.5
"""What is promised: the half-width of an interval as a factor, and seconds of a measured part."""


def half_widths(comparison: Compared) -> Iterator[float]:
    """Yield the half-widths of the deciding intervals, as factors."""
    for score in comparison.verdict.get("score", {}).values():
        if score["ci_low"] and score["ci_high"]:
            yield (score["ci_high"] / score["ci_low"]) ** 0.5


def faults(comparison: Compared) -> Iterator[str]:
    """Yield what a comparison measured wrongly, or why there is none."""
    if not comparison.result:
        yield str(comparison.verdict["why"])
        return
    parts = defaultdict(list)
    for sample in comparison.result["samples"]:
        workload, _, metric = sample["metric"].partition(".")
        if metric == WORKLOADS[workload].deciding:
            parts[workload].append(measured_s(sample, comparison.result["sizes"].get(workload, {})))
    for workload, times in parts.items():
        if min(times) < SHORTEST_S:
            yield f"{workload} was measured for {min(times):.2f} s"
    if f"[{comparison.result['disk']['scheduler']}]" not in (now := schedulers_of(comparison.result["disk"]["name"])):
        yield f"the disk has {now} afterwards"


def measured_s(sample: Mapping[str, Any], spec: Mapping[str, Any]) -> float:
    """Return how long the measured part of a run lasted: all its repetitions, or the one thing it does."""
    if "duration_s" in spec:
        return float(spec["duration_s"])
    return float(sample["value"] if sample["metric"].endswith(".wall_s") else sample["duration_s"])


def schedulers_of(disk: str) -> str:
    """Return the disk's schedulers according to the kernel, the active one marked."""
    return Path("/sys/block", disk, "queue/scheduler").read_text().strip()


def main() -> int:
    """Compare as often as wanted; 1 if a promise is broken."""
    stoppable()
    target, states = Path(os.environ.get("DISKTUNER_TARGET", "/var/tmp")), chosen("DISKTUNER_STATES", ("quiet", "busy"))
    goals, widths, wrong = chosen("DISKTUNER_GOALS", ("desktop",)), [], 0
    for seed in range(int(os.environ.get("DISKTUNER_TIMES", "10"))):
        state, goal = states[seed % len(states)], goals[seed // len(states) % len(goals)]
        with busy(seed) if state == "busy" else nullcontext():
            comparison = compared(target, goal, seed)
        faults_found = list(faults(comparison))
        width = statistics.median([*half_widths(comparison)] or [float("inf")])
        widths.append(width)
        wrong += len(faults_found)
        decision = f"{comparison.verdict['decision']} {comparison.verdict['winner'] or ''}"
        say(f"{goal}, {state}: {decision}, {comparison.took_s:.0f} s, within x{width:.2f}. {'; '.join(faults_found)}")
    print(f"{len(widths)} comparisons: within x{statistics.median(widths):.2f} (median), {wrong} faults.")
    return 1 if wrong or statistics.median(widths) > WIDEST else 0


if __name__ == "__main__":
    sys.exit(main())
