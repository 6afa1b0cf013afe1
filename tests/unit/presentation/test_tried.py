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
    result = made(effects, deviation, schedulers=names, metrics=(LAUNCH, WRITE))
    return replace(result, plan=replace(result.plan, tunes=True), disk={**result.disk, **HAD, **disk})


def test_the_answer_of_a_tuning_is_its_setting() -> None:
    presented = present(tuning({"bfq:slice_idle=0": 1.8}))
    assert presented.verdict.decision is Decision.SWITCH and presented.candidate == setting_of("bfq:slice_idle=0")
    assert presented.title == "Switch to “bfq, slice_idle 0”"


@pytest.mark.parametrize(
    ("setting", "title", "candidate"),
    [
        ({"scheduler": "bfq"}, "Keep bfq untuned", None),
        ({}, "Take bfq untuned", "bfq"),
        ({"scheduler": None}, "Keep bfq untuned", None),
    ],
)
def test_only_what_the_disk_had_can_be_kept(setting: Mapping[str, Any], title: str, candidate: str | None) -> None:
    presented = present(tuning({}, **setting))
    assert presented.verdict.decision is Decision.KEEP
    assert (presented.title, presented.candidate and presented.candidate.name) == (title, candidate)
