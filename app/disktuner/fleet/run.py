# SPDX-License-Identifier: GPL-3.0-or-later
"""What one result file says of its disk's model: what each setting gains there for the goal, with its noise."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from disktuner.fleet.plausible import check
from disktuner.results.model import BadResult, Result
from disktuner.verdict.evidence import Effects, effects_of
from disktuner.verdict.levels import Levels
from disktuner.vocabulary.goals import FELT, GOALS, OWN
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import Setting

LONGEST_MODEL = 64
"""NVMe and ATA have room for 40 signs, SCSI for 16, bridges for a few more."""
MOST_COMPARED = 24

_BLANK = re.compile(r"(0x|eui\.|naa\.)?(.)\2*")
"""What a bridge says that has no serial number: one sign all over."""

_SERIES = re.compile(r"(\d{1,3})\.(\d{1,3})(?![\d])")

Key = tuple[str, str, str]
"""The disk's model, the kernel's series (6.12) and the goal: what is alike is pooled."""


@dataclass(frozen=True, slots=True)
class Run:
    """One comparison on one machine.

    ``file`` is its path below the folder that was read. ``disk`` says which disk it was, None where the file does not.
    ``first_round`` is the same for files that hold the same measurement, or one that was continued, of which this has
    so many ``samples``. ``question`` is what the goal asks today of what was measured; ``effects`` are about that.
    """

    file: str
    id: str
    key: Key
    baseline: Setting
    disk: str | None
    first_round: bytes
    samples: int
    question: Question
    effects: Effects


def run_of(file: str, result: Result, now: datetime) -> Run:
    """Return what a result says. Raises ``BadResult`` that says why it says nothing."""
    plan = result.plan
    model, kernel = _model(result), _kernel(result)
    if plan.goal == OWN.id:
        raise BadResult("unfit-own")
    if plan.goal == FELT.id:
        raise BadResult("unfit-felt")
    if plan.goal not in GOALS:
        raise BadResult("unfit-goal")
    if plan.tunes:
        raise BadResult("unfit-tuning")
    question, levels = replace(result, plan=replace(plan, question=None)).question, Levels.of(result)
    check(result, levels, question, now)
    effects = _effects(result, levels, question)
    key, size = (model, kernel, plan.goal), len(result.samples)
    return Run(file, result.id, key, plan.baseline, _disk(result), _first_round(result), size, question, effects)


def _model(result: Result) -> str:
    found = result.disk.get("model")
    model = " ".join(found.split()) if isinstance(found, str) else ""
    if not model:
        raise BadResult("unfit-no-model")
    if len(model) > LONGEST_MODEL or not model.isprintable():
        raise BadResult("unfit-odd-model", most=LONGEST_MODEL)
    return model


def _kernel(result: Result) -> str:
    """The kernel's series (6.12): what a distribution keeps while it mends it, and what schedulers change with."""
    found = _SERIES.match(result.machine.kernel)
    if found is None:
        raise BadResult("unfit-kernel")
    return f"{int(found[1])}.{int(found[2])}"


def _disk(result: Result) -> str | None:
    for key in ("wwn", "serial"):
        value = result.disk.get(key)
        if isinstance(value, str) and len(value.strip()) > 3 and not _BLANK.fullmatch(value.strip()):
            return f"{key}:{value.strip().casefold()}"
    return None


def _first_round(result: Result) -> bytes:
    first = min((sample.round for sample in result.samples), default=0)
    rows = sorted(f"{s.metric}\0{s.setting.name}\0{s.value!r}" for s in result.samples if s.round == first)
    return sha256("\n".join(rows).encode("utf-8", "surrogatepass")).digest()


def _effects(result: Result, levels: Levels, question: Question) -> Effects:
    """Return what settings gain as the verdict on the result has it. Raises ``BadResult`` where nothing counts.

    Of less than two common rounds the noise is only assumed, so that is left out.
    """
    baseline, measured = result.plan.baseline, {sample.setting for sample in result.samples}
    if not question.parts:
        raise BadResult("nothing-decides", purpose=GOALS[result.plan.goal or ""].purpose)
    if baseline not in measured:
        raise BadResult("baseline-not-measured", baseline=baseline.name)
    if measured == {baseline}:
        raise BadResult("only-baseline-measured", baseline=baseline.name)
    if len(measured) > MOST_COMPARED:
        raise BadResult("unfit-many", most=MOST_COMPARED)
    found = {
        metric: {setting: effect for setting, effect in by_setting.items() if effect.n > 1}
        for metric, by_setting in effects_of(levels, question, baseline).items()
    }
    if not any(found[metric] for metric in question.deciding):
        raise BadResult("unfit-few-rounds")
    return found


def against(run: Run, result: Result, baseline: Setting, now: datetime) -> Run:
    """Return the same comparison with another baseline. Raises ``BadResult`` where that was not measured."""
    measured = {sample.setting for sample in result.samples}
    if baseline not in measured:
        raise BadResult("unfit-baseline", own=run.baseline.name, baseline=baseline.name)
    other = replace(result, plan=replace(result.plan, baseline=baseline))
    return run_of(run.file, other, now)
