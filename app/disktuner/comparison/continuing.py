# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a result can be measured on here: which disk of this machine it is about, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.disk import Disk, full_name
from disktuner.comparison.request import Request, this_machine
from disktuner.comparison.tasks import plain_winner, settings_left
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.goals import BUDGETS, DESKTOP, STANDARD, purpose_of
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting

_NAMED_BY = ("wwn", "serial")
_ALIKE = ("name", "model", "vendor", "size_bytes")


@dataclass(frozen=True, slots=True)
class Continuation:
    """The disks that a result is about, as they are now, or why it cannot be measured on.

    ``doubt`` says why their schedulers are not set because of it, though they seem to be there.
    """

    disks: tuple[Disk, ...] = ()
    doubt: Message | None = None
    why_not: Message | None = None

    @property
    def certain(self) -> bool:
        """Whether these are the disks: then their schedulers may be set."""
        return bool(self.disks) and self.doubt is None


def find_measured(result: Result, disks: Sequence[Disk]) -> Continuation:
    """Find the disk of a result that was opened among those of this machine.

    A name may be another disk's by now, and a result may come from anywhere. A disk without a WWN and serial number
    (a virtual one) is taken for the same where name, model and size are, on a machine alike in processors and memory;
    until that is started anew, its diskseq leaves no doubt.
    """
    same = next((disk for disk in disks if disk.is_described_by(result.disk) or _is_still(disk, result)), None)
    if same is not None:
        return Continuation((same,), message("on-several") if result.disks else None)
    title = full_name(result.disk.get)
    if not result.disk.get("name"):
        return Continuation(why_not=message("on-unnamed"))
    if not _is_from_here(result):
        return Continuation(why_not=message("on-elsewhere", disk=title))
    now = next((disk for disk in disks if disk.name == result.disk.get("name")), None)
    if now is None:
        return Continuation(why_not=message("on-gone", disk=title))
    nameless = not any(result.disk.get(key) or getattr(now, key) for key in _NAMED_BY)
    if nameless and all(result.disk.get(key) == getattr(now, key) for key in _ALIKE):
        return Continuation((now,), message("on-uncertain", disk=now.title))
    return Continuation(why_not=message("on-another", disk=title, now=now.title))


def still_there(measured: Sequence[Disk], disks: Sequence[Disk]) -> Continuation:
    """Find what was measured just now among the disks that there are."""
    found = []
    for disk in measured:
        now = next((each for each in disks if each.name == disk.name), None)
        if now is None:
            return Continuation(why_not=message("on-gone", disk=disk.title))
        if not now.is_same_as(disk):
            return Continuation(why_not=message("on-another", disk=disk.title, now=now.title))
        found.append(now)
    return Continuation(tuple(found))


def request_to_continue(result: Result, verdict: Verdict, path: Path) -> Request:
    """Return what to ask for so that a kept result gets the rounds, and as much time, as it probably needs.

    Its target is empty: whoever has a folder on the disk chooses it.
    """
    more = verdict.more
    needed = (more.seconds if more is not None else None) or 0.0
    enough = [each.id for each in BUDGETS.values() if each.limits.seconds >= needed]
    anew = request_anew(result, (enough or [*BUDGETS][-1:])[0])
    return replace(anew, continues=path, shown=_shown(result), rounds=more.rounds if more is not None else None)


def request_anew(result: Result, budget: str) -> Request:
    """Return what to ask for to measure for the same purpose again; its target is empty, see above."""
    goal = result.plan.goal or ""
    return Request("", goal if purpose_of(goal) else DESKTOP.id, budget)


def settings_to_try(result: Result, verdict: Verdict, disks: Sequence[Disk]) -> tuple[Setting, ...]:
    """Return the settings that could compete with a result's answer; none where it has none, or is a tuning itself."""
    unsettled = verdict.decision in (Decision.UNDECIDED, Decision.CONDITIONAL)
    if result.plan.tunes or not result.finished or unsettled or not disks:
        return ()
    found = settings_left(request_anew(result, STANDARD.id).goal, result, disks, plain_winner(verdict))
    return found[: STANDARD.limits.settings]


def request_to_tune(result: Result, path: Path) -> Request:
    """Return what to ask for so that settings compete with a kept result's answer; its target is empty, see above."""
    return replace(request_anew(result, STANDARD.id), after=path, shown=_shown(result))


def _shown(result: Result) -> tuple[Message, ...]:
    """Return what would be run of the user's own."""
    return result.own.shown if result.own else ()


def _is_from_here(result: Result) -> bool:
    here = this_machine()
    return (result.machine.cpu, result.machine.memory_bytes) == (here.cpu, here.memory_bytes)


def _is_still(disk: Disk, result: Result) -> bool:
    """Whether it is the very disk, by what the kernel counts within one boot."""
    boot_id, attached = result.machine.boot_id, ("diskseq", "size_bytes")
    same = all(result.disk.get(key) == getattr(disk, key) for key in attached)
    return bool(boot_id) and boot_id == this_machine().boot_id and disk.diskseq > 0 and same
