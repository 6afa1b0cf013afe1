# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials: a caller switches schedulers for a while; whatever happens, the disks get back what they had."""

import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from disktuner_helper import contract, files
from disktuner_helper.errors import Busy, HelperError, NoSuchDisk, NoSuchTrial, WriteFailed
from disktuner_helper.queue import Queue, Setting
from disktuner_helper.snapshot import Held, flag, now


@dataclass(frozen=True, slots=True)
class Trial:
    """A running trial, bound to the bus name that began it; ``until`` is when its time is over (monotonic)."""

    id: str
    sender: str
    uid: int
    since: str
    until: float
    disks: Mapping[str, Held]

    def __str__(self) -> str:
        """What its disks get back."""
        return " ".join(f"{name}={held.scheduler}" for name, held in self.disks.items())

    def to_json(self) -> dict[str, Any]:
        """As the helper keeps and shows it: without what only its owner may know."""
        return {"since": self.since, "uid": self.uid, "disks": [asdict(one) for one in self.disks.values()]}


class Trials:
    """All running trials by id, kept in /run so that the next helper can end what this one began."""

    def __init__(self, root: Path) -> None:
        """Takes over what a helper that died left behind; nobody owns it, it is there to be ended."""
        self._root = root
        self._file = root / "run/disktuner/trials.json"
        self.running: Mapping[str, Trial] = {}
        for id_, stored in files.read_json(self._file).items():
            with suppress(TypeError, KeyError):
                held = {one["disk"]: Held(**one) for one in stored["disks"]}
                self.running = {**self.running, id_: Trial(id_, "", stored["uid"], stored["since"], 0, held)}

    def require_free(self, disk: str) -> None:
        """Raise Busy while a trial holds a disk."""
        if any(disk in trial.disks for trial in self.running.values()):
            raise Busy("This disk is being measured; try again when that has ended.")

    def begin(self, sender: str, uid: int, disks: Sequence[tuple[str, int]]) -> Trial:
        """Remember all disks (names with diskseq) and hold them. Raises Busy, NoSuchDisk, StaleDisk & Co."""
        if not disks:
            raise NoSuchDisk("A trial needs at least one disk.")
        if len(disks) > contract.MAX_DISKS_PER_TRIAL or len(dict(disks)) != len(disks):
            raise Busy(f"A trial takes at most {contract.MAX_DISKS_PER_TRIAL} different disks.")
        mine = sum(trial.uid == uid for trial in self.running.values())
        if len(self.running) >= contract.MAX_TRIALS or mine >= contract.MAX_TRIALS_PER_UID:
            raise Busy("Too many trials are running; try again when one has ended.")
        held = {}
        for name, diskseq in disks:
            self.require_free(name)
            with Queue(self._root, name, diskseq) as queue:
                held[name] = Held.of(queue, queue.setting)
        trial = Trial(secrets.token_hex(16), sender, uid, now(), time.monotonic() + contract.TRIAL_LIMIT_S, held)
        try:
            self._store({**self.running, trial.id: trial})
            for one in held.values():
                files.replace(flag(self._root, one), b"")
        except WriteFailed:
            self.end(trial)
            raise
        return trial

    def set_scheduler(self, sender: str, id_: str, disk: str, scheduler: str) -> str:
        """Switch a disk of the caller's own trial and extend its time; returns the scheduler it had.

        The scheduler that the disk came with gets its tunables back too: they are the baseline.
        """
        trial = self.own(sender, id_)
        held = trial.disks.get(disk)
        if held is None:
            raise NoSuchDisk("This disk is not part of the trial; begin one with it.")
        self.running = {**self.running, id_: replace(trial, until=time.monotonic() + contract.TRIAL_LIMIT_S)}
        with Queue(self._root, disk, held.diskseq) as queue:
            before = queue.setting
            queue.change(before, Setting(scheduler, {}))
            if scheduler == held.scheduler:
                queue.restore(held)
        return before.scheduler

    def own(self, sender: str, id_: str) -> Trial:
        """The caller's own trial. Raises NoSuchTrial."""
        trial = self.running.get(id_)
        if trial is None or trial.sender != sender:
            raise NoSuchTrial("There is no such trial of yours; it may have ended. Begin a new one.")
        return trial

    def end(self, trial: Trial) -> list[str]:
        """Restore everything; returns the disks that could not be restored."""
        failures = []
        for held in trial.disks.values():
            try:
                held.put_back(self._root)
            except HelperError:
                failures.append(held.disk)
            with suppress(WriteFailed):
                files.remove(flag(self._root, held))
        self.running = {id_: one for id_, one in self.running.items() if id_ != trial.id}
        with suppress(WriteFailed):  # the next start restores once more, which changes nothing
            self._store(self.running)
        return failures

    def _store(self, running: Mapping[str, Trial]) -> None:
        files.replace_json(self._file, {trial.id: trial.to_json() for trial in running.values()})
        self.running = running
