# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``tests.bench.replays`` found, as the tables of docs/starts.md."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from scipy.stats import spearmanr

from tests.simdisk.family import FOUR

KEPT = Path(__file__).parents[1] / "data" / "replays.jsonl"
CHAIN = "launch-under-writes"
"""A workload of earlier versions: a chain of scattered reads; ``launch-window`` was the start of a small program."""
WORKLOADS = CHAIN, "launch-window", "launch-office"
START, REPLAY = "start", "replay"
HEAD = (
    "| disk | program | starts of each scheduler | slowest, fastest | replay ÷ start (least–most) "
    "| ranks: replay, chain | a gain is off by: replay, chain |\n|---|---|---:|---|---|---|---|\n"
)
Figures = dict[tuple[str, str, str], list[float]]
"""Seconds by disk, what was measured ("git status: start"), and scheduler."""
Typical = Mapping[str, float]
"""Seconds by scheduler."""


def read_kept(kept: Path) -> Figures:
    """Return what was found before."""
    figures: Figures = {}
    for line in kept.read_text().splitlines() if kept.exists() else ():
        disk, name, scheduler, seconds, _ = json.loads(line)
        figures.setdefault((disk, name, scheduler), []).append(seconds)
    return figures


def table(figures: Figures) -> str:
    """A line for each program on a disk, then what all of a disk say together."""
    text, both = HEAD, dict[str, list[tuple[float, float]]]()
    for disk, name, real in _programs(figures):
        replayed, chain = (_medians(figures, disk, each) for each in (f"{name}: {REPLAY}", CHAIN))
        count = min(len(figures[disk, f"{name}: {START}", each]) for each in FOUR)
        ratios = [replayed[each] / real[each] for each in FOUR]
        text += (
            f"| {disk} | {name} | {count} | {max(real.values()):.1f} s, {min(real.values()):.1f} s "
            f"| {statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}) "
            f"| {ranks(real, replayed):.2f}, {ranks(real, chain):.2f} "
            f"| {gains_off(real, replayed):.2f}×, {gains_off(real, chain):.2f}× |\n"
        )
        both.setdefault(disk, []).extend((real[each], replayed[each]) for each in FOUR)
    said = []
    for disk, pairs in both.items():
        found = spearmanr(pairs)
        said.append(f"{disk} {found.statistic:.2f} (n = {len(pairs)}, p = {found.pvalue:.0e})")
    return f"{text}\nRank correlation of replays and starts over programs and schedulers: {', '.join(said)}.\n"


def predictions(figures: Figures) -> str:
    """How well each workload that is a start predicts those of the real programs, one by one and on average."""
    text = f"| disk | program | {' | '.join(f'`{name}`' for name in WORKLOADS)} |\n|---|---|{'---|' * len(WORKLOADS)}\n"
    cells: dict[str, list[list[tuple[float, float]]]] = {}
    for disk, program, real in _programs(figures):
        found = [_medians(figures, disk, name) for name in WORKLOADS]
        row = [(ranks(real, each), gains_off(real, each)) for each in found]
        cells.setdefault(disk, []).append(row)
        text += _line(disk, program, row)
        if len(cells[disk]) == sum(other == disk for other, _, _ in _programs(figures)):
            columns = [tuple(zip(*column, strict=True)) for column in zip(*cells[disk], strict=True)]
            average = [(statistics.fmean(found), statistics.geometric_mean(off)) for found, off in columns]
            text += _line(disk, "all, on average", average)
    return text


def _line(disk: str, program: str, row: list[tuple[float, float]]) -> str:
    return f"| {disk} | {program} | {' | '.join(f'{rank:.2f}, {off:.2f}×' for rank, off in row)} |\n"


def _programs(figures: Figures) -> Iterator[tuple[str, str, Typical]]:
    """Go through the programs that were started and replayed with all schedulers, with the times of their starts."""
    for disk, name in dict.fromkeys((disk, name.partition(": ")[0]) for disk, name, _ in figures if ": " in name):
        if all((disk, f"{name}: {kind}", each) in figures for kind in (START, REPLAY) for each in FOUR):
            yield disk, name, _medians(figures, disk, f"{name}: {START}")


def _medians(figures: Figures, disk: str, name: str) -> Typical:
    return {each: statistics.median(figures[disk, name, each]) for each in FOUR}


def ranks(real: Typical, other: Typical) -> float:
    """Spearman's rank correlation over the schedulers."""
    return float(spearmanr([real[s] for s in FOUR], [other[s] for s in FOUR]).statistic)


def gains_off(real: Typical, other: Typical) -> float:
    """By which factor the predicted ratio of two schedulers is off, typically: the geometric mean over all pairs."""
    return math.exp(
        statistics.fmean(abs(math.log(other[a] / other[b] * real[b] / real[a])) for a, b in combinations(FOUR, 2))
    )
