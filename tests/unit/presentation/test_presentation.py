# SPDX-License-Identifier: GPL-3.0-or-later
"""How differences, scales, answers and samples are worded."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from tests.unit.cli import kinds
from tests.unit.verdict.making import COPY, FAIRNESS, LAUNCH, WRITE, drawn, made, result_of

from disktuner.presentation import bars_of, for_goal, present, present_between, result_title, samples
from disktuner.presentation.changes import MOST_PRICES
from disktuner.verdict.judge import judge
from disktuner.vocabulary.differences import difference_of_gain, interval_message
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.metrics import Better, Metric, Wording
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS, metrics_of

TIME = Metric("x.wall_s", "s", Better.LOWER, "Time")
RATE = Metric("x.bytes_per_s", "bytes_per_s", Better.HIGHER, "Rate")
INDEX = Metric("x.jain_index", "", Better.HIGHER, "Index")
CONDITIONAL = made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75}, deviation=0.15, done=3)
CPU = Metric("x.cpu", "s", Better.LOWER, "CPU time", Wording.COST)


def gain_of(metric: Metric, ratio: float) -> float:
    """Return how many times better a value is that is ``ratio`` times another one."""
    return 1 / ratio if metric.better is Better.LOWER else ratio


@pytest.mark.parametrize(
    ("metric", "ratio", "shown"),
    [
        (TIME, 0.345, "2.9× faster"),
        (TIME, 1.15, "1.15× slower"),
        (TIME, 1.0004, "no difference"),
        (TIME, 1.012, "1.01× slower"),
        (RATE, 2.0, "2× faster"),
        (RATE, 0.01, "more than 10× slower"),
        (INDEX, 0.8, "1.2× worse"),
        (CPU, 1.3, "1.3× more"),
        (CPU, 0.2, "5× less"),
    ],
)
def test_a_difference_is_said_in_one_way(metric: Metric, ratio: float, shown: str) -> None:
    assert say(difference_of_gain(metric.words, gain_of(metric, ratio))) == shown


@pytest.mark.parametrize(
    ("metric", "ends", "shown"),
    [
        (TIME, (0.26, 0.48), "2× to 4× faster"),
        (TIME, (0.18, 0.22), "4× to 6× faster"),
        (RATE, (0.18, 0.22), "4× to 6× slower"),
        (TIME, (0.64, 0.8632), "1.15× to 1.6× faster"),
        (TIME, (0.05, 0.2), "at least 5×"),
        (RATE, (11.0, 40.0), "more than 10× faster"),
        (RATE, (0.02, 0.05), "more than 10× slower"),
        (TIME, (1 / 1.12, 1.03), "1.03× slower to 1.12× faster"),
        (TIME, (0.9999, 1.0001), "no difference"),
        (RATE, (0.5, 4.0), "2× slower to 4× faster"),
        (INDEX, (0.5, 0.8), "1.2× to 2× worse"),
        (CPU, (0.8, 1.5), "1.5× more to 1.25× less"),
    ],
)
def test_an_interval_is_said_in_one_way(metric: Metric, ends: tuple[float, float], shown: str) -> None:
    assert say(interval_message(metric.words, *sorted(gain_of(metric, end) for end in ends))) == shown


def test_what_decides_comes_first_and_the_baseline_is_the_first_row() -> None:
    result = made({(WRITE, "bfq"): 0.5}, metrics=(FAIRNESS, WRITE, LAUNCH))
    presented = present(result)
    assert [panel.decides for panel in presented.panels] == [True, False, False] and presented.panels[
        0
    ].metric.name == LAUNCH
    assert all(panel.rows[0].is_baseline and panel.rows[0].estimate.gain == 0.0 for panel in presented.panels)
    assert [panel.direction for panel in presented.panels[::2]] == [text("lower-is-better"), text("higher-is-better")]


def test_what_is_not_measured_has_no_value() -> None:
    empty = made({}, done=0)
    assert present(empty).panels == () and samples(empty) == ()
    result = made({}, done=6, metrics=(LAUNCH,))
    without = tuple(sample for sample in result.samples if sample.setting != Setting("kyber"))
    kyber = next(
        row for row in present(replace(result, samples=without)).panels[0].rows if row.setting == Setting("kyber")
    )
    assert (kyber.value, kyber.difference, kyber.interval, kyber.finding, kyber.n) == ("–", "–", "", "can't tell", 0)


def test_no_range_is_shown_that_says_nothing() -> None:
    wide = made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4)
    rows = [row for row in present(wide).panels[0].rows if not row.is_baseline]
    assert {(row.interval, row.ends, row.finding) for row in rows} == {("", None, "can't tell")}
    for made_ in judge(wide).comparisons[:3]:
        assert made_.measured and made_.measured.high > made_.measured.low + math.log(10)


def test_answers() -> None:
    results = (
        made({(LAUNCH, "none"): 0.2}),
        CONDITIONAL,
        made({(LAUNCH, "none"): 0.2, (WRITE, "none"): 0.3}),
        made({}, deviation=0.005),
        made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4),
    )
    assert [say(judge(result).answer.action) for result in results] == [
        "Switch to “none”",
        "Switch to bfq, on one condition",
        "Your call: “none” or mq-deadline",
        "Keep mq-deadline",
        "Not decided yet: bfq leads",
    ]
    assert present(made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4)).candidate == Setting("bfq")


def test_a_price_that_is_said_has_its_row() -> None:
    """Also of a workload that runs with several numbers of threads."""
    faster, slower = "sysbench-rndrd.ios_per_s", "sysbench-rndrd.t2_bytes_per_s"
    metrics = {name: metrics_of(WORKLOADS["sysbench-rndrd"])[name] for name in (faster, slower)}
    factors = {(faster, "bfq"): 1.5, (slower, "bfq"): 0.4}
    runs = drawn(random.Random(1), metrics, ("none", "bfq"), 8, 0.02, lambda *of: 1e6 * factors.get(of, 1.0))
    question = question_for("database", metrics.values())
    presented = present(result_of(metrics, ("none", "bfq"), runs, "database", question=question))
    assert [change.metric for change in presented.changes] == [slower]
    assert presented.glance.price.startswith("Price: 395 kB/s instead of 1.01 MB/s for “Random reads, 2 threads")


def test_every_condition_has_its_row() -> None:
    """A server has seven prices."""
    decides, names = "many-clients.bytes_per_s", ("none", "bfq")
    priced = ("launch-office.wall_s", "copy-contended.wall_s", "copy.wall_s", "dd-write.bytes_per_s",
              "dd-read.bytes_per_s", "many-clients.cpu_s_per_1000")  # fmt: skip
    known = {name: metric for facts in WORKLOADS.values() for name, metric in metrics_of(facts).items()}
    metrics = {name: known[name] for name in (decides, *priced)}
    runs = (
        *drawn(random.Random(1), (decides,), names, 3, 0.02, lambda _, setting: 30.0 if setting == "bfq" else 1.0),
        *drawn(random.Random(1), priced, names, 3, 0.8, lambda *_: 1.0),
    )
    question = question_for("server", metrics.values())
    presented = present(result_of(metrics, names, runs, "server", question=question))
    assert {change.metric for change in presented.changes} == {side.metric for side in presented.verdict.open}
    assert len(presented.changes) == len(presented.verdict.answer.conditions) > MOST_PRICES


def test_a_result_of_several_disks_names_them() -> None:
    alone = made({}, done=2)
    measured = present(alone).measured
    several = present(replace(alone, disks=(alone.disk["name"], "sdz"))).measured
    assert several != measured and several == measured.replace(alone.disk["name"], f"{alone.disk['name']} + sdz", 1)
    assert present(replace(alone, disks=(alone.disk["name"],))).measured == measured
    assert present(replace(alone, disks=("\x1b[2J",))).measured.isprintable()


def test_two_results_side_by_side() -> None:
    slow = made({(LAUNCH, name): 2.0 for name in ("mq-deadline", "none", "kyber", "bfq")}, seed=2)
    slow = replace(slow, machine=replace(slow.machine, kernel="", memory_bytes=2**33))
    between = present_between(made({}), slow)
    assert between.differences == (("kernel", "6.1.0-28-amd64", "–"), ("memory", "17.2 GB", "8.59 GB"))
    alike = replace(slow, machine=replace(slow.machine, memory_bytes=2**33 + 4096))
    assert "memory" not in dict(present_between(slow, alike).differences), "another kernel keeps some pages for itself"
    before, after = (row.typical or 0.0 for row in between.shared[0].rows[0])
    assert after / before == pytest.approx(2, rel=0.05)
    assert between.answers[0].startswith(f"First: {result_title(slow)}. ")


def test_where_rounds_are_too_few_for_an_interval_their_dots_are_on_the_chart_all_the_same() -> None:
    panel = present(made({(LAUNCH, "bfq"): 0.2}, deviation=0.5, done=2)).panels[0]
    bare = [row for row in panel.rows if row.ends is None and row.dots]
    dots = {bar.setting: bar.dots for bar in bars_of(panel, None).bars}
    assert bare and all(len(dots[row.setting]) == len(row.dots) for row in bare)


def test_for_the_goal_that_it_was_measured_for_a_result_has_one_answer() -> None:
    """A quick comparison asks for more than its goal does, as it could not tell less."""
    result = made({(COPY, "bfq"): 1 / 1.125}, deviation=0.01, metrics=(COPY,), goal="copying")
    assert result.plan.question is not None
    quick = replace(result, plan=replace(result.plan, question=replace(result.plan.question, worth=1.15)))
    assert judge(for_goal(quick, "copying")) == judge(quick) != judge(result)


def test_what_was_counted_in_daily_use_has_hours_and_a_sentence_that_says_what_it_is() -> None:
    shown = present(kinds.drawn()["daily use"])
    assert any(fact.endswith(" of use") for fact in shown.run) and not any("round" in fact for fact in shown.run)
    assert "Per hour of use" in shown.glance.headline
    assert not shown.glance.value, "large figures have only the activity above them"
