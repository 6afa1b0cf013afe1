# SPDX-License-Identifier: GPL-3.0-or-later
"""A tuning as people see it: its answer, why each setting was tried, and tunables over their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.verdict.making import LAUNCH, WRITE, made

from disktuner.presentation import headline, present
from disktuner.results.model import Result
from disktuner.verdict.model import Decision
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
    """Settings of which some take a share of the time; the price is that of the plain winner."""
    effects = {(LAUNCH, name): 1 / gain for name, gain in gains.items()}
    found = made(effects, deviation, schedulers=names, metrics=(LAUNCH, WRITE))
    return replace(found, plan=replace(found.plan, tunes=True), disk={**found.disk, **HAD, **disk})


def test_the_answer_of_a_tuning_is_its_setting() -> None:
    shown = present(tuning({"bfq:slice_idle=0": 1.8}))
    assert shown.verdict.decision is Decision.SWITCH and shown.candidate == setting_of("bfq:slice_idle=0")
    assert shown.title == "Switch to “bfq, slice_idle 0”"


@pytest.mark.parametrize(
    ("had", "title", "said", "candidate"),
    [
        ({"scheduler": "bfq"}, "Fine-tuning gains less than it is worth here: keep bfq", "Keep bfq.", None),
        ({}, "Fine-tuning gains less than it is worth here: take bfq as it is", "Take bfq as it is.", "bfq"),
        ({"scheduler": None}, "Fine-tuning gains less than it is worth here: keep bfq", "Keep bfq.", None),
    ],
)
def test_only_what_the_disk_had_can_be_kept(
    had: Mapping[str, Any], title: str, said: str, candidate: str | None
) -> None:
    shown = present(tuning({}, **had))
    assert shown.verdict.decision is Decision.KEEP
    assert (shown.title, shown.candidate and shown.candidate.name) == (title, candidate)
    assert said in shown.why and said in headline(shown.verdict)


def test_a_tunable_stands_over_its_values_in_order_with_what_is_tuned_among_them() -> None:
    graphs = present(tuning({})).graphs
    assert graphs is not None
    shown = next(each for each in graphs.graphs if each.lines == ("bfq", "slice_idle"))
    assert [value.lines for value in shown.values] == [("0 ms",), ("8 ms",), ("20 ms",)]
    assert [value.is_plain for value in shown.values] == [False, True, False] and shown.first == 0
    assert [shown.at(number) for number in range(3)] == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    assert shown.trade.startswith("How long the disk waits")
