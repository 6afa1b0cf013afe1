# SPDX-License-Identifier: GPL-3.0-or-later
"""What each method of the bus interface does: ask polkit, check all disks, act, announce the change."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from disktuner_helper import audit, contract, errors, files
from disktuner_helper.authority import Authority, Call
from disktuner_helper.contract import Action
from disktuner_helper.field import FieldTrial, FieldTrials, Texts
from disktuner_helper.field import details as details_of_trial
from disktuner_helper.identity import details, everybody
from disktuner_helper.persist import UNTIL_RESTART, Persistent, PersistentRule, tell_udev
from disktuner_helper.queue import Queue, Setting, checked
from disktuner_helper.trial import Held, Snapshots, Trial, Trials, flag

Disks = Sequence[tuple[str, int]]
"""Names with diskseqs."""
Wishes = Mapping[tuple[str, int], Setting]
Tunables = Mapping[str, str]


class Service:
    """The methods of the interface, documented in its XML. Each runs in its call's thread, and a lock serialises all
    changes. Methods that name no action rely on polkit's answer when the trial began.
    """

    def __init__(
        self, root: Path, authority: Authority, emit: Callable[..., None], trial_limit: Callable[[], float]
    ) -> None:
        """``emit(signal, *values)`` broadcasts a signal; ``trial_limit`` is the ``limit`` of ``Trials``."""
        self._root = root
        self._authority = authority
        self._emit = emit
        self.lock = Lock()
        self._snapshots = Snapshots(root)
        self.trials = Trials(root, trial_limit, self._snapshots.remember)
        self.field = FieldTrials(root, self.trials)
        self._persistent = Persistent(root)
        # Trials may have to end just when no new thread can be started: this one already exists.
        self._to_end: SimpleQueue[tuple[Callable[[Trial], bool], str]] = SimpleQueue()
        Thread(target=self._end_those, daemon=True).start()

    def insist(self, call: Call, disks: Disks, scheduler: str, tunables: Tunables) -> None:
        self.set(call, disks, scheduler, tunables, persist=False, insists=True)

    def set(
        self, call: Call, disks: Disks, scheduler: str, tunables: Tunables, persist: bool, *, insists: bool = False
    ) -> Mapping[str, str]:
        with self._turn(call, Action.PERSIST if persist else Action.SET_RUNTIME, disks):
            wish = Setting(scheduler, checked(scheduler, tunables))
            if not disks:
                raise errors.NoSuchDisk("no-disks")
            self.trials.require_free(*dict(disks))
            rules = self._choose(call, dict.fromkeys(disks, wish), persist, insists=insists)
        return self._chosen(disks, rules)

    def keep_trial(self, call: Call, trial: str, persist: bool) -> Mapping[str, str]:
        self._authority.identify(call)
        disks = [(held.disk, held.diskseq) for held in self.trials.own(call.sender, trial).disks.values()]
        with self._turn(call, Action.PERSIST if persist else Action.SET_RUNTIME, disks):
            running = self.trials.own(call.sender, trial)  # unless it ended meanwhile
            tried = {disk: running.wishes[disk[0]] for disk in disks if disk[0] in running.wishes}
            if not tried:
                raise errors.NoSuchScheduler("nothing-tried")
            rules = self._choose(call, tried, persist, trial=running)
            self.field.keep_flags()
        self._emit("TrialEnded", trial, "kept")
        return self._chosen(disks, rules)

    def revert(self, call: Call, disks: Disks) -> None:
        with self._turn(call, Action.SET_RUNTIME, disks):
            self._require_known(disks)
            self._put_back(call, disks)

    def forget(self, call: Call, disks: Disks) -> None:
        with self._turn(call, Action.PERSIST, disks):
            self._forget(call, disks)

    def undo(self, call: Call, disks: Disks) -> None:
        with self._turn(call, Action.PERSIST, disks):
            self.trials.require_free(*dict(disks))
            self._require_known(disks)
            self._forget(call, disks)
            self._put_back(call, disks)

    def begin_trial(self, call: Call, disks: Disks) -> str:
        with self._turn(call, Action.TRIAL, disks):
            trial = self.trials.begin(call.sender, call.uid, disks)
            if call.gone.is_cancelled():  # before the trial existed, so that did not end it
                self.end_soon(lambda running: running is trial, "caller left")
            call.change = f"begin {trial}"
            return trial.id

    def set_trial(self, call: Call, trial: str, disk: str, scheduler: str, tunables: Tunables) -> None:
        with self._turn(call, None, [(disk, 0)]):
            call.change = self.trials.set(call.sender, trial, disk, scheduler, tunables)
            self._changed(disk)

    def keep_alive(self, call: Call, trial: str) -> None:
        with self._turn(call, None, []):
            self.trials.use(call.sender, trial)

    def end_trial(self, call: Call, trial: str) -> None:
        with self._turn(call, None, []), ExitStack() as announcing:
            ending = self.trials.own(call.sender, trial, call.uid)
            call.disk = " ".join(ending.disks)
            if failed := self._end(ending, "ended", announcing):
                raise errors.WriteFailed("not-put-back", disks=failed.replace(" ", ","))

    def begin_field_trial(self, call: Call, disks: Disks, settings: Texts, until: int) -> str:
        with self._turn(call, Action.FIELD_TRIAL, disks, details_of_trial(settings, until)):
            trial = self.field.begin(call.uid, disks, settings, until)
            call.change = f"begin {trial}"
            return trial.id

    def set_field_trial(self, call: Call, trial: str, which: int) -> None:
        with self._turn(call, None, []):
            call.disk, call.change = self.field.set(call.uid, trial, which)
            self._changed(call.disk)

    def end_field_trial(self, call: Call, trial: str) -> None:
        with self._turn(call, None, []):
            ending = self.field.own(call.uid, trial)
            call.disk = ending.disk
            if not self._end_field(ending, "ended"):
                raise errors.WriteFailed("not-put-back", disks=ending.disk)

    def get_state(self, _call: Call) -> str:
        rules, foreign = self._persistent.read()
        disks = everybody(self._root) if rules or self.field.all else {}

        def of_disks(choice: PersistentRule | FieldTrial) -> dict[str, Any]:
            return asdict(choice) | {
                "disks": [name for name, record in disks.items() if record.get(choice.key) == choice.value]
            }

        state = {
            "format": "disktuner.state/1",
            "snapshots": [asdict(held) for held in self._snapshots.all.values()],
            "trials": [trial.to_json() for trial in self.trials.all.values()],
            "field_trials": [of_disks(trial) for trial in self.field.all.values()],
            "persistent": [of_disks(rule) for rule in rules.values()],
            "problem": next(map(str, foreign.values()), None),
        }
        return json.dumps(state)

    def end(self, which: Callable[[Trial], bool], reason: str, *, begin_later: bool = False) -> None:
        """End the trials for which ``which`` is true, and those in daily use that are over (or ``begin_later``).

        Waits for the lock. Neither a failing trial nor a failing announcement stops the others.
        """
        try:
            with self.lock, ExitStack() as announcing, ExitStack() as ending:  # the last first
                for field_trial in self.field.over(begin_later=begin_later):
                    ending.callback(self._end_field, field_trial, "time is over")
                for trial in filter(which, self.trials.all.values()):
                    ending.callback(self._end, trial, reason, announcing)
        except Exception as error:  # noqa: BLE001 there is no caller to tell
            if not isinstance(error, errors.HelperError):  # a disk on trial in daily use is being measured
                audit.unexpected(error)

    def end_soon(self, which: Callable[[Trial], bool], reason: str) -> None:
        """Do the same as ``end`` without waiting."""
        if (self.field.over() and self._to_end.empty()) or any(map(which, self.trials.all.values())):
            self._to_end.put((which, reason))

    def _end_those(self) -> None:
        while True:
            self.end(*self._to_end.get())

    @contextmanager
    def _turn(self, call: Call, action: Action | None, disks: Disks, about: Mapping[str, str] = {}) -> Iterator[None]:
        """Run the body with the lock held, once polkit allows it (if there is an action) and if the caller is there."""
        names = [name if contract.DISK_NAME.fullmatch(name) else "?" for name, _ in disks[: contract.MAX_DISKS]]
        call.disk = " ".join(names) or ("all" if action else "")
        self._authority.identify(call)
        if action:
            self._authority.require(call, action, {**details(self._root, names), **about})
        if len(disks) > contract.MAX_DISKS or len(dict(disks)) != len(disks):  # more than polkit was told of
            raise errors.Busy("too-many-disks", most=contract.MAX_DISKS)
        with self.lock:
            if call.gone.is_cancelled():
                raise errors.AccessDenied("caller-left")
            yield

    def _choose(
        self, call: Call, wishes: Wishes, persist: bool, insists: bool = False, trial: Trial | None = None
    ) -> list[PersistentRule]:
        """Give disks settings until the next restart, or at every start: all or none. Their ``trial`` is let go."""
        with ExitStack() as stack:
            queues = [(stack.enter_context(Queue(self._root, *disk, insists=insists)), wishes[disk]) for disk in wishes]
            for queue, _ in queues:
                self.field.require_free(queue.name)
            rules = [self._persistent.choose(queue.name, wish) for queue, wish in queues if persist]
            changes = []
            for queue, wish in queues:
                before = stack.enter_context(self._changing(queue, wish, trial.disks[queue.name] if trial else None))
                # The flag of a choice until the next restart, which holds the rule back.
                content = b"" if persist else f"{wish.scheduler} {contract.utc()}\n".encode()
                stack.enter_context(files.changing(flag(self._root, queue, UNTIL_RESTART), content))
                changes.append(wish.change_from(before))
            stack.enter_context(self._persistent.keeping(rules))
            if trial:
                self.trials.let_go(trial)
        call.change = "; ".join(changes) + (" at every start" if persist else "")
        return rules

    def _chosen(self, disks: Disks, rules: Sequence[PersistentRule]) -> Mapping[str, str]:
        self._changed(*dict(disks))
        if rules:
            tell_udev(self._root, *(rule.disk for rule in rules))
        return {rule.disk: str(rule) for rule in rules}

    @contextmanager
    def _changing(self, queue: Queue, wish: Setting, held: Held | None) -> Iterator[Setting]:
        """Set a disk once its first state is stored. On failure restore the disk, and then forget that state."""
        before = queue.setting
        new = self._snapshots.remember(held or Held.of(queue, before))
        try:
            queue.apply(wish)
            yield held or before
        except Exception:
            with suppress(errors.HelperError, OSError):  # the disk may be gone
                queue.restore(before)
                if new and queue.setting.kept == before.kept:  # an out-of-tree scheduler's own, too
                    self._snapshots.drop(queue.name)
            raise

    def _require_known(self, disks: Disks) -> None:
        """Raise NoSuchDisk or StaleDisk for disks that are neither present nor remembered."""
        for name, diskseq in disks:
            if (held := self._snapshots.all.get(name)) is None or held.diskseq != diskseq:
                Queue(self._root, name, diskseq, insists=True).__exit__()

    def _put_back(self, call: Call, disks: Disks) -> None:
        """End trials in daily use, then restore what is remembered of disks (none: all); no failure stops another."""
        field_trials = [trial for name, _ in disks for trial in self.field.of(name)]
        with ExitStack() as steps:  # the last first
            steps.callback(self._put_remembered_back, call, disks)
            steps.callback(self.field.hand_over)
            for trial in field_trials if disks else self.field.all.values():
                steps.callback(self._end_field, trial, "reverted")

    def _put_remembered_back(self, call: Call, disks: Disks) -> None:
        with ExitStack() as steps:
            for held in self._snapshots.all.values():
                if not disks or (held.disk, held.diskseq) in disks:
                    steps.callback(self._put_one_back, call, held)

    def _put_one_back(self, call: Call, held: Held) -> None:
        self.trials.require_free(held.disk)
        outcome = "gone"
        with suppress(errors.NoSuchDisk, errors.StaleDisk):
            held.put_back(self._root)
            outcome = f"back to {held.scheduler}"
        files.remove(flag(self._root, held, UNTIL_RESTART))
        self._snapshots.drop(held.disk)
        call.change += f"{held.disk}: {outcome}; "
        self._changed(held.disk)

    def _forget(self, call: Call, disks: Disks) -> None:
        for disk in disks:
            with suppress(errors.NoSuchDisk):  # a disk that is gone can be forgotten
                Queue(self._root, *disk, insists=True).__exit__()
        removed: list[PersistentRule] = self._persistent.forget([*dict(disks)])
        call.change += "".join(f"{rule.scheduler} no longer for {rule.disk}; " for rule in removed)
        if removed:
            tell_udev(self._root)
        self._changed(*{rule.disk for rule in removed if rule.disk} | dict(disks).keys())

    def _end(self, trial: Trial, reason: str, announcing: ExitStack) -> str:
        log = Call(trial.sender, "trial-ended", uid=trial.uid, disk=" ".join(trial.disks), change=f"{reason}: {trial}")
        is_known = trial.until < 0
        failed = " ".join(self.trials.end(trial))
        self.field.keep_flags()
        if not is_known or trial.id not in self.trials.all:
            announcing.callback(self._emit, "TrialEnded", trial.id, reason)
            announcing.callback(self._changed, *trial.disks)
            announcing.callback(audit.decision, log, f"not restored: {failed}" if failed else "restored")
        return failed

    def _end_field(self, trial: FieldTrial, reason: str) -> bool:
        restored = self.field.end(trial)
        record = Call("", "field-trial-ended", uid=trial.uid, disk=trial.disk, change=f"{reason}: {trial}")
        audit.decision(record, "restored" if restored else f"not restored: {trial.disk}")
        self._changed(trial.disk)
        return restored

    def _changed(self, *disks: str) -> None:
        for disk in disks:
            self._emit("Changed", disk)
