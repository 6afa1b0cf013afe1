# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials in daily use: one user may alternate one disk between two settings until a date, even across restarts.

The right is kept in /var/lib/disktuner; what the disk had in /run/disktuner, as a restart restores it anyway.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from disktuner_helper import contract, errors, files
from disktuner_helper.identity import everybody, identify, properties
from disktuner_helper.queue import Queue, Setting, checked
from disktuner_helper.trial import Held, Trials, flag, hold_back

# ID_PATH is not enough: it names a port, and the user could change whatever is plugged in there next.
_KEYS = ("ID_WWN", "ID_SERIAL")
Texts = Sequence[tuple[str, Mapping[str, str]]]
"""Schedulers with tunables, as received over the bus."""


@dataclass(frozen=True, slots=True)
class FieldTrial:
    """The right of ``uid`` to alternate a disk between two settings from ``since`` until ``until`` (Unix times).

    The disk is the one whose udev property ``key`` is ``value``; its name at the beginning was ``disk``.
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
        """Raises TypeError or ValueError for values from a broken file."""
        if {type(number) for number in (self.uid, self.since, self.until)} != {int} or self.key not in _KEYS:
            raise TypeError
        is_named = contract.DISK_NAME.fullmatch(self.disk) and contract.IDENTITY.fullmatch(self.value)
        if not is_named or self.uid < 0 or not 0 < self.until - self.since <= contract.MAX_FIELD_TRIAL_S:
            raise ValueError

    @classmethod
    def read(cls, id_: str, stored: Mapping[str, Any]) -> Self:
        settings = ((setting["scheduler"], setting["tunables"].items()) for setting in stored["settings"])
        texts = [(scheduler, {name: str(value) for name, value in tunables}) for scheduler, tunables in settings]
        return cls(**{**stored, "id": id_, "settings": pair_of(texts, "")})

    def __str__(self) -> str:
        pair = " or ".join(described(setting.scheduler, setting.tunables) for setting in self.settings)
        return f"{pair} until {contract.utc(self.until)}"


class FieldTrials(files.Kept[FieldTrial]):
    """All trials in daily use by id. ``clock`` returns the Unix time."""

    def __init__(self, root: Path, trials: Trials, clock: Callable[[], float] = time.time) -> None:
        super().__init__(root / "var/lib/disktuner/field-trials.json", FieldTrial.read)
        self._root = root
        self._trials = trials
        self._clock = clock
        self._had = files.Kept(root / "run/disktuner/field-trials.json", lambda _, stored: Held(**stored))
        with suppress(errors.WriteFailed, OSError):  # Revert tries again
            self.hand_over()

    def hand_over(self) -> None:
        """Let Revert remember what disks had whose trials are no longer known. Raises WriteFailed."""
        for id_ in self._had.all.keys() - self.all.keys():
            self._trials.remember(self._had.all[id_])
            files.remove(flag(self._root, self._had.all[id_]))
            self._had.drop(id_)

    def begin(self, uid: int, disks: Sequence[tuple[str, int]], wishes: Texts, until: int) -> FieldTrial:
        """Give a user the right, after trying both settings on the disk and restoring it."""
        if len(disks) != 1:
            raise errors.NoSuchDisk("not-one-disk")
        ((name, diskseq),) = disks
        pair, now = pair_of(wishes, name), int(self._clock())
        if not now < until <= now + contract.MAX_FIELD_TRIAL_S:
            raise errors.InvalidTunable("not-until-then", days=contract.MAX_FIELD_TRIAL_S // 86400)
        trials_of_user = sum(trial.uid == uid for trial in self.all.values())
        if len(self.all) >= contract.MAX_TRIALS or trials_of_user >= contract.MAX_TRIALS_PER_UID:
            raise errors.Busy("too-many-trials")
        self.require_free(name)
        Queue(self._root, name, diskseq).__exit__()
        key, value = identify(self._root, name)
        if key not in _KEYS:
            raise errors.NotUnique("known-by-port", disk=name)
        # A trial like others, of the disk that was identified: the next helper ends it if this one dies.
        trying = self._trials.begin("", uid, disks)
        try:
            with Queue(self._root, name, diskseq) as queue:
                for setting in pair:
                    queue.restore(trying.disks[name])
                    queue.apply(setting)  # only the kernel knows what it accepts
        finally:
            failed = self._trials.end(trying)
        if failed:
            raise errors.WriteFailed("not-put-back", disks=name)
        trial = FieldTrial(secrets.token_hex(16), uid, name, key, value, pair, now, until)
        self.put(trial.id, trial)
        return trial

    def set(self, uid: int, id_: str, which: int) -> tuple[str, str]:
        """Give the disk one of the two settings; return its current name, and what changed.

        Other tunables are as the disk had them. Raises NoSuchTrial (also outside its time), Busy while it is measured.
        """
        trial = self.own(uid, id_)
        if not trial.since <= self._clock() < trial.until:
            raise errors.NoSuchTrial("field-trial-is-over")
        if which not in (0, 1):
            raise errors.NoSuchScheduler("no-such-setting")
        names = [name for name, record in everybody(self._root).items() if record.get(trial.key) == trial.value]
        if len(names) != 1:
            raise errors.NoSuchDisk("no-such-disk", disk=trial.disk)
        self._trials.require_free(names[0])
        with Queue(self._root, names[0]) as queue:
            if properties(self._root, queue.name).get(trial.key) != trial.value:
                raise errors.StaleDisk("another-disk", disk=queue.name)
            with queue.undoing() as before:
                queue.restore(self._hold(trial, Held.of(queue, before)))
                queue.apply(trial.settings[which])
        return queue.name, trial.settings[which].change_from(before)

    def own(self, uid: int, id_: str) -> FieldTrial:
        """Return a trial of the user's; root owns all. Raises NoSuchTrial."""
        if (trial := self.all.get(id_)) and uid in (trial.uid, 0):
            return trial
        raise errors.NoSuchTrial("no-such-trial")

    def of(self, disk: str) -> list[FieldTrial]:
        record = properties(self._root, disk)
        return [trial for trial in self.all.values() if record.get(trial.key) == trial.value]

    def require_free(self, disk: str) -> None:
        """Raise Busy while a disk is on trial in daily use."""
        if self.of(disk):
            raise errors.Busy("disk-in-field-trial", disk=disk)

    def over(self, *, begin_later: bool = False) -> list[FieldTrial]:
        """Return those whose time is over; with ``begin_later``, also those from before the clock was set back."""
        now = self._clock()
        return [trial for trial in self.all.values() if trial.until <= now or (begin_later and trial.since > now)]

    def end(self, trial: FieldTrial) -> bool:
        """Withdraw the right and restore what the disk had; False if that failed. Raises Busy, WriteFailed.

        What could be neither restored nor remembered elsewhere stays in ``_had``, to be handed over.
        """
        held = self._had.all.get(trial.id)
        restored = held is None
        if held:
            self._trials.require_free(held.disk)
            with suppress(errors.HelperError, OSError):
                restored = self._trials.put_back(held)
                self._had.drop(trial.id)
        self.drop(trial.id)
        return restored

    def keep_flags(self) -> None:
        """Hold these disks' rules back again, after the end of a measurement removed their flags."""
        for id_ in self._had.all.keys() & self.all.keys():
            with suppress(errors.WriteFailed, OSError):
                hold_back(self._root, self._had.all[id_])

    def _hold(self, trial: FieldTrial, now: Held) -> Held:
        """Return what this very disk had before the trial first changed it since the restart; hold its rule back."""
        held = self._had.all.get(trial.id)
        if held is None or (held.disk, held.diskseq, held.devno) != (now.disk, now.diskseq, now.devno):
            held = now
            self._had.put(trial.id, held)
        hold_back(self._root, held)
        return held


def pair_of(wishes: Texts, disk: str) -> tuple[Setting, Setting]:
    """Return two settings that differ. Raises InvalidTunable, NoSuchScheduler."""
    if len(wishes) != 2 or wishes[0] == wishes[1]:
        raise errors.InvalidTunable("not-two-settings")
    if not all(contract.SCHEDULER_NAME.fullmatch(scheduler) for scheduler, _ in wishes):
        raise errors.NoSuchScheduler("no-such-scheduler", disk=disk)
    first, second = (Setting(scheduler, checked(scheduler, tunables)) for scheduler, tunables in wishes)
    return first, second


def described(scheduler: str, tunables: Mapping[str, Any]) -> str:
    return " ".join((scheduler, *(f"{name}={value}" for name, value in tunables.items())))


def details(wishes: Texts, until: int) -> dict[str, str]:
    """Return details of unchecked settings for polkit."""
    # Longer than any setting; only the comma between them is ours.
    texts = (contract.harmless(described(*wish), 700) for wish in wishes[:2])
    return {"trial.settings": ", ".join(texts), "trial.until": contract.utc(min(until, 2**32)).partition("T")[0]}
