# SPDX-License-Identifier: GPL-3.0-or-later
"""What one result file says of its disk's model: the differences of the verdict on it, each with its noise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from disktuner.fleet.plausible import check
from disktuner.results.model import BadResult, Result
from disktuner.verdict.analysis import errors_of
from disktuner.verdict.criteria import Criteria, criteria
from disktuner.verdict.table import Table
from disktuner.vocabulary.goals import GOALS, OWN

LONGEST_MODEL = 64
"""NVMe and ATA have room for 40 signs, SCSI for 16, bridges for a few more."""
MOST_COMPARED = 24

_BLANK = re.compile(r"(0x|eui\.|naa\.)?(.)\2*")
"""What a bridge says that has no serial number: one sign all over."""

_SERIES = re.compile(r"(\d{1,3})\.(\d{1,3})(?![\d])")

Difference = tuple[float, float]
"""The logarithm of a ratio to the baseline, and the variance of its noise."""


class Unfit(BadResult):
    """A sound result that says nothing of other machines with such a disk."""


@dataclass(frozen=True, slots=True)
class Run:
    """One comparison on one machine.

    ``file`` is its path below the folder that was read. ``disk`` says which disk it was, None where the file does not
    (serial number and WWN are left out of what is exported). ``first_round`` is the same for files that hold the same
    measurement, or one that was continued; ``samples`` is how many they hold. ``differences`` are by metric and
    scheduler, of what decides and of prices.
    """

    file: str
    id: str
    first_round: bytes
    samples: int
    disk: str | None
    model: str
    kernel: str
    goal: str
    baseline: str
    criteria: Criteria
    differences: Mapping[tuple[str, str], Difference]


def run_of(file: str, result: Result, now: datetime) -> Run:
    """Return what a result says. Raises ``BadResult`` that says why it says nothing."""
    plan = result.plan
    model, kernel = _model(result), _kernel(result)
    if plan.goal == OWN.id:
        raise Unfit("unfit-own")
    if plan.goal not in GOALS:
        raise Unfit("unfit-goal")
    if plan.tunes:
        raise Unfit("unfit-tuning")
    found, table = criteria(result), Table.of(result)
    check(result, table, found, now)
    return Run(
        file,
        result.id,
        _first_round(result),
        len(result.samples),
        _disk(result),
        model,
        kernel,
        plan.goal,
        plan.baseline,
        found,
        _differences(result, table, found),
    )


def _model(result: Result) -> str:
    found = result.disk.get("model")
    model = " ".join(found.split()) if isinstance(found, str) else ""
    if not model:
        raise Unfit("unfit-no-model")
    if len(model) > LONGEST_MODEL or not model.isprintable():
        raise Unfit("unfit-odd-model", most=LONGEST_MODEL)
    return model


def _kernel(result: Result) -> str:
    """The kernel's series (6.12): what a distribution keeps while it mends it, and what schedulers change with."""
    found = _SERIES.match(result.machine.kernel)
    if found is None:
        raise Unfit("unfit-kernel")
    return f"{int(found[1])}.{int(found[2])}"


def _disk(result: Result) -> str | None:
    for key in ("wwn", "serial"):
        value = result.disk.get(key)
        if isinstance(value, str) and len(value.strip()) > 3 and not _BLANK.fullmatch(value.strip()):
            return f"{key}:{value.strip().casefold()}"
    return None


def _first_round(result: Result) -> bytes:
    first = min((sample.round for sample in result.samples), default=0)
    rows = sorted(f"{s.metric}\0{s.scheduler}\0{s.value!r}" for s in result.samples if s.round == first)
    return sha256("\n".join(rows).encode("utf-8", "surrogatepass")).digest()


def _differences(result: Result, table: Table, found: Criteria) -> Mapping[tuple[str, str], Difference]:
    """Return the differences as the verdict on the result has them. Raises ``Unfit`` where there are none that count.

    What rests on less than two common rounds has no noise that is known, so it is left out.
    """
    baseline, measured = result.plan.baseline, dict.fromkeys(sample.scheduler for sample in result.samples)
    others = [name for name in dict.fromkeys((*result.plan.schedulers, *measured)) if name != baseline]
    counted = (*found.deciding, *found.prices)
    if not found.deciding:
        raise Unfit("nothing-decides", purpose=GOALS[result.plan.goal or ""].purpose)
    if baseline not in measured:
        raise Unfit("baseline-not-measured", baseline=baseline)
    if set(measured) == {baseline}:
        raise Unfit("only-baseline-measured", baseline=baseline)
    if len(others) > MOST_COMPARED:
        raise Unfit("unfit-many", most=MOST_COMPARED)
    errors = errors_of(result.metrics, list(counted), found, len(others))
    seen = table.compare_all({(metric, name, baseline): errors[metric] for metric in counted for name in others})
    differences = {
        (metric, name): (each.centre, each.deviation**2 / each.n)
        for (metric, name, _), each in seen.items()
        if each.centre is not None and each.deviation is not None
    }
    if not any(metric in found.deciding for metric, _ in differences):
        raise Unfit("unfit-few-rounds")
    return differences


def against(run: Run, result: Result, baseline: str, now: datetime) -> Run:
    """Return the same comparison with another baseline. Raises ``Unfit`` where that was not measured."""
    measured = {sample.scheduler for sample in result.samples}
    if baseline not in measured:
        raise Unfit("unfit-baseline", own=run.baseline, baseline=baseline)
    other = replace(result, plan=replace(result.plan, baseline=baseline))
    return run_of(run.file, other, now)
