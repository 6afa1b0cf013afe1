# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of ``tests.bench.replays``, as the tables of docs/starts.md."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from scipy.stats import spearmanr

from tests.bench.disks import lines_of
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


def read_kept(file: Path | None) -> Figures:
    """Return what was measured before."""
    figures: Figures = {}
    for disk, name, scheduler, seconds, _ in lines_of(file):
        figures.setdefault((disk, name, scheduler), []).append(seconds)
    return figures


def table(figures: Figures) -> str:
    """Return a line for each program on a disk, then a summary of each disk."""
    text, pairs_by_disk = HEAD, dict[str, list[tuple[float, float]]]()
    for disk, name, real in _programs(figures):
        replayed, chain = (_medians(figures, disk, kind) for kind in (f"{name}: {REPLAY}", CHAIN))
        count = min(len(figures[disk, f"{name}: {START}", scheduler]) for scheduler in FOUR)
        ratios = [replayed[scheduler] / real[scheduler] for scheduler in FOUR]
        text += (
            f"| {disk} | {name} | {count} | {max(real.values()):.1f} s, {min(real.values()):.1f} s "
            f"| {statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}) "
            f"| {ranks(real, replayed):.2f}, {ranks(real, chain):.2f} "
            f"| {gains_off(real, replayed):.2f}×, {gains_off(real, chain):.2f}× |\n"
        )
        pairs_by_disk.setdefault(disk, []).extend((real[scheduler], replayed[scheduler]) for scheduler in FOUR)
    lines = []
    for disk, pairs in pairs_by_disk.items():
        correlation = spearmanr(pairs)
        lines.append(f"{disk} {correlation.statistic:.2f} (n = {len(pairs)}, p = {correlation.pvalue:.0e})")
    return f"{text}\nRank correlation of replays and starts over programs and schedulers: {', '.join(lines)}.\n"


def predictions(figures: Figures) -> str:
    """Return how well each start workload predicts the starts of the real programs, one by one and on average."""
    text = f"| disk | program | {' | '.join(f'`{name}`' for name in WORKLOADS)} |\n|---|---|{'---|' * len(WORKLOADS)}\n"
    cells: dict[str, list[list[tuple[float, float]]]] = {}
    for disk, program, real in _programs(figures):
        workloads = [_medians(figures, disk, name) for name in WORKLOADS]
        row = [(ranks(real, workload), gains_off(real, workload)) for workload in workloads]
        cells.setdefault(disk, []).append(row)
        text += _line(disk, program, row)
        if len(cells[disk]) == sum(other == disk for other, _, _ in _programs(figures)):
            columns = [tuple(zip(*column, strict=True)) for column in zip(*cells[disk], strict=True)]
            average = [(statistics.fmean(column), statistics.geometric_mean(off)) for column, off in columns]
            text += _line(disk, "all, on average", average)
    return text


def _line(disk: str, program: str, row: list[tuple[float, float]]) -> str:
    return f"| {disk} | {program} | {' | '.join(f'{rank:.2f}, {off:.2f}×' for rank, off in row)} |\n"


def _programs(figures: Figures) -> Iterator[tuple[str, str, Typical]]:
    """Yield the programs that were started and replayed with all schedulers, with their start times."""
    for disk, name in dict.fromkeys((disk, name.partition(": ")[0]) for disk, name, _ in figures if ": " in name):
        if all((disk, f"{name}: {kind}", scheduler) in figures for kind in (START, REPLAY) for scheduler in FOUR):
            yield disk, name, _medians(figures, disk, f"{name}: {START}")


def _medians(figures: Figures, disk: str, name: str) -> Typical:
    return {scheduler: statistics.median(figures[disk, name, scheduler]) for scheduler in FOUR}


def ranks(real: Typical, other: Typical) -> float:
    """Return Spearman's rank correlation over the schedulers."""
    return float(spearmanr([real[s] for s in FOUR], [other[s] for s in FOUR]).statistic)


def gains_off(real: Typical, other: Typical) -> float:
    """Return the typical factor by which the predicted ratio of two schedulers is off: the geometric mean over all
    pairs.
    """
    return math.exp(
        statistics.fmean(abs(math.log(other[a] / other[b] * real[b] / real[a])) for a, b in combinations(FOUR, 2))
    )
