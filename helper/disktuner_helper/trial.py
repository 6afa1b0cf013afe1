# SPDX-License-Identifier: GPL-3.0-or-later
"""What disks get back: after a trial, whatever happens to it, and what they had before they were first touched."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from disktuner_helper import contract, errors, files
from disktuner_helper.queue import Queue, Setting, checked, limiting_writes


@dataclass(frozen=True, slots=True)
class Held(Setting):
    """The setting to put back, and whose it is: a disk by name, diskseq and device number. ``since`` is UTC."""

    disk: str
    diskseq: int
    devno: str
    since: str

    def __post_init__(self) -> None:
        """Raises TypeError or AttributeError where a broken file holds anything but texts and whole numbers."""
        texts, numbers = (self.scheduler, self.disk, self.devno, *self.tunables), self.tunables.values()
        if {type(one) for one in texts} != {str} or {type(one) for one in (self.diskseq, *numbers)} != {int}:
            raise TypeError

    @classmethod
    def of(cls, queue: Queue, setting: Setting) -> Self:
        return cls(setting.scheduler, setting.tunables, queue.name, queue.diskseq, queue.devno, files.now())

    def put_back(self, root: Path) -> None:
        """Restore it. Raises NoSuchDisk or StaleDisk where this very disk is gone, and what ``restore`` does."""
        with Queue(root, self.disk, self.diskseq, insists=True) as queue:
            queue.restore(self)


class Snapshots(files.Kept[Held]):
    """Settings to go back to, one per disk; kept in /run, so they outlive the helper but not a restart."""

    def __init__(self, root: Path) -> None:
        super().__init__(root / "run/disktuner/snapshots.json", lambda _, stored: Held(**stored))

    def remember(self, held: Held) -> bool:
        """Keep what a disk has; False where the first state of this very disk is kept already. Raises WriteFailed."""
        if (known := self.all.get(held.disk)) and known.diskseq == held.diskseq:
            return False
        self.put(held.disk, held)
        return True


@dataclass(slots=True)
class Trial:
    """A running trial, bound to the bus name that began it; ``until`` is when its time is over.

    One that was ended is nobody's, and ``until`` is -1; it is ended again where that failed. ``ended``: its disks are
    back, or remembered elsewhere, though its file may not say so yet.
    ``wishes``: what its disks were given last. ``plain``: of each disk that was tuned, what its schedulers give it
    without that. Nobody needs it after the trial.
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
        """The wish's scheduler is set: undo what was tuned before in this trial, then tune what is wished for."""
        held = self.disks[queue.name]
        if not wish.tunables and queue.name not in self.plain:  # nothing was: the kernel does the rest
            return queue.restore(held if held.scheduler == wish.scheduler else wish)
        if "queue/wbt_lat_usec" in wish.tunables:
            # Once a number is written, bfq no longer switches it off: see before what it is with and without it.
            for scheduler in ("none", *limiting_writes()):
                with suppress(errors.HelperError):  # a kernel may not have it
                    self._plain(queue, scheduler)
        queue.restore(self._plain(queue, wish.scheduler))
        return queue.apply(wish)

    def _plain(self, queue: Queue, scheduler: str) -> Setting:
        """What a scheduler gives the disk as it was when the trial began: tried once, then known."""
        held = self.disks[queue.name]
        known = self.plain.setdefault(queue.name, {held.scheduler: held})
        if scheduler not in known:
            queue.restore(known.get("none", held))
            queue.apply(Setting(scheduler, {}))
            known[scheduler] = queue.setting
        return known[scheduler]

    def to_json(self) -> dict[str, Any]:
        """As the helper keeps and shows it: without what only its owner may know."""
        return {"since": self.since, "uid": self.uid, "disks": [asdict(one) for one in self.disks.values()]}


class Trials(files.Kept[Trial]):
    """All running trials by id, kept in /run so that the next helper can end what this one began."""

    def __init__(self, root: Path, limit: Callable[[], float], remember: Callable[[Held], object]) -> None:
        """Takes over what a helper that died left behind; nobody owns it, it is there to be ended.

        ``limit`` says when the time of a trial that is used now will be over; ``remember`` is told what a disk
        that is there did not take back.
        """
        super().__init__(root / "run/disktuner/trials.json", _orphan, Trial.to_json)
        self._root = root
        self._limit = limit
        self.remember = remember

    def require_free(self, disk: str) -> None:
        """Raise Busy while a trial holds a disk."""
        if any(disk in trial.disks for trial in self.all.values()):
            raise errors.Busy("disk-in-trial", disk=disk)

    def begin(self, sender: str, uid: int, disks: Sequence[tuple[str, int]]) -> Trial:
        """Remember all disks (names with diskseq) and hold them. Raises Busy, WriteFailed, and what Queue does."""
        if not disks:
            raise errors.NoSuchDisk("no-disks")
        mine = sum(trial.uid == uid for trial in self.all.values())
        if len(self.all) >= contract.MAX_TRIALS or mine >= contract.MAX_TRIALS_PER_UID:
            raise errors.Busy("too-many-trials")
        held = {}
        for name, diskseq in disks:
            self.require_free(name)
            with Queue(self._root, name, diskseq) as queue:
                held[name] = Held.of(queue, queue.setting)
        trial = Trial(secrets.token_hex(16), sender, uid, files.now(), self._limit(), held)
        try:
            self.put(trial.id, trial)
            self._hold_rules_back(trial)
        except Exception:
            self.end(trial)
            raise
        return trial

    def set(self, sender: str, id_: str, disk: str, scheduler: str, tunables: Mapping[str, str]) -> str:
        """Set a disk of the caller's own trial and extend the trial's time; returns what changed.

        Whatever is not named is as if only the scheduler had been set, and that when the trial began. Raises
        NoSuchTrial, NoSuchDisk, InvalidTunable (before anything is written), and what ``Queue.apply`` does.
        """
        trial = self.own(sender, id_)
        if disk not in trial.disks:
            raise errors.NoSuchDisk("not-in-trial")
        wish = Setting(scheduler, checked(scheduler, tunables))
        self.use(sender)
        with Queue(self._root, disk, trial.disks[disk].diskseq) as queue:
            before = queue.setting
            with queue.undoing(before):
                queue.apply(Setting(scheduler, {}))
                trial.tune(queue, wish)
        trial.wishes[disk] = wish
        return wish.change_from(before)

    def use(self, sender: str) -> None:
        """Whoever calls goes on with his trials: their time begins anew."""
        for trial in self.all.values():
            if trial.sender == sender:
                trial.until = self._limit()

    def own(self, sender: str, id_: str) -> Trial:
        """The caller's own trial. Raises NoSuchTrial."""
        if (trial := self.all.get(id_)) and trial.sender == sender:
            return trial
        raise errors.NoSuchTrial("no-such-trial")

    def end(self, trial: Trial) -> list[str]:
        """Restore everything; returns the disks that could not be restored. Those that are there stay remembered.

        It runs, and holds its disks, until that is so and can be stored: else the next end, or start, is another try.
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
            self.drop(*(one.id for one in (trial, *self.all.values()) if one.ended))
        return failures + lost

    def let_go(self, trial: Trial) -> None:
        """End it without restoring what was tried. Raises WriteFailed where that is not stored: it goes on."""
        try:
            for name, held in trial.disks.items():
                if name not in trial.wishes:
                    self.put_back(held)  # a try that failed may have left something
                files.remove(flag(self._root, held))
            self.drop(trial.id)
        except Exception:
            with suppress(errors.WriteFailed, OSError):
                self._hold_rules_back(trial)
            raise

    def _hold_rules_back(self, trial: Trial) -> None:
        for held in trial.disks.values():
            files.replace(flag(self._root, held), b"")

    def put_back(self, held: Held) -> bool:
        """Restore a disk and no longer hold its rule back; False where it is gone, or remembered as not restored.

        Raises WriteFailed or OSError where it is neither: the caller has the last record of what it had, and keeps it.
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
    held = {one["disk"]: Held(**one) for one in stored["disks"]}
    return Trial(id_, "", int(stored["uid"]), str(stored["since"]), 0, held)


def flag(root: Path, disk: Held | Queue, suffix: str = "") -> Path:
    """The file that holds our udev rule back from a disk while it is there (see persist.py)."""
    return root / "run/disktuner/hold" / f"{disk.devno}-{disk.diskseq or ''}{suffix}".replace("/", "!")
