# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of all kinds: those of this repository, and drawn ones for each answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.unit.presentation.test_tried import NAMES, tuning
from tests.unit.verdict.making import COPY, FOUR, LAUNCH, METRICS, READ, WRITE, WRITER, made

from disktuner.results.codec import load
from disktuner.results.definition import Definition
from disktuner.results.model import Result
from disktuner.vocabulary.goals import OWN
from disktuner.vocabulary.messages import literal

CHECKOUT = Path(__file__).parents[3]
LONG = "mq-deadline:read_expire=100,writes_starved=8,fifo_batch=1"


def measured() -> dict[str, Result]:
    """Those that lie here as files."""
    folders = (CHECKOUT / "docs" / "measured", CHECKOUT / "tests" / "data" / "results")
    return {path.name: load(path) for folder in folders for path in sorted(folder.glob("*.json"))}


def _own() -> Result:
    command = "make -j8 -C /home/jana/src/linux all modules"
    metric = replace(METRICS[LAUNCH], name="own-command.wall_s", label="a command", said=literal(command))
    found = made({(LAUNCH, "bfq"): 0.5}, metrics=(LAUNCH,), goal=OWN.id)
    samples = tuple(replace(each, metric=metric.name) for each in found.samples)
    return replace(found, metrics={metric.name: metric}, samples=samples, own=Definition(command))


def drawn() -> dict[str, Result]:
    """One of each kind, with the truth that leads to it."""
    two, both = (LAUNCH, READ), (LAUNCH, WRITER, WRITE, COPY)
    many = (*NAMES, *(f"bfq:slice_idle={value}" for value in (1, 2, 3, 4, 5, 6)))
    raid = made({(LAUNCH, "bfq"): 0.3})
    cut = made({(LAUNCH, "bfq"): 0.3}, done=3)
    slow = made({(LAUNCH, "bfq"): 0.3, (LAUNCH, "kyber"): 4.0})
    return {
        "switch": made({(LAUNCH, "bfq"): 0.31, (COPY, "bfq"): 1.2, (WRITER, "bfq"): 0.2}, metrics=both),
        "switch to none": made({(LAUNCH, "none"): 0.9, (LAUNCH, "kyber"): 0.7}, metrics=both, goal="copying"),
        "switch by a score": made({(LAUNCH, "bfq"): 0.7, (READ, "bfq"): 0.1}, 0.3, metrics=two),
        "far more": made({(LAUNCH, "bfq"): 0.01}, metrics=both),
        "a wide interval": made({(LAUNCH, "bfq"): 0.05}, 1.2, 6, metrics=both),
        "conditional": made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75}, 0.15, 3),
        "trade-off": made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.2, (COPY, "bfq"): 7.0}, metrics=both),
        "trade-off within": made({(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 1.9}, metrics=two),
        "keep": made({(LAUNCH, name): 1.5 for name in FOUR[1:]}, 0.04, 12),
        "keep, all alike": made({}, 0.005),
        "keep of several": made({(LAUNCH, "bfq"): 1.5, (READ, "none"): 1.4}, metrics=two),
        "undecided": made({(LAUNCH, "bfq"): 0.75, (LAUNCH, "none"): 2.5}, 0.2, 5, seed=6),
        "undecided, nobody leads": made({}, 0.6, 3),
        "undecided of several": made({(LAUNCH, "bfq"): 0.7}, 0.5, 4, metrics=two),
        "nothing valid": replace(raid, samples=tuple(replace(each, valid=False) for each in raid.samples)),
        "nothing measured": made({}, done=0),
        "cut off": replace(cut, finished=False),
        "one setting": made({}, schedulers=FOUR[:1]),
        "one round": made({(LAUNCH, "bfq"): 0.3}, done=1),
        "two alike": made({(LAUNCH, "bfq"): 0.5, (LAUNCH, "kyber"): 0.5}),
        "far worse": made({(LAUNCH, name): 40.0 for name in FOUR[1:]}),
        "one left early": replace(
            slow, samples=tuple(each for each in slow.samples if each.setting.name != "kyber" or each.round < 2)
        ),
        "copies, while programs start late": made(
            {(COPY, "none"): 0.5, (LAUNCH, "none"): 7.0}, metrics=both, goal="copying"
        ),
        "a price in all rounds alike": made({(LAUNCH, "bfq"): 0.8, (WRITER, "bfq"): 0.2}, metrics=both),
        "two conditions": made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75, (COPY, "bfq"): 1.3}, 0.2, 3, metrics=both),
        "tuned": tuning({"bfq:slice_idle=0": 1.8, LONG: 0.5}, (*NAMES, LONG)),
        "tuned for nothing": tuning({}),
        "tuned, many": tuning({each: 1 + at / 9 for at, each in enumerate(many)}, many),
        "own command": _own(),
        "several disks": replace(raid, disks=("sda", "sdb", "sdc", "sdd")),
        "without a goal": made({(LAUNCH, "bfq"): 0.5}, goal=None),
        **{f"for {goal}": made({(WRITE, "kyber"): 1.3}, goal=goal) for goal in ("database", "media", "server")},
    }


def every() -> Mapping[str, Result]:
    """All of them by name."""
    return measured() | drawn()
