# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of tunables: range, unit, default and one plain sentence each on what it trades for what.

Sources: the kernel's Documentation/ABI/stable/sysfs-block, Documentation/block/{bfq-iosched,kyber-iosched,
deadline-iosched}.rst and block/{mq-deadline,kyber-iosched,bfq-iosched}.c. Ranges are what the
helper accepts, not all that the kernel would swallow.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

# The running kernel's timer ticks per second: what CLOCK_MONOTONIC_COARSE (linux/time.h) counts in.
_HZ = round(1 / time.clock_getres(6))


@dataclass(frozen=True, slots=True)
class Tunable:
    """One tunable. ``scheduler`` is None for those of the queue; ``default`` is what the running kernel gives when the
    scheduler attaches, None where disk, driver or scheduler decide. Kernels with patches may give something else.
    """

    name: str
    scheduler: str | None
    low: int
    high: int
    unit: str
    default: int | None
    trade: str

    def accepts(self, value: int) -> bool:
        """Whether the value lies in the range."""
        return self.low <= value <= self.high


Row = tuple[str, int, int, str, int | None, str]

_QUEUE: tuple[Row, ...] = (
    (
        "nr_requests",
        4,
        65_536,
        "requests",
        None,
        "How many requests may wait: more give the scheduler more to reorder, fewer make each wait shorter.",
    ),
    # Since Linux 7.0 in the place of mq-deadline's own; derived anew from each new nr_requests.
    (
        "async_depth",
        1,
        65_536,
        "requests",
        None,
        "How many background requests may wait: fewer keep room for reads that somebody waits for.",
    ),
    (
        "read_ahead_kb",
        0,
        1_048_576,
        "KiB",
        None,
        "How far ahead files are read: more speeds up long reads, less wastes less on scattered ones.",
    ),
    (
        "wbt_lat_usec",
        0,
        60_000_000,
        "µs",
        None,
        "Holds background writing back when reads take longer than this; 0 lets writes run free. "
        "Once it was set, bfq no longer switches it off by itself until the next restart.",
    ),
    (
        "rq_affinity",
        0,
        2,
        "",
        1,
        "Which processor ends a request: 0 any, 1 a near one, 2 the one that asked; 2 spreads work at more cost.",
    ),
    (
        "nomerges",
        0,
        2,
        "",
        None,
        "0 joins neighbouring requests, 1 only where it is cheap, 2 never: saves processor time, loses speed.",
    ),
)
_DEADLINE: tuple[Row, ...] = (
    (
        "read_expire",
        0,
        1_000_000,
        "ms",
        500,
        "How long a read may wait before it goes first: shorter answers sooner, longer orders better.",
    ),
    (
        "write_expire",
        0,
        1_000_000,
        "ms",
        5_000,
        "How long a write may wait before it goes first: shorter saves sooner, longer leaves reads alone.",
    ),
    (
        "writes_starved",
        0,
        1_000,
        "batches",
        2,
        "How many batches of reads may pass before writes get their turn: more favours reading.",
    ),
    (
        "fifo_batch",
        0,
        1_000,
        "requests",
        16,
        "How many requests go in one sweep: more gives speed, fewer give quick answers.",
    ),
    (
        "front_merges",
        0,
        1,
        "",
        1,
        "Whether a request may be joined to the front of another: 0 saves a little processor time.",
    ),
    (
        "async_depth",
        1,
        65_536,
        "requests",
        None,
        "How many background requests may wait: fewer keep room for reads that somebody waits for.",
    ),
    (
        "prio_aging_expire",
        0,
        1_000_000,
        "ms",
        10_000,
        "How long low-priority requests may be passed over: shorter is fairer, longer obeys ionice more.",
    ),
)
_KYBER: tuple[Row, ...] = (
    (
        "read_lat_nsec",
        1,
        10_000_000_000,
        "ns",
        2_000_000,
        "The time a read should take at most: a smaller target holds writes back harder.",
    ),
    (
        "write_lat_nsec",
        1,
        10_000_000_000,
        "ns",
        10_000_000,
        "The time a synchronous write should take at most: a smaller target holds other work back harder.",
    ),
)
_BFQ: tuple[Row, ...] = (
    (
        "low_latency",
        0,
        1,
        "",
        1,
        "Whether programs that somebody waits for get more of the disk: 1 responsive, 0 highest throughput.",
    ),
    (
        "slice_idle",
        0,
        1_000,
        "ms",
        8,
        "How long the disk waits for a program's next request: keeps shares fair on hard disks, costs speed.",
    ),
    (
        "slice_idle_us",
        0,
        1_000_000,
        "µs",
        8_000,
        "The same wait as slice_idle, in microseconds.",
    ),
    (
        "back_seek_max",
        0,
        2_097_151,
        "KiB",
        16_384,
        "How far back the head may go for a request: more finds nearer work, less keeps one direction.",
    ),
    (
        "back_seek_penalty",
        1,
        1_000,
        "times",
        2,
        "How much dearer going back is taken to be than going forward.",
    ),
    (
        "fifo_expire_sync",
        1,
        1_000_000,
        "ms",
        125,
        "How long a request that somebody waits for may be passed over: shorter answers sooner.",
    ),
    (
        "fifo_expire_async",
        1,
        1_000_000,
        "ms",
        250,
        "How long background writing may be passed over: shorter saves sooner.",
    ),
    (
        "max_budget",
        0,
        2_000_000,
        "sectors",
        0,
        "How much one program may move in its turn: more gives speed, less shorter waits; 0 finds it out itself.",
    ),
    (
        "timeout_sync",
        1,
        1_000_000,
        "ms",
        _HZ // 8 * 1000 // _HZ,  # counted in ticks: 124 ms at 250 ticks a second
        "How long a program's turn may last: longer gives speed on scattered work, shorter gives quick turns.",
    ),
    (
        "strict_guarantees",
        0,
        1,
        "",
        0,
        "1 keeps shares exact at the cost of much speed, as only one request is then under way.",
    ),
)


def _rows(folder: str, scheduler: str | None, rows: tuple[Row, ...]) -> tuple[Tunable, ...]:
    return tuple(Tunable(f"{folder}/{row[0]}", scheduler, *row[1:]) for row in rows)


CATALOGUE: tuple[Tunable, ...] = (
    *_rows("queue", None, _QUEUE),
    *_rows("iosched", "mq-deadline", _DEADLINE),
    *_rows("iosched", "kyber", _KYBER),
    *_rows("iosched", "bfq", _BFQ),
)
"""Every tunable that Disktuner knows; those it may set are the helper's closed list."""

QUEUE_NAMES: tuple[str, ...] = tuple(
    tunable.name.removeprefix("queue/") for tunable in CATALOGUE if tunable.scheduler is None
)


def known(name: str, scheduler: str | None) -> Tunable | None:
    """What is known of a tunable under a scheduler; None for names nobody described (no claim is made)."""
    for tunable in CATALOGUE:
        if tunable.name == name and tunable.scheduler in (None, scheduler):
            return tunable
    return None


def of_scheduler(scheduler: str) -> tuple[Tunable, ...]:
    """The tunables that come with a scheduler."""
    return tuple(tunable for tunable in CATALOGUE if tunable.scheduler == scheduler)
