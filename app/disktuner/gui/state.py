# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's state as one frozen value, and what a person may do about it: asked by every button, key and page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from functools import partial
from time import monotonic
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
    from disktuner.presentation import Presented


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting in use for ``seconds``: the helper's ``id`` of it, and the disks as they were before.

    ``before`` names the previous settings, which return unless the ``setting`` is kept; ``answer`` proposed it, on
    this ``page``.
    """

    id: str
    disks: tuple[Disk, ...]
    setting: Setting
    before: str
    seconds: float
    answer: Presented | None = None
    page: Opened | None = None
    begun_s: float = field(default_factory=monotonic)

    @property
    def left_s(self) -> float:
        """How long it stays in use from now on."""
        return max(0.0, self.begun_s + self.seconds - monotonic())


DISKS = "disks"
"""The first page."""


class Over(StrEnum):
    """What may be opened over the pages with a tab, unless it belongs to their row."""

    CHECK = auto()
    PLAN = auto()
    MEASUREMENT = auto()
    RESULT = auto()
    BETWEEN = auto()
    PORTRAIT = auto()
    PORTRAIT_PLAN = auto()
    SITTING = auto()


MEASURING = (Over.MEASUREMENT, Over.SITTING)
"""The pages that measure disks."""
_REPLACED: Mapping[str, tuple[Over, ...]] = {
    Over.MEASUREMENT: (Over.RESULT,),
    Over.PORTRAIT: (Over.SITTING, Over.PORTRAIT_PLAN),
}
"""The pages that a page replaces, besides another one of its kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A page over those with a tab: what it is ``about``, and its title; ``disk`` is where it was opened.

    Two of them are never equal, whatever they are about.
    """

    id: str
    about: Any
    title: str = ""
    disk: str = ""


class Leaving(StrEnum):
    """What a person leaves: a page, or the window."""

    PAGE = "leave"
    WINDOW = "close"


@dataclass(frozen=True, slots=True, eq=False)
class Confirmation:
    """A question before something is done, with the texts of both answers; ``go_on`` is called on a yes.

    ``leaving`` is what could be left afterwards instead.
    """

    question: str
    about: str
    yes: str
    no: str
    go_on: Callable[[], object]
    leaving: Leaving | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Everything that pages draw from, and which of them is visible.

    ``no_helper`` says why the helper is missing. ``calling``: the helper has not answered a call yet. ``trial`` is what
    it holds for this window, ``kept_trial`` the last trial if its setting was kept. ``measured_disks`` are being
    measured now. ``choices`` and ``writers`` are by the disks' names, ``memories`` by the disks' names in results,
    ``check_ups`` by name and diskseq; ``check_failure`` says why the disks could not be checked.

    ``page`` is the one whose tab is chosen, ``opened_pages`` are those over it, of which the last one is visible,
    ``waiting_page`` opens after a measurement. ``confirmation`` is the open question, ``by_hand`` the disk in the
    dialog. ``afterwards`` is what a person wants to leave: it is left as soon as that ends nothing any more.

    ``shows_difference``: the answer that proposed the trial shows what it changes. ``alternates``: to show that, the
    disks have the old setting now and then; this ends a little after ``shows_difference``.
    """

    disks: tuple[Disk, ...] = ()
    no_helper: Message | None = None
    calling: bool = False
    trial: Trial | None = None
    measured_disks: tuple[Disk, ...] = ()
    choices: Mapping[str, Choice] = field(default_factory=dict)
    writers: Mapping[str, Sequence[Writer]] = field(default_factory=dict)
    memories: Mapping[str, Memory] = field(default_factory=dict)
    check_ups: Mapping[tuple[str, int], CheckUp] = field(default_factory=dict)
    check_failure: str = ""
    page: str = DISKS
    opened_pages: tuple[Opened, ...] = ()
    waiting_page: Opened | None = None
    confirmation: Confirmation | None = None
    by_hand: Disk | None = None
    afterwards: Leaving | None = None
    shows_difference: bool = False
    alternates: bool = False
    kept_trial: Trial | None = None

    def is_ended_by(self, leaving: Leaving) -> bool:
        """Whether leaving a page or the window ends a measurement or a trial."""
        return bool(self.measured_disks) or (leaving is Leaving.WINDOW and self.trial is not None)

    @property
    def sees_trial(self) -> bool:
        """Whether the answer that proposed the setting on trial is visible."""
        return self.trial is not None and self.top is not None and self.top is self.trial.page

    @property
    def top(self) -> Opened | None:
        return self.opened_pages[-1] if self.opened_pages else None

    def opened(self, *ids: Over) -> Opened | None:
        """The opened page of one of these kinds."""
        return next((page for page in self.opened_pages if page.id in ids), None)

    def opening(self, page: Opened) -> State:
        """Return the state with a page in place of all opened ones; during a measurement the page waits for its end."""
        if self.measured_disks and self.opened(*MEASURING):
            return replace(self, waiting_page=page)
        return replace(self, opened_pages=(page,), waiting_page=None)

    def adding(self, page: Opened) -> State:
        """Return the state with a page over the visible one, to which the way back leads; it replaces what it
        continues.
        """
        replaced = {page.id, *_REPLACED.get(page.id, ())}
        remaining = (opened for opened in self.opened_pages if opened.id not in replaced)
        return replace(self, opened_pages=(*remaining, page))

    def closing(self, page: Opened | None) -> State:
        """Return the state without a page; a page that waited for its end is visible then."""
        awaited = page is not None and page in self.opened_pages and page.id in (*MEASURING, Over.PORTRAIT)
        if awaited and self.waiting_page is not None:
            return replace(self, opened_pages=(self.waiting_page,), waiting_page=None)
        return replace(self, opened_pages=tuple(opened for opened in self.opened_pages if opened is not page))

    def find(self, name: str) -> Disk | None:
        """Return the disk of this kernel name."""
        return next((disk for disk in self.disks if disk.name == name), None)

    def why_gone(self, disks: Iterable[Disk]) -> Message | None:
        """Return why nothing can be done to disks as they were: unplugged, or replaced by another of that name."""
        for disk in disks:
            now = self.find(disk.name)
            if now is None:
                return message("vanished-by-now", disk=disk.title)
            if not now.is_same_as(disk):
                return message("another-disk-by-now", disk=now.title)
        return None

    def has(self, disk: Disk) -> bool:
        """Whether a disk has been connected all the time."""
        now = self.find(disk.name)
        return now is not None and now.diskseq == disk.diskseq

    @property
    def main(self) -> tuple[Disk, ...]:
        """The disks that people measure: mounted, no loop devices, or measured before, on trial or set by Disktuner.

        All others if there are none of these.
        """
        tunable = tuple(disk for disk in self.disks if disk.tunable)
        real = [disk for disk in tunable if disk.kind != kinds.LOOP]
        names = {disk.name for disk in [disk for disk in real if disk.mounts] or real}
        return tuple(disk for disk in tunable if disk.name in names or self._is_involved(disk)) or tunable

    @property
    def others(self) -> tuple[Disk, ...]:
        """All disks that are not among the main ones."""
        names = {disk.name for disk in self.main}
        return tuple(disk for disk in self.disks if disk.name not in names)

    def _is_involved(self, disk: Disk) -> bool:
        trial_disks = self.trial.disks if self.trial is not None else ()
        is_in_use = disk in trial_disks or disk in self.measured_disks
        return is_in_use or self.memory(disk) is not None or self.choice(disk).is_ours

    def choice(self, disk: Disk) -> Choice:
        return self.choices.get(disk.name, Choice()).of(disk)

    def memory(self, disk: Disk) -> Memory | None:
        """Return the last answer on a disk."""
        return self.memories.get(full_name(partial(getattr, disk)))

    def warnings(self, disks: Sequence[Disk], setting: Setting) -> Sequence[str]:
        """Return who would undo a setting kept for every start, and what to do about it."""
        by_disk = (warnings(disk, self.writers.get(disk.name, ()), setting, for_good=True) for disk in disks)
        return tuple(dict.fromkeys(say(warning) for disk_warnings in by_disk for warning in disk_warnings))

    def check_up(self, disk: Disk) -> CheckUp | None:
        return self.check_ups.get((disk.name, disk.diskseq))


def in_order(disks: Iterable[Disk]) -> tuple[Disk, ...]:
    """Return the system's disks first, then the others, each group in the order of names."""
    return tuple(sorted(disks, key=_order))


def is_system(disk: Disk) -> bool:
    """Whether the system itself is on the disk."""
    return any(mount.path == "/" for mount in disk.mounts)


def _order(disk: Disk) -> tuple[int | str, ...]:
    is_loop = disk.kind == kinds.LOOP
    return not disk.tunable, is_loop, not is_system(disk), is_loop and not disk.mounts, *natural(disk.name)


@dataclass(frozen=True, slots=True)
class WantedSettings:
    """What is to be set; ``scheduler`` None: it stays.

    ``tunables`` are those that differ, or with ``persist`` all that should survive a restart: a rule is always
    rewritten.
    """

    scheduler: str | None = None
    tunables: dict[str, str] = field(default_factory=dict)
    persist: bool = False


class Act(Enum):
    """What a person may want; the last four are about the trial and the recorder."""

    MEASURE = auto()
    PORTRAY = auto()
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
        """Why not, as a sentence; empty if it may be done."""
        return say(self.why_not) if self.why_not is not None else ""


def may(state: State, act: Act, disks: Sequence[Disk] = ()) -> Leave:
    """Return whether a person may do something to disks now, or why not.

    Of several reasons the most lasting is named: no helper, then the kind of disk, a trial, a measurement, a call.
    """
    trial = state.trial
    if act in _OF_TRIAL:
        disks = trial.disks if trial is not None else ()
    return Leave(
        _lasting(state, act, disks)
        or (_beside_trial(trial, act, disks) if trial is not None and act not in _OF_TRIAL else None)
        or _beside_measuring(state.measured_disks, act, disks)
        or (message("waiting-for-helper") if state.calling and act is not Act.RECORD else None)
    )


def _lasting(state: State, act: Act, disks: Sequence[Disk]) -> Message | None:
    if act in {Act.RECORD, Act.PORTRAY}:
        return None
    if state.no_helper is not None and act not in _OF_TRIAL:
        return message("helper-missing", reason=state.no_helper)
    if act in _PERMANENT:
        return next((disk.why_not_kept for disk in disks if disk.why_not_kept is not None), None)
    return None


def _beside_trial(trial: Trial, act: Act, disks: Sequence[Disk]) -> Message | None:
    """One trial at a time; its disks are left alone, others are free."""
    if act is Act.TRY or (act is not Act.RECORD and _share(trial.disks, disks)):
        return message("trial-under-way", setting=trial.setting.name, disk=titles(trial.disks))
    return None


def _beside_measuring(measured: Sequence[Disk], act: Act, disks: Sequence[Disk]) -> Message | None:
    """One measurement at a time, which is not recorded; its disks are left alone."""
    if not measured:
        return None
    if act is Act.RECORD:
        return message("not-recorded-now", disk=titles(measured))
    if act in {Act.MEASURE, Act.PORTRAY} or _share(measured, disks):
        return message("refused-disk-in-trial", disk=titles(measured))
    return None


def _share(some: Sequence[Disk], others: Sequence[Disk]) -> bool:
    return not {disk.name for disk in some}.isdisjoint(disk.name for disk in others)
