# SPDX-License-Identifier: GPL-3.0-or-later
"""A tuning as people see it: its answer, and why each setting was tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.verdict.making import LAUNCH, WRITE, made

from disktuner.presentation import present
from disktuner.results.model import Result
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.settings import setting_of

PLAIN = "bfq"
BOTH = "mq-deadline:read_expire=100,writes_starved=8"
NAMES = (
    PLAIN,
    "bfq:timeout_sync=40",
    "bfq:slice_idle=20",
    "bfq:slice_idle=0",
    "bfq:queue/read_ahead_kb=16",
    "mq-deadline:fifo_batch=1",
    BOTH,
)
HAD: Mapping[str, Any] = {"scheduler": "mq-deadline", "rotational": True, "tunables": {"queue/read_ahead_kb": 128}}


def tuning(gains: Mapping[str, float], names: tuple[str, ...] = NAMES, deviation: float = 0.02, **disk: Any) -> Result:
    """A tuning whose settings take a share of the baseline's time; the price is that of the plain winner."""
    effects = {(LAUNCH, name): 1 / gain for name, gain in gains.items()}
    return as_tuning(made(effects, deviation, schedulers=names, metrics=(LAUNCH, WRITE)), **disk)


def as_tuning(result: Result, **disk: Any) -> Result:
    """The result as one of a tuning, of a disk that had something else unless ``disk`` says otherwise."""
    return replace(result, plan=replace(result.plan, tunes=True), disk={**result.disk, **HAD, **disk})


def test_the_answer_of_a_tuning_is_its_setting() -> None:
    presented = present(tuning({"bfq:slice_idle=0": 1.8}))
    assert presented.verdict.decision is Decision.SWITCH and presented.candidate == setting_of("bfq:slice_idle=0")
    assert presented.title == "Switch to “bfq, slice_idle 0”"


@pytest.mark.parametrize(
    ("setting", "title", "candidate", "now", "words"),
    [
        ({"scheduler": "bfq"}, "Keep bfq untuned", None, "now: bfq", "now"),
        ({}, "Take bfq untuned", "bfq", "now: mq-deadline", "untuned"),
        ({"scheduler": None}, "Keep bfq untuned", None, "now: bfq", "now"),
    ],
)
def test_only_what_the_disk_had_is_said_to_be_there_and_can_be_kept(
    setting: Mapping[str, Any], title: str, candidate: str | None, now: str, words: str
) -> None:
    presented = present(tuning({}, **setting))
    assert presented.verdict.decision is Decision.KEEP
    assert (presented.title, presented.candidate and presented.candidate.name) == (title, candidate)
    assert (presented.heading.now, presented.panels[0].rows[0].words) == (now, words)


DEAR = {(LAUNCH, "bfq:slice_idle=0"): 1 / 3, (LAUNCH, BOTH): 1 / 1.6, (WRITE, "bfq:slice_idle=0"): 0.3}


@pytest.mark.parametrize(
    ("result", "name", "rounds", "left_out"),
    [
        (tuning({BOTH: 0.5, "bfq:slice_idle=0": 1.8}), BOTH, 2, True),
        (tuning({"bfq:slice_idle=0": 1.8, "bfq:slice_idle=20": 1.75}, deviation=0.05), "bfq:slice_idle=20", 7, False),
        (as_tuning(made(DEAR, schedulers=NAMES, metrics=(LAUNCH, WRITE))), "bfq:slice_idle=0", 3, False),
    ],
    ids=["behind", "cut off in a round", "too dear"],
)
def test_only_what_was_behind_was_dropped_for_that(result: Result, name: str, rounds: int, left_out: bool) -> None:
    samples = tuple(sample for sample in result.samples if sample.setting.name != name or sample.round < rounds)
    presented = present(replace(result, samples=samples))
    assert ("Dropped early" in presented.why) is left_out
    assert any(tried.left_out for tried in presented.tried) is left_out


def test_what_ran_in_vain_was_not_dropped() -> None:
    result = tuning({})
    vain = (replace(sample, valid=sample.setting.name != BOTH or sample.round != 3) for sample in result.samples)
    assert "Dropped early" not in present(replace(result, samples=tuple(vain))).why
