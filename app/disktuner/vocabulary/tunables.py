# SPDX-License-Identifier: GPL-3.0-or-later
"""The tunables: range, unit, default and one plain sentence each on what it trades for what.

Sources: the kernel's Documentation/ABI/stable/sysfs-block, Documentation/block/{bfq-iosched,kyber-iosched,
deadline-iosched}.rst and block/{mq-deadline,kyber-iosched,bfq-iosched}.c. Ranges are what the helper accepts, not all
that the kernel would take.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.schedulers import SCHEDULERS

# The running kernel's timer ticks per second: what CLOCK_MONOTONIC_COARSE (linux/time.h) counts in.
_HZ = round(1 / time.clock_getres(6))
_NAME = re.compile(r"(queue|iosched)/[a-z_]+")


@dataclass(frozen=True, slots=True)
class Tunable:
    """One tunable.

    ``scheduler`` is None for those of the queue; ``unit`` is what ``unit_text`` shows, or nothing; ``default`` is what
    the running kernel gives when the scheduler attaches, None where disk, driver or scheduler decide. Kernels with
    patches may give something else.
    """

    scheduler: str | None
    name: str
    low: int
    high: int
    unit: str
    default: int | None
    trade: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name.startswith("queue/") != (self.scheduler is None):
            raise ValueError(f"not a tunable's name: {self}")
        if self.scheduler not in (None, *SCHEDULERS) or not self.trade.endswith("."):
            raise ValueError(f"not a tunable: {self}")
        if self.low > self.high or (self.default is not None and not self.accepts(self.default)):
            raise ValueError(f"not a range: {self}")

    def accepts(self, value: int) -> bool:
        """Say whether the value lies in the range."""
        return self.low <= value <= self.high


_COUNTED = ("requests", "batches", "times", "sectors")

# fmt: off
TUNABLES: tuple[Tunable, ...] = (
    Tunable(None, "queue/nr_requests", 4, 65_536, "requests", None,
            "How many requests may wait: more give the scheduler more to reorder, fewer make each wait shorter."),
    # Since Linux 7.0 in the place of mq-deadline's own; derived anew from each new nr_requests.
    Tunable(None, "queue/async_depth", 1, 65_536, "requests", None,
            "How many background requests may wait: fewer keep room for reads that somebody waits for."),
    Tunable(None, "queue/read_ahead_kb", 0, 1_048_576, "KiB", None,
            "How far ahead files are read: more speeds up long reads, less wastes less on scattered ones."),
    Tunable(None, "queue/wbt_lat_usec", 0, 60_000_000, "µs", None,
            "Holds background writes back when reads take longer than this; 0 never does. Once it was set, bfq no "
            "longer switches it off by itself until the next restart."),
    Tunable(None, "queue/rq_affinity", 0, 2, "", 1,
            "Which CPU completes a request: 0 any, 1 one nearby, 2 the one that asked, which spreads the work and "
            "costs more."),
    Tunable(None, "queue/nomerges", 0, 2, "", None,
            "0 merges neighbouring requests, 1 only where that is cheap, 2 never: saves CPU time, costs throughput."),
    Tunable("mq-deadline", "iosched/read_expire", 0, 1_000_000, "ms", 500,
            "How long a read may wait before it goes first: less lowers the longest waits, more sorts better."),
    Tunable("mq-deadline", "iosched/write_expire", 0, 1_000_000, "ms", 5_000,
            "How long a write may wait before it goes first: less saves sooner, more leaves reads alone."),
    Tunable("mq-deadline", "iosched/writes_starved", 0, 1_000, "batches", 2,
            "How many batches of reads may pass before it is the writes' turn: more favours reads."),
    Tunable("mq-deadline", "iosched/fifo_batch", 0, 1_000, "requests", 16,
            "How many requests go in one batch: more raise throughput, fewer lower latency."),
    Tunable("mq-deadline", "iosched/front_merges", 0, 1, "", 1,
            "Whether a request may be merged to the front of another: 0 saves a little CPU time."),
    Tunable("mq-deadline", "iosched/async_depth", 1, 65_536, "requests", None,
            "How many background requests may wait: fewer keep room for reads that somebody waits for."),
    Tunable("mq-deadline", "iosched/prio_aging_expire", 0, 1_000_000, "ms", 10_000,
            "How long requests of low priority may be passed over: less is fairer, more obeys ionice better."),
    Tunable("kyber", "iosched/read_lat_nsec", 1, 10_000_000_000, "ns", 2_000_000,
            "The target latency of reads: a lower one holds writes back harder."),
    Tunable("kyber", "iosched/write_lat_nsec", 1, 10_000_000_000, "ns", 10_000_000,
            "The target latency of synchronous writes: a lower one holds other work back harder."),
    Tunable("bfq", "iosched/low_latency", 0, 1, "", 1,
            "Whether programs that somebody waits for get more of the disk: 1 is responsive, 0 gives most throughput."),
    Tunable("bfq", "iosched/slice_idle", 0, 1_000, "ms", 8,
            "How long the disk waits for a program's next request: keeps shares fair on hard disks, costs throughput."),
    Tunable("bfq", "iosched/slice_idle_us", 0, 1_000_000, "µs", 8_000,
            "The same wait as slice_idle, in microseconds."),
    Tunable("bfq", "iosched/back_seek_max", 0, 2_097_151, "KiB", 16_384,
            "How far back the head may go for a request: more finds nearer work, less keeps one direction."),
    Tunable("bfq", "iosched/back_seek_penalty", 1, 1_000, "times", 2,
            "How much more a seek backwards counts than one forwards."),
    Tunable("bfq", "iosched/fifo_expire_sync", 1, 1_000_000, "ms", 125,
            "How long a request that somebody waits for may be passed over: less answers sooner."),
    Tunable("bfq", "iosched/fifo_expire_async", 1, 1_000_000, "ms", 250,
            "How long background writes may be passed over: less saves sooner."),
    Tunable("bfq", "iosched/max_budget", 0, 2_000_000, "sectors", 0,
            "How much one program may move in its turn: more raises throughput, less shortens waits; 0 adapts."),
    Tunable("bfq", "iosched/timeout_sync", 1, 1_000_000, "ms", _HZ // 8 * 1000 // _HZ,  # in ticks: 124 ms at 250 Hz
            "How long a program's turn may last: more helps scattered work, less makes turns quick."),
    Tunable("bfq", "iosched/strict_guarantees", 0, 1, "", 0,
            "1 keeps shares exact at the cost of much throughput, as only one request is then in flight."),
)
# fmt: on
"""Every tunable that Disktuner knows; those it may set are the helper's closed list."""

OF_THE_DISK = frozenset({"queue/read_ahead_kb", "queue/rq_affinity", "queue/nomerges"})
"""Those that no change of the scheduler touches; the others of the queue may get another value with it."""


def unit_text(unit: str, value: int) -> str:
    """Return a tunable's unit as it stands behind a value: a word in its singular or plural, or a sign."""
    return text(f"unit-{unit}", count=value) if unit in _COUNTED else units.sign(unit, language().numbers)


def known(name: str, scheduler: str | None) -> Tunable | None:
    """Return what is known of a tunable under a scheduler; None for names that are not in the table (no claim)."""
    return next((each for each in TUNABLES if each.name == name and each.scheduler in (None, scheduler)), None)
