# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials: a caller switches schedulers for a while; whatever happens, the disks get back what they had."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from disktuner_helper import files
from disktuner_helper.contract import (
    MAX_DISKS_PER_TRIAL,
    MAX_TRIALS,
    MAX_TRIALS_PER_UID,
    TRIAL_LIMIT_S,
    Places,
    is_disk_name,
)
from disktuner_helper.errors import Busy, HelperError, NoSuchDisk, NoSuchTrial, WriteFailed
from disktuner_helper.queue import Queue
from disktuner_helper.snapshot import Held, now

Stop = Callable[[], None]


class Watch(Protocol):
    """Calls back when a bus name leaves the bus; returns how to stop watching."""

    def __call__(self, sender: str, left: Callable[[], None], /) -> Stop:
        """Begin to watch."""


class After(Protocol):
    """Calls back after seconds; returns how to call it off."""

    def __call__(self, seconds: int, job: Callable[[], None], /) -> Stop:
        """Begin to wait."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A running trial, bound to the bus name that began it."""

    id: str
    sender: str
    uid: int
    since: str
    disks: Mapping[str, Held]

    def to_json(self) -> dict[str, Any]:
        """As the helper keeps it in /run."""
        return {"since": self.since, "uid": self.uid, "disks": [one.to_json() for one in self.disks.values()]}


class Trials:
    """All running trials, kept in /run so that the next helper can end what this one began."""

    def __init__(
        self, places: Places, watch: Watch, after: After, ended: Callable[[Trial, str, list[str]], None]
    ) -> None:
        """``ended(trial, reason, failures)`` is called after the disks of a trial were restored."""
        self._places = places
        self._file = places.run / "trials.json"
        self._hold = places.run / "hold"
        self._watch = watch
        self._after = after
        self._ended = ended
        self._running: dict[str, Trial] = {}
        self._stops: dict[str, list[Stop]] = {}

    def __len__(self) -> int:
        return len(self._running)

    @property
    def all(self) -> tuple[Trial, ...]:
        """The running trials."""
        return tuple(self._running.values())

    def recover(self) -> list[str]:
        """Restore what a helper that died left behind; returns the disks that could not be restored."""
        failures = [f for stored in files.read_json(self._file).values() for f in _restore(self._places, _held(stored))]
        self._drop_holds()
        files.remove(self._file)
        return failures

    def require_free(self, disk: str) -> None:
        """Raise Busy while a trial holds a disk."""
        if any(disk in trial.disks for trial in self._running.values()):
            raise Busy("This disk is being measured; try again when that has ended.")

    def begin(self, sender: str, uid: int, disks: Sequence[tuple[str, int]]) -> Trial:
        """Remember all disks (names with diskseq) and hold them. Raises Busy, NoSuchDisk, StaleDisk & Co."""
        self._require_room(uid, disks)
        held = {name: self._remembered(name, diskseq) for name, diskseq in disks}
        trial = Trial(secrets.token_hex(16), sender, uid, now(), held)
        running = {**self._running, trial.id: trial}
        self._store(running)
        try:
            self._set_holds(held.values())
        except WriteFailed:
            self._unset_holds(held.values())
            self._store(self._running)
            raise
        self._running = running
        self._stops[trial.id] = [self._watch(sender, lambda: self._end(trial, "caller left")), self._timer(trial)]
        return trial

    def set_scheduler(self, sender: str, id_: str, disk: str, scheduler: str) -> str:
        """Switch a disk of the caller's own trial and extend its time; returns the scheduler it had.

        The scheduler that the disk came with gets its tunables back too: they are the baseline.
        """
        trial = self._own(sender, id_)
        held = trial.disks.get(disk)
        if held is None:
            raise NoSuchDisk("This disk is not part of the trial; begin one with it.")
        self._stops[id_].pop()()
        self._stops[id_].append(self._timer(trial))
        with Queue(self._places.sys_block, disk) as queue:
            queue.require(held.diskseq)
            old = queue.scheduler
            queue.switch(scheduler)
            if scheduler == held.setting.scheduler:
                queue.restore(held.setting)
        return old

    def end(self, sender: str, id_: str) -> Trial:
        """End the caller's own trial: everything is restored. Raises NoSuchTrial."""
        trial = self._own(sender, id_)
        self._end(trial, "ended")
        return trial

    def end_all(self, reason: str) -> None:
        """End every trial, because the helper has to go."""
        for trial in self.all:
            self._end(trial, reason)

    def _own(self, sender: str, id_: str) -> Trial:
        trial = self._running.get(id_)
        if trial is None or trial.sender != sender:
            raise NoSuchTrial("There is no such trial of yours; it may have ended. Begin a new one.")
        return trial

    def _require_room(self, uid: int, disks: Sequence[tuple[str, int]]) -> None:
        if not disks:
            raise NoSuchDisk("A trial needs at least one disk.")
        names = {name for name, _ in disks}
        if len(disks) > MAX_DISKS_PER_TRIAL or len(names) != len(disks):
            raise Busy(f"A trial takes at most {MAX_DISKS_PER_TRIAL} different disks.")
        mine = sum(trial.uid == uid for trial in self._running.values())
        if len(self._running) >= MAX_TRIALS or mine >= MAX_TRIALS_PER_UID:
            raise Busy("Too many trials are running; try again when one has ended.")
        for name in names:
            self.require_free(name)

    def _remembered(self, name: str, diskseq: int) -> Held:
        with Queue(self._places.sys_block, name) as queue:
            queue.require(diskseq)
            return Held.of(queue)

    def _timer(self, trial: Trial) -> Stop:
        return self._after(TRIAL_LIMIT_S, lambda: self._end(trial, "time limit"))

    def _end(self, trial: Trial, reason: str) -> None:
        for stop in self._stops.pop(trial.id):
            stop()
        failures = _restore(self._places, trial.disks.values())
        del self._running[trial.id]
        self._unset_holds(trial.disks.values())
        with suppress(WriteFailed):  # the next start restores once more, which changes nothing
            self._store(self._running)
        self._ended(trial, reason, failures)

    def _store(self, running: Mapping[str, Trial]) -> None:
        files.replace_json(self._file, {trial.id: trial.to_json() for trial in running.values()})

    def _set_holds(self, disks: Iterable[Held]) -> None:
        """Flag files by device number: our udev rule leaves a flagged disk alone."""
        files.make_folder(self._hold)
        for held in disks:
            files.replace(self._hold / held.devno, b"")

    def _unset_holds(self, disks: Iterable[Held]) -> None:
        for held in disks:
            with suppress(WriteFailed):
                files.remove(self._hold / held.devno)

    def _drop_holds(self) -> None:
        with suppress(OSError):
            for flag in self._hold.iterdir():
                flag.unlink()


def _held(stored: Any) -> list[Held]:
    try:
        return [Held.from_json(value) for value in stored["disks"] if is_disk_name(value["disk"])]
    except (KeyError, TypeError):
        return []


def _restore(places: Places, disks: Iterable[Held]) -> list[str]:
    failures = []
    for held in disks:
        try:
            held.restore(places)
        except HelperError:
            failures.append(held.disk)
    return failures
