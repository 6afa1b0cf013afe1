# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user chose for a disk through Disktuner, as the helper remembers it, and the sentences about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from disktuner.block.disk import Disk
from disktuner.helper_client.calls import Chosen, Snapshot, State
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.schedulers import shown
from disktuner.vocabulary.settings import known_setting, setting_of
from disktuner.vocabulary.tunables import OF_THE_DISK, known


@dataclass(frozen=True, slots=True)
class Choice:
    """``before`` is the scheduler that *Go back* returns to, ``chosen`` the one kept for every start.

    ``tunables_before`` and ``tunables_kept`` are the tunables that belong to them.
    """

    before: str | None = None
    chosen: str | None = None
    tunables_before: Mapping[str, int] = field(default_factory=dict)
    tunables_kept: Mapping[str, int] = field(default_factory=dict)

    @property
    def persistent(self) -> bool:
        """Whether it is kept for every start."""
        return self.chosen is not None

    @property
    def is_ours(self) -> bool:
        """Whether there is anything to go back from."""
        return self.before is not None or self.persistent


def choices(state: State) -> dict[str, Choice]:
    """The choices by disk name in the helper's memory."""
    before = {snapshot.disk: snapshot for snapshot in state.snapshots}
    kept = {disk: rule for rule in state.persistent for disk in rule.disks}
    return {name: _choice(before.get(name), kept.get(name)) for name in before | kept}


def _choice(before: Snapshot | None, kept: Chosen | None) -> Choice:
    return Choice(
        before.scheduler if before else None,
        kept.scheduler if kept else None,
        before.tunables if before else {},
        kept.tunables if kept else {},
    )


def kept_setting(disk: Disk, choice: Choice) -> str | None:
    """The scheduler with tunables that a disk gets at every start, as the name of a setting."""
    if disk.persistent is not None:
        return known_setting(disk.persistent.scheduler, disk.persistent.tunables).name
    return None if choice.chosen is None else known_setting(choice.chosen, choice.tunables_kept).name


def in_use(disk: Disk, choice: Choice) -> str:
    """What a disk has now, as the name of a setting: its scheduler with the tunables that somebody chose with us.

    Chosen are those that are kept, those that are neither the default nor what the disk had first, and of the queue
    those that differ from what it had first, unless another scheduler may have changed them.
    """
    scheduler = disk.scheduler or ""
    if not (disk.until_restart or disk.persistent or choice.is_ours):
        return scheduler
    kept = setting_of(kept_setting(disk, choice) or "")
    of_kept = kept.values if kept.scheduler == scheduler else {}
    first = choice.tunables_before if choice.before == scheduler else {}
    found = {}
    for name, value in disk.tunables.items():
        if name.endswith("/async_depth") and name not in of_kept:  # follows the number of requests
            continue
        declared = known(name, scheduler)
        usual = {first.get(name), declared.default if declared else None} - {None}
        if name in OF_THE_DISK:
            usual = {choice.tunables_before.get(name)} - {None}
        if of_kept.get(name) == value or (usual and value not in usual):
            found[name] = value
    if "iosched/slice_idle" in found:  # the same wait in another unit
        found.pop("iosched/slice_idle_us", None)
    return known_setting(scheduler, found).name


def chosen_text(disk: Disk, choice: Choice) -> str:
    """Whether what the disk has is the user's choice, and for how long; empty where it is not."""
    kept, held = kept_setting(disk, choice), disk.until_restart
    wanted = held.scheduler if held else kept
    had = wanted is None or setting_of(wanted).is_had_by(disk.scheduler, disk.tunables)
    if not had and (held or choice.is_ours):
        return text("chosen-but-changed", scheduler=wanted)
    if held or kept is None:
        lasting = "chosen-until-restart" if kept in {None, in_use(disk, choice)} else "chosen-until-restart-then"
        return text(lasting, kept=kept) if held or choice.is_ours else ""
    return text("chosen-for-port" if disk.persistent and disk.persistent.by_port else "chosen-for-good")


def going_back_text(disk: Disk, choice: Choice) -> str:
    """What *Go back* will do."""
    if not choice.before:
        return text("going-back-rule-only", scheduler=kept_setting(disk, choice) or disk.scheduler)
    kept = disk.persistent or choice.persistent
    return text("going-back-and-rule" if kept else "going-back", scheduler=choice.before)


def titles(disks: Sequence[Disk]) -> str:
    """Disks that are measured and changed together, as one name."""
    return " + ".join(disk.title for disk in disks)


def names_in_use(disks: Sequence[Disk], choice: Callable[[Disk], Choice] = lambda _: Choice()) -> str:
    """What disks have now, once where it is the same; as the name of a setting where it is one."""
    names = dict.fromkeys(in_use(disk, choice(disk)) for disk in disks)
    if len(names) == 1:
        return next(iter(names))
    return ", ".join(f"{shown(in_use(disk, choice(disk)))} ({disk.name})" for disk in disks)


def now_uses(disks: Sequence[Disk], scheduler: str) -> str:
    """That a scheduler is used until the next restart, and what comes then."""

    def said(disk: Disk, called: str) -> str:
        kept = kept_setting(disk, Choice()) or scheduler
        lasting = "used-until-restart" if kept == scheduler else "now-uses-then"
        return text(lasting, disk=called, scheduler=scheduler, kept=kept)

    return _of_all(disks, said)


def keeps_using(disks: Sequence[Disk], scheduler: str, outlook: Callable[[Disk], str]) -> str:
    """That a scheduler is kept, or what becomes of it instead: ``outlook`` of a disk, empty where it lasts."""

    def said(disk: Disk, called: str) -> str:
        lasting = "keeps-using-unless" if outlook(disk) else "used-from-now-on"
        return text(lasting, disk=called, scheduler=scheduler, outlook=outlook(disk))

    return _of_all(disks, said)


def _of_all(disks: Sequence[Disk], said: Callable[[Disk, str], str]) -> str:
    """One sentence where the same is true of all, else one for each; ``said`` of a disk under a name."""
    if len({said(disk, "") for disk in disks}) == 1:
        return said(disks[0], titles(disks))
    return " ".join(said(disk, disk.title) for disk in disks)
