# SPDX-License-Identifier: GPL-3.0-or-later
"""How a disk stands: what was chosen for it, what it has, who else sets it, whether that holds; and what is said."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.helper_client.calls import Chosen, FieldTrial, HelperState, Running, Snapshot
from disktuner.remedies import Remedy, colliding, remedy_of, rivals
from disktuner.vocabulary.messages import Message, language, message, text
from disktuner.vocabulary.settings import Setting, known_setting
from disktuner.vocabulary.tunables import BYTE_LIMIT, MIB, OF_THE_DISK, RATIO_LIMIT, is_same, known
from disktuner.vocabulary.units import NOTHING, moment


@dataclass(frozen=True, slots=True)
class Choice:
    """``before`` is the scheduler that *Go back* returns to, ``chosen`` the one kept for every start.

    ``tunables_before`` and ``tunables_kept`` are the tunables that belong to them. ``daily_use`` is the
    trial that may change the disk any time, ``paused`` whether it does not for now, None where it is not this user's.
    ``diskseq`` is that of the disk that had what was before, 0 if not known.
    """

    before: str | None = None
    chosen: str | None = None
    tunables_before: Mapping[str, int] = field(default_factory=dict)
    tunables_kept: Mapping[str, int] = field(default_factory=dict)
    daily_use: FieldTrial | None = None
    paused: bool | None = None
    diskseq: int = 0

    def of(self, disk: Disk) -> Choice:
        """Return it without what was before, where that is from before the disk was unplugged: it can't be put back."""
        if 0 in {self.diskseq, disk.diskseq} or self.diskseq == disk.diskseq:
            return self
        return replace(self, before=None, tunables_before={})

    @property
    def persistent(self) -> bool:
        """Whether it is kept for every start."""
        return self.chosen is not None

    @property
    def is_ours(self) -> bool:
        """Whether there is anything to go back from."""
        return self.before is not None or self.persistent or self.daily_use is not None


@dataclass(frozen=True, slots=True)
class Memory:
    """What was answered last about a ``disk``: the id of that result, and the ``sentence`` on it.

    ``bars`` are those of the figure that stands for it, by the names of settings, and how long each is; ``about`` is
    the setting that the answer of a ``decision`` is about.
    """

    result: str
    sentence: str
    disk: str
    decision: str
    about: str
    baseline: str
    bars: tuple[tuple[str, float], ...]


def choices(state: HelperState, *, is_paused: bool) -> dict[str, Choice]:
    """The choices by disk name in the helper's memory; ``is_paused`` is this user's trial in daily use."""
    before = {snapshot.disk: snapshot for snapshot in state.snapshots}
    kept = {disk: rule for rule in state.persistent for disk in rule.disks}
    tried = {disk: trial for trial in state.field_trials for disk in trial.disks}
    names = before.keys() | kept.keys() | tried.keys()
    return {name: _choice(before.get(name), kept.get(name), tried.get(name), is_paused) for name in names}


def _choice(before: Snapshot | None, kept: Chosen | None, tried: FieldTrial | None, is_paused: bool) -> Choice:
    return Choice(
        before.scheduler if before else None,
        kept.scheduler if kept else None,
        before.tunables if before else {},
        kept.tunables if kept else {},
        tried,
        is_paused if tried and tried.uid == os.getuid() else None,
        before.diskseq if before else 0,
    )


def kept_setting(disk: Disk, choice: Choice) -> Setting | None:
    """What a disk gets at every start."""
    if disk.persistent is not None:
        return known_setting(disk.persistent.scheduler, disk.persistent.tunables)
    return None if choice.chosen is None else known_setting(choice.chosen, choice.tunables_kept)


def in_use(disk: Disk, choice: Choice) -> Setting:
    """What a disk has now: its scheduler with the tunables that somebody chose with us.

    Chosen are those that are kept, those that are neither the default nor what the disk had first, and of the queue
    those that differ from what it had first, unless another scheduler may have changed them.
    """
    scheduler = disk.scheduler or ""
    if not (disk.until_restart or disk.persistent or choice.is_ours):
        return Setting(scheduler)
    kept = kept_setting(disk, choice)
    of_kept = kept.values if kept and kept.scheduler == scheduler else {}
    first = choice.tunables_before if choice.before == scheduler else {}
    chosen_tunables: dict[str, int | str] = {}
    for name, value in disk.tunables.items():
        if name.endswith("/async_depth") and name not in of_kept:  # follows the number of requests
            continue
        declared = known(name, scheduler)
        usual = {first.get(name), declared.default if declared else None} - {None}
        if name in OF_THE_DISK:
            usual = {choice.tunables_before.get(name)} - {None}
        if is_same(name, of_kept.get(name), value):
            chosen_tunables[name] = of_kept[name]
        elif usual and not any(is_same(name, usual_value, value) for usual_value in usual):
            chosen_tunables[name] = value
    if "iosched/slice_idle" in chosen_tunables:  # the same wait in another unit
        chosen_tunables.pop("iosched/slice_idle_us", None)
    if isinstance(limit := chosen_tunables.get(BYTE_LIMIT), int):  # which the kernel rounds
        chosen_tunables[BYTE_LIMIT] = max(round(limit / MIB), 1) * MIB
        chosen_tunables.pop(BYTE_LIMIT if RATIO_LIMIT in of_kept else RATIO_LIMIT, None)  # the same limit
    return known_setting(scheduler, chosen_tunables)


def chosen_text(disk: Disk, choice: Choice) -> str:
    """Whether what the disk has is the user's choice, and for how long; empty where it is not."""
    if trial := choice.daily_use:
        settings = tuple(known_setting(wish.scheduler, wish.tunables).name for wish in trial.settings)
        until = _until(trial)
        said = text("chosen-by-lot", until=until, settings=settings)
        return f"{said}\n{text('field-keeps', setting=in_use(disk, choice).name)}" if choice.paused else said
    kept, held = kept_setting(disk, choice), disk.until_restart
    wanted = Setting(held.scheduler) if held else kept
    if wanted and not wanted.is_had_by(disk.scheduler, disk.tunables) and (held or choice.is_ours):
        return text("chosen-but-changed", scheduler=wanted.name)
    if held or kept is None:
        lasting = "chosen-until-restart" if kept in {None, in_use(disk, choice)} else "chosen-until-restart-then"
        return text(lasting, kept=kept.name if kept else None) if held or choice.is_ours else ""
    return text("chosen-for-port" if disk.persistent and disk.persistent.by_port else "chosen-for-good")


def _until(trial: FieldTrial) -> str:
    """When a trial in daily use ends, as people read it."""
    return moment(datetime.fromtimestamp(trial.until, UTC).astimezone(), language().numbers)


def going_back_text(disk: Disk, choice: Choice) -> str:
    """What *Go back* will do."""
    if choice.daily_use:
        return text("going-back-from-daily-use")
    kept = kept_setting(disk, choice)
    if not choice.before:
        return text("going-back-rule-only", scheduler=kept.name if kept else disk.scheduler)
    return text("going-back-and-rule" if kept else "going-back", scheduler=choice.before)


def titles(disks: Sequence[Disk]) -> str:
    """Disks that are measured and changed together, as one name."""
    return " + ".join(disk.title for disk in disks)


def names_in_use(disks: Sequence[Disk], choice: Callable[[Disk], Choice] = lambda _: Choice()) -> str:
    """What disks have now, once where it is the same; as the name of a setting where it is one."""
    settings = {in_use(disk, choice(disk)) for disk in disks}
    if len(settings) == 1:
        return next(iter(settings)).name
    return ", ".join(f"{in_use(disk, choice(disk)).words} ({disk.name})" for disk in disks)


def now_uses(disks: Sequence[Disk], setting: Setting) -> str:
    """That a setting is used until the next restart, and what comes then."""

    def said(disk: Disk, called: str) -> str:
        kept = kept_setting(disk, Choice()) or setting
        lasting = "used-until-restart" if kept == setting else "now-uses-then"
        return text(lasting, disk=called, scheduler=setting.name, kept=kept.name)

    return _of_all(disks, said)


def keeps_using(disks: Sequence[Disk], setting: Setting, outlook: Callable[[Disk], str]) -> str:
    """That a setting is kept, or what becomes of it instead: ``outlook`` of a disk, empty where it lasts."""

    def said(disk: Disk, called: str) -> str:
        lasting = "keeps-using-unless" if outlook(disk) else "used-from-now-on"
        return text(lasting, disk=called, scheduler=setting.name, outlook=outlook(disk))

    return _of_all(disks, said)


def is_back(disk: Disk, scheduler: str | None) -> str:
    """That a disk has again what it had first, and what is chosen for it all the same."""
    return " ".join((text("reverted", disk=disk.title, scheduler=scheduler), *still_chosen(disk)))


def still_chosen(disk: Disk) -> Iterator[str]:
    """What going back leaves: the permanent choice."""
    if disk.persistent:
        yield text("still-chosen", disk=disk.name, scheduler=disk.persistent.scheduler)


def _of_all(disks: Sequence[Disk], said: Callable[[Disk, str], str]) -> str:
    """One sentence where the same is true of all, else one for each; ``said`` of a disk under a name."""
    if len({said(disk, "") for disk in disks}) == 1:
        return said(disks[0], titles(disks))
    return " ".join(said(disk, disk.title) for disk in disks)


@dataclass(frozen=True, slots=True)
class Standing:
    """How one disk stands.

    ``chosen`` is what it gets at every start, and ``until_restart`` what was set with Disktuner until the next one.
    ``tunables`` are chosen with it, by full name. ``holds`` is None without either; ``before`` is what ``revert``
    would put back. ``daily_use`` are trials that may change it any time. ``remedy`` is how whoever sets it back is
    kept from that, None where nobody does. ``trial`` holds it now, as far as the helper tells. ``held_tunables`` were
    set until the next restart, as far as that can be told from what the disk had before.
    """

    disk: Disk
    chosen: str | None
    since: str | None
    before: str | None
    daily_use: tuple[FieldTrial, ...]
    writers: tuple[Writer, ...]
    remedy: Remedy | None = None
    tunables: Mapping[str, int | str] = field(default_factory=dict)
    trial: Running | None = None
    held_tunables: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def in_trial(self) -> bool:
        """Whether a trial may change it any time."""
        return self.trial is not None

    @property
    def until_restart(self) -> str | None:
        """What was set until the next restart."""
        return self.disk.until_restart.scheduler if self.disk.until_restart else None

    @property
    def by_port(self) -> bool:
        """Whether the choice belongs to whatever is plugged into the disk's port."""
        return bool(self.disk.persistent and self.disk.persistent.by_port)

    @property
    def holds(self) -> bool | None:
        """Whether the disk has what was chosen for now; not judged while a trial changes it."""
        wanted = self.until_restart or self.chosen
        if wanted is None or self.in_trial or self.daily_use:
            return None
        return self.disk.scheduler == wanted and not self._lost

    @property
    def has(self) -> Mapping[str, int | str]:
        """What the tunables that were chosen are now; none of a scheduler that the disk does not have."""
        return {name: self.disk.tunables[name] for name in self.tunables if name in self.disk.tunables}

    @property
    def _lost(self) -> frozenset[str]:
        """The tunables that are not what was chosen for good; nothing is said of them until a restart."""
        if self.until_restart is not None:
            return frozenset()
        return frozenset(name for name, value in self.has.items() if not is_same(name, self.tunables[name], value))

    @property
    def culprit(self) -> Writer | None:
        """Who set what the disk has instead: the last one that writes just that, after our rule where that counts."""
        if self.holds is not False:
            return None
        if self.disk.scheduler == (self.until_restart or self.chosen):
            return self.remedy.writer if self.remedy and self.remedy.writer.attribute in self._lost else None
        last: Writer | None = None
        for writer in self.writers:
            if writer.repeats_ours and not self.until_restart:
                last = None
            elif writer.sets_scheduler and not writer.ours and self._may_have_acted(writer):
                last = writer
        return last

    def _may_have_acted(self, writer: Writer) -> bool:
        acts = writer.may_write and (writer.acts_later or self.until_restart is not None)
        return acts and writer.may_set(self.disk.scheduler or "")

    @property
    def rival(self) -> Writer | None:
        """Who will certainly set something else than what was chosen for good, at the next start."""
        others = rivals(self.disk, self.writers, self.chosen, for_good=True) if self.chosen else ()
        return others[-1] if others and others[-1].writes else None

    @property
    def finding(self) -> Message:
        """Whether it holds, and what to do if not."""
        if self.trial:
            since, numbers = datetime.fromisoformat(self.trial.since).astimezone(), language().numbers
            return message("status-in-trial", since=moment(since, numbers), user=user_name(self.trial.uid))
        for trial in self.daily_use:
            first, second = (known_setting(wish.scheduler, wish.tunables).name for wish in trial.settings)
            until = _until(trial)
            return message("status-in-daily-use", first=first, second=second, until=until)
        if self.holds is None:
            way_back = message("way-back-now", disk=self.disk.name, scheduler=self.before)
            is_back = self.before in (None, self.disk.scheduler)
            return message("status-nothing-chosen") if is_back else way_back
        if self.holds:
            return self._how_long
        if self.culprit is not None:
            return message("status-overridden", place=self.culprit.place)
        return message("status-changed")

    @property
    def _how_long(self) -> Message:
        set_by_hand = self.until_restart is not None
        if self.rival is not None:
            then = "status-set-then-rival" if set_by_hand else "status-then-rival"
            return message(then, scheduler=self.rival.value, place=self.rival.place)
        if not set_by_hand:
            return message("status-holds")
        return (
            message("status-set-then", scheduler=setting_words(self.chosen, self.tunables))
            if self.chosen
            else message("status-set")
        )


def _held_tunables(disk: Disk, before: Snapshot | None, kept: Chosen | None) -> Mapping[str, int | str]:
    """Return what was set with the scheduler until the next restart: what differs from what the disk had before."""
    if before is None or disk.until_restart is None or disk.until_restart.scheduler != disk.scheduler:
        return {}
    return in_use(disk, _choice(before, kept, None, is_paused=False)).values


def standing(system: System, disk: Disk, state: HelperState | None, writers: tuple[Writer, ...]) -> Standing:
    """How a disk stands, by the rule file, sysfs, its writers and what the helper remembers (None without a helper)."""
    choice = state.choice_for(disk.name) if state else None
    snapshot = state.snapshot_of(disk.name) if state else None
    if snapshot and snapshot.diskseq != disk.diskseq:
        snapshot = None  # another disk had this name
    wanted = disk.persistent or choice
    latest = disk.until_restart or choice or snapshot
    rival = colliding(disk, writers)
    return Standing(
        disk,
        wanted.scheduler if wanted else None,
        latest.since if latest else None,
        snapshot.scheduler if snapshot else None,
        state.field_trials_of(disk.name) if state else (),
        writers,
        remedy_of(system.subject(disk), rival) if rival else None,
        wanted.tunables if wanted else {},
        state.running.get(disk.name) if state else None,
        _held_tunables(disk, snapshot, choice),
    )


def user_name(uid: int) -> str:
    """What a user is called here; the number of one that has no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def setting_words(scheduler: str | None, tunables: Mapping[str, int | str]) -> str:
    """A setting as people read it."""
    return NOTHING if scheduler is None else known_setting(scheduler, tunables).words
