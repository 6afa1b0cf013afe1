# SPDX-License-Identifier: GPL-3.0-or-later
"""From samples to a decision and why: winners, prices, ties, and what cannot be decided."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.playing import next_schedulers
from tests.unit.verdict.making import FAIRNESS, FOUR, LAUNCH, READ, READS, WORST, WRITE, WRITER, made

from disktuner.report.documents import verdict_document
from disktuner.results.codec import decode, encode, load
from disktuner.results.model import Sample
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, KnownKind, Outcome, Verdict
from disktuner.verdict.sequential import next_runs
from disktuner.vocabulary.messages import say_all

DATA = Path(__file__).parents[2] / "data" / "results"


def ids(verdict: Verdict) -> list[str]:
    """What it says, whatever the words."""
    return [sentence.id for sentence in verdict.why]


def test_write_up_a_is_judged_as_its_reader_found() -> None:
    verdict = judge(load(DATA / "write-up-a.json"))
    found = {c.scheduler: c for c in verdict.comparisons}
    assert found["noop"].outcome is found["deadline"].outcome is Outcome.BETTER
    assert found["anticipatory"].outcome in (Outcome.BETTER, Outcome.UNDECIDED)
    assert found["noop"].ratio == pytest.approx(1.1007, abs=1e-3)
    assert verdict.decision is Decision.SWITCH
    assert verdict.winner == "noop"
    assert verdict.ties == (("noop", "deadline"),)


def test_in_write_up_a_anticipatory_is_worse_than_noop() -> None:
    result = load(DATA / "write-up-a.json")
    verdict = judge(replace(result, plan=replace(result.plan, baseline="noop")))
    assert {c.scheduler: c.outcome for c in verdict.comparisons}["anticipatory"] is Outcome.WORSE
    assert verdict.decision is Decision.UNDECIDED or verdict.winner is None


def test_a_winner_with_its_price() -> None:
    verdict = judge(made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.4, (WRITE, "bfq"): 0.8}))
    assert (verdict.decision, verdict.winner) == (Decision.SWITCH, "bfq")
    assert ids(verdict) == ["winner-gains", "price", "price"]
    why = say_all(verdict.why)
    assert why.startswith("bfq is 5.1× faster for starting programs while files are written (95 % sure: 4.9× to 5.3×")
    assert "slower for writing one big file." in why and "slower for “Write throughput while a program starts”." in why


def test_a_price_is_called_by_what_it_is() -> None:
    effects = {(LAUNCH, "bfq"): 0.2, (FAIRNESS, "bfq"): 0.8, (WORST, "bfq"): 1.5}
    why = say_all(judge(made(effects, metrics=(LAUNCH, FAIRNESS, WORST))).why)
    assert re.search(r"Price of bfq: 2\d % worse for “How alike the copies were served”\.", why)
    assert re.search(r"Price of bfq: [45]\d % slower for “The slowest start”\.", why)


def test_of_many_figures_of_a_workload_the_worst_is_the_price() -> None:
    worse = {(READS[0], "bfq"): 0.8, (READS[1], "bfq"): 0.5, (READS[2], "bfq"): 0.6}
    verdict = judge(made({(LAUNCH, "bfq"): 0.2, **worse}, metrics=(LAUNCH, *READS)))
    assert ids(verdict).count("price") == 1
    assert re.search(r"2(\.\d)?× slower for “Random reads, 8 threads: IOPS”", say_all(verdict.why))


def test_who_leads_is_named_while_nothing_is_decided_and_only_then() -> None:
    undecided = judge(made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4))
    assert (undecided.decision, undecided.winner, undecided.leader) == (Decision.UNDECIDED, None, "bfq")
    nobody = judge(made(dict.fromkeys(((LAUNCH, name) for name in FOUR[1:]), 1.5), deviation=0.3, done=2))
    assert (nobody.decision, nobody.leader) == (Decision.UNDECIDED, None)
    assert judge(made({(LAUNCH, "bfq"): 0.2})).leader is None


def test_none_is_not_nothing() -> None:
    assert say_all(judge(made({(LAUNCH, "none"): 0.5})).why).startswith("“none” is 2× faster for starting programs")


def test_a_winner_that_costs_too_much_is_a_trade_off() -> None:
    verdict = judge(made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.3}, deviation=0.005, done=12))
    assert (verdict.decision, verdict.winner) == (Decision.TRADE_OFF, "bfq")
    assert ids(verdict) == ["winner-gains", "price-beyond", "your-call"]
    why = say_all(verdict.why)
    assert "3.3× slower for writing one big file, beyond what this goal tolerates (50 % slower)." in why
    assert why.endswith("take bfq if the gain matters more to you, else keep mq-deadline.")
    assert verdict.leader is verdict.more is verdict.chance is None


def test_no_difference_is_a_finding() -> None:
    result = made({}, deviation=0.005)
    verdict = judge(result)
    assert verdict.decision is Decision.KEEP
    assert say_all(verdict.why).endswith(": all are within 5 %. Keep mq-deadline.")
    assert not next_schedulers(result)


def test_too_few_runs_say_how_many_more() -> None:
    verdict = judge(made({}, deviation=0.04, done=4))
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.more_rounds and f"{verdict.more_rounds} more rounds (" in say_all(verdict.why)


def test_of_equals_the_simplest_is_taken() -> None:
    verdict = judge(made({(LAUNCH, s): 0.5 for s in ("none", "kyber", "bfq")}))
    assert verdict.winner == "none"
    assert set(verdict.ties[0]) == {"none", "kyber", "bfq"}


def test_one_wild_run_does_not_hide_a_winner() -> None:
    result = made({(LAUNCH, "bfq"): 0.5}, done=10)
    samples = [
        replace(s, value=s.value * 20) if (s.metric, s.scheduler, s.round) == (LAUNCH, "bfq", 3) else s
        for s in result.samples
    ]
    assert judge(replace(result, samples=tuple(samples))).winner == "bfq"


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


@pytest.mark.parametrize(
    ("done", "schedulers", "words"),
    [
        (3, FOUR, "Interrupted in round 3 of 12 (unless it is still being measured). Nothing is more than"),
        (0, FOUR, "Interrupted before its first round"),
        (1, ("none",), "Interrupted in round 1 of 12"),
    ],
)
def test_what_was_cut_off_says_so_first(done: int, schedulers: tuple[str, ...], words: str) -> None:
    result = replace(made({}, deviation=0.04, done=done, schedulers=schedulers), finished=False)
    verdict = judge(decode(encode(result)))
    assert verdict.decision is Decision.UNDECIDED
    assert say_all(verdict.why).startswith(words)
    assert done == 3 or ids(verdict)[1:] == ["too-little-measured"]


def test_what_was_cut_off_without_its_baseline_does_not_blame_the_baseline() -> None:
    result = made({}, done=1)
    without = tuple(sample for sample in result.samples if sample.scheduler != result.plan.baseline)
    verdict = judge(replace(result, samples=without, finished=False))
    assert ids(verdict) == ["cut-off-in-round-of", "too-little-measured"]


def test_what_was_shown_before_the_cut_still_counts() -> None:
    verdict = judge(replace(made({(LAUNCH, "bfq"): 0.5}, done=10), finished=False))
    assert verdict.winner == "bfq"
    assert ids(verdict)[:2] == ["cut-off-in-round-of", "winner-gains"]


def test_a_metric_alone_decides_whatever_the_goal() -> None:
    assert judge(made({(WRITE, "bfq"): 2.0}, metrics=(WRITE,), goal="strange")).winner == "bfq"


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


def test_the_race_leaves_out_losers_and_ends() -> None:
    going = made({(LAUNCH, "kyber"): 3.0}, deviation=0.03, done=5)
    assert "kyber" not in next_schedulers(going)
    assert next_schedulers(going)[0] == "mq-deadline"
    assert next_schedulers(made({}, deviation=0.3, done=12)) == ()
    assert next_schedulers(made({}, done=1)) == FOUR


def test_rounds_that_would_hardly_tell_are_not_run() -> None:
    noisy = made({}, deviation=0.4, done=6, seed=2)
    assert next_schedulers(noisy) == ()
    verdict = judge(noisy)
    assert verdict.decision is Decision.UNDECIDED
    assert (verdict.more_rounds or 1000) > 6


def test_a_round_in_vain_does_not_use_up_the_plan() -> None:
    result = made({}, deviation=0.3, done=3, planned=3)
    assert next_schedulers(result) == ()
    vain = tuple(replace(s, valid=False) if s.round == 1 else s for s in result.samples)
    assert next_schedulers(replace(result, samples=vain)) == FOUR


def test_who_was_left_out_does_not_return() -> None:
    result = made({}, deviation=0.03, done=5)
    assert "none" in next_schedulers(result)
    without = tuple(s for s in result.samples if (s.round, s.scheduler) != (4, "none"))
    assert "none" not in next_schedulers(replace(result, samples=without))


def test_keep_says_what_nothing_exceeds() -> None:
    verdict = judge(made({(LAUNCH, s): 0.93 for s in FOUR[1:]}, deviation=0.04, done=12, metrics=(LAUNCH,), seed=3))
    assert verdict.decision is Decision.KEEP
    assert ids(verdict) == ["no-more-than", "worth-a-change", "keep-it"]
    assert verdict.bound and 1.07 < verdict.bound < verdict.worth == 1.2
    assert re.fullmatch(
        r"Nothing is more than 1\d % faster than mq-deadline for starting programs while files are written "
        r"\(95 % sure\)\. A change is worth it from 20 % on\. Keep mq-deadline\.",
        say_all(verdict.why),
    )


def test_a_loss_is_known_when_no_gain_is_left_to_find() -> None:
    verdict = judge(made({(LAUNCH, s): 1.5 for s in FOUR[1:]}, deviation=0.04, done=12, metrics=(LAUNCH,), seed=3))
    assert verdict.decision is Decision.KEEP
    assert ids(verdict) == ["nothing-better", "are-worse", "keep-it"]
    assert {(fact.scheduler, fact.kind) for fact in verdict.known} == {
        *((name, KnownKind.LOSES) for name in FOUR[1:]),
        (None, KnownKind.NO_MORE_THAN),
    }


def test_the_same_gain_is_worth_a_change_for_one_goal_and_not_for_another() -> None:
    gain = {(WRITE, "bfq"): 1.15}
    copying = judge(made(gain, deviation=0.01, metrics=(WRITE,), goal="copying"))
    assert (copying.decision, copying.winner, copying.worth) == (Decision.SWITCH, "bfq", 1.1)
    desktop = judge(made({(LAUNCH, "bfq"): 1 / 1.15}, deviation=0.01))
    assert (desktop.decision, desktop.worth) == (Decision.KEEP, 1.2)
    assert [(fact.scheduler, fact.kind) for fact in desktop.known] == [
        ("bfq", KnownKind.GAINS),
        (None, KnownKind.NO_MORE_THAN),
    ]
    assert judge(made(gain, metrics=(WRITE,), goal="strange")).worth == 1.05


def test_a_gain_of_about_what_is_worth_a_change_is_said_so() -> None:
    verdict = judge(made({(LAUNCH, "bfq"): 1 / 1.17}, deviation=0.06, done=12, seed=2))
    assert verdict.decision is Decision.UNDECIDED
    assert "gains-about-worth" in ids(verdict)
    assert "bfq gains about what is worth a change (20 %)." in say_all(verdict.why)


def test_a_price_that_only_seems_too_high_is_a_trade_off_and_a_switch_beats_it() -> None:
    seems = {(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.55}
    verdict = judge(made(seems, deviation=0.25, done=9))
    assert (verdict.decision, verdict.winner) == (Decision.TRADE_OFF, "bfq")
    assert {"price-beyond", "perhaps-price-beyond"} & set(ids(verdict))
    both = judge(made(seems | {(LAUNCH, "kyber"): 0.6}, deviation=0.05, done=9))
    assert (both.decision, both.winner) == (Decision.SWITCH, "kyber")
    assert re.search(
        r"bfq gains more: it is 3(\.\d)?× faster for starting programs .*, but at a price\.", say_all(both.why)
    )
    assert ids(both).index("gains-more") < ids(both).index("price-beyond")


def test_a_gain_here_and_a_proved_loss_there_are_a_trade_off() -> None:
    effects = {(LAUNCH, "bfq"): 0.5, (READ, "bfq"): 2.0}
    verdict = judge(made(effects, metrics=(LAUNCH, READ)))
    assert (verdict.decision, verdict.winner) == (Decision.TRADE_OFF, "bfq")
    assert ids(verdict) == ["winner-gains", "price", "your-call"]
    doubtful = judge(made(effects | {(READ, "bfq"): 1.3}, deviation=0.15, done=6, metrics=(LAUNCH, READ)))
    assert doubtful.decision is Decision.UNDECIDED
    assert ids(doubtful)[0] == "is-proved" and "perhaps-price" in ids(doubtful)


def test_undecided_says_what_is_known_and_what_it_would_take() -> None:
    found = made({(LAUNCH, "bfq"): 0.75, (LAUNCH, "none"): 2.5}, deviation=0.2, done=6, seed=6)
    verdict = judge(found)
    assert verdict.decision is Decision.UNDECIDED
    assert (verdict.leader, verdict.winner) == ("bfq", None)
    assert verdict.chance and 0.5 < verdict.chance < 1
    assert verdict.more and verdict.more.seconds == pytest.approx(20 * verdict.more.rounds)
    prices = tuple(
        replace(each, order=each.order + 1000, duration_s=60.0) for each in found.samples if each.metric == WRITE
    )
    dear = judge(replace(found, samples=(*(s for s in found.samples if s.metric != WRITE), *prices)))
    assert dear.more == verdict.more, "what only prices is not measured any longer for it"
    why = say_all(verdict.why)
    assert re.search(r"“none” is .* slower for starting programs while files are written \(proved\)\.", why)
    assert re.search(r"bfq leads; the chance that it is worth a change \(20 % or more\) is \d\d %\.", why)
    assert re.search(r"about \d+ more rounds? \(.*\) would be enough\.$", why)
    document = json.loads(json.dumps(verdict_document(verdict)))
    assert document["leader"] == "bfq" and document["more"] == {
        "rounds": verdict.more_rounds,
        "seconds": verdict.more.seconds,
    }
    assert document["known"][0].keys() == {"metric", "scheduler", "kind", "low", "high"}
    assert document["known"][0]["kind"] == "loses" and document["worth"] == 1.2
    assert judge(made({(LAUNCH, "bfq"): 0.7}, deviation=0.15, done=2)).chance is None


def test_what_was_planned_changes_no_interval() -> None:
    short, long = (judge(made({(LAUNCH, "bfq"): 0.8}, deviation=0.1, planned=planned)) for planned in (8, 100))
    assert short == long
    assert judge(made({(LAUNCH, "bfq"): 0.8}, deviation=0.1, planned=None)).comparisons != long.comparisons


def test_a_few_rounds_that_agree_do_not_show_a_small_difference() -> None:
    small, large = ({(LAUNCH, "bfq"): ratio} for ratio in (0.8, 0.4))
    assert judge(made(small, deviation=0.002, done=5)).decision is Decision.UNDECIDED
    assert judge(made(small, deviation=0.002, done=6)).winner == "bfq"
    assert judge(made(large, deviation=0.002, done=4)).winner == "bfq"
    assert judge(made(small, deviation=0.002, done=4, planned=None)).winner == "bfq"


def test_a_rival_that_left_early_is_not_called_equal() -> None:
    result = made({(LAUNCH, "bfq"): 0.1, (LAUNCH, "none"): 0.6, (LAUNCH, "kyber"): 0.85})
    verdict = judge(result)
    assert verdict.winner == "bfq"
    assert verdict.ties == ()


def test_the_verdict_is_the_same_after_a_file() -> None:
    result = made({(LAUNCH, "bfq"): 0.3})
    assert judge(decode(encode(result))) == judge(result)


def test_where_nothing_decides_everything_is_measured_as_planned() -> None:
    result = made({}, goal="media", metrics=(WRITE, READS[0]), done=7)
    planned = replace(result, plan=replace(result.plan, workloads=("dd-write", "sysbench-rndrd")))
    assert next_runs(planned, 5) == {"dd-write": FOUR, "sysbench-rndrd": FOUR}


def test_what_is_only_shown_is_measured_some_times() -> None:
    result = made({}, deviation=0.005, done=12)
    shown = replace(result, plan=replace(result.plan, workloads=("launch-under-writes", "dd-write", "unpack")))
    assert next_runs(shown, 5) == {"unpack": FOUR}


def test_who_was_left_out_may_return_when_it_is_measured_on() -> None:
    result = made({(LAUNCH, "bfq"): 0.85}, deviation=0.15, done=6, metrics=(LAUNCH,))
    without = replace(result, samples=tuple(s for s in result.samples if (s.round, s.scheduler) != (5, "bfq")))
    here = replace(without, plan=replace(without.plan, workloads=("launch-under-writes",)))
    assert "bfq" not in next_runs(here, 60).get("launch-under-writes", ())
    assert "bfq" in next_runs(here, 60, since=1 + max(s.order for s in here.samples))["launch-under-writes"]
