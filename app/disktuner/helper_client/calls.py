# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call of the helper, declared once as a value that knows its method, its arguments and its answer's type.

``HelperClient`` sends them. A disk is the kernel's name of it and, against mix-ups, its diskseq (0 where the kernel has
none).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from disktuner.helper_client.errors import refusal
from disktuner.vocabulary.errors import HelperNotThere
from disktuner.vocabulary.messages import Message

Answer = TypeVar("Answer")
Tunables = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A method of the helper's, the D-Bus types of its arguments, the arguments, and how its answer is read."""

    method: str
    types: str
    arguments: tuple[Any, ...]
    read: Callable[[tuple[Any, ...]], Answer] = field(compare=False, repr=False)


def set_scheduler(disk: str, diskseq: int, scheduler: str) -> Call[None]:
    """Use a scheduler until the next restart."""
    return Call("SetScheduler", "(sts)", (disk, diskseq, scheduler), _nothing)


def set_tunables(disk: str, diskseq: int, tunables: Tunables) -> Call[None]:
    """Set tunables (``queue/NAME``, ``iosched/NAME``) until the next restart; all or none."""
    return Call("SetTunables", "(sta{ss})", (disk, diskseq, _texts(tunables)), _nothing)


def revert(disk: str) -> Call[None]:
    """Go back to what a disk had before it was first touched since the machine started."""
    return Call("Revert", "(s)", (disk,), _nothing)


def revert_all() -> Call[None]:
    """Do the same for every disk."""
    return Call("RevertAll", "()", (), _nothing)


def begin_trial(disks: Sequence[tuple[str, int]]) -> Call[str]:
    """Remember what disks (names with diskseq) have, and hold them; returns the trial's id."""
    return Call("BeginTrial", "(a(st))", (list(disks),), _text)


def set_trial_scheduler(trial: str, disk: str, scheduler: str) -> Call[None]:
    """Switch a disk within one's own trial."""
    return Call("SetTrialScheduler", "(sss)", (trial, disk, scheduler), _nothing)


def set_trial_setting(trial: str, disk: str, scheduler: str, tunables: Tunables) -> Call[None]:
    """Set a scheduler and tunables within one's own trial; all others are as the scheduler alone would have them."""
    return Call("SetTrialSetting", "(sssa{ss})", (trial, disk, scheduler, _texts(tunables)), _nothing)


def end_trial(trial: str) -> Call[None]:
    """Restore the disks of one's own trial."""
    return Call("EndTrial", "(s)", (trial,), _nothing)


def persist(disk: str, diskseq: int, scheduler: str, tunables: Tunables) -> Call[str]:
    """Use a scheduler and tunables now and after every restart; returns the udev rule."""
    return Call("Persist", "(stsa{ss})", (disk, diskseq, scheduler, _texts(tunables)), _text)


def forget(disk: str) -> Call[None]:
    """Remove what was chosen for a disk for good."""
    return Call("Forget", "(s)", (disk,), _nothing)


def forget_all() -> Call[None]:
    """Remove everything that was chosen for good."""
    return Call("ForgetAll", "()", (), _nothing)


def undo(disk: str) -> Call[None]:
    """Remove what was chosen for a disk for good and put back what it had before; one prompt for both."""
    return Call("Undo", "(s)", (disk,), _nothing)


def get_state() -> Call[State]:
    """Return what the helper remembers; needs no rights, and starts the helper where it does not run."""
    return Call("GetState", "()", (), lambda answer: parse_state(answer[0]))


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
    """All that the helper remembers. ``problem``: why the rule file cannot be read."""

    version: str
    snapshots: tuple[Snapshot, ...]
    trials: tuple[RunningTrial, ...]
    persistent: tuple[Chosen, ...]
    problem: Message | None = None

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
    """Read the helper's JSON. Raises ``HelperNotThere`` where this version does not understand it."""
    try:
        found = json.loads(text)
        return State(
            version=str(found["version"]),
            snapshots=tuple(_snapshot(one) for one in found["snapshots"]),
            trials=tuple(_trial(one) for one in found["trials"]),
            persistent=tuple(_chosen(one) for one in found["persistent"]),
            problem=refusal(found["problem"]) if found["problem"] else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HelperNotThere("helper-of-another-version") from error


def _snapshot(value: Mapping[str, Any]) -> Snapshot:
    return Snapshot(value["disk"], value["diskseq"], value["scheduler"], value["tunables"], value["since"])


def _trial(value: Mapping[str, Any]) -> RunningTrial:
    return RunningTrial(value["uid"], value["since"], tuple(_snapshot(one) for one in value["disks"]))


def _chosen(value: Mapping[str, Any]) -> Chosen:
    key, identity, disk, title, since = (value[name] for name in ("key", "value", "disk", "title", "since"))
    return Chosen(key, identity, disk, title, since, value["scheduler"], value["tunables"], tuple(value["disks"]))


def _texts(tunables: Tunables) -> dict[str, str]:
    return {name: str(value) for name, value in tunables.items()}


def _nothing(_: tuple[Any, ...]) -> None:
    return None


def _text(answer: tuple[Any, ...]) -> str:
    return str(answer[0])
