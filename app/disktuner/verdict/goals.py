# SPDX-License-Identifier: GPL-3.0-or-later
"""What each goal counts: the metrics that decide, those that stand in for them, and what it may cost at most.

The reasons are told to users in docs/goals.md; a test keeps the two alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

from disktuner.results.model import Goal, Result
from disktuner.vocabulary.metrics import COSTS, Better, Metric, is_cost

_PREFERRED = {
    "read-latency-under-writes": ("p99_s",),
    "stream-under-copy": ("longest_stall_s", "late_frames"),
    "commit-log": ("commits_per_s",),
    "oltp": ("ios_per_s", "iops"),
    "pgbench": ("tps", "transactions_per_s"),
    "sql-oltp": ("tps", "transactions_per_s"),
}
_USUAL = ("wall_s", "bytes_per_s", "p99_s")


@dataclass(frozen=True, slots=True)
class Guard:
    """A workload that may lose at most a share of its speed: 0.25 is a quarter slower, never a finding to hide."""

    workload: str
    may_lose: float
    metric: str | None = None


@dataclass(frozen=True, slots=True)
class GoalRule:
    """How one goal decides: ``stand_ins`` count only where nothing of ``deciding`` was measured."""

    goal: Goal
    wish: str
    deciding: tuple[str, ...]
    stand_ins: tuple[str, ...]
    guards: tuple[Guard, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Roles:
    """The metrics of one result by what they do in its verdict; ``guards`` maps to the share that may be lost."""

    deciding: tuple[str, ...]
    guards: Mapping[str, float]
    stood_in: bool = False


def _all(may_lose: float, *workloads: str) -> tuple[Guard, ...]:
    return tuple(Guard(workload, may_lose) for workload in workloads)


_BULK = ("copy-contended", "copy", "dd-write", "dd-read")
_WRITES = ("write_bytes_per_s", "writer_bytes_per_s")
_PRICES = (*_WRITES, *(metric.name for metric in COSTS))
"""What a run costs the others and the processors meanwhile: never decides."""


def _cpu(*workloads: str) -> tuple[Guard, ...]:
    """A busy server needs its processors: three times the CPU time per request at most."""
    return tuple(Guard(workload, 2 / 3, "cpu_s_per_1000") for workload in workloads)


RULES: Mapping[Goal, GoalRule] = {
    rule.goal: rule
    for rule in (
        GoalRule(
            Goal.DESKTOP,
            "starting programs and opening files while something else keeps the disk busy",
            ("launch-under-writes", "read-latency-under-writes"),
            ("launch-under-reads", "unpack", "small-files"),
            _all(1 / 3, "copy-contended", "launch-under-reads", *_BULK),
            "A person waits for the program that starts, not for the copy in the background.",
        ),
        GoalRule(
            Goal.COPYING,
            "copying",
            ("copy-contended",),
            ("copy", "dd-write", "dd-read", "unpack"),
            (
                *_all(0.1, "copy", "dd-write", "dd-read"),
                *_all(0.5, "launch-under-writes", "read-latency-under-writes"),
            ),
            "One copy alone shows nothing; several at once show who orders the work well.",
        ),
        GoalRule(
            Goal.DATABASE,
            "databases",
            ("commit-log", "oltp", "pgbench", "sql-oltp"),
            ("sysbench-rndrw", "sysbench-rndwr", "sysbench-rndrd", "launch-under-writes"),
            (*_all(0.25, "scan", *_BULK), *_cpu("commit-log", "oltp", "pgbench")),
            "A transaction waits for its commit and for small scattered reads.",
        ),
        GoalRule(
            Goal.MEDIA,
            "films and music beside other work",
            ("stream-under-copy",),
            ("read-latency-under-writes", "launch-under-writes"),
            _all(1 / 3, *_BULK),
            "A late frame is seen, a slower copy is not.",
        ),
        GoalRule(
            Goal.SERVER,
            "many clients at once",
            ("many-clients", "small-files", "read-latency-under-writes"),
            ("launch-under-reads", "launch-under-writes", "priorities"),
            (*_all(0.25, *_BULK), *_cpu("many-clients", "small-files")),
            "Many clients wait for many small answers; none may starve behind a stream.",
        ),
    )
}


def workloads_of(goal: Goal) -> tuple[str, ...]:
    """Return the workloads worth running for a goal, most telling first: what decides and what it costs in turn."""
    rule = RULES[goal]
    prices = dict.fromkeys(guard.workload for guard in rule.guards)
    pairs = [name for pair in zip_longest(rule.deciding, prices) for name in pair if name]
    return tuple(dict.fromkeys((*pairs, *rule.stand_ins)))


def rule_for(goal: str | None) -> GoalRule | None:
    """Return the rule of a goal, None for none or one of another program."""
    return RULES[Goal(goal)] if goal in set(Goal) else None


def roles(result: Result) -> Roles:
    """Say which of a result's metrics decide and which guard.

    A metric that the goal does not know decides where it is the only one that was measured.
    """
    there = {sample.metric for sample in result.samples}
    measured = [name for name in result.metrics if name in there]
    rule = rule_for(result.plan.goal)
    if rule is not None:
        for workloads, stood_in in ((rule.deciding, False), (rule.stand_ins, True)):
            found = tuple(name for w in workloads for name in _leading(w, measured))
            if found:
                return Roles(found, _guards(rule, measured, found), stood_in)
    single = [name for name in measured if not is_cost(name)]
    return Roles(tuple(single) if len(single) == 1 else (), {})


def tolerance(metric: Metric, may_lose: float) -> float:
    """Return the worst ratio to the baseline that a guard allows: times may grow as much as speed may shrink."""
    return 1 / (1 - may_lose) if metric.better is Better.LOWER else 1 - may_lose


def _leading(workload: str, measured: list[str]) -> tuple[str, ...]:
    """The one metric of a workload that stands for it: its preferred, else a usual, else its first."""
    own = [name for name in measured if name.rpartition(".")[0] == workload and name.rpartition(".")[2] not in _PRICES]
    for last in (*_PREFERRED.get(workload, ()), *_USUAL):
        if f"{workload}.{last}" in own:
            return (f"{workload}.{last}",)
    return tuple(own[:1])


def _guards(rule: GoalRule, measured: list[str], deciding: tuple[str, ...]) -> dict[str, float]:
    guards: dict[str, float] = {}
    for guard in rule.guards:
        named = (f"{guard.workload}.{guard.metric}",) if guard.metric else _leading(guard.workload, measured)
        guards.update({name: guard.may_lose for name in named if name in measured and name not in deciding})
    return guards
