# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables are checked when loaded, and the goals' rules that follow from them are the intended ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from disktuner.vocabulary import kinds
from disktuner.vocabulary.checks import Check, Severity, Shown
from disktuner.vocabulary.goals import GOALS, Goal
from disktuner.vocabulary.metrics import Metric, higher, lower
from disktuner.vocabulary.schedulers import Mark
from disktuner.vocabulary.tables import table
from disktuner.vocabulary.tunables import Tunable
from disktuner.vocabulary.tuning import Candidate
from disktuner.vocabulary.workloads import (
    Duty,
    Role,
    WorkloadFacts,
    deciders,
    decides,
    deciding,
    fallback,
    price_list,
    prices,
)

SLICE_IDLE = "iosched/slice_idle"


def toy(
    id_: str = "toy",
    metrics: tuple[Metric, ...] = (higher("plays_per_s", "per_s", "Plays"),),
    deciding_: str = "plays_per_s",
    roles: tuple[Role, ...] = (),
) -> WorkloadFacts:
    return WorkloadFacts(id_, "Plays", "playing", "games", "toy", "toys", metrics, deciding_, roles, "a shop")


def check(severity: Severity, shown: Shown | None, *by_hand: str) -> Check:
    return Check("made-up", severity, "queue/read_ahead_kb", (kinds.HDD,), "nowhere", shown, by_hand)


def candidate(tunables: dict[str, int], reason: str = "Because.") -> Candidate:
    return Candidate("bfq", tunables, ("copying",), None, reason, "somewhere")


@pytest.mark.parametrize(
    ("measured", "decide", "stood_in"),
    [
        (("launch-office", "read-latency-under-writes"), ("launch-office", "read-latency-under-writes"), False),
        (("launch-office",), ("launch-office",), False),
        (("unpack", "launch-under-reads", "copy"), ("launch-under-reads", "unpack"), True),
        (("copy",), (), False),
    ],
)  # fmt: skip
def test_what_stands_in_decides_where_nothing_else_was_measured(
    measured: tuple[str, ...], decide: tuple[str, ...], stood_in: bool
) -> None:
    deciding = deciders("desktop", measured)
    assert (tuple(deciding.workloads), deciding.is_fallback) == (decide, stood_in)


def test_every_goal_has_a_workload_that_decides() -> None:
    assert all(map(deciding, GOALS))


def test_the_start_of_a_program_decides_or_is_a_price_wherever_programs_are_started_from() -> None:
    for goal in GOALS.keys() - {"removable"}:
        prices_ = {price.workload for price in price_list(goal)}
        assert "launch-office" in prices_ | set(deciding(goal))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: table(toy(), toy()),
        lambda: toy(deciding_="nothing"),
        lambda: toy(metrics=()),
        lambda: toy(metrics=(lower("a_s", "s", "A"), lower("a_s", "s", "B")), deciding_="a_s"),
        lambda: toy(roles=(prices("server", 0.5, metric="nothing_s"),)),
        lambda: decides("no-such-goal"),
        lambda: fallback(""),
        lambda: prices("server", 1.0),
        lambda: Role("server", Duty.DECIDES, may_lose=0.1),
        lambda: Goal("goal", "", "", "", "", "", 1.0, ""),
        lambda: Tunable(None, "queue/../a", 0, 1, "", None, "It trades."),
        lambda: Tunable(None, "iosched/a", 0, 1, "", None, "It trades."),
        lambda: Tunable(None, "queue/a", 2, 1, "", None, "It trades."),
        lambda: Mark("blue", "#000000", "s"),
        lambda: Shown("copying", ("no-such-workload",)),
        lambda: Shown("copying", ("launch-office", "copy-contended")),
        lambda: check(Severity.CAUTION, None),
        lambda: check(Severity.BAD, Shown("copying", ("copy-contended",))),
        lambda: check(Severity.BAD, None, "rm {model}"),
        lambda: candidate({}),
        lambda: candidate({SLICE_IDLE: 8}),
        lambda: candidate({SLICE_IDLE: 0}, reason="No full stop"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(wrong: Callable[[], object]) -> None:
    assert check(Severity.BAD, None, "echo {expected} >/sys/block/{disk}/{setting}") and candidate({SLICE_IDLE: 0})
    with pytest.raises(ValueError):
        wrong()
