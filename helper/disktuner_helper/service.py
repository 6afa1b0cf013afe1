# SPDX-License-Identifier: GPL-3.0-or-later
"""What each method of the bus interface does: ask, check for all disks, act, say what changed."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from disktuner_helper import __version__, audit, contract, errors, files
from disktuner_helper.authority import Authority, Call
from disktuner_helper.field import FieldTrial, FieldTrials, Wishes
from disktuner_helper.field import details as details_of_trial
from disktuner_helper.identity import details, everybody
from disktuner_helper.persist import UNTIL_RESTART, Choice, Persistent, tell_udev
from disktuner_helper.queue import Queue, Setting, checked
from disktuner_helper.trial import Held, Snapshots, Trial, Trials, flag

Disk = tuple[str, int]
"""Name and diskseq."""
Disks = Sequence[Disk]
Tunables = Mapping[str, str]


class Service:
    """The methods of the interface: what each does, its XML says. Each runs in its call's own thread; one lock lets one
    after the other change something. Where no action is named, polkit was asked when the trial began.
    """

    def __init__(
        self, root: Path, authority: Authority, emit: Callable[..., None], trial_limit: Callable[[], float]
    ) -> None:
        """``emit(signal, *values)`` sends a signal to everybody; ``trial_limit`` see ``Trials``."""
        self._root = root
        self._authority = authority
        self._emit = emit
        self.lock = Lock()
        self._snapshots = Snapshots(root)
        self.trials = Trials(root, trial_limit, self._snapshots.remember)
        self.field = FieldTrials(root, self.trials)
        self._persistent = Persistent(root)
        # Who has to be ended may be so because no thread is to be had any more: this one is there already.
        self._to_end: SimpleQueue[tuple[Callable[[Trial], bool], str]] = SimpleQueue()
        Thread(target=self._end_those, daemon=True).start()

    def insist(self, call: Call, disks: Disks, scheduler: str, tunables: Tunables) -> None:
        self.set(call, disks, scheduler, tunables, persist=False, insists=True)

    def set(
        self, call: Call, disks: Disks, scheduler: str, tunables: Tunables, persist: bool, *, insists: bool = False
    ) -> Mapping[str, str]:
        with self._turn(call, contract.CHOOSING[persist], disks):
            wish = Setting(scheduler, checked(scheduler, tunables))
            if not disks:
                raise errors.NoSuchDisk("no-disks")
            for name, _ in disks:
                self.trials.require_free(name)
            with self._choosing(call, dict.fromkeys(disks, wish), {}, persist, insists) as choices:
                pass
        return self._chosen(disks, choices)

    def keep_trial(self, call: Call, trial: str, persist: bool) -> Mapping[str, str]:
        self._authority.identify(call)
        disks = [(had.disk, had.diskseq) for had in self.trials.own(call.sender, trial).disks.values()]
        with self._turn(call, contract.CHOOSING[persist], disks):
            kept = self.trials.own(call.sender, trial)  # it may have ended meanwhile
            tried = {disk: kept.wishes[disk[0]] for disk in disks if disk[0] in kept.wishes}
            if not tried:
                raise errors.NoSuchScheduler("nothing-tried")
            with self._choosing(call, tried, kept.disks, persist) as choices:
                self.trials.let_go(kept)
            self.field.keep_flags()
        self._emit("TrialEnded", trial, "kept")
        return self._chosen(disks, choices)

    def revert(self, call: Call, disks: Disks) -> None:
        with self._turn(call, contract.Action.SET_RUNTIME, disks):
            self._require_known(disks)
            self._put_back(call, disks)

    def forget(self, call: Call, disks: Disks) -> None:
        with self._turn(call, contract.Action.PERSIST, disks):
            self._forget(call, disks)

    def undo(self, call: Call, disks: Disks) -> None:
        with self._turn(call, contract.Action.PERSIST, disks):
            for name, _ in disks:
                self.trials.require_free(name)
            self._require_known(disks)
            self._forget(call, disks)
            self._put_back(call, disks)

    def begin_trial(self, call: Call, disks: Disks) -> str:
        with self._turn(call, contract.Action.TRIAL, disks):
            trial = self.trials.begin(call.sender, call.uid, disks)
            if call.gone.is_cancelled():  # too early for the trial to be ended by that
                self.end_soon(lambda one: one is trial, "caller left")
            call.change = f"begin {trial}"
            return trial.id

    def set_trial(self, call: Call, trial: str, disk: str, scheduler: str, tunables: Tunables) -> None:
        with self._turn(call, None, [(disk, 0)]):
            call.change = self.trials.set(call.sender, trial, disk, scheduler, tunables)
            self._changed(disk)

    def end_trial(self, call: Call, trial: str) -> None:
        with self._turn(call, None, []), ExitStack() as announcing:
            ending = self.trials.own(call.sender, trial)
            call.disk = " ".join(ending.disks)
            if failed := self._end(ending, "ended", announcing):
                raise errors.WriteFailed("not-put-back", disks=failed.replace(" ", ","))

    def begin_field_trial(self, call: Call, disks: Disks, settings: Wishes, until: int) -> str:
        with self._turn(call, contract.Action.FIELD_TRIAL, disks, details_of_trial(settings, until)):
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

    def get_state(self, call: Call) -> str:
        self.trials.use(call.sender)
        choices, others = self._persistent.read()
        disks = everybody(self._root) if choices or self.field.all else {}

        def of_disks(one: Choice | FieldTrial) -> dict[str, Any]:
            return asdict(one) | {"disks": [name for name, own in disks.items() if own.get(one.key) == one.value]}

        state = {
            "format": "disktuner.state/1",
            "version": __version__,
            "snapshots": [asdict(held) for held in self._snapshots.all.values()],
            "trials": [trial.to_json() for trial in self.trials.all.values()],
            "field_trials": [of_disks(trial) for trial in self.field.all.values()],
            "persistent": [of_disks(choice) for choice in choices.values()],
            "problem": next(map(str, others.values()), None),
        }
        return json.dumps(state)

    def end(self, which: Callable[[Trial], bool], reason: str, *, begin_later: bool = False) -> None:
        """End those trials, and those in daily use that are over (or ``begin_later``), when it is their turn.

        None keeps another from it, nor does whoever is told of it then.
        """
        try:
            with self.lock, ExitStack() as announcing, ExitStack() as ending:  # the last first
                for fielded in self.field.over(begin_later=begin_later):
                    ending.callback(self._end_field, fielded, "time is over")
                for trial in filter(which, self.trials.all.values()):
                    ending.callback(self._end, trial, reason, announcing)
        except errors.HelperError:  # of one in daily use, which is measured
            pass
        except Exception as error:  # noqa: BLE001 there is nobody to be told
            audit.unexpected(error)

    def end_soon(self, which: Callable[[Trial], bool], reason: str) -> None:
        """The same without waiting."""
        if (self.field.over() and self._to_end.empty()) or any(map(which, self.trials.all.values())):
            self._to_end.put((which, reason))

    def _end_those(self) -> None:
        while True:
            self.end(*self._to_end.get())

    @contextmanager
    def _turn(
        self, call: Call, action: contract.Action | None, disks: Disks, about: Mapping[str, str] | None = None
    ) -> Iterator[None]:
        """polkit allows it (or nobody needs to be asked), it is this call's turn, and somebody still waits for it."""
        names = [name if contract.DISK_NAME.fullmatch(name) else "?" for name, _ in disks[: contract.MAX_DISKS]]
        call.disk = " ".join(names) or ("all" if action else "")
        self._authority.identify(call)
        if action:
            self._authority.require(call, action, {**details(self._root, names), **(about or {})})
        contract.check_number_of(disks)
        with self.lock:
            if call.gone.is_cancelled():
                raise errors.AccessDenied("caller-left")
            yield

    @contextmanager
    def _choosing(
        self, call: Call, wishes: Mapping[Disk, Setting], had: Mapping[str, Held], persist: bool, insists: bool = False
    ) -> Iterator[list[Choice]]:
        """Give disks settings until the next restart, or at every start: all or none, also where what is done meanwhile
        fails. ``had``: by their names what disks had before, where that is not what they have now.
        """
        with ExitStack() as stack:
            queues = {
                stack.enter_context(Queue(self._root, *disk, insists=insists)): wish for disk, wish in wishes.items()
            }
            for queue in queues:
                self.field.require_free(queue.name)
            choices = [self._persistent.choose(queue.name, wish) for queue, wish in queues.items() if persist]
            done = []
            for queue, wish in queues.items():
                before = stack.enter_context(self._changing(queue, wish, had.get(queue.name)))
                # Whether a choice until the next restart holds now, and holds the rule back.
                content = b"" if persist else f"{wish.scheduler} {files.now()}\n".encode()
                stack.enter_context(files.changing(flag(self._root, queue, UNTIL_RESTART), content))
                done.append(wish.change_from(before))
            stack.enter_context(self._persistent.keeping(choices))
            yield choices
        call.change = "; ".join(done) + (" at every start" if persist else "")

    def _chosen(self, disks: Disks, choices: Sequence[Choice]) -> Mapping[str, str]:
        self._changed(*(name for name, _ in disks))
        if choices:
            tell_udev(self._root, *(one.disk for one in choices))
        return {one.disk: str(one) for one in choices}

    @contextmanager
    def _changing(self, queue: Queue, wish: Setting, had: Held | None) -> Iterator[Setting]:
        """Set a disk after its first state is safe. On any failure it has again what it had, and was never touched."""
        before = queue.setting
        new = self._snapshots.remember(had or Held.of(queue, before))
        try:
            with queue.undoing(before):
                queue.apply(wish)
                yield had or before
        except Exception:
            with suppress(errors.HelperError, OSError):  # the disk may be gone
                if new and queue.setting.is_same_as(before):
                    self._snapshots.drop(queue.name)
            raise

    def _require_known(self, disks: Disks) -> None:
        """Raise NoSuchDisk or StaleDisk for what is neither here nor remembered."""
        for name, diskseq in disks:
            if (held := self._snapshots.all.get(name)) is None or held.diskseq != diskseq:
                Queue(self._root, name, diskseq, insists=True).__exit__()

    def _put_back(self, call: Call, disks: Disks) -> None:
        """Put back what is remembered, of all disks where none is named, and end what they are tried with in daily use:
        what that could not put back is remembered by then. The errors of some do not stop the others.
        """
        fielded = [one for name, _ in disks for one in self.field.of(name)] if disks else self.field.all.values()
        with ExitStack() as steps:  # the last first
            steps.callback(self._put_remembered_back, call, disks)
            steps.callback(self.field.hand_over)
            for trial in fielded:
                steps.callback(self._end_field, trial, "reverted")

    def _put_remembered_back(self, call: Call, disks: Disks) -> None:
        with ExitStack() as each:
            for one in self._snapshots.all.values():
                if not disks or (one.disk, one.diskseq) in disks:
                    each.callback(self._put_one_back, call, one)

    def _put_one_back(self, call: Call, held: Held) -> None:
        self.trials.require_free(held.disk)
        what = "gone"
        with suppress(errors.NoSuchDisk, errors.StaleDisk):
            held.put_back(self._root)
            what = f"back to {held.scheduler}"
        files.remove(flag(self._root, held, UNTIL_RESTART))
        self._snapshots.drop(held.disk)
        call.change += f"{held.disk}: {what}; "
        self._changed(held.disk)

    def _forget(self, call: Call, disks: Disks) -> None:
        for disk in disks:
            with suppress(errors.NoSuchDisk):  # one that is gone can be forgotten
                Queue(self._root, *disk, insists=True).__exit__()
        gone: list[Choice] = self._persistent.forget([name for name, _ in disks])
        call.change += "".join(f"{one.scheduler} no longer for {one.disk}; " for one in gone)
        if gone:
            tell_udev(self._root)
        self._changed(*{one.disk for one in gone if one.disk} | {name for name, _ in disks})

    def _end(self, trial: Trial, reason: str, announcing: ExitStack) -> str:
        what = Call(trial.sender, "trial-ended", uid=trial.uid, disk=" ".join(trial.disks), change=f"{reason}: {trial}")
        is_known = trial.until < 0
        failed = " ".join(self.trials.end(trial))
        self.field.keep_flags()
        if not is_known or trial.id not in self.trials.all:
            announcing.callback(self._emit, "TrialEnded", trial.id, reason)
            announcing.callback(self._changed, *trial.disks)
            announcing.callback(audit.decision, what, f"not restored: {failed}" if failed else "restored")
        return failed

    def _end_field(self, trial: FieldTrial, reason: str) -> bool:
        restored = self.field.end(trial)
        what = Call("", "field-trial-ended", uid=trial.uid, disk=trial.disk, change=f"{reason}: {trial}")
        audit.decision(what, "restored" if restored else f"not restored: {trial.disk}")
        self._changed(trial.disk)
        return restored

    def _changed(self, *disks: str) -> None:
        for disk in disks:
            self._emit("Changed", disk)
