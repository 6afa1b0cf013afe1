# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured next: which settings compete, when prices are needed, and when everything is answered."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.bench.bench_verdict import Situation, play
from tests.unit.verdict.making import COPY, FOUR, LAUNCH, READ, made, settings

from disktuner.results.model import Result
from disktuner.verdict.effects import Effect
from disktuner.verdict.evidence import evidence, evidence_of, scores_of
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import SideState
from disktuner.verdict.race import contenders, next_turn
from disktuner.vocabulary.questions import Part, Price, Question
from disktuner.vocabulary.settings import Setting

OFFICE, READS, COPIES = "launch-office", "read-latency-under-writes", "copy-contended"
ALL = settings(*FOUR)
NONE, BFQ = Setting("none"), Setting("bfq")


def planned(result: Result, *metrics: str) -> Result:
    """Return a result with samples of some metrics only, and the question of all."""
    plan = replace(result.plan, question=result.question, workloads=(OFFICE, READS, COPIES))
    return replace(result, plan=plan, samples=tuple(sample for sample in result.samples if sample.metric in metrics))


def everyday(effects: dict[tuple[str, str], float], done: int, deviation: float = 0.03) -> Result:
    return made(effects, deviation, done, metrics=(LAUNCH, READ, COPY))


def test_one_round_of_all_that_decides_comes_first() -> None:
    nothing = planned(everyday({}, 1))
    assert next_turn(nothing).runs == {OFFICE: ALL, READS: ALL}
    assert next_turn(planned(everyday({}, 1), LAUNCH)).runs == {READS: ALL}
    assert next_turn(planned(everyday({}, 1), LAUNCH, READ)).runs == {OFFICE: ALL, READS: ALL}


def test_after_one_round_only_those_leave_that_are_far_behind_a_leader() -> None:
    far = planned(everyday({(LAUNCH, "bfq"): 0.1, (READ, "bfq"): 0.1, (LAUNCH, "kyber"): 0.2}, 1), LAUNCH, READ)
    assert next_turn(far).runs == dict.fromkeys((OFFICE, READS), settings("mq-deadline", "bfq"))


def test_who_is_ruled_out_leaves_and_returns_where_later_rounds_allow_it() -> None:
    effects = {(LAUNCH, "none"): 3.0, (READ, "none"): 3.0, (LAUNCH, "bfq"): 0.87}
    race = planned(everyday(effects, 4, 0.08), LAUNCH, READ)
    assert NONE not in next_turn(race).runs[OFFICE] and BFQ in next_turn(race).runs[OFFICE]
    better = [replace(s, value=s.value / 40, round=s.round + 4) for s in race.samples if s.setting == NONE]
    rest = [replace(s, round=s.round + 4) for s in race.samples if s.setting != NONE]
    assert NONE in next_turn(replace(race, samples=(*race.samples, *better, *rest))).runs[OFFICE]


def test_prices_follow_proof_and_only_of_who_gains() -> None:
    proved = everyday({(LAUNCH, "bfq"): 0.3, (READ, "bfq"): 0.5}, 5)
    assert next_turn(planned(proved, LAUNCH, READ)).runs == {COPIES: settings("mq-deadline", "bfq")}
    assert next_turn(planned(proved, LAUNCH, READ, COPY)).runs == {}, "all is answered"
    dear = everyday({(LAUNCH, "bfq"): 0.3, (LAUNCH, "kyber"): 0.5, (COPY, "bfq"): 4.0}, 6)
    only_bfq = [
        sample for sample in dear.samples if sample.metric != COPY or sample.setting in settings("mq-deadline", "bfq")
    ]
    next_candidate = planned(replace(dear, samples=tuple(only_bfq)), LAUNCH, READ, COPY)
    assert next_turn(next_candidate).runs == {COPIES: settings("mq-deadline", "kyber")}


def test_who_gains_less_than_another_can_no_longer_win() -> None:
    both_gain = everyday({(LAUNCH, "bfq"): 0.3, (READ, "bfq"): 0.3, (LAUNCH, "kyber"): 0.7, (READ, "kyber"): 0.7}, 6)
    assert contenders(evidence_of(both_gain)) == (BFQ,)


def test_a_leader_that_seems_to_gain_has_a_turn_of_its_prices_in_reserve() -> None:
    unproved = planned(everyday({(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 0.5}, 2, 0.3), LAUNCH, READ)
    turn = next_turn(unproved)
    assert turn.runs.keys() == {OFFICE, READS} and turn.reserve == {COPIES: settings("mq-deadline", "bfq")}
    alike = next_turn(planned(everyday({}, 2, 0.06), LAUNCH, READ))
    assert alike.runs.keys() == {OFFICE, READS} and alike.reserve == {}


def test_no_price_is_measured_that_was_not_planned() -> None:
    proved = planned(everyday({(LAUNCH, "bfq"): 0.3, (READ, "bfq"): 0.5}, 5), LAUNCH, READ)
    assert next_turn(replace(proved, plan=replace(proved.plan, workloads=(OFFICE, READS)))).runs == {}
    assert COPIES in next_turn(replace(proved, plan=replace(proved.plan, workloads=()))).runs


def test_where_nothing_decides_everything_has_a_turn() -> None:
    nothing = made({}, metrics=(LAUNCH,))
    plan = replace(nothing.plan, workloads=(OFFICE, "unpack"), question=Question((), (), 1.2))
    assert next_turn(replace(nothing, plan=plan)).runs == {OFFICE: ALL, "unpack": ALL}


def test_what_is_only_shown_has_a_few_rounds_of_everybody() -> None:
    result = replace(made({}, 0.005, 6, metrics=(LAUNCH,)), plan=replace(made({}).plan, workloads=(OFFICE, "unpack")))
    assert next_turn(result).runs == {"unpack": ALL}


@pytest.mark.parametrize(
    ("situation", "right"),
    [
        (Situation("as on a hard disk", ((1, 1.1, 0.9, 2.6), (1, 1, 1, 0.88)), (0.06, 0.4), weights=(2, 1)), 19),
        (Situation("all equal", ((1.0,) * 4,) * 2, (0.08,) * 2), 18),
        (Situation("a price beyond", ((1, 1, 1.4, 2.0),), (0.05,), 8, prices=((1, 1, 1, 0.3),)), 18),
        (Situation("twelve settings", ((*[1.0] * 12, 1.4),), (0.08,), 20), 19),
        (Situation("one is slow and noisy", ((1, 1, 1, 0.2),), (0.05,), 8, noisier=10), 19),
        (Situation("very steady", ((1, 1, 1, 1.14),), (0.001,), 4), 20),
        (Situation("much, at a price beyond", ((1, 1, 1, 10.0),), (0.2,), 6, prices=((1, 1, 1, 0.55),)), 18),
    ],
)
def test_what_is_true_is_found(situation: Situation, right: int) -> None:
    played = play(situation, 20)
    assert played["right"] >= right, played
    assert not played["wrong"] and not played["switch beyond"]


def test_a_price_is_excused_by_what_is_shown_of_the_program_beside_it() -> None:
    part, price = "launch-office.wall_s", "launch-office.write_bytes_per_s"
    question = Question((Part(part),), (Price(price, 1 / 3, part),), 1.2)

    def state(program: Effect) -> SideState:
        effects = {part: {BFQ: program}, price: {BFQ: Effect(8, math.log(0.2), 0.01, 12.0, 0.45)}}
        scores = scores_of(effects, question, [BFQ])
        return evidence(question, NONE, scores, effects, Levels()).by_setting[BFQ].prices[0].state

    lucky, sure, slower = (Effect(n, math.log(gain), 0.1, 12.0, 0.45) for n, gain in ((2, 3), (8, 4), (8, 1.2)))
    assert [state(assessment) for assessment in (lucky, sure, slower)] == [
        SideState.OPEN,
        SideState.INSIDE,
        SideState.BEYOND,
    ]


@pytest.mark.parametrize(("gain", "price", "state"), [(6, 0.7, SideState.OPEN), (6, 0.9, SideState.INSIDE)])
def test_no_gain_excuses_a_price_that_may_be_far_beyond(gain: float, price: float, state: SideState) -> None:
    question = Question((Part("a.wall_s"),), (Price("b.wall_s", 1 / 3),), 1.2)
    effects = {
        "a.wall_s": {BFQ: Effect(4, math.log(gain), 0.05, 12.0, 0.45)},
        "b.wall_s": {BFQ: Effect(4, math.log(price), 0.12, 12.0, 0.45)},
    }
    known = evidence(question, NONE, scores_of(effects, question, [BFQ]), effects, Levels()).by_setting[BFQ]
    assert known.is_better and known.prices[0].state is state
