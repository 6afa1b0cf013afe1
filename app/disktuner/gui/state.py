# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes on, as one frozen value, and what a person may do about it: asked by every button, key and page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from functools import partial
from typing import TYPE_CHECKING, Any

from disktuner.block.disk import Disk, full_name
from disktuner.block.stack import natural
from disktuner.block.writers import Writer
from disktuner.remedies import warnings
from disktuner.standing import Choice, Memory, titles
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import Message, message, say
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    from disktuner.checkup.findings import CheckUp


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting in use for so many ``seconds``: the helper's ``id`` of it, and the disks as they were before.

    ``before`` names what they had, and have again unless the ``setting`` is kept.
    """

    id: str
    disks: tuple[Disk, ...]
    setting: Setting
    before: str
    seconds: float


DISKS = "disks"
"""The page that is seen first."""


class Over(StrEnum):
    """What is opened over the pages with a tab."""

    CHECK = auto()
    PLAN = auto()
    MEASUREMENT = auto()
    RESULT = auto()
    BETWEEN = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A page over those with a tab: what it is ``about``, and what that is called; ``disk`` is where it was opened.

    Each is another one, whatever it is about.
    """

    id: Over
    about: Any
    title: str = ""
    disk: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """All that pages draw from, and which of them is seen.

    ``no_helper`` says why the helper is not there. ``calling`` is whether it was asked for something and has not
    answered yet. ``trial`` is what it holds for this window. ``measured`` are the disks that are being measured.
    ``choices`` and ``writers`` are by the disks' names, ``memories`` by what disks are called in results, ``check_ups``
    by name and diskseq; ``check_failure`` says why the disks could not be checked. ``page`` is the one whose tab is
    chosen, ``over`` what lies over it, the last of which is seen, ``waiting`` what is seen after a measurement.
    """

    disks: tuple[Disk, ...] = ()
    no_helper: Message | None = None
    calling: bool = False
    trial: Trial | None = None
    measured: tuple[Disk, ...] = ()
    choices: Mapping[str, Choice] = field(default_factory=dict)
    writers: Mapping[str, Sequence[Writer]] = field(default_factory=dict)
    memories: Mapping[str, Memory] = field(default_factory=dict)
    check_ups: Mapping[tuple[str, int], CheckUp] = field(default_factory=dict)
    check_failure: str = ""
    page: str = DISKS
    over: tuple[Opened, ...] = ()
    waiting: Opened | None = None

    @property
    def top(self) -> Opened | None:
        """What is seen over the pages with a tab."""
        return self.over[-1] if self.over else None

    def opened(self, *ids: Over) -> Opened | None:
        """What is open of these kinds."""
        return next((page for page in self.over if page.id in ids), None)

    def opening(self, page: Opened) -> State:
        """With a page over all others, in place of those; while something is measured it waits for that."""
        if self.measured and self.opened(Over.MEASUREMENT):
            return replace(self, waiting=page)
        return replace(self, over=(page,), waiting=None)

    def adding(self, page: Opened) -> State:
        """With a page over what is seen, to which the way back leads; a measurement replaces what it continues."""
        replaced = {page.id, Over.RESULT} if page.id == Over.MEASUREMENT else {page.id}
        return replace(self, over=(*(each for each in self.over if each.id not in replaced), page))

    def closing(self, page: Opened | None) -> State:
        """Without a page; what waited for it is seen then."""
        if page is not None and page in self.over and page.id == Over.MEASUREMENT and self.waiting is not None:
            return replace(self, over=(self.waiting,), waiting=None)
        return replace(self, over=tuple(each for each in self.over if each is not page))

    def find(self, name: str) -> Disk | None:
        """The disk of this kernel name."""
        return next((disk for disk in self.disks if disk.name == name), None)

    def gone(self, disks: Iterable[Disk]) -> Message | None:
        """Why nothing can be done to disks as they were: unplugged, or the name is another disk's by now."""
        for disk in disks:
            now = self.find(disk.name)
            if now is None:
                return message("vanished-by-now", disk=disk.title)
            if not now.is_same_as(disk):
                return message("another-disk-by-now", disk=now.title)
        return None

    @property
    def main(self) -> tuple[Disk, ...]:
        """Those that people measure: mounted, no loop devices, or measured before, on trial or set by our means.

        Others only where there is nothing else.
        """
        tunable = tuple(disk for disk in self.disks if disk.tunable)
        real = tuple(disk for disk in tunable if disk.kind != kinds.LOOP)
        usual = tuple(disk for disk in real if disk.mounts)
        main = tuple(disk for disk in tunable if disk in usual or self._is_involved(disk))
        return main if usual else tuple(disk for disk in tunable if disk in real or disk in main) or tunable

    def _is_involved(self, disk: Disk) -> bool:
        tried = self.trial.disks if self.trial is not None else ()
        return self.memory(disk) is not None or self.choice(disk).is_ours or disk in (*tried, *self.measured)

    def choice(self, disk: Disk) -> Choice:
        """What the user chose for a disk."""
        return self.choices.get(disk.name, Choice()).of(disk)

    def memory(self, disk: Disk) -> Memory | None:
        """What was answered last about a disk."""
        return self.memories.get(full_name(partial(getattr, disk)))

    def warnings(self, disks: Sequence[Disk], setting: Setting) -> Sequence[str]:
        """Who would undo it if a setting were kept for every start, and what to do about it."""
        found = (warnings(disk, self.writers.get(disk.name, ()), setting, for_good=True) for disk in disks)
        return tuple(dict.fromkeys(say(each) for some in found for each in some))

    def check_up(self, disk: Disk) -> CheckUp | None:
        """What was found on a disk, None where that is not known."""
        return self.check_ups.get((disk.name, disk.diskseq))


def in_order(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Those that most people want to see first: the system's, then others, each in the order of names."""
    return tuple(sorted(disks, key=_order))


def same(some: Sequence[Disk], others: Sequence[Disk]) -> bool:
    """Whether these are the same disks, whatever became of them."""
    return len(some) == len(others) and all(one.is_same_as(other) for one, other in zip(some, others, strict=True))


def is_system(disk: Disk) -> bool:
    """Whether the system itself lies on it."""
    return any(mount.path == "/" for mount in disk.mounts)


def _order(disk: Disk) -> tuple[bool, bool, bool, bool, int, str, int]:
    is_loop = disk.kind == kinds.LOOP
    return not disk.tunable, is_loop, not is_system(disk), is_loop and not disk.mounts, *natural(disk.name)


class Act(Enum):
    """What a person may want of disks; the last four are about what is on trial, and about the recorder."""

    MEASURE = auto()
    CHANGE = auto()
    KEEP = auto()
    GO_BACK = auto()
    TRY = auto()
    KEEP_TRIAL = auto()
    KEEP_TRIAL_PERMANENTLY = auto()
    UNDO_TRIAL = auto()
    RECORD = auto()


_OF_TRIAL = (Act.KEEP_TRIAL, Act.KEEP_TRIAL_PERMANENTLY, Act.UNDO_TRIAL)
_PERMANENT = (Act.KEEP, Act.KEEP_TRIAL_PERMANENTLY)


@dataclass(frozen=True, slots=True)
class Leave:
    """Whether something may be done: true, or ``why_not``."""

    why_not: Message | None = None

    def __bool__(self) -> bool:
        return self.why_not is None

    @property
    def reason(self) -> str:
        """Why not, as a sentence; empty where it may be done."""
        return say(self.why_not) if self.why_not is not None else ""


def may(state: State, act: Act, disks: Sequence[Disk] = ()) -> Leave:
    """Say whether a person may do something to disks now, or why not.

    The reason that lasts longest comes first: no helper, then what the disk is, a trial, a measurement, a call.
    """
    trial = state.trial
    if act in _OF_TRIAL:
        disks = trial.disks if trial is not None else ()
    return Leave(
        _lasting(state, act, disks)
        or (_beside_trial(trial, act, disks) if trial is not None and act not in _OF_TRIAL else None)
        or _beside_measuring(state.measured, act, disks)
        or (message("waiting-for-helper") if state.calling and act is not Act.RECORD else None)
    )


def _lasting(state: State, act: Act, disks: Sequence[Disk]) -> Message | None:
    if act is Act.RECORD:
        return None
    if state.no_helper is not None and act not in _OF_TRIAL:
        return message("helper-missing", reason=state.no_helper)
    if act in _PERMANENT:
        return next((disk.why_not_kept for disk in disks if disk.why_not_kept is not None), None)
    return None


def _beside_trial(trial: Trial, act: Act, disks: Sequence[Disk]) -> Message | None:
    """One at a time, and its disks are left alone; others are free."""
    if act is Act.TRY or (act is not Act.RECORD and _share(trial.disks, disks)):
        return message("trial-under-way", setting=trial.setting.name, disk=titles(trial.disks))
    return None


def _beside_measuring(measured: Sequence[Disk], act: Act, disks: Sequence[Disk]) -> Message | None:
    """One at a time, which is not recorded; its disks are left alone."""
    if not measured:
        return None
    if act is Act.RECORD:
        return message("not-recorded-now", disk=titles(measured))
    if act is Act.MEASURE or _share(measured, disks):
        return message("refused-disk-in-trial", disk=titles(measured))
    return None


def _share(some: Sequence[Disk], others: Sequence[Disk]) -> bool:
    return not {disk.name for disk in some}.isdisjoint(disk.name for disk in others)
