# SPDX-License-Identifier: GPL-3.0-or-later
"""The heading of a result: disk, goal, previous setting, and how long it was measured."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.results.model import Result
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.messages import language, named, text
from disktuner.vocabulary.states import DiskState
from disktuner.vocabulary.units import clock, size


@dataclass(frozen=True, slots=True)
class Heading:
    """``disks`` are their kernel names, empty if left out; ``facts`` say what the disk is and where files were."""

    disks: str
    facts: str
    goal: str
    now: str
    run: str


def heading_of(result: Result) -> Heading:
    """Return the heading of any well-formed result."""
    return Heading(
        _names(result),
        ", ".join(filter(None, _facts(result))) or text("unnamed-disk"),
        _goal(result),
        text("now-is", baseline=_before(result)),
        _run(result),
    )


def _before(result: Result) -> str:
    """Return what the disk had; a tuning's baseline need not be that."""
    return result.plan.baseline.name if result.had_baseline else str(result.disk["scheduler"])


def _goal(result: Result) -> str:
    goal, felt = purpose_of(result.plan.goal), result.plan.felt
    name = named(goal.name) if goal else result.plan.goal or ""
    is_exhausted = result.plan.state is DiskState.EXHAUSTED
    notes = (text("felt-on", disk=felt.disk) if felt else "", text("state-exhausted") if is_exhausted else "")
    return ", ".join(filter(None, (name, *notes)))


def _names(result: Result) -> str:
    names = (result.disk.get("name"), *result.disks) if result.disk.get("name") else ()
    return " + ".join(dict.fromkeys(name for name in names if isinstance(name, str)))


def _facts(result: Result) -> tuple[str, ...]:
    disk, filesystem = result.disk, result.filesystem
    kind, size_bytes = KINDS.get(str(disk.get("kind"))), disk.get("size_bytes")
    where = text("filesystem-on", fstype=filesystem.fstype, path=filesystem.path) if filesystem.path else ""
    return (
        " ".join(result.disk_called("vendor", "model").split()) or (named(kind.name) if kind else ""),
        size(size_bytes, language().numbers) if isinstance(size_bytes, int | float) and size_bytes > 0 else "",
        more_disks(result),
        where or filesystem.fstype,
    )


def more_disks(result: Result) -> str:
    """Return how many disks were measured together with the one that is described; empty if none."""
    return text("with-more-disks", count=len(result.disks) - 1) if len(result.disks) > 1 else ""


def extent_of(result: Result) -> str:
    """Return how much was measured: rounds, or the time of daily use."""
    if result.was_daily_use:
        return text("time-of-use", used=_taken_s(result))
    return text("of-rounds", count=result.rounds)


def _run(result: Result) -> str:
    taken_s = 0.0 if result.was_daily_use else _taken_s(result)
    taken = clock(taken_s) if taken_s else ""
    return ", ".join(filter(None, (taken, extent_of(result), result.created[:10])))


def _taken_s(result: Result) -> float:
    return sum({sample.order: sample.duration_s for sample in result.samples}.values())
