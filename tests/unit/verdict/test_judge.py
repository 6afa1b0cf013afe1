# SPDX-License-Identifier: GPL-3.0-or-later
"""From samples to a decision and why: winners, prices, ties, and what cannot be decided."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.verdict.making import FOUR, LAUNCH, READ, WRITE, WRITER, made

from disktuner.report.documents import verdict_document
from disktuner.results.codec import decode, encode, load
from disktuner.results.model import Sample
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, Outcome, Verdict
from disktuner.vocabulary.messages import say_all

DATA = Path(__file__).parents[2] / "data" / "results"


def ids(verdict: Verdict) -> list[str]:
    """What it says, whatever the words."""
    return [sentence.id for sentence in verdict.why]


def of_all(value: float) -> dict[tuple[str, str], float]:
    """The effect on all but the baseline."""
    return {(LAUNCH, name): value for name in FOUR[1:]}


LAUNCH_ALONE = {"metrics": (LAUNCH,), "done": 12, "deviation": 0.04, "seed": 3}
# What was measured: the decision, the winner, what it says by ids, and words that are in it.
ANSWERS: dict[str, tuple[dict[str, Any], Decision, str | None, list[str], list[str]]] = {
    "a winner with its price": (
        {"effects": {(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.4, (WRITE, "bfq"): 0.8}},
        Decision.SWITCH, "bfq", ["winner-gains", "price", "price"],
        [r"^bfq is 5.1× faster for starting programs while files are written \(95 % sure: 4.9× to 5.3×",
         r"slower for writing one big file\.", r"slower for “Write throughput while a program starts”\."],
    ),
    "a winner that costs too much": (
        {"effects": {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.3}, "deviation": 0.005, "done": 12},
        Decision.TRADE_OFF, "bfq", ["winner-gains", "price-beyond", "your-call"],
        [r"3\.3× slower for writing one big file, beyond what this goal tolerates \(50 % slower\)\.",
         r"take bfq if the gain matters more to you, else keep mq-deadline\.$"],
    ),
    "two that gain, of which the better is taken": (
        {"effects": {(LAUNCH, "kyber"): 0.6, (LAUNCH, "bfq"): 0.3}}, Decision.SWITCH, "bfq", ["winner-gains"], [],
    ),
    "equals, of which the simplest is taken": (
        {"effects": of_all(0.5)}, Decision.SWITCH, "none", ["winner-gains", "simplest-of-equals"],
        ["^“none” is 2× faster"],
    ),
    "no difference": (
        {"effects": {}, "deviation": 0.005}, Decision.KEEP, None, ["no-practical-difference", "keep-it"],
        [r": all are within 5 %\. Keep mq-deadline\.$"],
    ),
    "only losses": (
        {"effects": of_all(1.5), **LAUNCH_ALONE}, Decision.KEEP, None, ["nothing-better", "are-worse", "keep-it"], [],
    ),
    "too few runs": (
        {"effects": {}, "deviation": 0.04, "done": 4}, Decision.UNDECIDED, None,
        ["no-more-than", "more-rounds-in-time"], [r"\d+ more rounds \("],
    ),
    "six rounds that agree on it": (
        {"effects": {(LAUNCH, "bfq"): 0.8}, "deviation": 0.002, "done": 6}, Decision.SWITCH, "bfq",
        ["winner-gains"], [],
    ),
    "one metric alone, whatever the goal": (
        {"effects": {(WRITE, "bfq"): 2.0}, "metrics": (WRITE,), "goal": "strange"}, Decision.SWITCH, "bfq",
        ["winner-gains"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_the_answer_and_its_reasons_follow_from_what_was_measured(case: str) -> None:
    measured, decision, winner, said, words = ANSWERS[case]
    result = made(**measured)
    verdict = judge(result)
    assert (verdict.decision, verdict.winner) == (decision, winner)
    assert ids(verdict) == said
    assert all(re.search(each, say_all(verdict.why)) for each in words), say_all(verdict.why)
    assert decision is Decision.UNDECIDED or verdict.leader is verdict.more is verdict.chance is None
    assert judge(decode(encode(result))) == verdict, "a file changes nothing"


@pytest.mark.parametrize(
    ("done", "schedulers", "without", "said"),
    [
        (3, FOUR, "", ["cut-off-in-round-of", "winner-gains"]),
        (0, FOUR, "", ["cut-off-before-first-round", "too-little-measured"]),
        (1, ("none",), "", ["cut-off-in-round-of", "too-little-measured"]),
        (1, FOUR, "mq-deadline", ["cut-off-in-round-of", "too-little-measured"]),
        (10, FOUR, "", ["cut-off-in-round-of", "winner-gains"]),
    ],
)
def test_what_was_cut_off_says_so_first_and_what_was_shown_before_still_counts(
    done: int, schedulers: tuple[str, ...], without: str, said: list[str]
) -> None:
    found = made({(LAUNCH, "bfq"): 0.5}, deviation=0.04, done=done, schedulers=schedulers)
    samples = tuple(each for each in found.samples if each.scheduler != without)
    verdict = judge(replace(found, samples=samples, finished=False))
    assert ids(verdict)[: len(said)] == said
    assert (verdict.winner == "bfq") is ("winner-gains" in said)


def test_undecided_says_what_is_known_and_what_it_would_take() -> None:
    found = made({(LAUNCH, "bfq"): 0.75, (LAUNCH, "none"): 2.5}, deviation=0.2, done=6, seed=6)
    verdict = judge(found)
    assert (verdict.decision, verdict.leader, verdict.winner) == (Decision.UNDECIDED, "bfq", None)
    assert verdict.chance and 0.5 < verdict.chance < 1
    assert verdict.more and verdict.more.seconds == pytest.approx(20 * verdict.more.rounds)
    assert re.search(r"bfq leads; the chance that it is worth a change .* is \d\d %\.", say_all(verdict.why))
    document = json.loads(json.dumps(verdict_document(verdict)))
    assert document["leader"] == "bfq" and document["worth"] == 1.2
    assert document["more"] == {"rounds": verdict.more_rounds, "seconds": verdict.more.seconds}
    assert document["known"][0].keys() == {"metric", "scheduler", "kind", "low", "high"}
    assert document["known"][0]["kind"] == "loses"


def test_write_up_a_is_judged_as_its_reader_found() -> None:
    verdict = judge(load(DATA / "write-up-a.json"))
    found = {c.scheduler: c for c in verdict.comparisons}
    assert found["noop"].outcome is found["deadline"].outcome is Outcome.BETTER
    assert found["anticipatory"].outcome in (Outcome.BETTER, Outcome.UNDECIDED)
    assert found["noop"].ratio == pytest.approx(1.1007, abs=1e-3)
    assert verdict.decision is Decision.SWITCH
    assert verdict.winner == "noop"
    assert verdict.ties == (("noop", "deadline"),)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"done": 1}, "more-rounds-in-time"),
        ({"schedulers": ("none",)}, "only-baseline-measured"),
        ({"done": 0}, "no-valid-sample"),
        ({"goal": None}, "nothing-decides-without-goal"),
        ({"goal": "database", "metrics": (WRITE, WRITER)}, "nothing-decides"),
    ],
)
def test_what_cannot_be_decided_says_why(changes: dict[str, object], reason: str) -> None:
    verdict = judge(made({}, **changes))  # type: ignore[arg-type]
    assert verdict.decision is Decision.UNDECIDED
    assert ids(verdict) == [reason]


def test_invalid_and_missing_samples_are_left_out() -> None:
    result = made({(LAUNCH, "bfq"): 0.2}, done=9)
    odd = tuple(
        replace(s, valid=False, value=1e9) if s.round == 2 else s
        for s in result.samples
        if (s.round, s.scheduler) != (4, "bfq")
    )
    verdict = judge(replace(result, samples=odd))
    assert verdict.winner == "bfq"
    assert next(c.n for c in verdict.comparisons if (c.metric, c.scheduler) == (LAUNCH, "bfq")) == 7


def test_zero_and_negative_values_are_no_measurement() -> None:
    result = made({}, planned=None)
    verdict = judge(replace(result, samples=tuple(replace(s, value=0.0) for s in result.samples)))
    assert verdict.decision is Decision.UNDECIDED
    assert ids(verdict) == ["impossible-values"]


def test_runs_without_common_rounds_are_compared_unpaired() -> None:
    samples = tuple(Sample(LAUNCH, s, n, n, v) for n, (s, v) in enumerate([("none", 1.0), ("bfq", 0.5)] * 6))
    result = replace(made({}, schedulers=("none", "bfq"), planned=None, metrics=(LAUNCH,)), samples=samples)
    assert judge(result).winner == "bfq"


def test_the_same_gain_is_worth_a_change_for_one_goal_and_not_for_another() -> None:
    gain = {(WRITE, "bfq"): 1.15}
    copying = judge(made(gain, deviation=0.01, metrics=(WRITE,), goal="copying"))
    assert (copying.decision, copying.winner, copying.worth) == (Decision.SWITCH, "bfq", 1.1)
    desktop = judge(made({(LAUNCH, "bfq"): 1 / 1.15}, deviation=0.01))
    assert (desktop.decision, desktop.worth) == (Decision.KEEP, 1.2)
    assert judge(made(gain, metrics=(WRITE,), goal="strange")).worth == 1.05


def test_a_price_that_only_seems_too_high_is_a_trade_off_and_a_switch_beats_it() -> None:
    seems = {(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.55}
    verdict = judge(made(seems, deviation=0.25, done=9))
    assert (verdict.decision, verdict.winner) == (Decision.TRADE_OFF, "bfq")
    assert {"price-beyond", "perhaps-price-beyond"} & set(ids(verdict))
    both = judge(made(seems | {(LAUNCH, "kyber"): 0.6}, deviation=0.05, done=9))
    assert (both.decision, both.winner) == (Decision.SWITCH, "kyber")


def test_a_gain_here_and_a_proved_loss_there_are_a_trade_off() -> None:
    effects = {(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 2.0}
    verdict = judge(made(effects, metrics=(LAUNCH, READ)))
    assert (verdict.decision, verdict.winner) == (Decision.TRADE_OFF, "bfq")
    assert ids(verdict) == ["winner-gains", "price", "your-call"]


@pytest.mark.parametrize(
    ("took", "left", "decision"),
    [
        (0.50, 0.40, Decision.SWITCH),
        (0.50, 0.28, Decision.TRADE_OFF),
        (0.20, 0.08, Decision.SWITCH),
        (0.20, 0.03, Decision.TRADE_OFF),
    ],
)
def test_what_runs_beside_may_lose_a_third_of_what_it_managed_until_the_program_was_done_before(
    took: float, left: float, decision: Decision
) -> None:
    result = made({(LAUNCH, "bfq"): took, (WRITER, "bfq"): left}, metrics=(LAUNCH, WRITER))
    found = judge(result)
    assert (found.decision, found.winner) == (decision, "bfq")
    assert ("price-beyond" in [sentence.id for sentence in found.why]) is (decision is Decision.TRADE_OFF)


def test_where_a_price_of_the_goal_is_planned_only_that_bounds() -> None:
    both = made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.03}, metrics=(LAUNCH, WRITER, WRITE))
    assert judge(both).decision is Decision.SWITCH
    not_yet = replace(both, samples=tuple(each for each in both.samples if each.metric != WRITE))
    assert judge(not_yet).decision is not Decision.TRADE_OFF, "it is measured later, for those who may win"
