# SPDX-License-Identifier: GPL-3.0-or-later
"""How narrow the intervals of two versions come out on the same real disk, measured in turns with the same budget.

``./dev bench turns`` compares on the disk of ``DISKTUNER_TARGET`` (else /var/tmp) with this version and with that of
the command ``DISKTUNER_BEFORE``, ``DISKTUNER_TIMES`` times each (else 5), for ``DISKTUNER_GOALS`` (else desktop). A
width is the logarithm of an interval's upper end over its lower, as each version itself gives it; without an end it is
infinite. ``DISKTUNER_KEEP_RESULTS`` is a folder for the results.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from disktuner.vocabulary.workloads import deciding
from tests.bench.family import BEFORE, COMMAND, NOW, STOPS, ended, stop

HEADS = ("goal", "who", "answers", "rounds", "bytes written", "time (s)", "width of deciding intervals (median)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One comparison: how wide the intervals of what decides came out, in which time and with which bytes."""

    way: str
    goal: str
    decision: str
    winner: str | None
    widths: tuple[float, ...]
    took_s: float
    written_bytes: int
    rounds: int


def once(way: str, command: Sequence[str], target: str, goal: str, out: Path) -> Turn | None:
    """Compare once; None where that failed."""
    before, began = written_bytes(Path(target)), time.monotonic()
    argv = [*command, "compare", target, "--goal", goal, "--budget", "quick", "--out", str(out), "--json"]
    status, text, said = ended(argv)
    if status:
        print(f"{way}, {goal}: failed\n{said}", file=sys.stderr)
        return None
    took_s, wrote = time.monotonic() - began, written_bytes(Path(target)) - before
    verdict = json.loads(text)["verdict"]
    rounds = 1 + max(sample["round"] for sample in json.loads(out.read_text())["samples"])
    found = tuple(widths(verdict, goal))
    turn = Turn(way, goal, verdict["decision"], verdict["winner"], found, took_s, wrote, rounds)
    said = ", ".join(f"{each:.2f}" for each in found)
    print(f"{way}, {goal}: {turn.decision} {turn.winner or ''} in {took_s:.0f} s, {rounds} rounds, "
          f"{wrote / 1e9:.1f} GB; widths {said}\n    {verdict['why']}", file=sys.stderr, flush=True)  # fmt: skip
    return turn


def widths(verdict: Mapping[str, Any], goal: str) -> Iterator[float]:
    """Yield those of the figures that decide, in this version or the other, of every scheduler."""
    first = set(deciding(goal))
    for each in verdict["comparisons"]:
        workload, _, metric = each["metric"].partition(".")
        if workload in first and metric in DECIDING.get(workload, ()):
            low, high = each["ci_low"], each["ci_high"]
            yield math.inf if low is None or high is None or not low else math.log(high / low)


DECIDING = {
    "launch-under-writes": ("wall_s",),
    "read-latency-under-writes": ("p99_s", "slowest_tenth_s"),
    "copy-contended": ("wall_s",),
    "copy": ("wall_s",),
}


def written_bytes(target: Path) -> int:
    """What the file system's device has written since the start."""
    device = target.stat().st_dev
    fields = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat").read_text().split()
    return int(fields[6]) * 512


def report(turns: Sequence[Turn]) -> str:
    """A table of both ways."""
    lines = [f"| {' | '.join(HEADS)} |", f"|{'---|' * len(HEADS)}"]
    for goal, way in sorted({(each.goal, each.way) for each in turns}):
        mine = [each for each in turns if (each.goal, each.way) == (goal, way)]
        answers = ", ".join(f"{each.decision} {each.winner or ''}".strip() for each in mine)
        cells = [
            goal, way, answers,
            f"{median(each.rounds for each in mine):.0f}",
            f"{median(each.written_bytes for each in mine) / 1e9:.1f} GB",
            f"{median(each.took_s for each in mine):.0f}",
            f"{median(width for each in mine for width in each.widths):.2f}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Compare in turns; 1 where nothing could be measured."""
    for number in STOPS:
        signal.signal(number, stop)
    target, times = os.environ.get("DISKTUNER_TARGET", "/var/tmp"), int(os.environ.get("DISKTUNER_TIMES", "5"))
    ways = {NOW: [COMMAND]}
    if before := os.environ.get("DISKTUNER_BEFORE"):
        ways[BEFORE] = shlex.split(before)
    turns: list[Turn] = []
    with tempfile.TemporaryDirectory() as own:
        folder = Path(os.environ.get("DISKTUNER_KEEP_RESULTS") or own)
        for number in range(times):
            for goal in os.environ.get("DISKTUNER_GOALS", "desktop").split(","):
                for way in list(ways)[:: -1 if number % 2 else 1]:
                    out = folder / f"{goal}-{way}-{number}.json"
                    out.unlink(missing_ok=True)
                    if turn := once(way, ways[way], target, goal, out):
                        turns.append(turn)
    print(report(turns) if turns else "Nothing was measured.")
    return 0 if turns else 1


if __name__ == "__main__":
    sys.exit(main())
