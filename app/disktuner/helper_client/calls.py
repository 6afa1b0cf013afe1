# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call of the helper, declared once as a value that knows its method, its arguments and its answer's type.

``HelperClient`` sends them. A disk is the kernel's name of it and, against mix-ups, its diskseq (0 where the kernel has
none).
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
"""How long a call may take that needs no person: as long as D-Bus allows by itself."""
SWITCH_S = 60.0
"""The same where the disk has to finish its running requests first: a busy hard disk has many."""
END_S = 10.0
"""How long the end of a trial is waited for: who leaves the bus has the disks restored too, at the latest when a hung
helper is started again."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A method of the helper's, the D-Bus types of its arguments, the arguments, and how its answer is read.

    ``limit_s`` is how long it may take; None where a person may be asked for a password meanwhile.
    ``silence`` is the sentence that says so where nothing is answered by then.
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
    """Use a scheduler and tunables (``queue/NAME``, ``iosched/NAME``) until the next restart, or for good.

    All disks or none; returns the udev rules that are made for good, by the disks' names.
    """
    arguments = (list(disks), scheduler, _texts(tunables or {}), persist)
    return Call("Set", "(a(st)sa{ss}b)", arguments, lambda answer: dict(answer[0]))


def insist(disks: Disks, scheduler: str, tunables: Tunables | None = None) -> Call[None]:
    """The same until the next restart, also where that may hang: on zoned disks, as long as nothing writes to them."""
    return Call("Insist", "(a(st)sa{ss})", (list(disks), scheduler, _texts(tunables or {})), _nothing)


def revert(disks: Disks = ()) -> Call[None]:
    """Go back to what disks had before they were first touched since the machine started; without any, all."""
    return Call("Revert", "(a(st))", (list(disks),), _nothing)


def forget(disks: Disks = ()) -> Call[None]:
    """Remove what was chosen for disks for good; without any, all. The diskseq of one that is gone is 0."""
    return Call("Forget", "(a(st))", (list(disks),), _nothing)


def undo(disks: Disks) -> Call[None]:
    """Remove what was chosen for disks for good and put back what they had before; one prompt for both."""
    return Call("Undo", "(a(st))", (list(disks),), _nothing)


def begin_trial(disks: Disks) -> Call[str]:
    """Remember what disks have, and hold them; returns the trial's id."""
    return Call("BeginTrial", "(a(st))", (list(disks),), lambda answer: str(answer[0]))


def set_trial(trial: str, disk: str, scheduler: str, tunables: Tunables | None = None) -> Call[None]:
    """Set a scheduler and tunables within one's own trial; all others are as the scheduler alone would have them."""
    return Call(
        "SetTrial", "(sssa{ss})", (trial, disk, scheduler, _texts(tunables or {})), _nothing, SWITCH_S, "switch-waits"
    )


def keep_trial(trial: str, *, persist: bool = False) -> Call[Mapping[str, str]]:
    """Choose what one's own trial gave its disks, until the next restart or for good, without another switch.

    Refused, the trial goes on; else it is over. Returns the udev rules that are made for good, by the disks' names.
    """
    return Call("KeepTrial", "(sb)", (trial, persist), lambda answer: dict(answer[0]))


def end_trial(trial: str) -> Call[None]:
    """Restore the disks of one's own trial."""
    return Call("EndTrial", "(s)", (trial,), _nothing, END_S)


def begin_field_trial(disk: tuple[str, int], settings: Sequence[tuple[str, Tunables]], until: int) -> Call[str]:
    """Be allowed to change a disk between two schedulers with tunables until a Unix time; returns the trial's id."""
    wishes = [(scheduler, _texts(tunables)) for scheduler, tunables in settings]
    return Call("BeginFieldTrial", "(a(st)a(sa{ss})t)", ([disk], wishes, until), lambda answer: str(answer[0]))


def set_field_trial(trial: str, which: int) -> Call[None]:
    """Give the disk of one's own trial in daily use its first (0) or second setting."""
    return Call("SetFieldTrial", "(su)", (trial, which), _nothing, SWITCH_S, "switch-waits")


def end_field_trial(trial: str) -> Call[None]:
    """End one's own trial in daily use: the disk gets back what it had."""
    return Call("EndFieldTrial", "(s)", (trial,), _nothing, SWITCH_S, "switch-waits")


def get_state() -> Call[State]:
    """Return what the helper remembers; needs no rights, and starts the helper where it does not run."""
    return Call("GetState", "()", (), lambda answer: parse_state(answer[0]), ANSWER_S)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a disk had before Disktuner first touched it; ``since`` is UTC, ISO 8601."""

    disk: str
    diskseq: int
    scheduler: str
    tunables: Mapping[str, int]
    since: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A persistent choice, and the disks that it is for now."""

    disk: str
    title: str
    since: str
    scheduler: str
    tunables: Mapping[str, int]
    disks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """A scheduler with tunables by full name."""

    scheduler: str
    tunables: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FieldTrial:
    """A user's right to change a disk between two settings: ``disks`` are its names now. Unix times."""

    id: str
    uid: int
    settings: tuple[Wish, Wish]
    since: int
    until: int
    disks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """A trial under way: since when (UTC, ISO 8601), and whose."""

    since: str
    uid: int


@dataclass(frozen=True, slots=True)
class State:
    """What the helper remembers: ``held`` are the disks in trials, ``problem`` says why its rules cannot be read.

    ``running`` has the trial of each of them.
    """

    snapshots: tuple[Snapshot, ...]
    held: tuple[str, ...]
    persistent: tuple[Chosen, ...]
    problem: Message | None = None
    field_trials: tuple[FieldTrial, ...] = ()
    running: Mapping[str, Running] = field(default_factory=dict)

    def snapshot_of(self, disk: str) -> Snapshot | None:
        """What a disk would go back to."""
        return next((one for one in self.snapshots if one.disk == disk), None)

    def choice_for(self, disk: str) -> Chosen | None:
        """What a disk gets after a restart."""
        return next((one for one in self.persistent if disk in one.disks), None)

    def field_trials_of(self, disk: str | None) -> tuple[FieldTrial, ...]:
        """Return the trials in daily use of a disk, of all without one."""
        return tuple(one for one in self.field_trials if disk is None or disk in one.disks)

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


def parse_state(text: str) -> State:
    """Read the helper's JSON. Raises ``HelperNotThere`` where this version does not understand it."""
    try:
        found = msgspec.json.decode(text, type=_State)
    except (msgspec.DecodeError, RecursionError) as error:
        raise HelperNotThere("helper-of-another-version") from error
    running = {one.disk: Running(trial.since, trial.uid) for trial in found.trials for one in trial.disks}
    problem = refusal(found.problem) if found.problem else None
    return State(found.snapshots, tuple(running), found.persistent, problem, found.field_trials, running)


def _texts(tunables: Tunables) -> dict[str, str]:
    return {name: str(value) for name, value in tunables.items()}


def _nothing(_: tuple[Any, ...]) -> None:
    return None
