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
    broken = made({(LAUNCH, "bfq"): 0.3, (WRITE, "bfq"): 0.3}, deviation=0.05, done=8)
    assert judge(broken).decision is Decision.TRADE_OFF and next_runs(broken) == {}
    leads = made({(LAUNCH, "bfq"): 0.7}, deviation=0.12, done=4)
    assert judge(leads).leader == "bfq"
    assert next_runs(only(leads, WRITE, 1))[WRITES] == ("mq-deadline", "bfq")
