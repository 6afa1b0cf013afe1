# SPDX-License-Identifier: GPL-3.0-or-later
"""How narrow the intervals of two versions come out on the same real disk, measured in turns with the same budget.

``./dev bench turns`` compares on the disk of ``DISKTUNER_TARGET`` (else /var/tmp) with that of the command
``DISKTUNER_BEFORE`` and with this version, once as it is and once going on to the end of its budget whatever it knows
already, since an answer that comes early leaves intervals as wide as it may. ``DISKTUNER_TIMES`` times each (else 5),
for ``DISKTUNER_GOALS`` (else desktop). A width is the logarithm of an interval's upper end over its lower, as each
version itself gives it; without an end it is infinite. ``DISKTUNER_KEEP_RESULTS`` is a folder for the results.
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
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import SequentialJudge, real_environment
from disktuner.comparison.request import Request
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.workloads import deciding
from tests.bench.family import BEFORE, COMMAND, NOW, STOPS, ended, stop

TO_THE_END = "now, to the end"
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


class GoingOn(SequentialJudge):
    """Asks for all rounds of what decides."""

    def needs(self, result: Result, rounds: int, since: int = 0) -> Mapping[str, tuple[str, ...]]:
        """Everything; nothing is asked what a gain may cost."""
        del rounds, since
        plan = result.plan
        return {name: tuple(plan.schedulers) for name in plan.workloads if name in deciding(plan.goal or "")}


def going_on(target: str, goal: str, out: Path) -> Mapping[str, Any]:
    """Compare to the end of the budget, in this process; return the verdict."""
    environment = replace(real_environment(store=Store(out.parent)), judge=GoingOn())
    with Comparison(Request(target, goal, out=out), environment) as comparison:
        judged = comparison.run(lambda _: None)
    contrasts = [
        {"metric": one.metric, "ci_low": one.ci_low, "ci_high": one.ci_high} for one in judged.verdict.comparisons
    ]
    why = " ".join(say(each) for each in judged.verdict.why)
    return {"decision": judged.verdict.decision, "winner": judged.verdict.winner, "comparisons": contrasts, "why": why}


def by_command(command: Sequence[str], target: str, goal: str, out: Path) -> Mapping[str, Any]:
    """Compare as a user does; return the verdict. Raises ``MeasurementImpossible`` where that failed."""
    argv = [*command, "compare", target, "--goal", goal, "--budget", "quick", "--out", str(out), "--json"]
    status, text, said = ended(argv)
    if status:
        raise RuntimeError(said)
    verdict: Mapping[str, Any] = json.loads(text)["verdict"]
    return verdict


def once(way: str, command: Sequence[str], target: str, goal: str, out: Path) -> Turn | None:
    """Compare once; None where that failed."""
    before, began = written_bytes(Path(target)), time.monotonic()
    try:
        verdict = by_command(command, target, goal, out) if command else going_on(target, goal, out)
    except (RuntimeError, DisktunerError) as error:
        print(f"{way}, {goal}: failed\n{error}", file=sys.stderr)
        return None
    took_s, wrote = time.monotonic() - began, written_bytes(Path(target)) - before
    rounds = 1 + max(sample["round"] for sample in json.loads(out.read_text())["samples"])
    found = tuple(widths(verdict, goal))
    turn = Turn(way, goal, verdict["decision"], verdict["winner"], found, took_s, wrote, rounds)
    each = ", ".join(f"{width:.2f}" for width in found)
    told = (
        f"{turn.decision} {turn.winner or ''} in {took_s:.0f} s, {rounds} rounds, {wrote / 1e9:.1f} GB; widths {each}"
    )
    print(f"{way}, {goal}: {told}\n    {verdict['why']}", file=sys.stderr, flush=True)
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
    "launch-office": ("wall_s",),
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
    ways: dict[str, list[str]] = {NOW: [COMMAND], TO_THE_END: []}
    if before := os.environ.get("DISKTUNER_BEFORE"):
        ways[BEFORE] = shlex.split(before)
    turns: list[Turn] = []
    with tempfile.TemporaryDirectory() as own:
        folder = Path(os.environ.get("DISKTUNER_KEEP_RESULTS") or own)
        for number in range(times):
            for goal in os.environ.get("DISKTUNER_GOALS", "desktop").split(","):
                for way in list(ways)[:: -1 if number % 2 else 1]:
                    out = folder / f"{goal}-{way.replace(', ', '-')}-{number}.json"
                    out.unlink(missing_ok=True)
                    if turn := once(way, ways[way], target, goal, out):
                        turns.append(turn)
    print(report(turns) if turns else "Nothing was measured.")
    return 0 if turns else 1


if __name__ == "__main__":
    sys.exit(main())
