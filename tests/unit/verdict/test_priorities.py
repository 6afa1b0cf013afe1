# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of I/O priorities, and that the cost of processors is only compared where it is a price of the goal."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.verdict.making import FOUR, LAUNCH, made

from disktuner.presentation import present
from disktuner.report.page import html
from disktuner.results.model import Result, Sample
from disktuner.verdict.judge import judge
from disktuner.verdict.priorities import Honoured, priorities_found, priority_facts
from disktuner.vocabulary.messages import literal, say_all
from disktuner.vocabulary.metrics import Better, Metric

LOG, COST = "commit-log.commits_per_s", "commit-log.cpu_s_per_1000"
OF_LOG = {
    LOG: Metric(LOG, "per_s", Better.HIGHER, "Commits"),
    COST: Metric(COST, "s", Better.LOWER, "CPU time per 1,000 reads and writes: commits"),
}


def of_log(effects: dict[tuple[str, str], float], goal: str) -> Result:
    """A result of commit-log with what it cost."""
    found = made({(LAUNCH, s): effects.get((LOG, s), 1.0) for s in FOUR}, metrics=(LAUNCH,), goal=goal)
    costs = made({(LAUNCH, s): effects.get((COST, s), 1.0) for s in FOUR}, metrics=(LAUNCH,), seed=2)
    samples = [replace(each, metric=LOG) for each in found.samples] + [replace(e, metric=COST) for e in costs.samples]
    return replace(found, metrics=OF_LOG, samples=tuple(samples))


def _sample(scheduler: str, order: int, name: str, value: float, valid: bool = True) -> Sample:
    return Sample(f"priorities.{name}", scheduler, 0, order, value, valid, None if valid else literal("why"))


def test_a_fact_needs_two_thirds_of_the_valid_runs() -> None:
    result = of_log({}, "server")
    samples = []
    for order, (gain, valid) in enumerate(((20.0, True), (18.0, True), (1.0, True), (1.0, False))):
        samples += [_sample("bfq", order, "idle_gain", gain, valid), _sample("bfq", order, "low_gain", 1.0, valid)]
        samples.append(_sample("bfq", order, "slowdown", 9.0, valid))
    samples += [_sample("none", 9, "idle_gain", 20.0), _sample("none", 9, "slowdown", 9.0)]
    samples += [_sample("none", 10, "idle_gain", 1.0), _sample("none", 10, "slowdown", 9.0)]
    names = {f"priorities.{name}": name for name in ("idle_gain", "low_gain", "slowdown")}
    metrics = {name: Metric(name, "", Better.HIGHER, label) for name, label in names.items()}
    both = replace(result, samples=tuple(samples), metrics=metrics)
    facts = {fact.scheduler: fact for fact in priority_facts(both)}
    assert (facts["bfq"].idle, facts["bfq"].low) == (Honoured.YES, Honoured.NO)
    assert (facts["none"].idle, facts["none"].low) == (Honoured.UNKNOWN, Honoured.UNKNOWN)
    assert priority_facts(result) == ()
    assert [sentence.id for sentence in priorities_found(both)] == [
        "priority-unclear",
        "priority-honoured",
        "priority-ignored",
    ]
    said = say_all(priorities_found(both))
    assert "bfq honours ionice -c 3 (idle) on this disk." in said
    assert present(both).priorities == said and said in html(present(both))


def test_cost_is_compared_where_it_is_a_price_where_it_forbids_a_switch_and_only_shown_elsewhere() -> None:
    for goal, priced in (("database", True), ("desktop", False)):
        result = of_log({(LOG, "bfq"): 1.3, (COST, "bfq"): 1.1}, goal)
        assert (COST in {each.metric for each in judge(result).comparisons}) is priced
    verdict = judge(of_log({(LOG, "bfq"): 1.5, (COST, "bfq"): 9.0}, "database"))
    assert (verdict.decision.value, verdict.winner) == ("trade-off", "bfq")
    assert "price-beyond-in-cpu-time" in [sentence.id for sentence in verdict.why]
