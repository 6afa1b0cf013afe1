# SPDX-License-Identifier: GPL-3.0-or-later
"""What one result file says about its disk's model: each setting's gain for the goal, with its noise."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from disktuner.results.model import BadResult, Result
from disktuner.verdict.evidence import Effects, effects_of
from disktuner.verdict.levels import Levels
from disktuner.vocabulary.goals import FELT, GOALS, OWN
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState
from disktuner_fleet.plausible import check

LONGEST_MODEL = 64
"""NVMe and ATA have room for 40 characters, SCSI for 16, bridges for a few more."""
MOST_COMPARED = 24

_BLANK = re.compile(r"(0x|eui\.|naa\.)?(.)\2*")
"""The serial number of a bridge without one: one character repeated."""

_SERIES = re.compile(r"(\d{1,3})\.(\d{1,3})(?![\d])")

Key = tuple[str, str, str]
"""The disk's model, the kernel's series (6.12) and the goal; runs with the same key are pooled."""


@dataclass(frozen=True, slots=True)
class Run:
    """One comparison on one machine.

    ``file`` is its path below the folder that was read. ``disk`` identifies the disk, None if the file does not.
    ``first_round`` is a digest that copies and continuations of a measurement share; ``samples`` tells them apart.
    ``question`` is the goal's current question about what was measured; ``effects`` answer it. ``of_several_disks``:
    they were measured together, such as those of a RAID.
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
    of_several_disks: bool


def run_of(file: str, result: Result, now: datetime) -> Run:
    """Return the run of a result. Raises ``BadResult``, saying why, if it cannot count."""
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
    if plan.state is not DiskState.RESTED:
        raise BadResult("unfit-exhausted")
    question, levels = replace(result, plan=replace(plan, question=None)).question, Levels.of(result)
    check(result, levels, question, now)
    effects = _effects(result, levels, question)
    key, size, several = (model, kernel, plan.goal), len(result.samples), len(result.disks) > 1
    first = _first_round(result)
    return Run(file, result.id, key, plan.baseline, _disk(result), first, size, question, effects, several)


def _model(result: Result) -> str:
    text = result.disk.get("model")
    model = text.strip() if isinstance(text, str) else ""
    if not model:
        raise BadResult("unfit-no-model")
    if len(model) > LONGEST_MODEL or not model.isprintable():
        raise BadResult("unfit-odd-model", most=LONGEST_MODEL)
    return model


def _kernel(result: Result) -> str:
    """The kernel's series (6.12): distributions keep it through updates, and schedulers change with it."""
    match = _SERIES.match(result.machine.kernel)
    if match is None:
        raise BadResult("unfit-kernel")
    return f"{int(match[1])}.{int(match[2])}"


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
    """Return the settings' gains as in the result's verdict. Raises ``BadResult`` if nothing counts.

    Fewer than two common rounds are left out, since their noise is only assumed.
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
    effects = {
        metric: {setting: effect for setting, effect in by_setting.items() if effect.n > 1}
        for metric, by_setting in effects_of(levels, question, baseline).items()
    }
    if not any(effects[metric] for metric in question.deciding):
        raise BadResult("unfit-few-rounds")
    return effects


def against(run: Run, result: Result, baseline: Setting, now: datetime) -> Run:
    """Return the same comparison with another baseline. Raises ``BadResult`` if that was not measured."""
    measured = {sample.setting for sample in result.samples}
    if baseline not in measured:
        raise BadResult("unfit-baseline", own=run.baseline.name, baseline=baseline.name)
    other = replace(result, plan=replace(result.plan, baseline=baseline))
    return run_of(run.file, other, now)
