# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call of the helper, declared once as a value with its method, its arguments and its answer's type.

``HelperClient`` sends them. A disk is its kernel name and, to prevent mix-ups, its diskseq (0 if the kernel has none).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

from disktuner.helper_client.errors import refusal
from disktuner.vocabulary.errors import HelperNotThere
from disktuner.vocabulary.messages import Message

Answer = TypeVar("Answer")
Tunables = Mapping[str, str | int]
Disks = Sequence[tuple[str, int]]
"""Names with diskseqs."""

ANSWER_S = 25.0
"""How long a call that asks nobody may take: D-Bus's default."""
SWITCH_S = 60.0
"""The same for calls that wait for the disk's running requests, of which a busy hard disk has many."""
END_S = 10.0
"""How long to wait for the end of a trial. Leaving the bus restores the disks too, at the latest when a hung helper is
restarted."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A method of the helper, the D-Bus types of its arguments, the arguments, and how its answer is read.

    ``limit_s`` is how long it may take; None if a person may be asked for a password meanwhile.
    ``silence`` is the id of the sentence for no answer by then.
    """

    method: str
    types: str
    arguments: tuple[Any, ...]
    read: Callable[[tuple[Any, ...]], Answer] = field(compare=False, repr=False)
    limit_s: float | None = None
    silence: str = "helper-silent"


def set_disks(
    disks: Disks, scheduler: str, tunables: Tunables | None = None, *, persist: bool = False
) -> Call[Mapping[str, str]]:
    """Set a scheduler and tunables (``queue/NAME``, ``iosched/NAME``) until the next restart, or for good.

    All disks or none; returns the lasting udev rules by disk name.
    """
    arguments = (list(disks), scheduler, _texts(tunables or {}), persist)
    return Call("Set", "(a(st)sa{ss}b)", arguments, lambda answer: dict(answer[0]))


def insist(disks: Disks, scheduler: str, tunables: Tunables | None = None) -> Call[None]:
    """Do the same until the next restart even where it may hang: on zoned disks, if nothing writes to them."""
    return Call("Insist", "(a(st)sa{ss})", (list(disks), scheduler, _texts(tunables or {})), _nothing)


def revert(disks: Disks = ()) -> Call[None]:
    """Restore what disks had before they were first changed since boot; without any, all disks."""
    return Call("Revert", "(a(st))", (list(disks),), _nothing)


def forget(disks: Disks = ()) -> Call[None]:
    """Remove the persistent choice for disks; without any, all. The diskseq of an absent disk is 0."""
    return Call("Forget", "(a(st))", (list(disks),), _nothing)


def undo(disks: Disks) -> Call[None]:
    """Remove the persistent choice for disks and restore what they had before, with one prompt."""
    return Call("Undo", "(a(st))", (list(disks),), _nothing)


def begin_trial(disks: Disks) -> Call[str]:
    """Remember the disks' settings and hold the disks; returns the trial's id."""
    return Call("BeginTrial", "(a(st))", (list(disks),), lambda answer: str(answer[0]))


def set_trial(trial: str, disk: str, scheduler: str, tunables: Tunables | None = None) -> Call[None]:
    """Set a scheduler and tunables within the caller's trial; others are as the scheduler alone would leave them."""
    return Call(
        "SetTrial", "(sssa{ss})", (trial, disk, scheduler, _texts(tunables or {})), _nothing, SWITCH_S, "switch-waits"
    )


def keep_trial(trial: str, *, persist: bool = False) -> Call[Mapping[str, str]]:
    """Keep what the caller's trial set, until the next restart or for good, without another switch.

    If refused, the trial goes on; else it is over. Returns the lasting udev rules by disk name.
    """
    return Call("KeepTrial", "(sb)", (trial, persist), lambda answer: dict(answer[0]))


def keep_alive(trial: str) -> Call[None]:
    """Begin the time limit of the caller's trial anew."""
    return Call("KeepAlive", "(s)", (trial,), _nothing, ANSWER_S)


def end_trial(trial: str) -> Call[None]:
    """Restore the disks of the caller's trial."""
    return Call("EndTrial", "(s)", (trial,), _nothing, END_S)


def begin_field_trial(disk: tuple[str, int], settings: Sequence[tuple[str, Tunables]], until: int) -> Call[str]:
    """Get the right to alternate a disk between two settings until a Unix time; returns the trial's id."""
    wishes = [(scheduler, _texts(tunables)) for scheduler, tunables in settings]
    return Call("BeginFieldTrial", "(a(st)a(sa{ss})t)", ([disk], wishes, until), lambda answer: str(answer[0]))


def set_field_trial(trial: str, which: int) -> Call[None]:
    """Set the first (0) or second setting of the caller's trial in daily use."""
    return Call("SetFieldTrial", "(su)", (trial, which), _nothing, SWITCH_S, "switch-waits")


def end_field_trial(trial: str) -> Call[None]:
    """End the caller's trial in daily use, restoring the disk."""
    return Call("EndFieldTrial", "(s)", (trial,), _nothing, SWITCH_S, "switch-waits")


def get_state() -> Call[HelperState]:
    """Return what the helper remembers; needs no rights, and starts the helper if necessary."""
    return Call("GetState", "()", (), lambda answer: parse_state(answer[0]), ANSWER_S)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a disk had before Disktuner first changed it; ``since`` is UTC, ISO 8601."""

    disk: str
    diskseq: int
    scheduler: str
    tunables: Mapping[str, int]
    since: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A persistent choice, and the disks it currently applies to."""

    disk: str
    title: str
    since: str
    scheduler: str
    tunables: Mapping[str, int]
    disks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """A scheduler with its tunables by full name."""

    scheduler: str
    tunables: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FieldTrial:
    """A user's right to alternate a disk between two settings; ``disks`` are its current names. Unix times."""

    id: str
    uid: int
    settings: tuple[Wish, Wish]
    since: int
    until: int
    disks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """A trial under way: its beginning (UTC, ISO 8601) and its user."""

    since: str
    uid: int


@dataclass(frozen=True, slots=True)
class HelperState:
    """What the helper remembers.

    ``held`` are the disks in trials, ``running`` has the trial of each. ``problem`` says why the helper's rules cannot
    be read.
    """

    snapshots: tuple[Snapshot, ...]
    held: tuple[str, ...]
    persistent: tuple[Chosen, ...]
    problem: Message | None = None
    field_trials: tuple[FieldTrial, ...] = ()
    running: Mapping[str, Running] = field(default_factory=dict)

    def snapshot_of(self, disk: str) -> Snapshot | None:
        """What reverting a disk would restore."""
        return next((snapshot for snapshot in self.snapshots if snapshot.disk == disk), None)

    def choice_for(self, disk: str) -> Chosen | None:
        """What a disk will have after a restart."""
        return next((choice for choice in self.persistent if disk in choice.disks), None)

    def field_trials_of(self, disk: str | None) -> tuple[FieldTrial, ...]:
        """Return a disk's trials in daily use; those of all disks for None."""
        return tuple(trial for trial in self.field_trials if disk is None or disk in trial.disks)

    def in_trial(self, disk: str) -> bool:
        """Whether a trial holds the disk."""
        return disk in self.held


class _Disk(msgspec.Struct):
    disk: str


class _Trial(msgspec.Struct):
    disks: tuple[_Disk, ...]
    since: str
    uid: int


class _State(msgspec.Struct):
    snapshots: tuple[Snapshot, ...]
    trials: tuple[_Trial, ...]
    persistent: tuple[Chosen, ...]
    problem: str | None
    field_trials: tuple[FieldTrial, ...] = ()


def parse_state(text: str) -> HelperState:
    """Parse the helper's JSON. Raises ``HelperNotThere`` if this version does not understand it."""
    try:
        state = msgspec.json.decode(text, type=_State)
    except (msgspec.DecodeError, RecursionError) as error:
        raise HelperNotThere("helper-of-another-version") from error
    running = {disk.disk: Running(trial.since, trial.uid) for trial in state.trials for disk in trial.disks}
    problem = refusal(state.problem) if state.problem else None
    return HelperState(state.snapshots, tuple(running), state.persistent, problem, state.field_trials, running)


def _texts(tunables: Tunables) -> dict[str, str]:
    return {name: str(value) for name, value in tunables.items()}


def _nothing(_: tuple[Any, ...]) -> None:
    return None
