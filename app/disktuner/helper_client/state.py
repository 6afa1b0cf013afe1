# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper says about itself: snapshots, trials and persistent choices as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a disk had when Disktuner first touched it (``since``, UTC), and what a revert puts back."""

    disk: str
    diskseq: int
    since: str
    scheduler: str
    tunables: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RunningTrial:
    """A trial that goes on: whose, since when (UTC), with which disks and what they get back."""

    uid: int
    since: str
    disks: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a disk gets at every start.

    ``key`` and ``value`` are the udev property that the rule matches (ID_WWN, ID_SERIAL or ID_PATH), ``disk`` and
    ``title`` what the disk was called at ``since`` (UTC), ``disks`` the disks here now that the rule matches.
    """

    key: str
    value: str
    disk: str
    title: str
    since: str
    scheduler: str
    tunables: Mapping[str, int]
    disks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """All that the helper knows. ``unreadable`` are lines of the rule file that somebody else wrote.

    ``problem`` says why the rule file could not be read at all, else None.
    """

    version: str
    snapshots: tuple[Snapshot, ...]
    trials: tuple[RunningTrial, ...]
    persistent: tuple[Choice, ...]
    unreadable: tuple[int, ...]
    problem: str | None

    @classmethod
    def parse(cls, text: str) -> State:
        """Read the answer of GetState. Raises ValueError or KeyError where it is none."""
        value = json.loads(text)
        return cls(
            version=value["version"],
            snapshots=tuple(_snapshot(one) for one in value["snapshots"]),
            trials=tuple(
                RunningTrial(one["uid"], one["since"], tuple(map(_snapshot, one["disks"]))) for one in value["trials"]
            ),
            persistent=tuple(_choice(one) for one in value["persistent"]),
            unreadable=tuple(value["unreadable"]),
            problem=value["problem"],
        )

    def snapshot_of(self, disk: str) -> Snapshot | None:
        """What a revert of this disk would put back."""
        return next((one for one in self.snapshots if one.disk == disk), None)

    def choice_for(self, disk: str) -> Choice | None:
        """What this disk gets at every start; of several matching rules the last one wins, as in udev."""
        return next((one for one in reversed(self.persistent) if disk in one.disks), None)


def _snapshot(value: Mapping[str, Any]) -> Snapshot:
    return Snapshot(value["disk"], value["diskseq"], value["since"], value["scheduler"], value["tunables"])


def _choice(value: Mapping[str, Any]) -> Choice:
    words = {name: value[name] for name in ("key", "value", "disk", "title", "since", "scheduler", "tunables")}
    return Choice(**words, disks=tuple(value["disks"]))
