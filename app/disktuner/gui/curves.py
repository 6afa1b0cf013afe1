# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result to curves: how long requests waited, and how speed grows with the number of threads."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from disktuner.gui import wording
from disktuner.gui.plots.curve_chart import Axis, Curve
from disktuner.results.model import Result

SHARES = (0.5, 0.1, 0.01, 0.001, 0.0001)
"""Where a distribution is read off: half, one in ten, and so on."""
LEAST_PER_S = 1e-6
"""Slower than one request in eleven days was not measured."""

_THREADS = re.compile(r"t([1-9]\d{0,4})_(ios_per_s|bytes_per_s)")
_DECADES_S = tuple(10.0**power for power in range(-6, 4))


@dataclass(frozen=True, slots=True)
class Chart:
    """What a ``CurveChart`` is given, under a heading."""

    name: str
    curves: tuple[Curve, ...]
    across: Axis
    up: Axis
    speech: str


def distributions(result: Result) -> tuple[Chart, ...]:
    """One chart per workload that kept how long each request took; the share of requests that waited longer."""
    found: dict[str, dict[str, dict[float, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for order, (workload, scheduler) in _counted_runs(result).items():
        for upper_s, count in _bins(result.extra.get("histograms"), order):
            found[workload][scheduler][upper_s] += count
    return tuple(_distribution(result, workload, of) for workload, of in found.items())


def scaling(result: Result) -> tuple[Chart, ...]:
    """One chart per workload that was run with several numbers of threads; median speeds."""
    found: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for sample in result.samples:
        workload, _, figure = sample.metric.rpartition(".")
        match = _THREADS.fullmatch(figure)
        if match and sample.valid and match[2] == "ios_per_s" and sample.value >= LEAST_PER_S:
            found[workload][sample.scheduler][int(match[1])].append(sample.value)
    return tuple(_scaling(result, workload, of) for workload, of in found.items())


def _counted_runs(result: Result) -> dict[int, tuple[str, str]]:
    """Workload and scheduler of every run that counts, by its order."""
    return {s.order: (s.metric.rpartition(".")[0], s.scheduler) for s in result.samples if s.valid}


def _bins(histograms: object, order: int) -> Iterable[tuple[float, int]]:
    """The bins of one run; files of other programs may hold anything there."""
    run = histograms.get(str(order)) if isinstance(histograms, Mapping) else None
    for bins in run.values() if isinstance(run, Mapping) else ():
        for each in bins if isinstance(bins, list | tuple) else ():
            match each:
                case [int() | float() as upper_s, int() as count] if 0 < upper_s < 1e6 and count > 0:
                    yield float(upper_s), count
                case _:
                    pass


def _distribution(result: Result, workload: str, of: Mapping[str, Mapping[float, int]]) -> Chart:
    curves = tuple(_slower(name, of[name]) for name in _in_order(result, of))
    waits = [x for curve in curves for x, _ in curve.points]
    low, high = min(waits) / 1.2, max(waits) * 1.2
    across = tuple((value, wording.latency(value)) for value in _DECADES_S if low <= value <= high)
    up = tuple((share, wording.one_in(share)) for share in SHARES)
    speech = "; ".join(
        f"{curve.name}: " + ", ".join(f"{wording.one_in(y)} > {wording.latency(x)}" for x, y in curve.marks)
        for curve in curves
    )
    return Chart(_name(workload), curves, Axis(low, high, across, True), Axis(SHARES[-1], 1.0, up, True), speech)


def _slower(name: str, bins: Mapping[float, int]) -> Curve:
    """The share of requests that took longer than each bin's end, down to the last one."""
    total, left = sum(bins.values()), sum(bins.values())
    points = [(min(bins) / 1.1, 1.0)]
    for upper_s in sorted(bins):
        left -= bins[upper_s]
        points.append((upper_s, max(left, 0.5) / total))
    marks = [next((x, share) for x, y in points if y <= share) for share in SHARES if share * total >= 1]
    return Curve(name, tuple(points), tuple(marks))


def _scaling(result: Result, workload: str, of: Mapping[str, Mapping[int, list[float]]]) -> Chart:
    curves = tuple(
        Curve(name, points := tuple((float(n), median(of[name][n])) for n in sorted(of[name])), points)
        for name in _in_order(result, of)
    )
    counts = sorted({x for curve in curves for x, _ in curve.points})
    top = max(y for curve in curves for _, y in curve.points) * 1.08
    across = tuple((count, wording.threads(round(count))) for count in counts)
    block = _bytes_a_request(result, workload)
    up = tuple((value, wording.speed(value, block)) for value in _round_steps(top))
    speech = "; ".join(
        f"{curve.name}: " + ", ".join(f"{wording.threads(round(x))} {wording.speed(y, block)}" for x, y in curve.points)
        for curve in curves
    )
    return Chart(_name(workload), curves, Axis(counts[0], counts[-1], across, True), Axis(0.0, top, up, False), speech)


def _bytes_a_request(result: Result, workload: str) -> float | None:
    """From the bytes that were told beside the requests of the same run."""
    speeds: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for sample in result.samples:
        match = _THREADS.fullmatch(sample.metric.rpartition(".")[2])
        if match and sample.valid and sample.metric.startswith(f"{workload}."):
            speeds[sample.order, match[1]][match[2]] = sample.value
    pairs = [pair for pair in speeds.values() if len(pair) == 2 and pair["ios_per_s"] > 0]
    return pairs[0]["bytes_per_s"] / pairs[0]["ios_per_s"] if pairs else None


def _round_steps(top: float) -> list[float]:
    """Three to five round values up to the top."""
    step = 10.0 ** len(str(int(top)))
    while top / step < 3:
        step /= 2 if str(step)[0] in "14" else 2.5
    return [step * number for number in range(1, int(top / step) + 1)]


def _in_order(result: Result, of: Iterable[str]) -> list[str]:
    """The baseline first, then as planned."""
    wanted = dict.fromkeys((result.plan.baseline, *result.plan.schedulers, *of))
    return [name for name in wanted if name in set(of)]


def _name(workload: str) -> str:
    return wording.workload(workload)
