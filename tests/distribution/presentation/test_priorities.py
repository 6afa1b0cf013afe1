# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said about I/O priorities."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.verdict.making import LAUNCH, made

from disktuner.presentation import present
from disktuner.presentation.priorities import Honoured, priorities_found, priority_facts
from disktuner.report.page import html
from disktuner.results.model import Sample
from disktuner.vocabulary.messages import literal, say_all
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import Setting

LOG, COST = "commit-log.commits_per_s", "commit-log.cpu_s_per_1000"


def _sample(scheduler: str, order: int, name: str, value: float, valid: bool = True) -> Sample:
    return Sample(f"priorities.{name}", Setting(scheduler), 0, order, value, valid, None if valid else literal("why"))


def test_a_fact_needs_two_thirds_of_the_valid_runs() -> None:
    result = made({}, metrics=(LAUNCH,), goal="server")
    samples = []
    for order, (gain, valid) in enumerate(((20.0, True), (18.0, True), (1.0, True), (1.0, False))):
        samples += [_sample("bfq", order, "idle_gain", gain, valid), _sample("bfq", order, "low_gain", 1.0, valid)]
        samples.append(_sample("bfq", order, "slowdown", 9.0, valid))
    samples += [_sample("none", 9, "idle_gain", 20.0), _sample("none", 9, "slowdown", 9.0)]
    samples += [_sample("none", 10, "idle_gain", 1.0), _sample("none", 10, "slowdown", 9.0)]
    names = {f"priorities.{name}": name for name in ("idle_gain", "low_gain", "slowdown")}
    metrics = {name: Metric(name, "", Better.HIGHER, label) for name, label in names.items()}
    combined = replace(result, samples=tuple(samples), metrics=metrics)
    facts = {fact.setting.name: fact for fact in priority_facts(combined)}
    assert (facts["bfq"].idle, facts["bfq"].low) == (Honoured.YES, Honoured.NO)
    assert (facts["none"].idle, facts["none"].low) == (Honoured.UNKNOWN, Honoured.UNKNOWN)
    assert priority_facts(result) == ()
    assert [sentence.id for sentence in priorities_found(combined)] == [
        "priority-unclear",
        "priority-honoured",
        "priority-ignored",
    ]
    sentences = say_all(priorities_found(combined))
    assert "bfq honours ionice -c 3 (idle) on this disk." in sentences
    assert present(combined).priorities == sentences and sentences in html(present(combined))
