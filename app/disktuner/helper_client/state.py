# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper remembers: first states of disks, running trials, persistent choices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from disktuner.helper_client.errors import not_there


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a disk had before Disktuner first touched it; ``since`` is UTC, ISO 8601."""

    disk: str
    diskseq: int
    scheduler: str
    tunables: Mapping[str, int]
    since: str


@dataclass(frozen=True, slots=True)
class RunningTrial:
    """A trial of some user that has not ended."""

    uid: int
    since: str
    disks: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A persistent choice: which udev property it matches, and the disks that match it now."""

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
    """All of it. ``unreadable``: parts of the rule file that are somebody else's; ``problem``: why it can't be read."""

    version: str
    snapshots: tuple[Snapshot, ...]
    trials: tuple[RunningTrial, ...]
    persistent: tuple[Chosen, ...]
    unreadable: tuple[str, ...] = ()
    problem: str | None = None

    def snapshot_of(self, disk: str) -> Snapshot | None:
        """What a disk would go back to."""
        return next((one for one in self.snapshots if one.disk == disk), None)

    def choice_for(self, disk: str) -> Chosen | None:
        """What a disk gets after a restart."""
        return next((one for one in self.persistent if disk in one.disks), None)

    def in_trial(self, disk: str) -> bool:
        """Whether a trial holds the disk."""
        return any(held.disk == disk for trial in self.trials for held in trial.disks)


def parse_state(text: str) -> State:
    """Read the helper's JSON. Raises ``HelperNotThere`` when it is not what this version understands."""
    try:
        found = json.loads(text)
        return State(
            version=str(found["version"]),
            snapshots=tuple(_snapshot(one) for one in found["snapshots"]),
            trials=tuple(_trial(one) for one in found["trials"]),
            persistent=tuple(_chosen(one) for one in found["persistent"]),
            unreadable=tuple(str(one) for one in found["unreadable"]),
            problem=found["problem"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise not_there(f"its answer was not understood: {error!r}; are both of the same version?") from error


def _snapshot(value: Mapping[str, Any]) -> Snapshot:
    return Snapshot(value["disk"], value["diskseq"], value["scheduler"], value["tunables"], value["since"])


def _trial(value: Mapping[str, Any]) -> RunningTrial:
    return RunningTrial(value["uid"], value["since"], tuple(_snapshot(one) for one in value["disks"]))


def _chosen(value: Mapping[str, Any]) -> Chosen:
    return Chosen(
        key=value["key"],
        value=value["value"],
        disk=value["disk"],
        title=value["title"],
        since=value["since"],
        scheduler=value["scheduler"],
        tunables=value["tunables"],
        disks=tuple(value["disks"]),
    )
