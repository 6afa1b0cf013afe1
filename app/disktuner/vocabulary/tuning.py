# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings worth trying for a goal besides the plain schedulers, each with its reason and source.

They are starting points for measurements, never findings. Values differ from the kernel's defaults (checked at import).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.vocabulary import kinds
from disktuner.vocabulary.goals import DESKTOP, GOALS, OWN, REMOVABLE
from disktuner.vocabulary.kinds import Kind
from disktuner.vocabulary.schedulers import SCHEDULERS, kernel_schedulers
from disktuner.vocabulary.settings import Setting, setting
from disktuner.vocabulary.tunables import BYTE_LIMIT, MIB, NCQ_DEPTH, QUEUE_DEPTH, WRITE_LIMIT, known


@dataclass(frozen=True, slots=True)
class Candidate:
    """Tunables (by full name) to try for some goals, with a scheduler or the plain winner's (None).

    ``rotates`` restricts it to disks that do or do not (None: all), ``kinds`` to kinds of disks (empty: all).
    ``reason`` is a sentence. ``from_start``: it already competes with the plain schedulers.
    """

    scheduler: str | None
    tunables: Mapping[str, int]
    goals: tuple[str, ...]
    rotates: bool | None
    reason: str
    source: str
    kinds: tuple[Kind, ...] = ()
    from_start: bool = False

    def __post_init__(self) -> None:
        if not self.tunables or not self.goals or not set(self.goals) <= GOALS.keys():
            raise ValueError(f"nothing to try: {self}")
        if not self.reason.endswith(".") or not self.source:
            raise ValueError(f"a setting to try needs a reason and a source: {self}")
        for name, value in setting(self.scheduler or kernel_schedulers()[0], self.tunables).tunables:
            tunable = known(name, self.scheduler)
            if tunable is not None and tunable.default == value:
                raise ValueError(f"the default is tried anyway: {self}")
        if self.scheduler and SCHEDULERS[self.scheduler].became:
            raise ValueError(f"not a scheduler of current kernels: {self}")

    def beside(self, plain: Setting) -> Setting:
        """Return the setting, including the plain winner's tunables if it has the same scheduler."""
        scheduler = self.scheduler or plain.scheduler
        kept = plain.values if scheduler == plain.scheduler else {}
        return setting(scheduler, {**kept, **self.tunables})


_BFQ = "Documentation/block/bfq-iosched.rst"
_DEADLINE = "Documentation/block/deadline-iosched.rst"
_KYBER = "Documentation/block/kyber-iosched.rst"
_SYSFS = "Documentation/ABI/stable/sysfs-block"
# Z. Ren et al., doi 10.1145/3629527.3651416: micro-bench-r1-w256 of the artifact, 90 pairs of targets, 5 runs each. p99
# of reads in µs, thousand writes a second: default 2 ms, 10 ms 3,011, 146; 1 ms, 5 ms 1,904, 108; 0.5 ms, 1 ms 2,623,
# 145.
# A lower target of reads alone, or one that every write meets, costs more than a third of the writes (0.5 ms, 10 ms
# 1,745/94; 50 µs, 100 ms 1,548/75).
_HOTCLOUD = "measurements at HotCloudPerf 2024"
_TUNED = "TuneD's profile throughput-performance"
_BDI = "Documentation/ABI/testing/sysfs-class-bdi"
_NCQ = "issues 10253 and 15270 of OpenZFS"
_SATA = "Serial ATA 3.x, native command queuing"

_ALL = tuple(goal for goal in GOALS if goal != REMOVABLE.id)  # sticks have two requests in their queue
_QUICK = ("desktop", "media")
_MUCH = ("copying", "database", "server")
_MS = 1_000_000  # in ns

_LITTLE_WAITS = "If little may wait in memory for a slow disk, a copy is not done until it is on the disk."
_MORE_WAITS = "A little more may wait, so that small writes can still be put in order."
_MORE: Mapping[str, int] = {**WRITE_LIMIT, BYTE_LIMIT: 64 * MIB}

CANDIDATES: tuple[Candidate, ...] = (
    Candidate(None, WRITE_LIMIT, (REMOVABLE.id,), None, _LITTLE_WAITS, _BDI, from_start=True),
    Candidate(None, _MORE, (REMOVABLE.id,), None, _MORE_WAITS, _BDI),
    Candidate(None, WRITE_LIMIT, _QUICK, None, _LITTLE_WAITS, _BDI, kinds.REMOVABLE),
    Candidate(None, _MORE, _QUICK, None, _MORE_WAITS, _BDI, kinds.REMOVABLE),
    Candidate(
        None, {QUEUE_DEPTH: 1}, _ALL, True,
        "Some hard disks prefer sequential requests in their own queue, and leave scattered reads waiting for seconds.",
        _NCQ, (kinds.HDD,),
    ),
    Candidate(
        None, {QUEUE_DEPTH: NCQ_DEPTH}, _ALL, True,
        "With its own queue, a hard disk also sorts requests already sent to it.", _SATA, (kinds.HDD,),
    ),
    Candidate(
        "bfq", {"iosched/slice_idle": 0}, _ALL, False,
        "Flash has no seeks to save: waiting for a program's next request only costs throughput.", _BFQ,
    ),
    Candidate(
        "bfq", {"iosched/slice_idle": 0}, _MUCH, True,
        "A disk with its own queue (NCQ), or an array, gets more requests to sort if bfq does not wait.", _BFQ,
    ),
    Candidate(
        "bfq", {"iosched/low_latency": 0}, _MUCH, None,
        "Starting programs are no longer preferred, which gives the most throughput.", _BFQ,
    ),
    Candidate(
        "bfq", {"iosched/low_latency": 0, "iosched/slice_idle": 0}, _MUCH, None,
        "Together, these disable everything in bfq that costs throughput.", _BFQ,
    ),
    Candidate(
        "bfq", {"iosched/timeout_sync": 40}, _QUICK, None,
        "Shorter turns: programs that write much give way sooner to those that read little.", _BFQ,
    ),
    Candidate(
        "bfq", {"iosched/slice_idle": 20}, _QUICK, True,
        "A longer wait keeps the head near a program that pauses between reads.", _BFQ,
    ),
    Candidate(
        "mq-deadline", {"iosched/fifo_batch": 1}, ("desktop", "media", "database", "server"), None,
        "With the smallest batches, each request is answered soonest.", _DEADLINE,
    ),
    Candidate(
        "mq-deadline", {"iosched/fifo_batch": 64}, ("copying",), None,
        "Larger batches raise throughput; here, no program waits for single requests.", _DEADLINE,
    ),
    Candidate(
        "mq-deadline", {"iosched/read_expire": 100, "iosched/writes_starved": 8}, _QUICK, None,
        "Reads take precedence over writes sooner and more often.", _DEADLINE,
    ),
    Candidate(
        "mq-deadline", {"queue/nr_requests": 16}, ("desktop", "media", "server"), None,
        "In a shorter queue, each request waits for less time.", _SYSFS,
    ),
    Candidate(
        "mq-deadline", {"queue/nr_requests": 1024}, _MUCH, True,
        "A longer queue can be sorted and merged better.", _SYSFS,
    ),
    Candidate(
        "mq-deadline", {"queue/wbt_lat_usec": 20_000}, _QUICK, True,
        "Writers are throttled if reads take 20 ms, instead of 75 ms.", _SYSFS,
    ),
    Candidate(
        "mq-deadline", {"queue/wbt_lat_usec": 0}, ("copying", "database"), None,
        "Background writes are never throttled.", _SYSFS,
    ),
    Candidate(
        "none", {"queue/wbt_lat_usec": 500}, ("desktop", "media", "server"), False,
        "Writers are throttled if reads take 0.5 ms, instead of 2 ms.", _SYSFS,
    ),
    Candidate(
        "none", {"queue/wbt_lat_usec": 0}, ("copying", "database"), False,
        "Background writes are never throttled.", _SYSFS,
    ),
    Candidate(
        "kyber", {"iosched/read_lat_nsec": _MS, "iosched/write_lat_nsec": 5 * _MS},
        ("desktop", "media", "database", "server"), False,
        "With both targets lower, the slowest hundredth of reads on NVMe took 37 % less time, at the price of 26 % "
        "fewer writes.",
        _HOTCLOUD,
    ),
    Candidate(
        "kyber", {"iosched/read_lat_nsec": _MS // 2, "iosched/write_lat_nsec": _MS},
        ("desktop", "media", "database", "server"), False,
        "With both targets much lower, the slowest hundredth of reads on NVMe took 13 % less time, at the price of 1 % "
        "fewer writes.",
        _HOTCLOUD,
    ),
    Candidate(
        "kyber", {"iosched/read_lat_nsec": 20 * _MS, "iosched/write_lat_nsec": 100 * _MS}, _ALL, True,
        "The default targets are made for flash; a hard disk can only meet larger ones.", _KYBER,
    ),
    Candidate(
        None, {"queue/read_ahead_kb": 4096}, ("copying", "media"), None,
        "Long reads seek less if more is read ahead.", _TUNED,
    ),
    Candidate(
        None, {"queue/read_ahead_kb": 16}, ("desktop", "database"), None,
        "Scattered reads fetch less unneeded data.", _SYSFS,
    ),
    Candidate(
        None, {"queue/rq_affinity": 2}, ("database", "server"), False,
        "Each request is completed on the CPU that sent it, which spreads the work of a fast disk.", _SYSFS,
    ),
)  # fmt: skip
"""All candidates, the most promising first."""


def candidate_of(goal: str, rotates: bool, kind: Kind, plain: Setting, tried: Setting) -> Candidate | None:
    """Return the candidate behind a setting tried besides the ``plain`` one; None if it was chosen otherwise."""
    return next(
        (candidate for candidate in candidates_for(goal, rotates, kind, plain) if candidate.beside(plain) == tried),
        None,
    )


def candidates_for(goal: str, rotates: bool, kind: Kind, plain: Setting) -> tuple[Candidate, ...]:
    """Return what to try on a kind of disk for a goal, the scheduler of the ``plain`` winner first.

    ``rotates`` is the kernel's answer, used if the kind has none. For a virtual disk it is only what the driver was
    told (commit bd4a633b6f7c of Linux 6.11), so candidates for both are tried. A user's own program gets the candidates
    of everyday use.
    """
    goal = DESKTOP.id if goal == OWN.id else goal
    known = rotates if kind.rotates is None else kind.rotates
    rotations = (None, True, False) if kind == kinds.VIRTUAL else (None, known)
    candidates = [
        candidate
        for candidate in CANDIDATES
        if goal in candidate.goals
        and candidate.rotates in rotations
        and (not candidate.kinds or kind in candidate.kinds)
    ]
    return tuple(sorted(candidates, key=lambda candidate: candidate.scheduler not in (None, plain.scheduler)))
