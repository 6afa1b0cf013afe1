# SPDX-License-Identifier: GPL-3.0-or-later
"""From samples to a decision and its reasons: winners, prices, conditions, ties, and what cannot be decided."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from tests.unit.cli.kinds import every, of_others
from tests.unit.verdict.making import COPY, FAST, FOUR, LAUNCH, METRICS, READ, WRITE, WRITER, made, settings

from disktuner.report.documents import verdict_document
from disktuner.results.codec import decode, encode, load
from disktuner.results.model import Result, Sample
from disktuner.verdict.answer import subject_of
from disktuner.verdict.effects import Effect
from disktuner.verdict.judge import compared, judge
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import Comparison, Verdict
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.verdict.race import next_turn
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import Message, say, say_all
from disktuner.vocabulary.metrics import BESIDE, Better, Metric
from disktuner.vocabulary.questions import Price, Question, question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState, settle_s
from disktuner.vocabulary.workloads import OF_ONES_OWN, WORKLOADS, WorkloadFacts, metrics_of

DATA = Path(__file__).parents[2] / "data" / "results"
BFQ = Setting("bfq")


def ids(verdict: Verdict) -> list[str]:
    """The ids of the sentences, whatever their words."""
    return [sentence.id for sentence in verdict.answer.sentences]


def of_all(value: float) -> dict[tuple[str, str], float]:
    """The effect on all but the baseline."""
    return {(LAUNCH, name): value for name in FOUR[1:]}


def without(result: Result, metric: str, setting: str, rounds: int = 0) -> Result:
    """Return a result in which a setting has only so many rounds of a metric."""
    samples = [s for s in result.samples if (s.metric, s.setting.name) != (metric, setting) or s.round < rounds]
    return replace(result, samples=tuple(samples))


ALONE = {"metrics": (LAUNCH,), "done": 12, "deviation": 0.04, "seed": 3}
# What was measured: the decision, the winner, what it says by ids, and words that are in it.
ANSWERS: dict[str, tuple[dict[str, Any], Decision, str | None, list[str], list[str]]] = {
    "a winner with its price": (
        {"effects": {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.8}}, Decision.SWITCH, "bfq",
        ["measured-differs", "glance-price"],
        [r"^Starting an office program while files are written: .* s, 5× faster \(at least 4×\)\. Price",
         r" for writing one big file\.$"],
    ),
    "a winner that costs too much": (
        {"effects": {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.3}, "done": 12}, Decision.TRADE_OFF, "bfq",
        ["measured-differs", "glance-price-beyond", "your-call"],
        [r" for writing one big file; this goal accepts at most 1\.5× slower\.",
         r"take bfq if the gain matters more to you, otherwise keep mq-deadline\.$"],
    ),
    "two that gain, of which the better is taken": (
        {"effects": {(LAUNCH, "kyber"): 0.6, (LAUNCH, "bfq"): 0.3}}, Decision.SWITCH, "bfq", ["measured-differs"], [],
    ),
    "equals, of which the simplest is taken": (
        {"effects": of_all(0.5)}, Decision.SWITCH, "none", ["measured-differs"],
        ["2× faster \\(at least 1\\.9×\\)"],
    ),
    "no difference": (
        {"effects": {}, "deviation": 0.005}, Decision.KEEP, None, ["nothing-felt", "values-alike"],
        [r"depends on the scheduler\. Starting an office .*: 10 s with mq-deadline, 9\.98 s with kyber\.$"],
    ),
    "only losses": (
        {"effects": of_all(1.5), **ALONE}, Decision.KEEP, None, ["nothing-better", "are-worse"], [],
    ),
    "a gain here outweighs a possible loss there": (
        {"effects": {(LAUNCH, "bfq"): 0.3, (READ, "bfq"): 1.14}, "metrics": (LAUNCH, READ)}, Decision.SWITCH, "bfq",
        ["measured-differs", "measured-differs"], ["^Starting an office program", r"1\.1\d?×\sslower"],
    ),
    "a gain here and a proved loss there": (
        {"effects": {(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 1.9}, "metrics": (LAUNCH, READ)}, Decision.TRADE_OFF, "bfq",
        ["measured-differs", "glance-price-beyond", "your-call"], [],
    ),
    "far more than anybody needs to know": (
        {"effects": {(LAUNCH, "bfq"): 0.02}}, Decision.SWITCH, "bfq", ["measured-differs"],
        ["more than 10× faster"],
    ),
    "one metric alone, whatever the goal": (
        {"effects": {(WRITE, "bfq"): 2.0}, "metrics": (WRITE,), "goal": "strange"}, Decision.SWITCH, "bfq",
        ["measured-differs"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_the_answer_and_its_reasons_follow_from_what_was_measured(case: str) -> None:
    measured, decision, winner, action, words = ANSWERS[case]
    result = made(**measured)
    verdict = judge(result)
    assert (verdict.decision, verdict.winner and verdict.winner.name) == (decision, winner)
    assert ids(verdict) == action
    assert all(re.search(pattern, say_all(verdict.answer.sentences)) for pattern in words), say_all(
        verdict.answer.sentences
    )
    assert verdict.leader is verdict.more is verdict.chance is None
    assert judge(decode(encode(result))) == verdict, "a file changes nothing"


def test_a_switch_whose_price_was_not_measured_is_conditional() -> None:
    result = made({(LAUNCH, "bfq"): 0.3}, metrics=(LAUNCH, COPY))
    assert judge(result).decision is Decision.SWITCH
    planned = replace(result, plan=replace(result.plan, question=result.question))
    never = judge(without(planned, COPY, "bfq"))
    assert (never.decision, never.winner, ids(never)[:2]) == (
        Decision.CONDITIONAL,
        BFQ,
        ["measured-differs", "if-unmeasured"],
    )
    assert [(side.metric, side.effect, side.is_price) for side in never.open] == [(COPY, None, True)]
    assert never.more and never.more.rounds > 1
    once = judge(without(made({(LAUNCH, "bfq"): 0.3}, 0.2, metrics=(LAUNCH, COPY)), COPY, "bfq", 1))
    assert ids(once)[:2] == ["measured-differs", "if-unknown"], "more than 10× slower is no condition"
    little = judge(
        without(made({(LAUNCH, "bfq"): 0.8, (COPY, "bfq"): 1.2}, 0.1, 20, metrics=(LAUNCH, COPY)), COPY, "bfq", 2)
    )
    assert little.decision is Decision.CONDITIONAL and ids(little)[-2:] == ["if-so-much", "more-would-tell"]
    (price,), row = little.open, little.comparison(COPY, BFQ)
    assert row and row.estimate and row.estimate.low == price.low, "the chart ends where the sentence does"
    assert re.search(
        r"Switch if copying four files at once may be up to .* slower; measured: .* slower\.",
        say_all(little.answer.sentences),
    )
    assert little.open[0].low < little.open[0].least < 0


@pytest.mark.parametrize(
    ("done", "schedulers", "left_out", "sentences"),
    [
        (4, FOUR, "", ["cut-off-in-round", "measured-differs"]),
        (0, FOUR, "", ["cut-off-before-first-round", "too-little-measured"]),
        (1, ("none",), "", ["cut-off-in-round", "too-little-measured"]),
        (1, FOUR, "mq-deadline", ["cut-off-in-round", "too-little-measured"]),
    ],
)
def test_what_was_cut_off_says_so_first_and_what_was_shown_before_still_counts(
    done: int, schedulers: tuple[str, ...], left_out: str, sentences: list[str]
) -> None:
    result = made({(LAUNCH, "bfq"): 0.5}, deviation=0.04, done=done, schedulers=schedulers)
    samples = tuple(sample for sample in result.samples if sample.setting.name != left_out)
    verdict = judge(replace(result, samples=samples, finished=False))
    assert ids(verdict)[: len(sentences)] == sentences
    assert (verdict.winner == BFQ) is ("measured-differs" in sentences)


def test_undecided_says_what_is_known_and_what_it_would_take() -> None:
    result = made({(LAUNCH, "bfq"): 0.75, (LAUNCH, "none"): 2.5}, deviation=0.2, done=5, seed=6)
    verdict = judge(result)
    assert (verdict.decision, verdict.leader, verdict.winner) == (Decision.UNDECIDED, BFQ, None)
    assert verdict.chance and 0.1 < verdict.chance < 0.9
    assert verdict.more and verdict.more.seconds == pytest.approx(20 * verdict.more.rounds)
    used_up = judge(replace(result, plan=replace(result.plan, state=DiskState.EXHAUSTED)))
    settled_s = sum(map(settle_s, {sample.setting for sample in result.samples}))
    assert used_up.more and used_up.more.seconds == pytest.approx((20 + settled_s) * verdict.more.rounds)
    assert re.search(
        r"^Starting an office .*: \S+ s instead of \S+ s so far\. About", say_all(verdict.answer.sentences)
    )
    document = json.loads(json.dumps(verdict_document(verdict)))
    assert document["leader"] == "bfq" and document["worth"] == 1.2
    assert document["more"] == {"rounds": verdict.more.rounds, "seconds": verdict.more.seconds}
    assert document["score"]["bfq"].keys() >= {"ratio", "ci_low", "ci_high"}
    assert document["known"][0]["kind"] == "loses"


def test_what_was_measured_with_two_of_four_settings_is_said_to_be_too_little() -> None:
    result = made({}, deviation=0.2, done=4)
    verdict = judge(without(without(result, LAUNCH, "none"), LAUNCH, "kyber"))
    (sentence,) = [sentence for sentence in verdict.answer.sentences if sentence.id == "not-all-measured"]
    assert sentence.values["settings"] == ("none", "kyber")


def test_what_was_measured_only_in_other_rounds_is_not_said_to_be_unmeasured() -> None:
    result = made({}, 0.3, 2, metrics=(LAUNCH,))
    alone = (("mq-deadline", 1), ("kyber", 0))
    samples = (replace(sample, valid=(sample.setting.name, sample.round) not in alone) for sample in result.samples)
    sentences = say_all(judge(replace(result, samples=tuple(samples))).answer.sentences)
    assert sentences.endswith("kyber: too little was measured for this goal. Compare again.")


def test_no_run_of_the_baseline_that_counts_is_too_little() -> None:
    result = made({}, done=4)
    samples = tuple(replace(sample, valid=sample.setting != result.plan.baseline) for sample in result.samples)
    assert ids(judge(replace(result, samples=samples))) == ["too-little-measured"]


def test_write_up_a_is_judged_as_its_reader_found() -> None:
    verdict = judge(load(DATA / "write-up-a.json"))
    by_setting = {c.setting.name: c for c in verdict.comparisons}
    assert by_setting["noop"].measured and math.exp(by_setting["noop"].measured.gain) == pytest.approx(1.1007, abs=2e-3)
    assert all(comparison.outcome is not Outcome.WORSE for comparison in by_setting.values())
    assert (verdict.decision, verdict.winner) == (Decision.CONDITIONAL, Setting("noop")), "nobody measured its price"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
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
        if (s.round, s.setting) != (4, BFQ)
    )
    verdict = judge(replace(result, samples=odd))
    assert verdict.winner == BFQ
    assert (made_ := verdict.comparison(LAUNCH, BFQ)) and made_.measured and made_.measured.n == 7


def test_zero_and_negative_values_are_no_measurement() -> None:
    result = made({}, planned=None)
    verdict = judge(replace(result, samples=tuple(replace(s, value=0.0) for s in result.samples)))
    assert verdict.decision is Decision.UNDECIDED
    assert ids(verdict) == ["impossible-values"]


def test_runs_without_common_rounds_say_nothing_of_each_other() -> None:
    samples = tuple(Sample(LAUNCH, Setting(s), n, n, v) for n, (s, v) in enumerate([("none", 1.0), ("bfq", 0.5)] * 6))
    result = replace(made({}, schedulers=("none", "bfq"), metrics=(LAUNCH,)), samples=samples)
    assert judge(result).decision is Decision.UNDECIDED


def test_the_same_gain_is_worth_a_change_for_one_goal_and_not_for_another() -> None:
    gain = {(WRITE, "bfq"): 1.15}
    copying = judge(made(gain, deviation=0.01, metrics=(WRITE,), goal="copying"))
    assert (copying.decision, copying.winner, copying.worth) == (Decision.SWITCH, BFQ, 1.1)
    desktop = judge(made({(LAUNCH, "bfq"): 1 / 1.08}, deviation=0.01))
    assert (desktop.decision, desktop.worth) == (Decision.KEEP, 1.2)
    assert judge(made(gain, metrics=(WRITE,), goal="strange")).worth == 1.05


def test_who_gains_at_a_tolerated_price_comes_before_who_gains_more_at_another() -> None:
    effects = {(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.4, (LAUNCH, "kyber"): 0.6}
    verdict = judge(made(effects, deviation=0.05, done=9))
    assert (verdict.decision, verdict.winner) == (Decision.SWITCH, Setting("kyber"))
    assert ids(verdict) == ["measured-differs", "gains-more", "glance-price-beyond"]


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
    verdict = judge(made({(LAUNCH, "bfq"): took, (WRITER, "bfq"): left}, metrics=(LAUNCH, WRITER)))
    assert (verdict.decision, verdict.winner) == (decision, BFQ)
    price = next(sentence for sentence in verdict.answer.sentences if "price" in sentence.id)
    assert "writing in the background" in say_all([price]), "a price is named by its own figure"


@pytest.mark.parametrize(
    ("goal", "workloads"), [*((goal, WORKLOADS.values()) for goal in GOALS), ("own", [OF_ONES_OWN["own-command"]])]
)
def test_of_all_that_goes_on_meanwhile_is_said_beside_what(goal: str, workloads: Iterable[WorkloadFacts]) -> None:
    known = {name: metric for facts in workloads for name, metric in metrics_of(facts).items()}
    question = question_for(goal, known.values())
    beside = [metric for metric in known.values() if metric.last in BESIDE]
    assert len({say(subject_of(metric, question)) for metric in beside}) == len(beside)


def test_a_question_that_was_planned_is_what_counts() -> None:
    result = made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.03}, metrics=(LAUNCH, WRITER, WRITE))
    assert judge(result).decision is Decision.SWITCH, "where a price of the goal is planned, only that bounds"
    question = question_for("desktop", result.metrics.values())
    strict = replace(question, worth=6.0)
    assert judge(replace(result, plan=replace(result.plan, question=strict))).decision is Decision.KEEP
    assert decode(encode(replace(result, plan=replace(result.plan, question=strict)))).question == strict
    assert question_for("strange", result.metrics.values()) == Question(())


EVERYDAY = (LAUNCH, READ, WRITER, COPY)
HALF_A_MILLISECOND = {(READ, "bfq"): 0.18, (WRITER, "bfq"): 0.3}


@pytest.mark.parametrize("seed", range(10))
def test_what_nobody_notices_does_not_count_for_people_and_does_for_machines(seed: int) -> None:
    """Half a millisecond is 5.6 times faster, and no reason to write three times slower."""
    result = made(HALF_A_MILLISECOND, 0.05, 5, metrics=EVERYDAY, now=FAST, seed=seed)
    verdict = judge(result)
    assert verdict.decision is Decision.KEEP and ids(verdict) == ["nothing-felt", "values-alike", "values-alike"]
    reads = verdict.comparison(READ, BFQ)
    assert reads and reads.outcome is Outcome.SAME and reads.measured and reads.measured.gain > math.log(4)
    assert next_turn(planned(result)).runs == {}, "it ends, and no price is measured"
    server = judge(made(HALF_A_MILLISECOND, 0.05, 5, metrics=EVERYDAY, goal="server", now=FAST, seed=seed))
    assert (server.winner, server.leading) == (BFQ, READ)


def planned(result: Result) -> Result:
    return replace(result, plan=replace(result.plan, workloads=tuple({name.partition(".")[0] for name in EVERYDAY})))


def test_the_question_of_an_older_file_or_of_another_program_gets_what_nobody_notices() -> None:
    result = made(HALF_A_MILLISECOND, 0.05, 5, metrics=EVERYDAY, now=FAST)
    original = result.question
    assert {part.metric: part.unnoticed for part in original.parts} == {LAUNCH: 0.1, READ: 0.016}
    assert {price.metric: price.unnoticed for price in original.prices} == {COPY: 0.0}
    older = replace(
        original,
        parts=tuple(replace(part, unnoticed=None) for part in original.parts),
        prices=tuple(replace(price, unnoticed=None) for price in original.prices),
    )
    for question in (older, None):
        other = replace(result, plan=replace(result.plan, question=question))
        assert other.question == original and judge(decode(encode(other))) == judge(result)


def test_a_gain_below_what_is_noticed_is_none_however_sure_it_is() -> None:
    """At a quarter of a second, 80 ms are not felt; 150 ms are."""
    for launch, decision in ((0.68, Decision.KEEP), (0.4, Decision.SWITCH)):
        verdict = judge(made({(LAUNCH, "bfq"): launch}, 0.02, 9, metrics=(LAUNCH, COPY), now=FAST))
        assert verdict.decision is decision


def test_what_nobody_notices_does_not_help_noise_in_what_people_feel_to_look_like_a_gain() -> None:
    """Starts differ by 50 ms and vary by a third; small reads are certain to be faster, by 5 ms."""
    switched = 0
    for seed in range(60):
        starts = made({(LAUNCH, "bfq"): 0.8}, 0.35, 10, metrics=(LAUNCH,), now=FAST, seed=seed)
        reads = made({(READ, "bfq"): 0.2}, 0.05, 10, metrics=(READ,), now={READ: 0.006}, seed=seed)
        result = made({}, metrics=(LAUNCH, READ), now=FAST)
        verdict = judge(replace(result, samples=(*starts.samples, *reads.samples)))
        if verdict.winner:
            switched += 1
            assert verdict.leading == LAUNCH, "what people feel shows it by itself"
    assert switched < 15


def test_values_as_measured_and_their_factors_agree_where_little_is_left() -> None:
    verdict = judge(made({(READ, "bfq"): 0.04}, 0.3, 8, metrics=EVERYDAY, now={**FAST, READ: 0.07}))
    reads = verdict.comparison(READ, BFQ)
    assert reads and reads.value and reads.now and reads.measured and reads.estimate
    assert math.log(reads.now / reads.value) == pytest.approx(reads.measured.gain)
    assert reads.estimate.gain < reads.measured.gain <= reads.measured.high


def test_the_part_that_shows_the_gain_is_named_and_of_the_others_what_is_known() -> None:
    now = {LAUNCH: 0.59, READ: 0.069, COPY: 1.0}
    verdict = judge(made({(READ, "bfq"): 0.06}, 0.15, 5, metrics=(LAUNCH, READ, COPY), now=now))
    assert (verdict.decision, verdict.leading, ids(verdict)) == (
        Decision.SWITCH,
        READ,
        ["measured-differs", "measured-unclear"],
    )
    assert re.search(r"^Small reads .* ms instead of .*\. Starting .*: can't tell \(.* s instead of .* s\)\.$",
                     say_all(verdict.answer.sentences))  # fmt: skip


@pytest.mark.parametrize("gain", [1.6, 3.0, 40.0])
@pytest.mark.parametrize("goal", GOALS)
def test_who_did_not_measure_what_the_goal_prices_is_never_told_to_switch(goal: str, gain: float) -> None:
    result = of_others(goal, gain)
    verdict = judge(result)
    assert (verdict.decision, verdict.winner, verdict.more) == (Decision.CONDITIONAL, BFQ, None)
    assert [sentence.id for sentence in verdict.answer.conditions] == ["if-unmeasured"]
    planned = replace(result.plan, question=Question(result.question.parts, (Price("copy.wall_s", 0.25),), 1.2))
    assert judge(replace(result, plan=planned)).decision is Decision.CONDITIONAL


def test_a_gain_of_just_what_is_worth_it_is_ruled_out_by_its_bound() -> None:
    known = judge(made({}, 0.1, 8, metrics=(COPY,), goal="copying")).assessments[BFQ]
    assert replace(known, high=known.min_gain).is_ruled_out
    assert not replace(known, high=known.min_gain + 0.01).is_ruled_out


def test_an_interval_is_wrong_once_in_forty_on_either_side() -> None:
    effect = Effect(8, 0.3, 0.1, 12.0)
    shown = compared(METRICS[LAUNCH], BFQ, effect, Levels(), Setting("none"))
    assert (shown.estimate.low, shown.estimate.high) == (effect.low(0.025), effect.high(0.025))
    assert shown.measured == shown.estimate


def test_who_does_as_well_as_the_winner_is_named_with_it_and_as_the_baseline_too() -> None:
    gains = {(LAUNCH, "kyber"): 0.3, (LAUNCH, "bfq"): 0.3}
    both = judge(made(gains, 0.03, 6, metrics=(LAUNCH,)))
    assert (both.decision, both.ties) == (Decision.SWITCH, (settings("kyber", "bfq"),))
    alike = judge(made({(LAUNCH, "bfq"): 3.0}, 0.01, 8, metrics=(LAUNCH,)))
    assert (alike.decision, alike.ties) == (Decision.KEEP, (settings("mq-deadline", "none", "kyber"),))


def empty_places(said: Message) -> list[str]:
    """The places of a sentence, and of those within it, that nothing fills."""
    forms = TEXTS[said.id]
    places = {name for form in ([forms] if isinstance(forms, str) else forms)
              for _, name, _, _ in Formatter().parse(form) if name}  # fmt: skip
    within = [place for value in said.values.values() if isinstance(value, Message) for place in empty_places(value)]
    return [f"{said.id}: {name}" for name in places if said.values.get(name) is None] + within


def test_every_sentence_of_every_kind_of_answer_is_whole() -> None:
    answers = {name: judge(result).answer for name, result in every().items()}
    said = {name: (answer.action, answer.summary, *answer.sentences) for name, answer in answers.items()}
    assert {name: places for name, all_said in said.items() if (places := [*chain(*map(empty_places, all_said))])} == {}


class _Walked(tuple[Comparison, ...]):
    """Comparisons that count how often anybody goes through them."""

    walks = 0

    def __iter__(self) -> Iterator[Comparison]:
        self.walks += 1
        return super().__iter__()


def test_a_comparison_is_found_without_going_through_all() -> None:
    """With 390 metrics of 64 settings, that took minutes."""
    metric, first, second = Metric("a.wall_s", "s", Better.LOWER, ""), Setting("none"), BFQ
    made = [Comparison(metric, setting, Outcome.SAME) for setting in (first, second)]
    walked = _Walked(made)
    verdict = Verdict(Decision.KEEP, None, first, 1.05, comparisons=walked)
    before = walked.walks
    assert verdict.comparison("a.wall_s", second) == made[1]
    assert verdict.comparison("a.wall_s", None) is None
    assert verdict.comparison("b.wall_s", first) is None
    assert walked.walks == before
