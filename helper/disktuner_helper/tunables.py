# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed list of tunables with their ranges, and the order in which they must be written."""

from collections.abc import Mapping

from disktuner_helper.errors import InvalidTunable


def _ranges(folder: str, ranges: Mapping[str, range]) -> dict[str, range]:
    return {f"{folder}/{name}": limits for names, limits in ranges.items() for name in names.split()}


# Documentation/ABI/stable/sysfs-block and block/mq-deadline.c, kyber-iosched.c, bfq-iosched.c of Linux 6.x and 7.0.
# The order counts: bfq's strict_guarantees resets slice_idle, so slice_idle comes after it; nr_requests resets or
# rescales async_depth, which lies in iosched/ of mq-deadline before Linux 7.0 and in queue/ since (f98afe4f31bb).
_QUEUE = {
    "nr_requests": range(4, 65537),
    "async_depth": range(1, 65537),
    "wbt_lat_usec": range(60_000_001),
    "read_ahead_kb": range(1_048_577),
    "rq_affinity nomerges": range(3),
}
_IOSCHED = {
    "mq-deadline": {
        "read_expire write_expire prio_aging_expire": range(1_000_001),
        "writes_starved fifo_batch": range(1001),
        "front_merges": range(2),
        "async_depth": range(1, 65537),
    },
    "kyber": {"read_lat_nsec write_lat_nsec": range(1, 10_000_000_001)},
    "bfq": {
        "strict_guarantees low_latency": range(2),
        "slice_idle": range(1001),
        "slice_idle_us": range(1_000_001),
        "back_seek_max": range(2_097_152),
        "back_seek_penalty": range(1, 1001),
        "max_budget": range(2_000_001),
        "fifo_expire_sync fifo_expire_async timeout_sync": range(1, 1_000_001),
    },
}
QUEUE = _ranges("queue", _QUEUE)
IOSCHED = {scheduler: _ranges("iosched", ranges) for scheduler, ranges in _IOSCHED.items()}


def known(scheduler: str) -> dict[str, range]:
    """Every tunable that may be set while this scheduler is active, in the order of writing."""
    return {**QUEUE, **IOSCHED.get(scheduler, {})}


def checked(scheduler: str, tunables: Mapping[str, str]) -> dict[str, int]:
    """The wish as integers in the order of writing. Raises InvalidTunable."""
    allowed = known(scheduler)
    if not tunables.keys() <= allowed.keys():
        raise InvalidTunable("Disktuner sets no such tunables with this scheduler; look at the list of its tunables.")
    return {name: _in_range(name, tunables[name], limits) for name, limits in allowed.items() if name in tunables}


def _in_range(name: str, text: str, limits: range) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 12 and int(text) in limits:
        return int(text)
    raise InvalidTunable(f"{name} takes a whole number from {limits.start} to {limits.stop - 1}.")
