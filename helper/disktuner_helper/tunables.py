# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed list of tunables with their ranges, and the order in which they must be written."""

from __future__ import annotations

from collections.abc import Mapping

from disktuner_helper.contract import MAX_TUNABLES
from disktuner_helper.errors import InvalidTunable

_SWITCH = range(2)
_MILLISECONDS = range(1_000_001)
_NANOSECONDS = range(1, 10_000_000_001)

# Documentation/ABI/stable/sysfs-block and block/mq-deadline.c, kyber-iosched.c, bfq-iosched.c of Linux 6.x.
# The order counts: bfq's strict_guarantees resets slice_idle, so slice_idle comes after it.
QUEUE = {
    "queue/nr_requests": range(4, 65537),
    "queue/wbt_lat_usec": range(60_000_001),
    "queue/read_ahead_kb": range(1_048_577),
    "queue/rq_affinity": range(3),
    "queue/nomerges": range(3),
}
IOSCHED = {
    "none": {},
    "mq-deadline": {
        "iosched/read_expire": _MILLISECONDS,
        "iosched/write_expire": _MILLISECONDS,
        "iosched/writes_starved": range(1001),
        "iosched/fifo_batch": range(1001),
        "iosched/front_merges": _SWITCH,
        "iosched/prio_aging_expire": _MILLISECONDS,
        "iosched/async_depth": range(1, 65537),
    },
    "kyber": {
        "iosched/read_lat_nsec": _NANOSECONDS,
        "iosched/write_lat_nsec": _NANOSECONDS,
    },
    "bfq": {
        "iosched/strict_guarantees": _SWITCH,
        "iosched/low_latency": _SWITCH,
        "iosched/slice_idle": range(1001),
        "iosched/slice_idle_us": range(1_000_001),
        "iosched/back_seek_max": range(2_097_152),
        "iosched/back_seek_penalty": range(1, 1001),
        "iosched/fifo_expire_sync": range(1, 1_000_001),
        "iosched/fifo_expire_async": range(1, 1_000_001),
        "iosched/max_budget": range(2_000_001),
        "iosched/timeout_sync": range(1, 1_000_001),
    },
}


def known(scheduler: str) -> dict[str, range]:
    """Every tunable that may be set while this scheduler is active, in the order of writing."""
    return {**QUEUE, **IOSCHED.get(scheduler, {})}


def checked(scheduler: str, tunables: Mapping[str, str]) -> dict[str, int]:
    """The wish as integers in the order of writing. Raises InvalidTunable."""
    if len(tunables) > MAX_TUNABLES:
        raise InvalidTunable("Too many tunables at once; send fewer.")
    allowed = known(scheduler)
    if not tunables.keys() <= allowed.keys():
        raise InvalidTunable(
            "A tunable is not one that Disktuner sets with this scheduler; look at the list of its tunables."
        )
    return {name: _in_range(name, tunables[name], allowed[name]) for name in allowed if name in tunables}


def _in_range(name: str, text: str, allowed: range) -> int:
    digits = text.isascii() and text.isdigit() and len(text) <= 12
    if not digits or int(text) not in allowed:
        raise InvalidTunable(f"{name} takes a whole number from {allowed.start} to {allowed.stop - 1}.")
    return int(text)
