# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a result can be continued here: which disk of this machine it is about, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.block.disk import Disk, full_name
from disktuner.comparison.request import Request
from disktuner.comparison.tasks import plain_winner, settings_left
from disktuner.results.beginning import this_machine
from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.goals import BUDGETS, DESKTOP, STANDARD, purpose_of
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState


@dataclass(frozen=True, slots=True)
class Continuation:
    """The disks that a result is about, as they are now, or why it cannot be continued.

    ``doubt`` says why their schedulers must not be set on its account, although the disks seem to be present.
    """

    disks: tuple[Disk, ...] = ()
    doubt: Message | None = None
    why_not: Message | None = None

    @property
    def certain(self) -> bool:
        """Whether these are surely the disks, so that their schedulers may be set."""
        return bool(self.disks) and self.doubt is None


def find_measured(result: Result, disks: Sequence[Disk]) -> Continuation:
    """Find the disk of an opened result among those of this machine.

    A name may belong to another disk by now, and a result may come from anywhere. A disk without WWN and serial number
    (a virtual one) is taken to be the same if name, model and size are, on a machine with the same processor and
    memory; until a reboot, its diskseq leaves no doubt. USB bridges and cheap cards share their serial numbers: of
    several disks alike, none surely is the one.
    """
    still = [disk for disk in disks if _is_still(disk, result)]
    alike = still or [disk for disk in disks if disk.is_described_by(result.disk)]
    if alike:
        same = next((disk for disk in alike if disk.name == result.disk.get("name")), alike[0])
        doubt = message("on-uncertain", disk=same.title) if len(alike) > 1 else None
        return Continuation((same,), message("on-several") if result.disks else doubt)
    title = full_name(result.disk.get)
    if not result.disk.get("name"):
        return Continuation(why_not=message("on-unnamed"))
    if not _is_from_here(result):
        return Continuation(why_not=message("on-elsewhere", disk=title))
    now = next((disk for disk in disks if disk.name == result.disk.get("name")), None)
    if now is None:
        return Continuation(why_not=message("on-gone", disk=title))
    if now.may_be(result.disk):
        return Continuation((now,), message("on-uncertain", disk=now.title))
    return Continuation(why_not=message("on-another", disk=title, now=now.title))


def still_there(measured: Sequence[Disk], disks: Sequence[Disk]) -> Continuation:
    """Find the disks that were just measured among the present ones."""
    present = []
    for disk in measured:
        now = next((candidate for candidate in disks if candidate.name == disk.name), None)
        if now is None:
            return Continuation(why_not=message("on-gone", disk=disk.title))
        if not now.is_same_as(disk):
            return Continuation(why_not=message("on-another", disk=disk.title, now=now.title))
        present.append(now)
    return Continuation(tuple(present))


def request_to_continue(result: Result, verdict: Verdict, path: Path) -> Request:
    """Return a request to continue a kept result with the rounds and the time that it probably needs.

    Its target is empty, for the caller to choose a folder on the disk.
    """
    more = verdict.more
    needed = (more.seconds if more is not None else None) or 0.0
    enough = [budget.id for budget in BUDGETS.values() if budget.limits.seconds >= needed]
    anew = request_anew(result, (enough or [*BUDGETS][-1:])[0])
    return replace(anew, continues=path, shown=_shown(result), rounds=more.rounds if more is not None else None)


def request_anew(result: Result, budget: str) -> Request:
    """Return a request to measure for the same purpose again, with an empty target."""
    goal = result.plan.goal or ""
    return Request("", goal if purpose_of(goal) else DESKTOP.id, budget, state=result.plan.state)


def settings_to_try(result: Result, verdict: Verdict, disks: Sequence[Disk]) -> tuple[Setting, ...]:
    """Return the settings that could compete with a result's answer; none without an answer, or after a tuning."""
    unsettled = verdict.decision in (Decision.UNDECIDED, Decision.CONDITIONAL)
    is_rested = result.plan.state is DiskState.RESTED
    if result.plan.tunes or not result.finished or unsettled or not disks or not is_rested:
        return ()
    settings = settings_left(request_anew(result, STANDARD.id).goal, result, disks, plain_winner(verdict))
    return settings[: STANDARD.limits.settings]


def request_to_tune(result: Result, path: Path) -> Request:
    """Return a request to tune a kept result's winner, with an empty target."""
    return replace(request_anew(result, STANDARD.id), after=path, shown=_shown(result))


def _shown(result: Result) -> tuple[Message, ...]:
    """Return the user's own commands that would be run."""
    return result.own.shown if result.own else ()


def _is_from_here(result: Result) -> bool:
    here = this_machine()
    return (result.machine.cpu, result.machine.memory_bytes) == (here.cpu, here.memory_bytes)


def _is_still(disk: Disk, result: Result) -> bool:
    """Whether it is the very same disk, by its diskseq within one boot."""
    boot_id, attached = result.machine.boot_id, ("diskseq", "size_bytes")
    same = all(result.disk.get(key) == getattr(disk, key) for key in attached)
    return bool(boot_id) and boot_id == this_machine().boot_id and disk.diskseq > 0 and same
