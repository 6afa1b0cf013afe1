# SPDX-License-Identifier: GPL-3.0-or-later
"""Workloads as facts: what each does, its program and metrics, and which goals it decides or prices.

How a workload runs stands in ``disktuner.workloads``, a file per family; everything else about it is derived from
its declaration here: rules of goals, lists, cards, labels, the tables of docs/.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from disktuner.vocabulary.goals import FELT, GOALS, OWN, REMOVABLE, purpose_of
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.metrics import (
    COSTS,
    COUNTED,
    FRAME_S,
    INSTANT_S,
    THOUGHT_S,
    Metric,
    Wording,
    higher,
    lower,
    workload_of,
)
from disktuner.vocabulary.tables import check_id, table

THREADS = (1, 2, 8, 16, 32)
"""The numbers of threads with which sysbench runs in turn."""


class Duty(StrEnum):
    """A workload's part in the verdict for a goal."""

    DECIDES = "decides"

    STANDS_IN = "stands-in"
    """Decides if no proper workload was measured."""

    PRICES = "prices"
    """Bounds what the winner may cost."""


@dataclass(frozen=True, slots=True)
class Role:
    """What one workload does for one goal.

    ``place`` orders the workloads that do the same (equal places: in the order of declaration). A price may lose
    at most ``may_lose`` of its speed: 0.25 is a quarter slower. ``metric`` None means the workload's deciding one.
    ``weight`` is that in the score.
    """

    goal: str
    duty: Duty
    place: int = 0
    may_lose: float = 0.0
    metric: str | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        if (
            purpose_of(self.goal) is None
            or not 0 <= self.may_lose < 1
            or (self.duty is Duty.PRICES) != (self.may_lose > 0)
        ):
            raise ValueError(f"this is no role for a goal: {self}")


def decides(goal: str, place: int = 0, weight: float = 1.0) -> Role:
    """Declare that a workload decides a goal, with its weight in the score."""
    return Role(goal, Duty.DECIDES, place, weight=weight)


def fallback(goal: str, place: int = 0) -> Role:
    """Declare that a workload decides a goal if nothing better was measured."""
    return Role(goal, Duty.STANDS_IN, place)


def prices(goal: str, may_lose: float, place: int = 0, metric: str | None = None) -> Role:
    """Declare what a goal's winner may cost at most on a workload."""
    return Role(goal, Duty.PRICES, place, may_lose, metric)


def _one_big_file(place: int) -> tuple[Role, ...]:
    """Declare what every goal may lose on one big file, which also decides copying if nothing better was measured."""
    return (
        fallback("copying"),
        prices("copying", 0.1),
        prices("desktop", 1 / 3, place + 1),
        prices("database", 0.25, place + 2),
        prices("media", 1 / 3, place),
        prices("server", 0.25, place),
    )


@dataclass(frozen=True, slots=True)
class WorkloadFacts:
    """The facts on a workload that are known without running it.

    ``summary`` is what it does, a sentence without a full stop; ``activity`` the same as a phrase that begins sentences
    ("copying four files at once"), ``short`` what it is called among others. ``program`` and ``package`` are what it
    needs (``package`` None: nothing to install). ``deciding`` names the metric that stands for it. ``origin`` says
    where the test comes from. ``said`` is the activity where no declaration can know it.
    """

    id: str
    summary: str
    activity: str
    short: str
    program: str
    package: str | None
    metrics: tuple[Metric, ...]
    deciding: str
    roles: tuple[Role, ...]
    origin: str
    said: Message | None = None

    def __post_init__(self) -> None:
        check_id(self.id)
        names = [metric.name for metric in self.metrics]
        named = {self.deciding, *(role.metric for role in self.roles if role.metric)}
        known = {*names, *(cost.name for cost in COSTS)}
        if len(set(names)) != len(names) or not named <= known or self.deciding not in names:
            raise ValueError(f"the metrics of {self.id} do not fit together")


_SERVER_CPU = 2 / 3
"""A busy server needs its CPUs: three times the CPU time per request at most."""


def _sysbench(mode: str, what: str, place: int) -> WorkloadFacts:
    phrase = what[0].lower() + what[1:]
    return WorkloadFacts(
        f"sysbench-{mode}",
        f"sysbench fileio: {phrase} of 16 KiB with 1 to 32 threads",
        f"{phrase} with 1 to 32 threads",
        phrase,
        "sysbench",
        "sysbench",
        (
            higher("ios_per_s", "per_s", f"{what}, 1 to 32 threads"),
            *(metric for count in THREADS for metric in _with_threads(what, count)),
        ),
        "ios_per_s",
        (fallback("database", place),),
        "sysbench fileio, direct, 10,000 requests of 16 KiB with 1, 2, 8, 16 and 32 threads",
    )


def _with_threads(what: str, count: int) -> tuple[Metric, ...]:
    whose = f"{what}, {count} {'thread' if count == 1 else 'threads'}"
    return (
        higher(f"t{count}_ios_per_s", "per_s", f"{whose}: IOPS"),
        higher(f"t{count}_bytes_per_s", "bytes_per_s", f"{whose}: throughput"),
        lower(f"t{count}_p95_s", "s", f"{whose}: p95 latency"),
    )


WORKLOADS: dict[str, WorkloadFacts] = table(
    WorkloadFacts(
        "read-latency-under-writes",
        "Reads small blocks at a steady rate while a file is written",
        "small reads while a file is written",
        "small reads",
        "fio",
        "fio",
        (
            lower(
                "slowest_tenth_s",
                "s",
                "Tail read latency while a file is written (mean of the slowest tenth)",
                unnoticed=FRAME_S,
            ),
            lower("p99_s", "s", "p99 read latency while a file is written", unnoticed=FRAME_S),
            lower("p50_s", "s", "Median (p50) read latency while a file is written", unnoticed=FRAME_S),
            lower("worst_s", "s", "Maximum read latency while a file is written", unnoticed=FRAME_S),
            higher("write_bytes_per_s", "bytes_per_s", "Write throughput during small reads"),
        ),
        "slowest_tenth_s",
        (decides("desktop"), decides("server"), prices("copying", 0.5, 1), fallback("media")),
        "a server that chokes while a file is written; fixed arrivals as in G. Tene, How not to measure latency",
    ),
    WorkloadFacts(
        "launch-under-reads",
        "Replays the recorded start of LibreOffice Writer while four files are read and one is written",
        "starting a program while files are read and written",
        "starts while reading",
        "python3",
        None,
        (
            lower("wall_s", "s", "Starting a program while files are read and written", unnoticed=INSTANT_S),
            higher("read_bytes_per_s", "bytes_per_s", "Read throughput while a program starts"),
        ),
        "wall_s",
        (fallback("desktop"), prices("desktop", 1 / 3, 1), fallback("server")),
        "a server that chokes under four readers and one writer",
    ),
    WorkloadFacts(
        "launch-office",
        "Replays the recorded start of LibreOffice Writer while files are written",
        "starting an office program while files are written",
        "program starts",
        "python3",
        None,
        (
            lower("wall_s", "s", "Starting an office program while files are written", unnoticed=INSTANT_S),
            higher("write_bytes_per_s", "bytes_per_s", "Write throughput while an office program starts"),
        ),
        "wall_s",
        (
            decides("desktop", -1, weight=2),
            prices("copying", 0.5, -1),
            prices("database", 0.5, 1),
            prices("media", 0.5, -1),
            prices("server", 0.5, 1),
        ),
        "a desktop that freezes while something copies: the recorded start of a big program",
    ),
    WorkloadFacts(
        "use-elsewhere",
        "Uses an open program, saves and starts an office program on another disk while a file is copied to this one",
        "using another disk during a copy",
        "another disk",
        "python3",
        None,
        (
            lower("wall_s", "s", "Using another disk during a copy", unnoticed=INSTANT_S),
            lower("return_s", "s", "Using an open program again during a copy to another disk", unnoticed=INSTANT_S),
            lower("save_s", "s", "Saving a small file during a copy to another disk", unnoticed=INSTANT_S),
            lower("start_s", "s", "Starting an office program during a copy to another disk", unnoticed=INSTANT_S),
            higher("write_bytes_per_s", "bytes_per_s", "Copy throughput while another disk is used"),
        ),
        "wall_s",
        (decides(FELT.id),),
        "a desktop that freezes while a stick is written: what the stick's copy takes away from the other disk",
    ),
    WorkloadFacts(
        "copy-contended",
        "Copies a big file together with one and with three other copies until all are on the disk",
        "copying four files at once",
        "four copies",
        "cp",
        "coreutils",
        (
            lower("wall_s", "s", "Four copies at once"),
            higher("jain_index", "", "Fairness among four copies (Jain's index, 1 is equal)"),
            lower("beside_one_wall_s", "s", "Two copies at once"),
            higher("beside_one_jain_index", "", "Fairness between two copies (Jain's index, 1 is equal)"),
        ),
        "wall_s",
        (
            decides("copying"),
            prices("desktop", 1 / 3),
            prices("database", 0.25, 2),
            prices("media", 1 / 3),
            prices("server", 0.25),
        ),
        "time cp while other copies run",
    ),
    WorkloadFacts(
        "copy",
        "Copies one big file with cp until the copy is on the disk",
        "copying one big file",
        "one copy",
        "cp",
        "coreutils",
        (lower("wall_s", "s", "Copying one big file"),),
        "wall_s",
        _one_big_file(1),
        "time cp bigfile bigfile2 of 700 MB, alone",
    ),
    WorkloadFacts(
        "copy-then-unplug",
        "Writes one big file as a copy does, then waits until all of it is on the disk",
        "waiting until it is safe to unplug",
        "safe to unplug",
        "dd",
        "coreutils",
        (
            lower("gap_s", "s", "Wait after a copy until it is safe to unplug", Wording.QUALITY, unnoticed=THOUGHT_S),
            lower("safe_s", "s", "Copying until it is safe to unplug"),
            lower("done_s", "s", "Copying until it seems done"),
        ),
        "gap_s",
        (decides(REMOVABLE.id), prices(REMOVABLE.id, 0.1, metric="safe_s")),
        "sticks that are pulled out when the bar is full",
    ),
    WorkloadFacts(
        "dd-write",
        "Writes one big file with dd and waits until it is on the disk",
        "writing one big file",
        "writing",
        "dd",
        "coreutils",
        (higher("bytes_per_s", "bytes_per_s", "Sequential write throughput"),),
        "bytes_per_s",
        _one_big_file(2),
        "dd bs=1M conv=fdatasync",
    ),
    WorkloadFacts(
        "dd-read",
        "Reads one big file with dd, uncached",
        "reading one big file",
        "reading",
        "dd",
        "coreutils",
        (higher("bytes_per_s", "bytes_per_s", "Sequential read throughput"),),
        "bytes_per_s",
        _one_big_file(3),
        "dd bs=1M after dropping caches",
    ),
    WorkloadFacts(
        "raw-read",
        "Reads the raw disk from its beginning, without a file system",
        "reading the raw disk",
        "raw reading",
        "dd",
        "udisks2",
        (higher("bytes_per_s", "bytes_per_s", "Raw disk read throughput"),),
        "bytes_per_s",
        (),
        "hdparm -t, on what udisks' OpenForBenchmark opens: polkit asks for it",
    ),
    WorkloadFacts(
        "unpack",
        "Unpacks a source tree with tar until all of it is on the disk",
        "unpacking a source tree",
        "unpacking",
        "tar",
        "tar",
        (lower("wall_s", "s", "Unpacking a source tree", unnoticed=INSTANT_S),),
        "wall_s",
        (fallback("desktop", 1), fallback("copying", 1)),
        "a kernel tarball unpacked",
    ),
    WorkloadFacts(
        "small-files",
        "Creates, reads and deletes thousands of small files",
        "creating, reading and deleting small files",
        "small files",
        "python3",
        None,
        (
            lower("wall_s", "s", "Creating, reading and deleting small files", unnoticed=INSTANT_S),
            higher("create_per_s", "per_s", "Small files created"),
            higher("read_per_s", "per_s", "Small files read"),
            higher("delete_per_s", "per_s", "Small files deleted"),
        ),
        "wall_s",
        (
            fallback("desktop", 2),
            decides("server", -1),
            prices("server", _SERVER_CPU, 5, "cpu_s_per_1000"),
        ),
        "Bonnie++ -n and dbench",
    ),
    WorkloadFacts(
        "many-clients",
        "dbench: file operations of many clients of a file server",
        "serving many clients",
        "many clients",
        "dbench",
        "dbench",
        (
            higher("bytes_per_s", "bytes_per_s", "Throughput of many clients"),
            lower("worst_s", "s", "Maximum latency of many clients"),
        ),
        "bytes_per_s",
        (decides("server", -2), prices("server", _SERVER_CPU, 4, "cpu_s_per_1000")),
        "dbench -t 60 50",
    ),
    WorkloadFacts(
        "stream-under-copy",
        "Plays a film while one big file is read and another is written, as in a copy",
        "playing a film during a copy",
        "a film",
        "cp",
        "coreutils",
        (
            lower(
                "slowest_tenth_s",
                "s",
                "Lateness of film frames during a copy (mean of the slowest tenth)",
                Wording.QUALITY,
            ),
            lower("longest_stall_s", "s", "Longest stall of a film during a copy", Wording.QUALITY),
            higher("on_time_share", "", "Share of film frames on time during a copy"),
        ),
        "slowest_tenth_s",
        (decides("media"),),
        "dd while a video plays: the film stopped",
    ),
    WorkloadFacts(
        "commit-log",
        "Appends small records, each made durable before the next",
        "committing to a log",
        "commits",
        "fio",
        "fio",
        (
            higher("commits_per_s", "per_s", "Durable commits"),
            lower("p99_s", "s", "p99 commit latency"),
        ),
        "commits_per_s",
        (decides("database"), prices("database", _SERVER_CPU, 6, "cpu_s_per_1000")),
        "a database's journal on an SSD: append, then fdatasync",
    ),
    WorkloadFacts(
        "oltp",
        "Ten clients read and write small random blocks and wait for their commits",
        "small random reads and writes of ten clients",
        "small requests",
        "fio",
        "fio",
        (
            higher("ios_per_s", "per_s", "Random reads and writes of ten clients (IOPS)"),
            lower("read_p99_s", "s", "p99 read latency of ten clients"),
            lower("commit_p99_s", "s", "p99 commit latency of ten clients"),
        ),
        "ios_per_s",
        (decides("database", 1), prices("database", _SERVER_CPU, 7, "cpu_s_per_1000")),
        "OLTP load: 4 KiB random, half reads and half writes, 10 users",
    ),
    WorkloadFacts(
        "scan",
        "Reads a big table from beginning to end",
        "scanning a table",
        "table scan",
        "fio",
        "fio",
        (higher("bytes_per_s", "bytes_per_s", "Table scan throughput"),),
        "bytes_per_s",
        (prices("database", 0.25),),
        "DSS load: 100 % sequential reads of 32 to 256 KiB",
    ),
    WorkloadFacts(
        "pgbench",
        "pgbench: 64 clients with small transactions on a private PostgreSQL server",
        "running PostgreSQL transactions",
        "PostgreSQL",
        "pgbench",
        "postgresql",
        (
            higher("tps", "per_s", "PostgreSQL transactions"),
            lower("p50_s", "s", "Median (p50) latency of PostgreSQL transactions"),
            lower("p99_s", "s", "p99 latency of PostgreSQL transactions"),
        ),
        "tps",
        (decides("database", 2), prices("database", _SERVER_CPU, 8, "cpu_s_per_1000")),
        "pgbench -i -s 10, pgbench -c 64 -M prepared, by time instead of -t 1000",
    ),
    WorkloadFacts(
        "sql-oltp",
        "sysbench: transactions of 18 statements on a private PostgreSQL server",
        "running SQL transactions",
        "SQL",
        "sysbench",
        "sysbench",
        (
            higher("tps", "per_s", "SQL transactions"),
            lower("p50_s", "s", "Median (p50) latency of SQL transactions"),
            lower("p99_s", "s", "p99 latency of SQL transactions"),
        ),
        "tps",
        (decides("database", 3),),
        "MySQL under a TPC-C-like load: sysbench oltp_read_write",
    ),
    _sysbench("rndrw", "Random reads and writes", 0),
    _sysbench("rndwr", "Random writes", 1),
    _sysbench("rndrd", "Random reads", 2),
    WorkloadFacts(
        "priorities",
        "Reads while files are copied at normal, idle and low I/O priority: is ionice honoured?",
        "reading during a copy at low priority",
        "priorities",
        "fio",
        "fio",
        (
            higher("idle_gain", "", "Reads during a copy at idle priority, compared with a normal copy"),
            higher("low_gain", "", "Reads during a copy at low priority, compared with a normal copy"),
            lower("slowdown", "", "Slowdown of small reads by a normal copy", Wording.QUALITY),
        ),
        "idle_gain",
        (fallback("server", 2),),
        "ionice -c CLASS -n PRIO",
    ),
)
"""All workloads by id."""

_BESIDE = (
    higher("write_bytes_per_s", "bytes_per_s", "Write throughput meanwhile"),
    higher("read_bytes_per_s", "bytes_per_s", "Read throughput meanwhile"),
    higher("load_bytes_per_s", "bytes_per_s", "Throughput of the command meanwhile"),
)

OF_ONES_OWN: dict[str, WorkloadFacts] = table(
    WorkloadFacts(
        "own-command",
        "Runs your own command",
        "running a command",
        "the command",
        "sh",
        None,
        (lower("wall_s", "s", "A command", unnoticed=INSTANT_S), *_BESIDE),
        "wall_s",
        (decides(OWN.id),),
        "what somebody waits for: starting an editor while a backup runs, compiling, opening a photo library",
    ),
    WorkloadFacts(
        "own-program",
        "Starts your own program: its recorded reads, replayed from files of the same sizes",
        "starting a program",
        "program starts",
        "strace",
        "strace",
        (lower("wall_s", "s", "Starting a program", unnoticed=INSTANT_S), *_BESIDE),
        "wall_s",
        (decides(OWN.id),),
        "the start of an installed program",
    ),
)
"""The workloads for a user's own program; each result says what ran and has its own names for their metrics."""


DAILY_USE = WorkloadFacts(
    "daily-use",
    "Daily use: how long programs wait for the disk, while two settings alternate",
    "daily use",
    "daily use",
    "",
    None,
    (
        lower("stall_s", "s/h", "Seconds in which all programs wait for the disk, per hour of use", Wording.QUALITY),
        lower("stalls", "/h", "Stalls of more than a second, per hour of use", Wording.QUALITY),
    ),
    "stall_s",
    (),
    "what a person feels: pressure stall information (io full), confirmed by the disk",
)
"""What a trial in daily use counts; it is never run."""


def every_workload() -> dict[str, WorkloadFacts]:
    """Return all workloads by id, including those for a user's own program and daily use."""
    return {**WORKLOADS, **OF_ONES_OWN, DAILY_USE.id: DAILY_USE}


def declared(id_: str) -> WorkloadFacts | None:
    """Return a workload whose metrics have the same names in every result; None for others."""
    return DAILY_USE if id_ == DAILY_USE.id else WORKLOADS.get(id_)


def facts_of(id_: str) -> WorkloadFacts:
    """Return a workload's facts, also for a user's own program. Raises ``KeyError`` for an unknown one."""
    return every_workload()[id_]


@dataclass(frozen=True, slots=True)
class Price:
    """The most that a goal's winner may lose on one metric of a workload, as a share of its speed."""

    workload: str
    may_lose: float
    metric: str | None


def deciding(goal: str, duty: Duty = Duty.DECIDES) -> dict[str, float]:
    """Return the workloads that decide a goal (or stand in for those), most important first, with their weights."""
    roles = [(role, facts.id) for facts in every_workload().values() for role in _roles(facts, goal, duty)]
    return {id_: role.weight for role, id_ in sorted(roles, key=lambda pair: pair[0].place)}


def price_list(goal: str) -> tuple[Price, ...]:
    """Return a goal's prices, the most worth measuring first."""
    prices = [
        (role.place, Price(facts.id, role.may_lose, role.metric))
        for facts in every_workload().values()
        for role in _roles(facts, goal, Duty.PRICES)
    ]
    return tuple(price for _, price in sorted(prices, key=lambda pair: pair[0]))


@dataclass(frozen=True, slots=True)
class Deciders:
    """Workloads that decide a goal with their weights, most important first.

    ``is_fallback``: only stand-ins decide.
    """

    workloads: Mapping[str, float]
    is_fallback: bool


def deciders(goal: str, measured: Collection[str]) -> Deciders:
    """Return which of the ``measured`` workloads decide a goal."""
    for weights, is_fallback in ((deciding(goal), False), (deciding(goal, Duty.STANDS_IN), True)):
        if measured_weights := {id_: weight for id_, weight in weights.items() if id_ in measured}:
            return Deciders(measured_weights, is_fallback)
    return Deciders({}, False)


def workloads_for(goal: str) -> tuple[str, ...]:
    """Return the workloads worth running for a goal: deciding ones and prices in turn, then stand-ins."""
    first, prices_ = tuple(deciding(goal)), tuple(dict.fromkeys(price.workload for price in price_list(goal)))
    longest = max(len(first), len(prices_))
    turns = [name for at in range(longest) for part in (first, prices_) for name in part[at : at + 1]]
    return tuple(dict.fromkeys((*turns, *deciding(goal, Duty.STANDS_IN))))


def goals_of(workload: str) -> tuple[str, ...]:
    """Return the goals in which a workload has any part, in the order of the goals."""
    facts = WORKLOADS.get(workload)
    served = {role.goal for role in facts.roles} if facts else set()
    return tuple(goal for goal in (*GOALS, FELT.id) if goal in served)


def metrics_of(facts: WorkloadFacts) -> dict[str, Metric]:
    """Return a workload's metrics by full name (``dd-write.bytes_per_s``), the CPU costs last."""
    costs = [replace(cost, label=f"{cost.label}: {facts.activity}", said=_cost_of(cost, facts.said)) for cost in COSTS]
    return {
        f"{facts.id}.{metric.name}": replace(metric, name=f"{facts.id}.{metric.name}")
        for metric in (*facts.metrics, *costs)
    }


def _cost_of(cost: Metric, activity: str | Message | None) -> Message | None:
    return message("figure-of-cost", cost=cost.label, activity=activity) if activity else None


def known_metric(name: str) -> Metric | None:
    """Return a metric by its full name; None for one of another program or version."""
    facts = declared(workload_of(name))
    return metrics_of(facts).get(name) if facts else None


def as_declared(metric: Metric) -> Metric:
    """Return a result's metric as this version declares it; unchanged if it is unknown or means something else."""
    known = known_metric(metric.name)
    return known if known and (known.unit, known.better) == (metric.unit, metric.better) else metric


def unnoticed_of(metric: Metric) -> float:
    """Return the largest unnoticed difference, in the metric's unit; 0 if only machines wait for it.

    This version's declaration applies to any result. For counts, which may truly be zero, it is a half.
    """
    facts = every_workload().get(metric.workload)
    same = (metric.last, metric.unit, metric.better)
    metrics = facts.metrics if facts else ()
    known = [metric.unnoticed for metric in metrics if (metric.name, metric.unit, metric.better) == same]
    return (known[0] if known else 0.0) or (0.5 if metric.unit in COUNTED else 0.0)


def label_of(metric: Metric) -> Message:
    """Return the name of a metric for people; a cost includes what it is the cost of."""
    if metric.said:
        return metric.said
    facts = declared(metric.workload)
    cost = next((entry for entry in COSTS if entry.name == metric.last), None)
    is_declared = facts and cost and metrics_of(facts)[metric.name].label == metric.label
    wording = _cost_of(cost, facts.activity) if facts and cost and is_declared else None
    return wording or message("figure-name", label=metric.label)


def _roles(facts: WorkloadFacts, goal: str, duty: Duty) -> list[Role]:
    return [role for role in facts.roles if role.goal == goal and role.duty is duty]
