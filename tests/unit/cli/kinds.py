# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of all kinds: those in this repository, and drawn ones for each answer."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.unit.comparison.test_target import DISK
from tests.unit.presentation.test_tried import NAMES, tuning
from tests.unit.verdict.making import COPY, DONE, FAST, FOUR, GAP, LAUNCH, METRICS, READ, SAFE, WRITE, WRITER, made
from tests.unit.verdict.test_removable import COMPARED, DEAR, FREE

from disktuner.results.codec import load
from disktuner.results.definition import Definition
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.goals import FELT, GOALS, OWN
from disktuner.vocabulary.messages import literal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS, deciding, metrics_of
from disktuner_watch.field.saved import empty_result

CHECKOUT = Path(__file__).parents[3]
LONG = "mq-deadline:read_expire=100,writes_starved=8,fifo_batch=1"


def measured() -> dict[str, Result]:
    """The results stored in this repository."""
    folders = (CHECKOUT / "docs" / "measured", CHECKOUT / "tests" / "data" / "results")
    return {path.name: load(path) for folder in folders for path in sorted(folder.glob("*.json"))}


def _of(metric: Metric, effect: float, goal: str, **about: Any) -> Result:
    """A result about a single figure, which bfq changes by ``factor``."""
    result = made({(LAUNCH, "bfq"): effect}, metrics=(LAUNCH,), goal=goal)
    samples = tuple(replace(sample, metric=metric.name) for sample in result.samples)
    plan = replace(result.plan, question=question_for(goal, [metric]))
    return replace(result, plan=plan, metrics={metric.name: metric}, samples=samples, **about)


def _own_command() -> Result:
    command = "make -j8 -C /home/jana/src/linux all modules"
    metric = replace(METRICS[LAUNCH], name="own-command.wall_s", label="a command", said=literal(command))
    return _of(metric, 0.5, OWN.id, own=Definition(command))


def _felt() -> Result:
    metric = metrics_of(WORKLOADS["use-elsewhere"])["use-elsewhere.wall_s"]
    return _of(metric, 0.4, FELT.id)


def _daily_use(effect: float) -> Result:
    """A trial in daily use: twelve pairs of blocks."""
    empty, chance = empty_result(DISK, (Setting("none"), Setting("bfq")), seed=5), random.Random(3)
    samples = tuple(
        Sample(metric, setting, pair, 2 * pair + at, (30.0, 30.0 * effect)[at] * math.exp(chance.gauss(0, 0.1)))
        for pair in range(12)
        for at, setting in enumerate(empty.plan.settings)
        for metric in empty.metrics
    )
    return replace(empty, samples=samples)


HALF_A_MILLISECOND = {(LAUNCH, "bfq"): 0.92, (READ, "bfq"): 0.18, (WRITER, "bfq"): 0.3}


def _felt_or_not() -> dict[str, Result]:
    """One effect that people feel, and one that they do not."""
    all_, few = (LAUNCH, READ, WRITER, COPY), {LAUNCH: 0.59, READ: 0.069, COPY: 1.0}
    return {
        "nothing to feel": made({}, 0.1, 5, metrics=all_, now=FAST),
        "half a millisecond": made(HALF_A_MILLISECOND, 0.1, 5, metrics=all_, now=FAST),
        "half a millisecond, for a server": made(HALF_A_MILLISECOND, 0.1, 8, metrics=all_, goal="server", now=FAST),
        "reads gain alone": made({(READ, "bfq"): 0.06}, 0.15, 5, metrics=(LAUNCH, READ, COPY), now=few),
        "only the mean": made({(LAUNCH, "bfq"): 0.7, (READ, "bfq"): 0.5}, 0.35, 9, metrics=all_, now=few, seed=4),
    }


def of_others(goal: str, gain: float = 3.0) -> Result:
    """What another program measured for a goal, or claimed to; only what decides."""
    facts = WORKLOADS[next(iter(deciding(goal)))]
    metric = metrics_of(facts)[f"{facts.id}.{facts.deciding}"]
    factor = 1 / gain if metric.better is Better.LOWER else gain
    result = _of(metric, factor, goal)
    return replace(result, plan=replace(result.plan, question=None, workloads=(facts.id,)))


def drawn() -> dict[str, Result]:
    """A drawn result of each kind, with the truth behind it."""
    two, metrics = (LAUNCH, READ), (LAUNCH, WRITER, WRITE, COPY)
    many = (*NAMES, *(f"bfq:slice_idle={value}" for value in (1, 2, 3, 4, 5, 6)))
    raid = made({(LAUNCH, "bfq"): 0.3})
    cut = made({(LAUNCH, "bfq"): 0.3}, done=3)
    slow = made({(LAUNCH, "bfq"): 0.3, (LAUNCH, "kyber"): 4.0})
    return {
        "switch": made({(LAUNCH, "bfq"): 0.31, (COPY, "bfq"): 1.2, (WRITER, "bfq"): 0.2}, metrics=metrics),
        "switch to none": made({(LAUNCH, "none"): 0.9, (LAUNCH, "kyber"): 0.7}, metrics=metrics, goal="copying"),
        "switch by a score": made({(LAUNCH, "bfq"): 0.7, (READ, "bfq"): 0.1}, 0.3, metrics=two),
        "far more": made({(LAUNCH, "bfq"): 0.01}, metrics=metrics),
        "a wide interval": made({(LAUNCH, "bfq"): 0.05}, 1.2, 6, metrics=metrics),
        "conditional": made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75}, 0.15, 3),
        "trade-off": made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.2, (COPY, "bfq"): 7.0}, metrics=metrics),
        "trade-off within": made({(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 1.9}, metrics=two),
        "keep": made({(LAUNCH, name): 1.5 for name in FOUR[1:]}, 0.04, 12),
        "keep, all alike": made({}, 0.005),
        "keep of several": made({(LAUNCH, "bfq"): 1.5, (READ, "none"): 1.4}, metrics=two),
        "undecided": made({(LAUNCH, "bfq"): 0.75, (LAUNCH, "none"): 2.5}, 0.2, 5, seed=6),
        "undecided, nobody leads": made({}, 0.6, 3),
        "undecided of several": made({(LAUNCH, "bfq"): 0.7}, 0.5, 4, metrics=two),
        "nothing valid": replace(raid, samples=tuple(replace(sample, valid=False) for sample in raid.samples)),
        "nothing measured": made({}, done=0),
        "cut off": replace(cut, finished=False),
        "one setting": made({}, schedulers=FOUR[:1]),
        "one round": made({(LAUNCH, "bfq"): 0.3}, done=1),
        "two alike": made({(LAUNCH, "bfq"): 0.5, (LAUNCH, "kyber"): 0.5}),
        "far worse": made({(LAUNCH, name): 40.0 for name in FOUR[1:]}),
        "one left early": replace(
            slow, samples=tuple(sample for sample in slow.samples if sample.setting.name != "kyber" or sample.round < 2)
        ),
        "one not measured": replace(
            slow, samples=tuple(sample for sample in slow.samples if sample.setting.name != "kyber")
        ),
        "copies, while programs start late": made(
            {(COPY, "none"): 0.5, (LAUNCH, "none"): 7.0}, metrics=metrics, goal="copying"
        ),
        "a price in all rounds alike": made({(LAUNCH, "bfq"): 0.8, (WRITER, "bfq"): 0.2}, metrics=metrics),
        "two conditions": made(
            {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75, (COPY, "bfq"): 1.3}, 0.2, 3, metrics=metrics
        ),
        "tuned": tuning({"bfq:slice_idle=0": 1.8, LONG: 0.5}, (*NAMES, LONG)),
        "tuned for nothing": tuning({}),
        "tuned, many": tuning({name: 1 + at / 9 for at, name in enumerate(many)}, many),
        "own command": _own_command(),
        "removable": made(FREE, 0.02, 3, None, (GAP, SAFE, DONE), COMPARED, "removable"),
        "removable, a trade-off": made(DEAR, 0.02, 4, None, (GAP, SAFE, DONE), COMPARED, "removable"),
        "felt on another disk": _felt(),
        "daily use": _daily_use(0.4),
        "daily use, undecided": _daily_use(0.97),
        "several disks": replace(raid, disks=("sda", "sdb", "sdc", "sdd")),
        "without a goal": made({(LAUNCH, "bfq"): 0.5}, goal=None),
        **{f"for {goal}": made({(WRITE, "kyber"): 1.3}, goal=goal) for goal in ("database", "media", "server")},
        **_felt_or_not(),
        **{f"of others, for {goal}": of_others(goal) for goal in GOALS},
    }


def every() -> Mapping[str, Result]:
    """All of them by name."""
    return measured() | drawn()
