# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole result as people see it: answer, set-up, figures, cautions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from disktuner.presentation.panels import Panel, panels
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, Verdict
from disktuner.verdict.priorities import priorities_found
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.messages import Message, language, message, named, say, say_all, text
from disktuner.vocabulary.units import size


@dataclass(frozen=True, slots=True)
class Presented:
    """Everything that is shown of a result.

    ``title`` is the answer in a few words, ``why`` in sentences. ``setup`` are facts on disk and machine (disk, kind,
    size, file system, kernel, …), ``run`` those on the comparison (goal, rounds, left-out and disturbed samples, date,
    version). ``measured`` says what the result rests on. Of ``panels`` what decides comes first; ``trade_off`` are the
    deciding one and one that may answer the opposite. ``cautions`` hold one text per kind; ``priorities`` is what was
    found out about I/O priorities; ``method`` explains the bars.
    """

    result: Result
    verdict: Verdict
    title: str
    why: str
    setup: tuple[str, ...]
    run: tuple[str, ...]
    measured: str
    panels: tuple[Panel, ...]
    cautions: tuple[str, ...]
    priorities: str | None
    method: str
    trade_off: tuple[Panel, Panel] | None

    @property
    def candidate(self) -> str | None:
        """The scheduler to try: the winner, or who leads while nothing is decided."""
        return self.verdict.winner or self.verdict.leader


def present(result: Result, verdict: Verdict | None = None) -> Presented:
    """Return a result as people see it; without its verdict it is judged first."""
    verdict = verdict or judge(result)
    shown = panels(result, verdict)
    return Presented(
        result,
        verdict,
        answer(verdict),
        say_all(verdict.why),
        _setup(result),
        _run(result),
        _measured(result),
        shown,
        _cautions(result.warnings),
        say_all(priorities_found(result)) or None,
        text("how-measured"),
        _trade_off(shown),
    )


def answer(verdict: Verdict) -> str:
    """Return what to do, in a few words."""
    if verdict.decision is Decision.SWITCH:
        return text("answer-switch", winner=verdict.winner)
    if verdict.decision is Decision.TRADE_OFF:
        return text("answer-trade-off", winner=verdict.winner)
    if verdict.decision is Decision.KEEP:
        return text("answer-keep", baseline=verdict.baseline)
    return text("answer-undecided")


def result_title(result: Result) -> str:
    """Return disk and time of a result."""
    return text("result-title", disk=_disk(result, "vendor", "model", "name"), when=when(result.created))


def when(created: str) -> str:
    """Return a result's time (UTC, ISO 8601) in the local time zone; as it stands where it is no time."""
    try:
        return f"{datetime.fromisoformat(created).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return created


def _disk(result: Result, *keys: str) -> str:
    words = " ".join(str(result.disk[key]) for key in keys if result.disk.get(key)).split()
    return " ".join(words) or text("unnamed-disk")


def _setup(result: Result) -> tuple[str, ...]:
    disk, machine = result.disk, result.machine
    known, bytes_ = KINDS.get(str(disk.get("kind"))), disk.get("size_bytes")
    facts = (
        _disk(result, "vendor", "model"),
        named(known.name) if known else "",
        size(bytes_, language().numbers) if isinstance(bytes_, int | float) and bytes_ >= 1e9 else "",
        result.filesystem.fstype,
        text("of-kernel", release=machine.kernel) if machine.kernel else "",
        machine.os,
        machine.cpu,
    )
    return tuple(" ".join(fact.split()) for fact in facts if fact)


def _run(result: Result) -> tuple[str, ...]:
    goal = GOALS.get(result.plan.goal or "")
    invalid = sum(not sample.valid for sample in result.samples)
    disturbed = sum(sample.valid and sample.reason is not None for sample in result.samples)
    facts = (
        text("of-goal", goal=goal.name if goal else result.plan.goal) if result.plan.goal else "",
        text("of-rounds", count=_rounds(result)),
        text("samples-left-out", count=invalid) if invalid else "",
        text("samples-disturbed", count=disturbed) if disturbed else "",
        result.created[:10],
        text("of-version", version=result.app_version).strip(),
    )
    return tuple(fact for fact in facts if fact)


def _rounds(result: Result) -> int:
    return len({sample.round for sample in result.samples})


def _measured(result: Result) -> str:
    others = result.extra.get("disks")
    names = [name for name in others if isinstance(name, str)] if isinstance(others, list) else []
    shown = [_disk(result, "model", "name"), *(name for name in names if name != result.disk.get("name"))]
    return text(
        "measured-in" if result.filesystem.path else "measured-on",
        count=len(result.samples),
        rounds=message("of-rounds", count=_rounds(result)),
        disk=" + ".join(shown),
        path=result.filesystem.path,
    )


def _cautions(found: Iterable[Message]) -> tuple[str, ...]:
    """Return one text per kind, with how often it came up."""
    kinds: dict[object, list[Message]] = {}
    for each in found:
        kinds.setdefault((each.id, each.values.get("code")), []).append(each)
    return tuple(
        text("caution-several", caution=same[0], count=len(same) - 1) if len(same) > 1 else say(same[0])
        for same in kinds.values()
    )


def _trade_off(shown: tuple[Panel, ...]) -> tuple[Panel, Panel] | None:
    """Return the first figure that was compared, and the first one of another workload, else of the same."""
    compared = [panel for panel in shown if sum(row.gain is not None for row in panel.rows) > 1]
    if len(compared) < 2:
        return None
    first, *others = compared
    elsewhere = [panel for panel in others if panel.metric.workload != first.metric.workload]
    other = (elsewhere or others)[0]
    both = {row.scheduler for row in first.rows if row.gain} & {row.scheduler for row in other.rows if row.gain}
    return (first, other) if len(both) > 1 else None
