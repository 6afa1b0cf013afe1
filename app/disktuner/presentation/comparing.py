# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results side by side as people see them: both answers, what both measured, and what else differs.

Unlike the runs within a result, those of two results are not interleaved. What changed with time (age of the files,
temperature, other work) is part of every difference between them, so none is judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from disktuner.presentation.panels import Panel, Row, panels
from disktuner.presentation.presented import result_title
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import Message, language, message, named, say, say_all, text
from disktuner.vocabulary.metrics import COUNTED, Metric
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.units import NOTHING, size
from disktuner.vocabulary.workloads import OF_ONES_OWN, as_declared, label_of

DIFFERENCES = (
    "disk",
    "serial number",
    "kernel",
    "system",
    "processor",
    "memory",
    "file system",
    "mount options",
    "scheduler before",
    "goal",
    "state of the disk",
    "read-ahead (KiB)",
    "queue length",
    "Disktuner",
)
"""The facts that are named if two results differ in them."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A figure that both measured; ``rows`` are its settings as the first's page and the second's show them."""

    panel: Panel
    rows: tuple[tuple[Row, Row], ...]


@dataclass(frozen=True, slots=True)
class PresentedBetween:
    """Everything that is shown of two results.

    ``verdicts`` and ``answers`` are the first's and the second's; ``why`` says what they recommend, empty where one
    does not. ``differences`` are other facts that differ as (what, first, second), ``left_out`` says by metric why it
    is not shown side by side. ``caveat`` is what a reader must know of the values, if there are any.
    """

    first: Result
    second: Result
    verdicts: tuple[Verdict, Verdict]
    why: str
    answers: tuple[str, str]
    differences: tuple[tuple[str, str, str], ...]
    shared: tuple[Shared, ...]
    left_out: Mapping[str, str]
    caveat: str


def present_between(first: Result, second: Result) -> PresentedBetween:
    """Return two results side by side; never raises for well-formed ones."""
    verdicts = judge(first), judge(second)
    left_out = _left_out(first, second)
    shared = tuple(_shared((first, second), verdicts, left_out))
    return PresentedBetween(
        first,
        second,
        verdicts,
        _why(*map(_recommended, verdicts)),
        (_answer("first-answer", first, verdicts[0]), _answer("second-answer", second, verdicts[1])),
        tuple(_differences(first, second)),
        shared,
        {name: say(why) for name, why in left_out.items()},
        text("not-in-turns") if shared else "" if left_out else text("nothing-in-common"),
    )


def _why(first: Setting | None, second: Setting | None) -> str:
    if first is None or second is None:
        return ""
    if first == second:
        return text("both-recommend", setting=first.name)
    return text("each-recommends", first=first.name, second=second.name)


def _recommended(verdict: Verdict) -> Setting | None:
    """Return the setting to use, if the answer names one without a condition or a price."""
    if verdict.decision is Decision.KEEP:
        return verdict.baseline
    return verdict.winner if verdict.decision is Decision.SWITCH else None


def _answer(id_: str, result: Result, verdict: Verdict) -> str:
    answer = verdict.answer
    return text(id_, title=result_title(result), answer=say(answer.action), why=say_all(answer.sentences))


def _shared(
    results: tuple[Result, Result], verdicts: tuple[Verdict, Verdict], left_out: Mapping[str, Message]
) -> Iterator[Shared]:
    """Yield what both measured, in the first's order."""
    first, second = (panels(result, verdict) for result, verdict in zip(results, verdicts, strict=True))
    others = {panel.metric.name: {row.setting: row for row in panel.rows} for panel in second}
    for panel in first:
        if panel.metric.name not in left_out:
            known = others.get(panel.metric.name, {})
            pairs = ((row, known[row.setting]) for row in panel.rows if row.setting in known)
            if rows := tuple(pair for pair in pairs if all(map(_is_measured, pair))):
                yield Shared(panel, rows)


def _is_measured(row: Row) -> bool:
    return row.typical is not None and math.isfinite(row.typical)


def _left_out(first: Result, second: Result) -> dict[str, Message]:
    reasons = {}
    for name, metric in first.metrics.items():
        other = second.metrics.get(name)
        if other is None:
            continue
        if (other.unit, other.better) != (metric.unit, metric.better):
            reasons[name] = message("other-unit", label=label_of(as_declared(metric)))
        elif metric.workload in OF_ONES_OWN:
            if not _same_program(first, second):
                reasons[name] = message("other-program", label=label_of(metric))
        elif _grows_with_size(metric) and not _same_size(first, second, metric.workload):
            reasons[name] = message("other-size", label=label_of(as_declared(metric)))
    return reasons


def _same_program(first: Result, second: Result) -> bool:
    """Whether both measured the same program of the user; its time limit does not matter."""
    programs = [program and replace(program, limit_s=1.0) for program in (first.own, second.own)]
    return programs[0] is not None and programs[0] == programs[1]


def _grows_with_size(metric: Metric) -> bool:
    """Whether a metric depends on the size of a run: total durations and counts do, rates and single waits do not."""
    return metric.name.endswith("wall_s") or metric.unit in COUNTED


def _same_size(first: Result, second: Result, workload: str) -> bool:
    """Whether both runs had the same size; results without sizes (from other programs, by hand) count as equal."""
    sizes = [_work(result.sizes.get(workload, {})) for result in (first, second) if result.sizes]
    return len(sizes) < 2 or sizes[0] == sizes[1]


def _work(size: Mapping[str, Any]) -> dict[str, int]:
    """Return the amounts of work, which are the integers; other values are durations and expectations."""
    return {name: n for name, n in size.items() if isinstance(n, int)}


def _differences(first: Result, second: Result) -> Iterator[tuple[str, str, str]]:
    for what, *facts in zip(DIFFERENCES, _facts(first), _facts(second), strict=True):
        old, new = map(_fact, facts)
        if old != new:
            yield named(what), old, new


def _facts(result: Result) -> tuple[str | int, ...]:
    """Return the facts named in ``DIFFERENCES``."""
    machine, filesystem, tunables = result.machine, result.filesystem, result.disk.get("tunables")
    shown = tunables if isinstance(tunables, Mapping) else {}
    return (
        result.disk_called("vendor", "model") or result.disk_called("name"),
        result.disk_called("serial"),
        machine.kernel,
        machine.os,
        machine.cpu,
        machine.memory_bytes,
        filesystem.fstype,
        ",".join(sorted(filesystem.options)),
        result.plan.baseline.name,
        result.plan.goal or "",
        text(f"state-{result.plan.state}"),
        str(shown.get("queue/read_ahead_kb", "")),
        str(shown.get("queue/nr_requests", "")),
        result.app_version,
    )


def _fact(fact: str | int) -> str:
    """Return a fact as text; numbers are bytes."""
    shown = size(fact, language().numbers) if isinstance(fact, int) and fact else str(fact or "")
    return shown or NOTHING
