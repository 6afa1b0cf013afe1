# SPDX-License-Identifier: GPL-3.0-or-later
"""The tunables: range, unit, default and one plain sentence each on what it trades for what (schedulers.toml)."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.schedulers import DECLARED, SCHEDULERS

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


def _declared(owner: str, name: str, row: Sequence[Any]) -> Tunable:
    low, high, unit, trade, *default = row
    usual: int | None = default[0] if default else None
    if name == "iosched/timeout_sync" and usual:  # the only one that is kept in ticks: 125 ms are 124 at 250 Hz
        usual = usual * _HZ // 1000 * 1000 // _HZ
    return Tunable(None if owner == "all" else owner, name, low, high, unit, usual, trade)


TUNABLES: tuple[Tunable, ...] = tuple(
    _declared(owner, name, row) for owner, rows in DECLARED["tunables"].items() for name, row in rows.items()
)
"""Every tunable that Disktuner knows: the helper's closed list, in the order in which it writes them."""

OF_THE_DISK = frozenset({"queue/read_ahead_kb", "queue/rq_affinity", "queue/nomerges"})
"""Those that no change of the scheduler touches; the others of the queue may get another value with it."""


def unit_text(unit: str, value: int) -> str:
    """Return a tunable's unit as it stands behind a value: a word in its singular or plural, or a sign."""
    return text(f"unit-{unit}", count=value) if unit in _COUNTED else units.sign(unit, language().numbers)


def known(name: str, scheduler: str | None) -> Tunable | None:
    """Return what is known of a tunable under a scheduler; None for names that are not in the table (no claim)."""
    return next((each for each in TUNABLES if each.name == name and each.scheduler in (None, scheduler)), None)
