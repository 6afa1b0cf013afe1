# SPDX-License-Identifier: GPL-3.0-or-later
"""What disks get back: after a trial, however it ends, and on reverting to what they had before the first change."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from disktuner_helper import contract, errors, files
from disktuner_helper.queue import LIMITING_WRITES, Queue, Setting, checked


@dataclass(frozen=True, slots=True)
class Held(Setting):
    """A setting to restore, and its disk by name, diskseq and device number. ``since`` is UTC."""

    disk: str
    diskseq: int
    devno: str
    since: str

    def __post_init__(self) -> None:
        """Raises TypeError or AttributeError for values from a broken file."""
        texts, numbers = (self.scheduler, self.disk, self.devno, *self.tunables), self.tunables.values()
        if {type(text) for text in texts} != {str} or {type(number) for number in (self.diskseq, *numbers)} != {int}:
            raise TypeError

    @classmethod
    def of(cls, queue: Queue, setting: Setting) -> Self:
        return cls(setting.scheduler, setting.tunables, queue.name, queue.diskseq, queue.devno, contract.utc())

    def put_back(self, root: Path) -> None:
        """Restore the setting. Raises NoSuchDisk or StaleDisk if this very disk is gone."""
        with Queue(root, self.disk, self.diskseq, insists=True) as queue:
            queue.restore(self)


class Snapshots(files.Kept[Held]):
    """Settings to revert to, one per disk; kept in /run, so they outlive the helper but not a restart."""

    def __init__(self, root: Path) -> None:
        super().__init__(root / "run/disktuner/snapshots.json", lambda _, stored: Held(**stored))

    def remember(self, held: Held) -> bool:
        """Store what a disk has; False if this very disk's first state is stored already. Raises WriteFailed."""
        if (known := self.all.get(held.disk)) and known.diskseq == held.diskseq:
            return False
        self.put(held.disk, held)
        return True


@dataclass(slots=True)
class Trial:
    """A running trial, bound to the bus name that began it; ``until`` is when its time is over.

    Ending it clears ``sender`` and sets ``until`` to -1; if that fails, it is ended again later. ``ended``: its disks
    are restored or remembered elsewhere, though its file may not say so yet. ``wishes``: what they were last given.
    ``plain``: for each disk that was tuned, the setting that each scheduler gives it untuned.
    """

    id: str
    sender: str
    uid: int
    since: str
    until: float
    disks: Mapping[str, Held]
    plain: dict[str, dict[str, Setting]] = field(default_factory=dict)
    wishes: dict[str, Setting] = field(default_factory=dict)
    ended: bool = False

    def __str__(self) -> str:
        return " ".join(f"{name}={held.scheduler}" for name, held in self.disks.items())

    def tune(self, queue: Queue, wish: Setting) -> None:
        """With the wish's scheduler already set, undo this trial's earlier tuning, then tune what the wish names."""
        held = self.disks[queue.name]
        if not wish.tunables and queue.name not in self.plain:  # never tuned: the kernel does the rest
            return queue.restore(held if held.scheduler == wish.scheduler else wish)
        if "queue/wbt_lat_usec" in wish.tunables:
            # Once a number is written, bfq no longer switches it off: first see its value with and without bfq.
            for scheduler in ("none", *LIMITING_WRITES):
                with suppress(errors.HelperError):  # a kernel may not have it
                    self._plain(queue, scheduler)
        queue.restore(self._plain(queue, wish.scheduler))
        return queue.apply(wish)

    def _plain(self, queue: Queue, scheduler: str) -> Setting:
        """Return what the scheduler alone would have made of the disk when the trial began: tried once, then known."""
        held = self.disks[queue.name]
        known = self.plain.setdefault(queue.name, {held.scheduler: held})
        if scheduler not in known:
            queue.restore(known.get("none", held))
            queue.apply(Setting(scheduler, {}))
            known[scheduler] = queue.setting
        return known[scheduler]

    def to_json(self) -> dict[str, Any]:
        """Without its id, which only its owner may know."""
        return {"since": self.since, "uid": self.uid, "disks": [asdict(held) for held in self.disks.values()]}


class Trials(files.Kept[Trial]):
    """All running trials by id, kept in /run: those of a helper that died have no owner, and are to be ended.

    ``limit`` returns when the time of a trial used now is over; ``remember`` stores what a disk did not take back.
    """

    def __init__(self, root: Path, limit: Callable[[], float], remember: Callable[[Held], object]) -> None:
        super().__init__(root / "run/disktuner/trials.json", _orphan, Trial.to_json)
        self._root = root
        self._limit = limit
        self.remember = remember

    def require_free(self, *disks: str) -> None:
        """Raise Busy while a trial holds one of the disks."""
        for disk in disks:
            if any(disk in trial.disks for trial in self.all.values()):
                raise errors.Busy("disk-in-trial", disk=disk)

    def begin(self, sender: str, uid: int, disks: Sequence[tuple[str, int]]) -> Trial:
        """Remember the settings of disks (names with diskseq) and hold the disks."""
        if not disks:
            raise errors.NoSuchDisk("no-disks")
        trials_of_user = sum(trial.uid == uid for trial in self.all.values())
        if len(self.all) >= contract.MAX_TRIALS or trials_of_user >= contract.MAX_TRIALS_PER_UID:
            raise errors.Busy("too-many-trials")
        self.require_free(*dict(disks))
        had = {}
        for name, diskseq in disks:
            with Queue(self._root, name, diskseq) as queue:
                had[name] = Held.of(queue, queue.setting)
        trial = Trial(secrets.token_hex(16), sender, uid, contract.utc(), self._limit(), had)
        try:
            self.put(trial.id, trial)
            for held in trial.disks.values():
                hold_back(self._root, held)
        except Exception:
            self.end(trial)
            raise
        return trial

    def set(self, sender: str, id_: str, disk: str, scheduler: str, tunables: Mapping[str, str]) -> str:
        """Set a disk of the caller's trial and extend the trial's time; return what changed."""
        trial = self.use(sender, id_)
        if disk not in trial.disks:
            raise errors.NoSuchDisk("not-in-trial")
        wish = Setting(scheduler, checked(scheduler, tunables))
        with Queue(self._root, disk, trial.disks[disk].diskseq) as queue, queue.undoing() as before:
            queue.apply(Setting(scheduler, {}))
            trial.tune(queue, wish)
        trial.wishes[disk] = wish
        return wish.change_from(before)

    def use(self, sender: str, id_: str) -> Trial:
        trial = self.own(sender, id_)
        trial.until = self._limit()
        return trial

    def own(self, sender: str, id_: str, uid: int = -1) -> Trial:
        if (trial := self.all.get(id_)) and (trial.sender == sender or uid == 0):
            return trial
        raise errors.NoSuchTrial("no-such-trial")

    def end(self, trial: Trial) -> list[str]:
        """Restore all disks; return those that could not be. Those present stay remembered.

        The trial runs, and holds its disks, until that is done and stored; if it fails, the next end or start retries.
        """
        trial.sender, trial.until = "", -1
        failures, lost = [], []
        for held in trial.disks.values():
            try:
                failures += [] if self.put_back(held) else [held.disk]
            except (errors.HelperError, OSError):
                lost.append(held.disk)
        trial.ended = not lost
        with suppress(errors.WriteFailed, OSError):
            self.drop(*(ended.id for ended in (trial, *self.all.values()) if ended.ended))
        return failures + lost

    def let_go(self, trial: Trial) -> None:
        """End a trial without restoring what was tried. Raises WriteFailed if that cannot be stored: it goes on."""
        with ExitStack() as changing:
            for name, held in trial.disks.items():
                changing.enter_context(files.changing(flag(self._root, held), b""))
                if name not in trial.wishes:
                    self.put_back(held)  # a failed attempt may have left something
            self.drop(trial.id)

    def put_back(self, held: Held) -> bool:
        """Restore a disk and release its rule; False if it is gone, or remembered as not restored.

        Raises WriteFailed or OSError if it is neither: then the caller keeps the last record of what the disk had.
        """
        restored = False
        try:
            held.put_back(self._root)
            restored = True
        except (errors.NoSuchDisk, errors.StaleDisk):
            pass
        except (errors.HelperError, OSError):
            self.remember(held)
        with suppress(errors.WriteFailed, OSError):
            files.remove(flag(self._root, held))
        return restored


def _orphan(id_: str, stored: dict[str, Any]) -> Trial:
    held = {disk["disk"]: Held(**disk) for disk in stored["disks"]}
    return Trial(id_, "", int(stored["uid"]), str(stored["since"]), 0, held)


def hold_back(root: Path, held: Held) -> None:
    """Hold our udev rule back from a disk, until its flag is removed. Raises WriteFailed."""
    files.replace(flag(root, held), b"")


def flag(root: Path, disk: Held | Queue, suffix: str = "") -> Path:
    """Return the file that, while it exists, holds our udev rule back from a disk (see persist.py)."""
    return root / "run/disktuner/hold" / f"{disk.devno}-{disk.diskseq or ''}{suffix}".replace("/", "!")
