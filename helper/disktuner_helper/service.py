# SPDX-License-Identifier: GPL-3.0-or-later
"""What each method of the bus interface does: ask, act, say what changed."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from disktuner_helper import __version__, audit, contract, errors, files
from disktuner_helper.authority import Authority, Call
from disktuner_helper.identity import details, everybody
from disktuner_helper.persist import UNTIL_RESTART, Choice, Persistent, tell_udev
from disktuner_helper.queue import Queue, Setting, checked
from disktuner_helper.trial import Snapshots, Trial, Trials, flag


class Service:
    """The methods. Each runs in its call's own thread; one lock lets one after the other change something."""

    def __init__(
        self, root: Path, authority: Authority, emit: Callable[..., None], trial_limit: Callable[[], float]
    ) -> None:
        """``emit(signal, *values)`` sends a signal to everybody; ``trial_limit`` see ``Trials``."""
        self._root = root
        self._authority = authority
        self._emit = emit
        self.lock = Lock()
        self.trials = Trials(root, trial_limit)
        self._snapshots = Snapshots(root)
        self._persistent = Persistent(root)

    def set_scheduler(self, call: Call, disk: str, diskseq: int, scheduler: str) -> None:
        """Switch a disk's scheduler until the next restart."""
        with self._turn(call, contract.Action.SET_RUNTIME, disk), Queue(self._root, disk, diskseq) as queue:
            self._change(call, queue, Setting(scheduler, {}), lambda: self._hold(queue, scheduler))

    def set_tunables(self, call: Call, disk: str, diskseq: int, tunables: Mapping[str, str]) -> None:
        """Set tunables of a disk until the next restart; all or none."""
        with self._turn(call, contract.Action.SET_RUNTIME, disk), Queue(self._root, disk, diskseq) as queue:
            wish = Setting(queue.scheduler, checked(queue.scheduler, tunables))
            self._change(call, queue, wish, lambda: self._hold(queue, wish.scheduler))

    def revert(self, call: Call, disk: str) -> None:
        """Put back what a disk had before Disktuner first touched it; fine where it never did."""
        with self._turn(call, contract.Action.SET_RUNTIME, disk):
            if disk not in self._snapshots.held:
                Queue(self._root, disk).__exit__()  # NoSuchDisk, where there is none
            self._put_back(call, disk)

    def revert_all(self, call: Call) -> None:
        """Put back every disk; the errors of some do not keep the others from it."""
        with self._turn(call, contract.Action.SET_RUNTIME), ExitStack() as each:
            for disk in self._snapshots.held:
                each.callback(self._put_back, call, disk)

    def begin_trial(self, call: Call, disks: list[tuple[str, int]]) -> str:
        """Remember what the disks have and hold them for the caller."""
        with self._turn(call, contract.Action.TRIAL, *(name for name, _ in disks)):
            trial = self.trials.begin(call.sender, call.uid or 0, disks)
            if call.gone.is_cancelled():
                self._end(trial, "caller left")
                raise errors.AccessDenied("caller-left")
            call.change = f"begin {trial}"
            return trial.id

    def set_trial_scheduler(self, call: Call, trial: str, disk: str, scheduler: str) -> None:
        """Switch a disk within the caller's own trial; its tunables are those that the scheduler comes with."""
        self.set_trial_setting(call, trial, disk, scheduler, {})

    def set_trial_setting(self, call: Call, trial: str, disk: str, scheduler: str, tunables: Mapping[str, str]) -> None:
        """The same with tunables. polkit was asked when the trial began."""
        with self._turn(call, None, disk):
            call.change = self.trials.set(call.sender, trial, disk, scheduler, tunables)
            self._emit("Changed", disk)

    def end_trial(self, call: Call, trial: str) -> None:
        """End the caller's own trial."""
        with self._turn(call, None):
            ending = self.trials.own(call.sender, trial)
            call.disk = " ".join(ending.disks)
            if failed := self._end(ending, "ended"):
                raise errors.WriteFailed("not-put-back", disks=failed.replace(" ", ","))

    def persist(self, call: Call, disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, str]) -> str:
        """Set a disk now and at every start. The kernel has the first word: what it refuses is not written."""
        with self._turn(call, contract.Action.PERSIST, disk), Queue(self._root, disk, diskseq) as queue:
            choice = self._persistent.choose(disk, scheduler, checked(scheduler, tunables))
            self._change(call, queue, choice, lambda: self._persistent.write(choice))
            files.remove(flag(self._root, queue, UNTIL_RESTART))
            call.change += " at every start"
        tell_udev(self._root, disk)
        return str(choice)

    def forget(self, call: Call, disk: str) -> None:
        """Take a disk's persistent choice away; what it has now stays until the next start."""
        with self._turn(call, contract.Action.PERSIST, disk):
            self._forgotten(call, disk, self._persistent.forget(disk))

    def forget_all(self, call: Call) -> None:
        """Take all persistent choices away."""
        with self._turn(call, contract.Action.PERSIST):
            self._forgotten(call, "", self._persistent.take_out(lambda _: True))

    def undo(self, call: Call, disk: str) -> None:
        """Take a disk's persistent choice away and put back what it had before, asking once for both."""
        with self._turn(call, contract.Action.PERSIST, disk), Queue(self._root, disk):
            self.trials.require_free(disk)
            self._forgotten(call, disk, self._persistent.forget(disk))
            self._put_back(call, disk)

    def get_state(self, _call: Call) -> str:
        """Snapshots, trials and persistent choices as JSON; harmless to know, so nobody is asked."""
        state: dict[str, Any] = {"format": "disktuner.state/1", "version": __version__}
        state["snapshots"] = [asdict(held) for held in self._snapshots.held.values()]
        state |= {"trials": [one.to_json() for one in self.trials.running.values()], "persistent": [], "problem": None}
        try:
            choices = self._persistent.read()
            disks = everybody(self._root).items() if choices else ()
            for one in choices:
                matched = [name for name, own in disks if own.get(one.key) == one.value]
                state["persistent"].append(asdict(one) | {"disks": matched})
        except errors.WriteFailed as error:
            state["problem"] = str(error)
        return json.dumps(state)

    def end_trials(self, which: Callable[[Trial], bool], reason: str) -> None:
        """End those trials when it is their turn."""
        with self.lock:
            for trial in filter(which, self.trials.running.values()):
                self._end(trial, reason)

    def end_soon(self, which: Callable[[Trial], bool], reason: str) -> None:
        """The same without waiting."""
        if any(map(which, self.trials.running.values())):
            Thread(target=self.end_trials, args=(which, reason)).start()

    @contextmanager
    def _turn(self, call: Call, action: contract.Action | None, *disks: str) -> Iterator[None]:
        """polkit allows it (or nobody needs to be asked), and it is this call's turn."""
        call.disk = " ".join(name if contract.DISK_NAME.fullmatch(name) else "?" for name in disks[:32]) or "all"
        self._authority.identify(call)
        if action:
            self._authority.require(call, action, details(self._root, disks[:32]))
        with self.lock:
            yield

    def _change(self, call: Call, queue: Queue, wish: Setting, then: Callable[[], None]) -> None:
        """Change a disk after its first state is safe; where nothing changed, nothing needs to go back."""
        self.trials.require_free(queue.name)
        before = queue.setting
        new = self._snapshots.remember(queue, before)
        try:
            queue.change(before, wish, then)
        except errors.HelperError:
            if new and queue.setting == before:
                self._snapshots.drop(queue.name)
            raise
        call.change = wish.change_from(before)
        self._emit("Changed", queue.name)

    def _hold(self, queue: Queue, scheduler: str) -> None:
        files.replace(flag(self._root, queue, UNTIL_RESTART), f"{scheduler} {files.now()}\n".encode())

    def _put_back(self, call: Call, disk: str) -> None:
        self.trials.require_free(disk)
        if held := self._snapshots.held.get(disk):
            what = "gone"
            with suppress(errors.NoSuchDisk, errors.StaleDisk):
                held.put_back(self._root)
                what = f"back to {held.scheduler}"
            files.remove(flag(self._root, held, UNTIL_RESTART))
            self._snapshots.drop(disk)
            call.change += f"{disk}: {what}; "
            self._emit("Changed", disk)

    def _end(self, trial: Trial, reason: str) -> str:
        failed = " ".join(self.trials.end(trial))
        what = Call(trial.sender, "trial-ended", uid=trial.uid, disk=" ".join(trial.disks), change=f"{reason}: {trial}")
        audit.decision(what, f"not restored: {failed}" if failed else "restored")
        for disk in trial.disks:
            self._emit("Changed", disk)
        self._emit("TrialEnded", trial.id, reason)
        return failed

    def _forgotten(self, call: Call, disk: str, choices: list[Choice]) -> None:
        call.change = "".join(f"{choice.scheduler} no longer for {choice.disk}; " for choice in choices)
        if choices:
            tell_udev(self._root)
        for name in {choice.disk for choice in choices} | {disk} - {""}:
            self._emit("Changed", name)
