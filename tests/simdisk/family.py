# SPDX-License-Identifier: GPL-3.0-or-later
"""A family of simulated disks drawn at random, and what is true of each: found by long fixed runs, or by construction.

The truth is taken with the program's own workloads, not with its planning, its guard or its verdict: every scheduler
runs each workload of a goal in every round, 6 s a run as the disk was probed, for at least four rounds, or more rounds
of shorter runs where 6 s would write too much. What costs processor time is left out of the prices: this disk is itself
a program.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.experiment.probe import probe
from disktuner.experiment.processes import Control, UserProcesses
from disktuner.vocabulary.goals import GOALS, QUICK
from disktuner.vocabulary.metrics import Better, is_cost
from disktuner.vocabulary.workloads import WORKLOADS, deciding, known_metric, price_list, workloads_for
from disktuner.workloads.catalogue import find
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch
from tests.conftest import LoopDisk, Sudo
from tests.simdisk.simulated import simulated_disk, throttled

FOUR = ("mq-deadline", "none", "kyber", "bfq")
BASELINE = FOUR[0]
RUN_S = 6.0
ROUNDS, MOST_ROUNDS = 4, 8
NEAR = math.log(1.1)
"""Nearer than this to a limit, the answers on both sides of it are right: but no nearer to it than to no difference."""
SURE = 2.0
"""So many standard errors from a limit, the side is known."""

# ---- the disks -----------------------------------------------------------------------------------------------------

KINDS = ("hdd-ncq", "flash", "null", "hdd", "ssd")


@dataclass(frozen=True, slots=True)
class Drawn:
    """One disk of the family: the server's profile with its settings, and the queue above it.

    ``pace_bytes_per_s`` is the throttle above the queue of a disk on which no scheduler makes a difference, else None.
    """

    seed: int
    kind: str
    profile: str
    settings: tuple[str, ...]
    depth: int
    size_mb: int
    pace_bytes_per_s: int | None = None


def draw(seed: int) -> Drawn:
    """Return the disk of a seed. Five seeds in a row are of all kinds."""
    kind = KINDS[seed % len(KINDS)]
    return _DRAW[kind](seed, kind, random.Random(f"disk {seed}"))


def _hard_disk(seed: int, kind: str, source: random.Random) -> Drawn:
    depth = source.choice((8, 16, 32)) if kind == "hdd-ncq" else 4
    settings = (
        f"rpm={source.choice((5400, 5900, 7200, 7200, 10_000, 15_000))}",
        f"track_us={source.randint(300, 1500)}",
        f"seek_us={source.randint(3500, 13_000)}",
        f"rate_mb={source.randint(60, 250)}",
        f"ncq={source.randint(2, depth) if kind == 'hdd-ncq' else 1}",
    )
    return Drawn(seed, kind, "hdd", settings, depth, source.randint(40, 80) * 100)


def _flash(seed: int, kind: str, source: random.Random) -> Drawn:
    settings = (
        f"read_us={source.randint(300, 1500)}",
        f"write_us={source.randint(200, 1500)}",
        f"jump_us={round(500 * 20 ** source.random())}",  # 0.5 to 10 ms
        f"rate_mb={source.randint(20, 90)}",
    )
    return Drawn(seed, kind, "flash", settings, source.choice((4, 4, 8)), source.randint(30, 40) * 100)


def _ssd(seed: int, kind: str, source: random.Random) -> Drawn:
    settings = (
        f"read_us={source.randint(50, 200)}",
        f"write_us={source.randint(50, 200)}",
        f"jump_us={source.randint(0, 200)}",
        f"rate_mb={source.randint(250, 550)}",
    )
    return Drawn(seed, kind, "flash", settings, source.choice((8, 16, 32)), source.randint(40, 60) * 100)


def _null(seed: int, kind: str, source: random.Random) -> Drawn:
    read_us, pace = source.randint(20_000, 60_000), source.randint(40, 80) * 1_000_000
    return Drawn(seed, kind, "null", (f"read_us={read_us}",), 64, 3000, pace)


_DRAW: Mapping[str, Callable[[int, str, random.Random], Drawn]] = {
    "hdd-ncq": _hard_disk,
    "hdd": _hard_disk,
    "flash": _flash,
    "ssd": _ssd,
    "null": _null,
}


@contextmanager
def member(sudo: Sudo, folder: Path, drawn: Drawn) -> Iterator[LoopDisk]:
    """The disk as it was drawn, mounted, with what a disk with one queue has by default."""
    made = simulated_disk(sudo, folder, drawn.size_mb, drawn.profile, *drawn.settings, depth=str(drawn.depth))
    with made as disk:
        pace = drawn.pace_bytes_per_s
        with nullcontext() if pace is None else throttled(sudo, disk, pace):
            sudo("tee", disk.queue / "scheduler", stdin=BASELINE)
            yield disk


BURNER = """
import os, random, sys, time
source, parent = random.Random(sys.argv[1]), os.getppid()
while os.getppid() == parent:
    end = time.monotonic() + source.uniform(0.1, 2)
    while time.monotonic() < end:
        pass
    time.sleep(source.uniform(0.1, 2))
"""
"""Takes half of a processor, at random times; ends with who started it."""


@contextmanager
def busy(count: int, seed: int) -> Iterator[None]:
    """So many of them beside what is done meanwhile."""
    argv = [sys.executable, "-I", "-S", "-c", BURNER]
    burning = [subprocess.Popen([*argv, f"{seed} {number}"]) for number in range(count)]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
            each.wait()


# ---- the truth -----------------------------------------------------------------------------------------------------

Figures = Mapping[str, Mapping[str, list[float]]]
"""Values by metric (its full name) and scheduler, round by round."""


@dataclass(frozen=True, slots=True)
class Gain:
    """How many times better than the baseline a scheduler is on a metric, as a logarithm, with its standard error."""

    log: float
    error: float = 0.0

    def is_above(self, limit: float) -> int:
        """Whether it is above a limit: 1 if it is, -1 if it is not, 0 where that is near, or not known."""
        distance = self.log - limit
        near = abs(distance) <= max(near_to(limit), SURE * self.error)
        return 0 if near else 1 if distance > 0 else -1

    def may_be_told(self, limit: float) -> bool:
        """Whether more rounds could say on which side of a limit it is."""
        return near_to(limit) < abs(self.log - limit) <= SURE * self.error


def near_to(limit: float) -> float:
    """Return how near to a limit both sides of it are right."""
    return min(NEAR, abs(limit) / 2)


def gain(figures: Figures, metric: str, scheduler: str) -> Gain:
    """Compare round by round; the ratio is the geometric mean of the rounds' ratios."""
    found = known_metric(metric)
    assert found
    sign = -1 if found.better is Better.LOWER else 1
    pairs = zip(figures[metric][scheduler], figures[metric][BASELINE], strict=True)
    logs = [sign * math.log(max(ours, 1e-9) / max(base, 1e-9)) for ours, base in pairs]
    return Gain(statistics.fmean(logs), statistics.stdev(logs) / len(logs) ** 0.5)


def _metric_of(workload: str, metric: str | None = None) -> str:
    return f"{workload}.{metric or WORKLOADS[workload].deciding}"


def _deciding(goal: str, measured: Iterable[str]) -> tuple[str, ...]:
    there = set(measured)
    return tuple(name for workload in deciding(goal) if (name := _metric_of(workload)) in there)


def limits(goal: str, measured: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Return by metric the gains on which an answer for this goal hangs, the last of each being what it may lose.

    What decides may itself lose no more than what is worth a switch.
    """
    there = tuple(measured)
    first, worth = _deciding(goal, there), math.log(GOALS[goal].worth)
    found: dict[str, tuple[float, ...]] = dict.fromkeys(first, (worth, -worth))
    for price in price_list(goal):
        name = _metric_of(price.workload, price.metric)
        if name in there and name not in first and not is_cost(name):
            found[name] = (math.log(1 - price.may_lose),)
    return found


@dataclass(frozen=True, slots=True)
class Scheduler:
    """What is true of one for a goal: whether it gains, and whether it costs too much (as ``Gain.is_above``)."""

    gains: int
    is_dear: int
    score: Gain

    @property
    def is_free(self) -> bool:
        """Whether it gains for sure, and costs nothing for sure."""
        return self.gains > 0 > self.is_dear


@dataclass(frozen=True, slots=True)
class Truth:
    """Which answers are right for a goal: pairs of decision and winner. More than one decision: at the border."""

    right: frozenset[tuple[str, str | None]]
    schedulers: Mapping[str, Scheduler] = field(default_factory=dict)

    def grade(self, decision: str, winner: str | None) -> str:
        """Return ``right``, ``border``, ``lesser``, ``wrong`` or ``undecided``.

        ``lesser`` harms nobody: a switch that gains, though another gains more, or more caution than is needed.
        ``wrong`` is a switch to what does not gain or costs too much, a trade-off where nothing gains, and *keep* where
        something gains and costs nothing.
        """
        if decision not in {"switch", "keep", "trade-off"}:
            return "undecided"
        if (decision, winner if decision != "keep" else None) in self.right:
            return "border" if len({each for each, _ in self.right}) > 1 else "right"
        if decision == "keep":
            return "wrong" if any(each.is_free for each in self.schedulers.values()) else "lesser"
        found = self.schedulers.get(winner or "")
        if found is None or found.gains < 0 or (decision == "switch" and found.is_dear > 0):
            return "wrong"
        return "lesser"


EQUAL = Truth(frozenset({("keep", None)}))
"""Of a disk on which no scheduler makes a difference."""


def answers(goal: str, figures: Figures) -> Truth:
    """Return which answers are right, given long runs of the goal's workloads."""
    bounds, first = limits(goal, figures), _deciding(goal, figures)
    found = {}
    for name in FOUR[1:]:
        gains = {metric: gain(figures, metric, name) for metric in bounds}
        gaining = max(gains[metric].is_above(bounds[metric][0]) for metric in first)
        dear = max(-each.is_above(bounds[metric][-1]) for metric, each in gains.items())
        logs = [gains[metric] for metric in first]
        error = math.hypot(*(each.error for each in logs)) / len(logs)
        found[name] = Scheduler(gaining, dear, Gain(statistics.fmean(each.log for each in logs), error))
    return Truth(frozenset(_right(found)), found)


def _right(found: Mapping[str, Scheduler]) -> Iterator[tuple[str, str | None]]:
    free = [each.score.log for each in found.values() if each.is_free]
    for name, each in found.items():
        near = max(NEAR, SURE * each.score.error)
        if each.gains >= 0 >= each.is_dear and each.score.log >= max(free, default=-math.inf) - near:
            yield "switch", name
        if each.gains >= 0 <= each.is_dear and not free:
            yield "trade-off", name
    if all(each.gains <= 0 for each in found.values()):
        yield "keep", None


def worth_measuring(goal: str, all_prices: bool = True) -> tuple[str, ...]:
    """Return the workloads on which the truth hangs, of those that run here; or only those of the quick budget."""
    first = deciding(goal)
    named = (*first, *(price.workload for price in price_list(goal))) if all_prices else workloads_for(goal)
    found = tuple(name for name in dict.fromkeys(named) if find(name).unavailable() is None)
    return found if all_prices else found[: QUICK.limits.workloads]


def measure(disk: LoopDisk, sudo: Sudo, workload: str, goals: Iterable[str]) -> dict[str, dict[str, list[float]]]:
    """Run a workload with all schedulers in turns until it is known on which side of the goals' limits each lies.

    At least ``ROUNDS``, at most ``MOST_ROUNDS``, and more where the runs are shorter. Afterwards the disk has the
    baseline again.
    """
    found: dict[str, dict[str, list[float]]] = {}
    wanted = tuple(goals)

    def set_to(scheduler: str) -> None:
        sudo("tee", disk.queue / "scheduler", stdin=scheduler)

    with closing(in_turns(disk, sudo, workload, FOUR, set_to, found)) as turns:
        for times, number in turns:
            fewest, most = round(ROUNDS * times**0.5), round(MOST_ROUNDS * times)
            if number >= most or (number >= fewest and not _is_open(found, wanted)):
                break
    set_to(BASELINE)
    return found


def in_turns(
    disk: LoopDisk,
    sudo: Sudo,
    workload: str,
    names: Sequence[str],
    set_to: Callable[[str], None],
    found: dict[str, dict[str, list[float]]],
) -> Generator[tuple[float, int]]:
    """Run a workload with what is set in turns, round by round, into ``found``: by metric and name.

    Yields how many times shorter than ``RUN_S`` its runs are, and how many rounds were made.
    """  # fmt: skip
    assert disk.folder
    folder, runner, control = disk.folder / "truth", find(workload), Control()
    folder.mkdir()
    try:
        spec = runner.plan(probe(folder, control.check), RUN_S)
        with Source(spec.cost.bytes_source, 1, control.check) as source, UserProcesses(control) as processes:
            runner.prepare(Scratch(folder, 1, source), spec, processes)
            runner.run(Scratch(folder, 1, source), spec, processes)  # the first does not count
            for number in itertools.count(1):
                for name in _order(names, number):
                    set_to(name)
                    done = runner.run(Scratch(folder, number + 1, source), spec, processes)
                    processes.end_all()
                    for metric, value in done.values.items():
                        found.setdefault(f"{workload}.{metric}", {}).setdefault(name, []).append(value)
                yield max(1.0, RUN_S / spec.expected_s), number
    finally:
        control.close()
        sudo("rm", "-r", folder)


def _order(names: Sequence[str], number: int) -> tuple[str, ...]:
    """Each comes first once in as many rounds, and not always after the same one."""
    at = (number - 1) % len(names)
    first, *rest = (*names[at:], *names[:at])
    return (first, *(rest if number % 2 else reversed(rest)))


def _is_open(figures: Figures, goals: Iterable[str]) -> bool:
    """Whether more rounds could tell on which side of a limit something lies."""
    return any(
        each.may_be_told(limit)
        for goal in goals
        for metric, bounds in limits(goal, figures).items()
        for each in (gain(figures, metric, name) for name in FOUR[1:])
        for limit in bounds
    )
