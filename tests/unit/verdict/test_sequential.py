# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runs are worth making next: by workload, with rounds of their own, and without an end in the plan."""

from __future__ import annotations

from dataclasses import replace

from tests.bench.playing import next_schedulers
from tests.unit.verdict.making import FOUR, LAUNCH, READ, WRITE, made

from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.verdict.sequential import next_runs

LAUNCHES, READS, WRITES = "launch-under-writes", "read-latency-under-writes", "dd-write"


def only(result: Result, metric: str, rounds: int, schedulers: tuple[str, ...] = FOUR) -> Result:
    """The same result with fewer samples of one metric."""
    kept = tuple(s for s in result.samples if s.metric != metric or (s.round < rounds and s.scheduler in schedulers))
    return replace(result, samples=kept)


def test_before_anything_is_measured_all_run_what_decides_and_nobody_a_price() -> None:
    nothing = made({}, done=0, metrics=(LAUNCH, READ, WRITE))
    assert next_runs(nothing) == {LAUNCHES: FOUR, READS: FOUR}
    planned = replace(nothing, plan=replace(nothing.plan, workloads=(READS, WRITES, LAUNCHES)))
    assert list(next_runs(planned)) == [READS, LAUNCHES]
    assert next_schedulers(planned) == FOUR


def test_a_price_is_asked_of_those_who_gain_or_lead_until_it_is_settled() -> None:
    winner = made({(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.9}, deviation=0.05, done=8)
    assert next_runs(only(winner, WRITE, 0)) == {WRITES: ("mq-deadline", "bfq")}
    assert next_runs(only(winner, WRITE, 2)) == {WRITES: ("mq-deadline", "bfq")}
    assert next_runs(winner) == {}  # far within its tolerance
    near = made({(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.7}, deviation=0.08, done=6, seed=2)
    assert next_runs(near) == {WRITES: ("mq-deadline", "bfq")}
    broken = made({(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.3}, deviation=0.05, done=8)
    assert judge(broken).decision is Decision.TRADE_OFF and next_runs(broken) == {}
    leads = made({(LAUNCH, "bfq"): 0.7}, deviation=0.12, done=4)
    assert judge(leads).leader == "bfq"
    assert next_runs(only(leads, WRITE, 1))[WRITES] == ("mq-deadline", "bfq")


def test_prices_may_ask_one_who_was_not_asked_before() -> None:
    found = made({(LAUNCH, "bfq"): 0.3}, deviation=0.05, done=8)
    assert next_runs(only(found, WRITE, 5, ("mq-deadline", "none"))) == {WRITES: ("mq-deadline", "bfq")}


def test_metrics_may_have_different_rounds() -> None:
    found = made({(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.9}, deviation=0.05, done=40, planned=50)
    few = only(found, WRITE, 4)
    verdict = judge(few)
    assert (verdict.decision, verdict.winner) == (Decision.SWITCH, "bfq")
    assert {c.n for c in verdict.comparisons if c.metric == WRITE} == {4}
    assert {c.n for c in verdict.comparisons if c.metric == LAUNCH} == {40}


def test_what_decides_goes_on_where_it_is_open_only() -> None:
    """Launches are known after eight rounds, latencies vary too much; there is no gain that forbids to ask on."""
    known = made({}, deviation=0.02, done=8, metrics=(LAUNCH,))
    noisy = made({}, deviation=0.2, done=8, metrics=(READ,), seed=2)
    both = replace(known, metrics=known.metrics | noisy.metrics, samples=known.samples + noisy.samples)
    runs = next_runs(both, horizon_rounds=40)
    assert list(runs) == [READS] and runs[READS][0] == "mq-deadline" and len(runs[READS]) > 1


def test_the_horizon_is_the_callers() -> None:
    noisy = made({}, deviation=0.15, done=12)
    assert next_runs(noisy) == {} == next_runs(noisy, horizon_rounds=0)  # the plan is used up
    assert next_runs(noisy, horizon_rounds=30)
    assert next_schedulers(noisy, horizon_rounds=30)[0] == "mq-deadline"
    assert next_runs(made({}, deviation=0.4, done=6, seed=2), horizon_rounds=3) == {}
    assert next_runs(made({}, done=1, planned=None))


def test_who_was_left_out_of_a_workload_does_not_return_to_it() -> None:
    noisy = made({}, deviation=0.3, done=7, planned=60, metrics=(LAUNCH, READ))
    runs = next_runs(noisy)
    assert "none" in runs[LAUNCHES] and "none" in runs[READS]
    without = tuple(s for s in noisy.samples if (s.metric, s.round, s.scheduler) != (READ, 6, "none"))
    again = next_runs(replace(noisy, samples=without))
    assert "none" in again[LAUNCHES] and "none" not in again[READS]
