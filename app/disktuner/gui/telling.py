# SPDX-License-Identifier: GPL-3.0-or-later
"""How purposes, results and verdicts are told: the sentences of which nothing is needed to show the disks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from disktuner.experiment.scratch import Leftover
from disktuner.gui.wording import (
    LEFTOVERS,
    LEFTOVERS_GONE,
    LEFTOVERS_SEVERAL,
    LEFTOVERS_STAY,
    MEASURE_AGAIN,
    MEASURE_LONGER,
    size,
)
from disktuner.results.history import Entry
from disktuner.results.model import Budget, Goal, Result
from disktuner.verdict.between import Between
from disktuner.verdict.model import Decision, Outcome, Verdict
from disktuner.vocabulary import kinds
from disktuner.vocabulary.goals import BUDGETS as BUDGETS_DECLARED
from disktuner.vocabulary.messages import Message, named, say, say_all

GOALS = {
    Goal.DESKTOP: ("Everyday use", "Programs start quickly even while something copies or installs."),
    Goal.COPYING: ("Copying", "Big files and backups move as fast as the disk can."),
    Goal.DATABASE: ("Database", "Many small reads and commits from many clients at once."),
    Goal.MEDIA: ("Film and sound", "Playing and recording must not stutter beside other work."),
    Goal.SERVER: ("Server", "Many programs at once, none may wait for long."),
}

BUDGETS = {
    Budget.QUICK: ("Quick", "A few minutes. Shows large differences."),
    Budget.STANDARD: ("Standard", "Around ten minutes. Shows most differences that you would notice."),
    Budget.THOROUGH: ("Thorough", "Up to half an hour. For an answer that convinces someone else."),
}

DECISIONS = {
    Decision.SWITCH: "Switch to {winner}",
    Decision.KEEP: "Keep {baseline}",
    Decision.UNDECIDED: "Not decided yet",
}

OUTCOMES = {
    Outcome.BETTER: "better",
    Outcome.WORSE: "worse",
    Outcome.SAME: "no practical difference",
    Outcome.UNDECIDED: "cannot be told yet",
}

_NEXT_BUDGET = {Budget.QUICK: Budget.STANDARD, Budget.STANDARD: Budget.THOROUGH}

MEASURED = "{runs} samples in {rounds} rounds on {disk}, {path}"
SAME_KIND = "(and {count} more of this kind: see all samples)"
RESULT_NAME = "{disk}, {when}"
BETWEEN_LINE = "{which}: {when}, {disk}. {why}"


def answer(verdict: Verdict) -> str:
    """What to do, in three words."""
    return DECISIONS[verdict.decision].format(winner=verdict.winner, baseline=verdict.baseline)


def longer(result: Result) -> tuple[Budget, str]:
    """The next larger budget where there is one, and what a button says that measures again with it."""
    had = next((budget for budget in Budget if budget == result.plan.budget), Budget.QUICK)
    following = _NEXT_BUDGET.get(had, had)
    text = MEASURE_AGAIN if following is had else MEASURE_LONGER
    return following, text.format(minutes=round(BUDGETS_DECLARED[following].limits.seconds / 60))


def measured(result: Result) -> str:
    """What a result rests on."""
    rounds = len({sample.round for sample in result.samples})
    disk = " ".join(str(result.disk.get(key) or "") for key in ("model", "name")).strip()
    disk = " + ".join((disk, *_others(result)))
    return MEASURED.format(runs=len(result.samples), rounds=rounds, disk=disk, path=result.filesystem.path)


def _others(result: Result) -> list[str]:
    """The names of the other disks below the folder; nothing where a foreign file says something else there."""
    names = result.extra.get("disks")
    names = names if isinstance(names, list) else []
    return [name for name in names if isinstance(name, str) and name.isprintable() and name != result.disk.get("name")]


def cautions(told: Iterable[Message]) -> tuple[str, ...]:
    """One text per kind of caution, with how often it came up."""
    kinds: dict[object, list[Message]] = {}
    for each in told:
        kinds.setdefault((each.id, each.values.get("code")), []).append(each)
    return tuple(
        say(same[0]) + (f" {SAME_KIND.format(count=len(same) - 1)}" if len(same) > 1 else "") for same in kinds.values()
    )


def when(created: str) -> str:
    """A result's time (UTC, ISO 8601) in the local time zone; as it stands where it is no time."""
    try:
        local = datetime.fromisoformat(created).astimezone()
    except (ValueError, OverflowError):
        return created
    return f"{local:%Y-%m-%d %H:%M}"


def history_row(entry: Entry) -> tuple[str, ...]:
    """The cells of ``HISTORY_COLUMNS``."""
    purpose = next((GOALS[goal][0] for goal in Goal if goal == entry.goal), entry.goal)
    answer = f"⚠ {entry.problem}" if entry.problem else entry.headline
    return (when(entry.created), entry.disk or entry.id, purpose, answer, " ".join(entry.notes.split()))


def leftovers(found: Sequence[Leftover]) -> str:
    """What interrupted measurements left, and where."""
    taken = size(sum(each.size_bytes for each in found))
    text = LEFTOVERS if len(found) == 1 else LEFTOVERS_SEVERAL
    return text.format(size=taken, folder=found[0].path.parent, count=len(found))


def leftovers_removed(found: Sequence[Leftover], stayed: Sequence[Path]) -> str:
    """What became of that."""
    if stayed:
        return LEFTOVERS_STAY.format(folder=stayed[0])
    return LEFTOVERS_GONE.format(size=size(sum(each.size_bytes for each in found)))


def result_name(result: Result) -> str:
    """Disk and time of a result, as its title."""
    disk = " ".join(str(result.disk.get(key) or "") for key in ("vendor", "model", "name")).split()
    return RESULT_NAME.format(disk=" ".join(disk) or named(kinds.UNKNOWN.name), when=when(result.created))


def between_line(which: str, result: Result, verdict: Verdict) -> str:
    """One of two compared results, with its answer."""
    disk = str(result.disk.get("model") or result.disk.get("name") or named(kinds.UNKNOWN.name))
    return BETWEEN_LINE.format(which=which, when=when(result.created), disk=disk, why=say_all(verdict.why))


def left_out(found: Between) -> str:
    """What could not be compared, and why."""
    return " ".join(map(say, found.left_out.values()))
