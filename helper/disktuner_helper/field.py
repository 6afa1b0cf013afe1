# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials in daily use: one user may change one disk between two settings until a date, also after restarts.

That right is kept in /var/lib/disktuner, which only root enters. What the disk had is kept in /run/disktuner: after a
restart it has that anyway. Nothing is changed but by a call of that user's.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from disktuner_helper import contract, errors, files
from disktuner_helper.identity import everybody, identify, properties
from disktuner_helper.queue import Queue, Setting, checked
from disktuner_helper.trial import Held, Trials, flag

# What a port is known by does not do: whatever is plugged in there next would be the user's to change.
_KEYS = ("ID_WWN", "ID_SERIAL")
Wishes = Sequence[tuple[str, Mapping[str, str]]]
"""Schedulers with tunables, as they come over the bus."""


@dataclass(frozen=True, slots=True)
class FieldTrial:
    """The user with this ``uid`` may change a disk between two settings, from ``since`` until ``until`` (Unix times).

    The disk is the one of which udev says ``key`` and ``value``; it was called ``disk`` at the beginning.
    """

    id: str
    uid: int
    disk: str
    key: str
    value: str
    settings: tuple[Setting, Setting]
    since: int
    until: int

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError where a broken file holds what no trial is."""
        if {type(one) for one in (self.uid, self.since, self.until)} != {int}:
            raise TypeError
        disk = contract.DISK_NAME.fullmatch(self.disk) and contract.IDENTITY.fullmatch(self.value)
        if (
            not disk
            or self.key not in _KEYS
            or self.uid < 0
            or not 0 < self.until - self.since <= contract.MAX_FIELD_TRIAL_S
        ):
            raise ValueError

    @classmethod
    def read(cls, id_: str, stored: Mapping[str, Any]) -> Self:
        texts = [(one["scheduler"], {key: str(n) for key, n in one["tunables"].items()}) for one in stored["settings"]]
        return cls(**{**stored, "id": id_, "settings": pair_of(texts, "")})

    def __str__(self) -> str:
        until = datetime.fromtimestamp(self.until, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"{' or '.join(said(one.scheduler, one.tunables) for one in self.settings)} until {until}"


class FieldTrials(files.Kept[FieldTrial]):
    """All of them by id. ``clock`` gives the Unix time."""

    def __init__(self, root: Path, trials: Trials, clock: Callable[[], float] = time.time) -> None:
        super().__init__(root / "var/lib/disktuner/field-trials.json", FieldTrial.read)
        self._root = root
        self._trials = trials
        self._clock = clock
        self._had = files.Kept(root / "run/disktuner/field-trials.json", lambda _, stored: Held(**stored))
        with suppress(errors.WriteFailed, OSError):  # Revert tries again
            self.hand_over()

    def hand_over(self) -> None:
        """Have remembered, for Revert, what disks had whose trial is not known any more. Raises WriteFailed."""
        for id_ in self._had.all.keys() - self.all.keys():
            self._trials.remember(self._had.all[id_])
            files.remove(flag(self._root, self._had.all[id_]))
            self._had.drop(id_)

    def begin(self, uid: int, disks: Sequence[tuple[str, int]], wishes: Wishes, until: int) -> FieldTrial:
        """Give a user the right; the disk gets both settings once, then what it had. Raises what is wrong with it."""
        if len(disks) != 1:
            raise errors.NoSuchDisk("not-one-disk")
        ((name, diskseq),) = disks
        pair, now = pair_of(wishes, name), int(self._clock())
        if not now < until <= now + contract.MAX_FIELD_TRIAL_S:
            raise errors.InvalidTunable("not-until-then", days=contract.MAX_FIELD_TRIAL_S // 86400)
        mine = sum(one.uid == uid for one in self.all.values())
        if len(self.all) >= contract.MAX_TRIALS or mine >= contract.MAX_TRIALS_PER_UID:
            raise errors.Busy("too-many-trials")
        self.require_free(name)
        self._trials.require_free(name)
        Queue(self._root, name, diskseq).__exit__()
        key, value = identify(self._root, name)
        Queue(self._root, name, diskseq).__exit__()  # it is still the one that was identified
        if key not in _KEYS:
            raise errors.NotUnique("known-by-port", disk=name)
        trial = FieldTrial(secrets.token_hex(16), uid, name, key, value, pair, now, until)
        self.put(trial.id, trial)
        try:
            for which in (0, 1):
                self.set(uid, trial.id, which)  # what the kernel takes it alone knows
            self._trials.put_back(self._had.all[trial.id])
            self._had.drop(trial.id)
        except Exception:
            self.end(trial)
            raise
        return trial

    def set(self, uid: int, id_: str, which: int) -> tuple[str, str]:
        """Give the disk one of the two settings; returns its name now, and what changed.

        Whatever the setting does not name is as the disk had it. Raises NoSuchTrial (also beyond its time),
        NoSuchScheduler, NoSuchDisk, StaleDisk, Busy while the disk is measured, and what ``Queue`` does.
        """
        trial = self.own(uid, id_)
        if not trial.since <= self._clock() < trial.until:
            raise errors.NoSuchTrial("field-trial-is-over")
        if which not in (0, 1):
            raise errors.NoSuchScheduler("no-such-setting")
        names = [name for name, own in everybody(self._root).items() if own.get(trial.key) == trial.value]
        if len(names) != 1:
            raise errors.NoSuchDisk("no-such-disk", disk=trial.disk)
        self._trials.require_free(names[0])
        with Queue(self._root, names[0]) as queue:
            if properties(self._root, queue.name).get(trial.key) != trial.value:
                raise errors.StaleDisk("another-disk", disk=queue.name)
            before = queue.setting
            held = self._hold(trial, Held.of(queue, before))
            with queue.undoing(before):
                queue.restore(held)
                queue.apply(trial.settings[which])
        return queue.name, trial.settings[which].change_from(before)

    def own(self, uid: int, id_: str) -> FieldTrial:
        """A user's own trial; root's is each. Raises NoSuchTrial."""
        if (trial := self.all.get(id_)) and uid in (trial.uid, 0):
            return trial
        raise errors.NoSuchTrial("no-such-trial")

    def of(self, disk: str) -> list[FieldTrial]:
        """The trials of a disk that is here; there is one at most."""
        own = properties(self._root, disk)
        return [trial for trial in self.all.values() if own.get(trial.key) == trial.value]

    def require_free(self, disk: str) -> None:
        """Raise Busy while a disk is tried in daily use."""
        if self.of(disk):
            raise errors.Busy("disk-in-field-trial", disk=disk)

    def over(self, *, begin_later: bool = False) -> list[FieldTrial]:
        """Those whose time is over; also those that ``begin_later``, by a clock that was set back."""
        now = self._clock()
        return [one for one in self.all.values() if one.until <= now or (begin_later and one.since > now)]

    def end(self, trial: FieldTrial) -> bool:
        """Take the right away and put back what the disk had; False where that failed. Raises Busy, WriteFailed.

        What could neither be put back nor remembered elsewhere stays in ``_had``, to be handed over.
        """
        restored = True
        if held := self._had.all.get(trial.id):
            self._trials.require_free(held.disk)
            try:
                restored = self._trials.put_back(held)
                self._had.drop(trial.id)
            except (errors.HelperError, OSError):
                restored = False
        self.drop(trial.id)
        return restored

    def keep_flags(self) -> None:
        """A measurement that ended took them away: hold the rules back for these disks again."""
        for id_ in self._had.all.keys() & self.all.keys():
            with suppress(errors.WriteFailed, OSError):
                files.replace(flag(self._root, self._had.all[id_]), b"")

    def _hold(self, trial: FieldTrial, now: Held) -> Held:
        """What this very disk had before the trial first changed it since the restart; its rule is held back."""
        held = self._had.all.get(trial.id)
        if held is None or (held.disk, held.diskseq, held.devno) != (now.disk, now.diskseq, now.devno):
            held = now
            self._had.put(trial.id, held)
        files.replace(flag(self._root, held), b"")
        return held

    def _store(self, values: Mapping[str, FieldTrial]) -> None:
        with errors.os_error_as("file-not-written", file=self._file):
            self._file.parent.mkdir(0o700, exist_ok=True)
        super()._store(values)
        with suppress(OSError):  # there is nothing more to keep, or systemd keeps the folder
            self._file.parent.rmdir()


def pair_of(wishes: Wishes, disk: str) -> tuple[Setting, Setting]:
    """Two settings that differ. Raises InvalidTunable, NoSuchScheduler."""
    if len(wishes) != 2 or wishes[0] == wishes[1]:
        raise errors.InvalidTunable("not-two-settings")
    if not all(contract.SCHEDULER_NAME.fullmatch(scheduler) for scheduler, _ in wishes):
        raise errors.NoSuchScheduler("no-such-scheduler", disk=disk)
    first, second = (Setting(scheduler, checked(scheduler, tunables)) for scheduler, tunables in wishes)
    return first, second


def said(scheduler: str, tunables: Mapping[str, Any]) -> str:
    return " ".join((scheduler, *(f"{name}={value}" for name, value in tunables.items())))


def details(wishes: Wishes, until: int) -> dict[str, str]:
    """What polkit's prompt and an administrator's rules may know, of what nobody has checked yet."""
    texts = (contract.harmless(said(*wish), 700) for wish in wishes[:2])  # longer than any; so the comma is ours
    last = datetime.fromtimestamp(min(until, 2**32), UTC).strftime("%Y-%m-%d")
    return {"trial.settings": ", ".join(texts), "trial.until": last}
