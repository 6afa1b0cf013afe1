# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``tests.bench.replays`` found, as the table of docs/starts.md: replays beside real starts, and the chain."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path

from scipy.stats import spearmanr

from tests.simdisk.family import FOUR

KEPT = Path(__file__).parents[1] / "data" / "replays.jsonl"
CHAIN = "launch-under-writes"
WORKLOADS = CHAIN, "launch-window", "launch-office"
START, REPLAY = "start", "replay"
HEAD = (
    "| disk | program | starts of each scheduler | slowest, fastest | replay ÷ start (least–most) "
    "| ranks: replay, chain | a gain is off by: replay, chain |\n|---|---|---:|---|---|---|---|\n"
)

Figures = dict[tuple[str, str, str], list[float]]
"""Seconds by disk, what was measured ("git status: start"), and scheduler."""


def read_kept(kept: Path | None) -> Figures:
    """Return what was found before."""
    figures: Figures = {}
    for line in kept.read_text().splitlines() if kept and kept.exists() else ():
        disk, name, scheduler, seconds, _ = json.loads(line)
        figures.setdefault((disk, name, scheduler), []).append(seconds)
    return figures


def table(figures: Figures) -> str:
    """A line for each program on a disk that was measured with all schedulers, then what all of a disk say together."""
    lines, said = [], []
    for disk in dict.fromkeys(disk for disk, _, _ in figures):
        programs = list(_programs(figures, disk))
        chain = medians(figures, disk, CHAIN)
        reals, replays = [], []
        for name in programs:
            real, replayed = (medians(figures, disk, f"{name}: {kind}") for kind in (START, REPLAY))
            count = min(len(figures[disk, f"{name}: {START}", each]) for each in FOUR)
            lines.append(f"| {disk} | {name} | {count} {_compared(real, replayed, chain)}\n")
            reals += [real[each] for each in FOUR]
            replays += [replayed[each] for each in FOUR]
        if reals:
            found = spearmanr(reals, replays)
            said.append(f"{disk} {found.statistic:.2f} (n = {len(reals)}, p = {found.pvalue:.0e})")
    ranked = f"Rank correlation of replays and starts over programs and schedulers: {', '.join(said)}."
    return f"{HEAD}{''.join(lines)}\n{ranked}\n"


def predictions(figures: Figures) -> str:
    """For each disk how well each workload that is a start predicts those of the real programs, one by one."""
    head = "".join(f"| `{name}` " for name in WORKLOADS)
    lines = [f"| disk | program {head}|\n|---|---|{'---|' * len(WORKLOADS)}\n"]
    for disk in dict.fromkeys(disk for disk, _, _ in figures):
        found = {name: medians(figures, disk, name) for name in WORKLOADS}
        reals = {name: medians(figures, disk, f"{name}: {START}") for name in _programs(figures, disk)}
        if not reals or any(len(each) < len(FOUR) for each in found.values()):
            continue
        for program, real in reals.items():
            cells = "".join(f"| {ranks(real, each):.2f}, {gains_off(real, each):.2f}× " for each in found.values())
            lines.append(f"| {disk} | {program} {cells}|\n")
        cells = "".join(
            f"| {statistics.fmean(ranks(real, each) for real in reals.values()):.2f}, "
            f"{statistics.geometric_mean(gains_off(real, each) for real in reals.values()):.2f}× "
            for each in found.values()
        )
        lines.append(f"| {disk} | all, on average {cells}|\n")
    return "".join(lines)


def _programs(figures: Figures, disk: str) -> Iterator[str]:
    """Go through the programs that were started and replayed with all schedulers."""
    for name in dict.fromkeys(name.partition(": ")[0] for other, name, _ in figures if other == disk and ": " in name):
        if all((disk, f"{name}: {kind}", each) in figures for kind in (START, REPLAY) for each in FOUR):
            yield name


def _compared(real: Mapping[str, float], replayed: Mapping[str, float], chain: Mapping[str, float]) -> str:
    ratios = [replayed[each] / real[each] for each in FOUR]
    return (
        f"| {max(real.values()):.1f} s, {min(real.values()):.1f} s "
        f"| {statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}) "
        f"| {ranks(real, replayed):.2f}, {ranks(real, chain):.2f} "
        f"| {gains_off(real, replayed):.2f}×, {gains_off(real, chain):.2f}× |"
    )


def medians(figures: Figures, disk: str, name: str) -> dict[str, float]:
    """Return the typical time by scheduler."""
    return {each: statistics.median(found) for each in FOUR if (found := figures.get((disk, name, each)))}


def ranks(real: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Spearman's rank correlation over the schedulers."""
    return float(spearmanr([real[s] for s in FOUR], [other[s] for s in FOUR]).statistic)


def gains_off(real: Mapping[str, float], other: Mapping[str, float]) -> float:
    """By which factor the predicted ratio of two schedulers is off, typically: the geometric mean over all pairs."""
    logs = [
        abs(math.log(other[one] / other[two]) - math.log(real[one] / real[two]))
        for at, one in enumerate(FOUR)
        for two in FOUR[at + 1 :]
    ]
    return math.exp(statistics.fmean(logs))
