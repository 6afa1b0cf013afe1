# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.verdict.making import FAIRNESS, FOUR, LAUNCH, READS, WORST, WRITE, WRITER, made

from disktuner.results.codec import decode, encode, load
from disktuner.results.model import Goal, Sample
from disktuner.verdict.goals import RULES, workloads_of
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision, Outcome
from disktuner.verdict.sequential import finished, next_schedulers

DATA = Path(__file__).parents[2] / "data" / "results"


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
    assert verdict.why.startswith("bfq starts programs 5.")
    assert "95 % sure" in verdict.why and "writing one big file is 2" in verdict.why


def test_a_price_is_called_by_what_it_is() -> None:
    effects = {(LAUNCH, "bfq"): 0.2, (FAIRNESS, "bfq"): 0.8, (WORST, "bfq"): 1.5}
    why = judge(made(effects, metrics=(LAUNCH, FAIRNESS, WORST))).why
    assert "“How alike the copies were served” is 2" in why
    assert "% worse" in why
    assert "“The slowest start” takes 4" in why


def test_of_many_figures_of_a_workload_the_worst_is_the_price() -> None:
    worse = {(READS[0], "bfq"): 0.8, (READS[1], "bfq"): 0.5, (READS[2], "bfq"): 0.6}
    verdict = judge(made({(LAUNCH, "bfq"): 0.2, **worse}, metrics=(LAUNCH, *READS)))
    assert verdict.why.count("Random reads") == 1
    assert "“Random reads, 8 threads” is 50 % slower" in verdict.why


def test_who_leads_is_named_while_nothing_is_decided_and_only_then() -> None:
    undecided = judge(made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4))
    assert (undecided.decision, undecided.winner, undecided.leader) == (Decision.UNDECIDED, None, "bfq")
    nobody = judge(made(dict.fromkeys(((LAUNCH, name) for name in FOUR[1:]), 1.5), deviation=0.3, done=2))
    assert (nobody.decision, nobody.leader) == (Decision.UNDECIDED, None)
    assert judge(made({(LAUNCH, "bfq"): 0.2})).leader is None


def test_none_is_not_nothing() -> None:
    assert judge(made({(LAUNCH, "none"): 0.5})).why.startswith("“none” starts programs 2.0× faster")


def test_a_winner_that_costs_too_much_is_not_chosen() -> None:
    verdict = judge(made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.3}, deviation=0.005, done=12))
    assert verdict.decision is Decision.KEEP
    assert "cost too much" in verdict.why


def test_no_difference_is_a_finding() -> None:
    result = made({}, deviation=0.005)
    verdict = judge(result)
    assert verdict.decision is Decision.KEEP
    assert "all within 5 %. Keep mq-deadline." in verdict.why
    assert finished(result)


def test_too_few_runs_say_how_many_more() -> None:
    verdict = judge(made({}, deviation=0.04, done=4))
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.more_rounds and f"{verdict.more_rounds} more rounds (" in verdict.why


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
    ("changes", "words"),
    [
        ({"done": 1}, "Not enough runs"),
        ({"schedulers": ("none",)}, "nothing to compare"),
        ({"done": 0}, "no valid sample"),
        ({"goal": None}, "without a goal"),
        ({"goal": "database", "metrics": (WRITE, WRITER)}, "Nothing was measured that decides"),
    ],
)
def test_what_cannot_be_told_says_why(changes: dict[str, object], words: str) -> None:
    verdict = judge(made({}, **changes))  # type: ignore[arg-type]
    assert verdict.decision is Decision.UNDECIDED
    assert words in verdict.why


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
    assert "zero or negative" in verdict.why


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


def test_a_loss_is_known_when_no_gain_is_left_to_find() -> None:
    slower = {(LAUNCH, s): 1.04 for s in FOUR[1:]}
    verdict = judge(made(slower, deviation=0.04, done=12, metrics=(LAUNCH,), seed=3))
    assert {c.outcome for c in verdict.comparisons} == {Outcome.UNDECIDED}
    assert verdict.decision is Decision.KEEP
    assert verdict.why == (
        "Nothing is at least 5 % better than mq-deadline for starting programs while files are written. "
        "Keep mq-deadline."
    )


def test_a_few_rounds_that_agree_do_not_show_a_small_difference() -> None:
    small, large = ({(LAUNCH, "bfq"): ratio} for ratio in (0.8, 0.4))
    assert judge(made(small, deviation=0.002, done=4)).decision is Decision.UNDECIDED
    assert judge(made(small, deviation=0.002, done=5)).winner == "bfq"
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


def test_goals_name_their_workloads_and_docs_tell_them() -> None:
    text = (Path(__file__).parents[3] / "docs" / "goals.md").read_text()
    for goal in Goal:
        rule, names = RULES[goal], workloads_of(goal)
        assert names[0] == rule.deciding[0]
        line = next(line for line in text.splitlines() if line.startswith(f"| `{goal}`"))
        assert rule.why in line
        assert all(f"`{name}`" in line for name in names)
        assert all(f"{100 * guard.may_lose:.0f} %" in line for guard in rule.guards)
