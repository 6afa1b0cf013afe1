# SPDX-License-Identifier: GPL-3.0-or-later
"""What each method of the bus interface does: ask, act, say what changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from disktuner_helper import __version__
from disktuner_helper.audit import Audit
from disktuner_helper.authority import Authority, Call
from disktuner_helper.contract import Action, Places, is_disk_name
from disktuner_helper.errors import HelperError, NoSuchDisk, WriteFailed
from disktuner_helper.identity import ALL_DISKS, details, disks_with
from disktuner_helper.persist import Choice, Persistent
from disktuner_helper.queue import Queue
from disktuner_helper.snapshot import Snapshots
from disktuner_helper.trial import Trial, Trials
from disktuner_helper.tunables import checked
from disktuner_helper.udev import Udev

Emit = Callable[..., None]


class Service:
    """The methods. Between two awaits nothing else happens, so each change is one step."""

    def __init__(
        self,
        places: Places,
        authority: Authority,
        trials: Trials,
        audit: Audit,
        emit: Emit,
    ) -> None:
        """``emit(signal, *values)`` sends a signal to everybody."""
        self._places = places
        self._authority = authority
        self._trials = trials
        self._audit = audit
        self._emit = emit
        self._snapshots = Snapshots(places)
        self._persistent = Persistent(places)
        self._udev = Udev(places)

    async def set_scheduler(self, call: Call, disk: str, diskseq: int, scheduler: str) -> None:
        """Switch a disk's scheduler until the next restart."""
        await self._ask(call, Action.SET_RUNTIME, disk)
        with self._free(disk, diskseq) as queue:
            old = queue.scheduler
            self._touch(queue, lambda: queue.switch(scheduler))
            call.change = f"{old} -> {queue.scheduler}"
        self._emit("Changed", disk)

    async def set_tunables(self, call: Call, disk: str, diskseq: int, tunables: Mapping[str, str]) -> None:
        """Set tunables of a disk until the next restart; all or none."""
        await self._ask(call, Action.SET_RUNTIME, disk)
        with self._free(disk, diskseq) as queue:
            before = queue.setting
            values = checked(before.scheduler, tunables)
            self._touch(queue, lambda: queue.tune(values))
            call.change = " ".join(f"{name}: {before.tunables.get(name)} -> {values[name]}" for name in values)
        self._emit("Changed", disk)

    async def revert(self, call: Call, disk: str) -> None:
        """Put back what a disk had before Disktuner first touched it; fine where it never did."""
        await self._ask(call, Action.SET_RUNTIME, disk)
        self._trials.require_free(disk)
        if self._snapshots.get(disk) is None:
            Queue(self._places.sys_block, disk).__exit__(None, None, None)
            return
        call.change = self._put_back(disk)

    async def revert_all(self, call: Call) -> None:
        """Put back every disk; the errors of some do not keep the others from it."""
        await self._ask(call, Action.SET_RUNTIME, None)
        for held in self._snapshots.all:
            self._trials.require_free(held.disk)
        call.change = ", ".join([self._put_back(held.disk) for held in self._snapshots.all])

    async def begin_trial(self, call: Call, disks: list[tuple[str, int]]) -> str:
        """Remember what the disks have and hold them for the caller."""
        await self._ask(call, Action.TRIAL, *(name for name, _ in disks), "" if not disks else None)
        trial = self._trials.begin(call.sender, call.uid or 0, disks)
        call.change = "begin " + " ".join(f"{name}={held.setting.scheduler}" for name, held in trial.disks.items())
        return trial.id

    async def set_trial_scheduler(self, call: Call, trial: str, disk: str, scheduler: str) -> None:
        """Switch a disk within the caller's own trial: polkit was asked when it began."""
        await self._authority.identify(call)
        call.disk = disk if is_disk_name(disk) else "?"
        old = self._trials.set_scheduler(call.sender, trial, disk, scheduler)
        call.change = f"{old} -> {scheduler}"
        self._emit("Changed", disk)

    async def end_trial(self, call: Call, trial: str) -> None:
        """End the caller's own trial."""
        await self._authority.identify(call)
        call.disk = " ".join(self._trials.end(call.sender, trial).disks)

    async def persist(self, call: Call, disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, str]) -> str:
        """Set a disk now and at every start. The kernel has the first word: what it refuses is not written."""
        await self._ask(call, Action.PERSIST, disk)
        with self._free(disk, diskseq) as queue:
            values = checked(scheduler, tunables)
            before = queue.setting
            choice = self._persistent.choose(disk, scheduler, values)
            self._touch(queue, lambda: queue.switch(scheduler))
            try:
                queue.tune(values)
                self._persistent.write(choice)
            except HelperError:
                queue.restore(before)
                raise
            call.change = f"{before.scheduler} -> {scheduler} at every start"
        self._emit("Changed", disk)
        if not (await self._udev.reload() and await self._udev.apply(disk)):
            self._audit.warning("udev did not take the new rules; they hold from the next start.")
        return choice.block

    async def forget(self, call: Call, disk: str) -> None:
        """Take a disk's persistent choice away; what it has now stays until the next start."""
        await self._ask(call, Action.PERSIST, disk)
        if not is_disk_name(disk):
            raise NoSuchDisk("That is no disk's name; use the kernel's name, such as sda.")
        await self._forgotten(call, self._persistent.forget(disk), disk)

    async def forget_all(self, call: Call) -> None:
        """Take all persistent choices away."""
        await self._ask(call, Action.PERSIST, None)
        await self._forgotten(call, self._persistent.forget_all(), "")

    async def undo(self, call: Call, disk: str) -> None:
        """Take a disk's persistent choice away and put back what it had before, asking once for both."""
        await self._ask(call, Action.PERSIST, disk)
        self._trials.require_free(disk)
        with Queue(self._places.sys_block, disk):
            choices = self._persistent.forget(disk)
        back = self._put_back(disk) if self._snapshots.get(disk) is not None else ""
        await self._forgotten(call, choices, disk)
        call.change = ", ".join(filter(None, (call.change, back)))

    async def get_state(self, _call: Call) -> str:
        """Snapshots, trials and persistent choices as JSON; harmless to know, so nobody is asked."""
        return json.dumps(
            {
                "format": "disktuner.state/1",
                "version": __version__,
                "snapshots": [held.to_json() for held in self._snapshots.all],
                "trials": [trial.to_json() for trial in self._trials.all],
                **self._persistent_state(),
            }
        )

    def trial_ended(self, trial: Trial, reason: str, failures: list[str]) -> None:
        """Tell everybody and the log that a trial's disks are restored."""
        outcome = f"not restored: {' '.join(failures)}" if failures else "restored"
        disks = " ".join(trial.disks)
        self._audit.decision(
            uid=trial.uid, sender=trial.sender, action="trial-ended", disk=disks, change=reason, outcome=outcome
        )
        for disk in trial.disks:
            self._emit("Changed", disk)
        self._emit("TrialEnded", trial.id, reason)

    async def _ask(self, call: Call, action: Action, *disks: str | None) -> None:
        names = tuple(name for name in disks if name is not None)
        call.disk = " ".join(name if is_disk_name(name) else "?" for name in names[:32]) if names else "all"
        await self._authority.ask(call, action, lambda: details(self._places, names[:32]) if names else ALL_DISKS)

    def _free(self, disk: str, diskseq: int) -> Queue:
        """An open disk that is the one meant and that no trial holds."""
        queue = Queue(self._places.sys_block, disk)
        try:
            queue.require(diskseq)
            self._trials.require_free(disk)
            queue.require_tunable()
        except HelperError:
            queue.__exit__(None, None, None)
            raise
        return queue

    def _touch(self, queue: Queue, change: Callable[[], None]) -> None:
        """Change a disk after its first state is safe; where nothing changed, nothing needs to go back."""
        new = self._snapshots.get(queue.name) is None
        self._snapshots.remember(queue)
        try:
            change()
        except HelperError:
            if new:
                self._snapshots.drop(queue.name)
            raise

    def _put_back(self, disk: str) -> str:
        held = self._snapshots.get(disk)
        assert held is not None
        was_there = held.restore(self._places)
        self._snapshots.drop(disk)
        self._emit("Changed", disk)
        return f"{disk}: back to {held.setting.scheduler}" if was_there else f"{disk}: gone"

    async def _forgotten(self, call: Call, choices: list[Choice], disk: str) -> None:
        call.change = ", ".join(f"{choice.scheduler} no longer for {choice.disk}" for choice in choices)
        if choices:
            await self._udev.reload()
        for name in {choice.disk for choice in choices} | ({disk} if disk else set()):
            self._emit("Changed", name)

    def _persistent_state(self) -> dict[str, Any]:
        try:
            choices = self._persistent.choices
            unreadable = list(self._persistent.unreadable)
        except WriteFailed as error:
            return {"persistent": [], "unreadable": [], "problem": str(error)}
        shown = [{**one.to_json(), "disks": disks_with(self._places, one.identity)} for one in choices]
        return {"persistent": shown, "unreadable": unreadable, "problem": None}
