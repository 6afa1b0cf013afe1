# SPDX-License-Identifier: GPL-3.0-or-later
"""How differences, scales, answers and samples are said."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.unit.verdict.making import FAIRNESS, LAUNCH, WRITE, made

from disktuner.presentation import answer, difference, interval, present, present_between, result_title, samples, when
from disktuner.presentation.panels import compared_row
from disktuner.presentation.scale import scale_of
from disktuner.verdict.between import between
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Contrast, Outcome
from disktuner.vocabulary.messages import ENGLISH, Language, literal, message, speaking
from disktuner.vocabulary.metrics import Better, Metric, Wording
from disktuner.vocabulary.units import Numbers

TIME = Metric("x.wall_s", "s", Better.LOWER, "Time")
RATE = Metric("x.bytes_per_s", "bytes_per_s", Better.HIGHER, "Rate")
INDEX = Metric("x.jain_index", "", Better.HIGHER, "Index")
CPU = Metric("x.cpu", "s", Better.LOWER, "CPU time", Wording.COST)


@pytest.mark.parametrize(
    ("metric", "ratio", "shown"),
    [
        (TIME, 0.345, "2.9× faster"),
        (TIME, 1.15, "15 % slower"),
        (TIME, 2.9, "2.9× slower"),
        (TIME, 1 / 1.15, "15 % faster"),
        (TIME, 1.0, "no difference"),
        (TIME, 1.0004, "no difference"),
        (TIME, 1.012, "1.2 % slower"),
        (RATE, 2.0, "2× faster"),
        (RATE, 1.999, "2× faster"),
        (RATE, 0.01, "100× slower"),
        (INDEX, 0.8, "25 % worse"),
        (CPU, 1.3, "30 % more"),
        (CPU, 0.2, "5× less"),
    ],
)
def test_a_difference_is_said_in_one_way(metric: Metric, ratio: float, shown: str) -> None:
    assert difference(metric, ratio) == shown


@pytest.mark.parametrize(
    ("metric", "ends", "shown"),
    [
        (TIME, (0.26, 0.48), "2.1× to 3.8× faster"),
        (TIME, (1 / 1.12, 1.03), "3 % slower to 12 % faster"),
        (TIME, (1.03, 1.12), "3 % to 12 % slower"),
        (TIME, (0.9999, 1.0001), "no difference"),
        (TIME, (0.8, 1.0001), "0 % to 25 % faster"),
        (RATE, (0.5, 4.0), "2× slower to 4× faster"),
        (INDEX, (0.5, 0.8), "25 % to 2× worse"),
        (CPU, (0.8, 1.5), "50 % more to 25 % less"),
    ],
)
def test_an_interval_is_said_in_one_way(metric: Metric, ends: tuple[float, float], shown: str) -> None:
    assert interval(metric, *ends) == shown


def test_another_language_says_everything_its_way() -> None:
    texts = {"is-faster": "um {by:amount} schneller", "answer-switch": "Nimm {winner:scheduler}"}
    numbers = Numbers(grouped="12.345", grouped_first="1.234", fraction="1,5")
    names = {"Starting a program beside writers": "Programmstart neben Schreibern"}
    result = made({(LAUNCH, "bfq"): 0.2}, metrics=(LAUNCH,))
    with speaking(Language("de", {**ENGLISH.texts, **texts}, lambda english: names.get(english, english), numbers)):
        shown = present(result)
    panel = shown.panels[0]
    bfq = next(row for row in panel.rows if row.scheduler == "bfq")
    assert (shown.title, panel.label) == ("Nimm bfq", "Programmstart neben Schreibern")
    assert bfq.difference.startswith("um ") and "," in bfq.difference and "," in bfq.value
    assert shown.why.startswith(f"bfq is {bfq.difference} for")


def test_what_decides_comes_first_and_the_baseline_is_the_first_row() -> None:
    result = made({(WRITE, "bfq"): 0.5}, metrics=(FAIRNESS, WRITE, LAUNCH))
    shown = present(result)
    assert [panel.decides for panel in shown.panels] == [True, False, False] and shown.panels[0].metric.name == LAUNCH
    assert all(panel.rows[0].is_baseline and panel.rows[0].gain == 1.0 for panel in shown.panels)
    assert shown.trade_off is not None
    assert [shown.trade_off.deciding.metric.name, shown.trade_off.price.metric.name] == [LAUNCH, WRITE]


def test_a_result_of_one_scheduler_shows_its_values_and_compares_nothing() -> None:
    shown = present(made({}, schedulers=("bfq",), done=3))
    assert {row.difference + row.interval + row.finding for panel in shown.panels for row in panel.rows} == {""}
    assert all(row.typical and row.spoken.startswith("bfq: ") for panel in shown.panels for row in panel.rows)
    assert shown.trade_off is None


def test_what_is_not_measured_has_no_value() -> None:
    empty = made({}, done=0)
    assert present(empty).panels == () and samples(empty) == ()
    result = made({}, done=6, metrics=(LAUNCH,))
    without = tuple(each for each in result.samples if each.scheduler != "kyber")
    kyber = next(row for row in present(replace(result, samples=without)).panels[0].rows if row.scheduler == "kyber")
    assert (kyber.value, kyber.difference, kyber.interval, kyber.n) == ("–", "–", "too few rounds", 0)


def test_answers() -> None:
    results = (
        made({(LAUNCH, "none"): 0.2}),
        made({(LAUNCH, "none"): 0.2, (WRITE, "none"): 0.3}),
        made({}, deviation=0.005),
        made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4),
    )
    assert [answer(judge(each), each) for each in results] == [
        "Switch to “none”",
        "Your call: “none” or mq-deadline",
        "Keep mq-deadline",
        "Not decided yet",
    ]
    assert present(made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4)).candidate == "bfq"


def test_where_it_is_kept_no_row_says_that_it_cannot_be_decided() -> None:
    shown = present(made({(WRITE, "bfq"): 0.99}, deviation=0.04, metrics=(LAUNCH, WRITE)))
    findings = [[row.finding for row in panel.rows[1:]] for panel in shown.panels]
    assert shown.title == "Keep mq-deadline" and {*findings[0]} <= {"no gain worth a change", "no practical difference"}
    assert "no gain worth a change" in findings[0] and "no gain worth a change" not in findings[1]
    assert all(row.finding in row.spoken for row in shown.panels[0].rows[1:])


def test_every_sample_is_a_row_with_its_reason() -> None:
    result = made({}, done=1, metrics=(LAUNCH,))
    first, second, third, fourth = result.samples
    marked = (
        replace(first, valid=False, reason=message("other-io", moved=96_000_000)),
        replace(second, reason=literal("CPU stolen: 9%")),
        replace(third, valid=False),
        fourth,
    )
    rows = samples(replace(result, samples=marked))
    assert [row.counts for row in rows] == [
        "no: Other processes moved 96 MB on the disk during the run",
        "yes: CPU stolen: 9%",
        "no",
        "yes",
    ]
    assert rows[0].run == rows[0].round == "1" and rows[0].value.endswith(" s")


def test_a_result_of_several_disks_names_them_and_believes_no_foreign_file() -> None:
    alone = made({}, done=2)
    measured = present(alone).measured
    several = present(replace(alone, extra={"disks": [alone.disk["name"], "sdz"]})).measured
    assert several != measured and several == measured.replace(alone.disk["name"], f"{alone.disk['name']} + sdz", 1)
    for foreign in ("sdz", [1, {}], {"a": 1}, None, [alone.disk["name"]]):
        assert present(replace(alone, extra={"disks": foreign})).measured == measured
    assert present(replace(alone, extra={"disks": ["\x1b[2J"]})).measured.isprintable()


def test_two_results_side_by_side() -> None:
    slow = made({(LAUNCH, name): 2.0 for name in ("mq-deadline", "none", "kyber", "bfq")}, seed=2)
    slow = replace(slow, machine=replace(slow.machine, kernel="", memory_bytes=2**33))
    shown = present_between(between(made({}), slow))
    assert shown.differences == (("kernel", "6.1.0-28-amd64", "–"), ("memory", "17.2 GB", "8.59 GB"))
    row = shown.panels[0].rows[0]
    before, after = (float(value.removesuffix(" s")) for value in row.value.split(" → "))
    assert after / before == pytest.approx(2, rel=0.05) and row.difference.endswith("slower")
    assert shown.answers[0].startswith(f"First: {result_title(slow)}. ")


@pytest.fixture
def in_kathmandu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where clocks are 5:45 hours ahead of UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "<+0545>-05:45")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_kathmandu")
def test_times_are_local_and_nonsense_stays() -> None:
    assert when("2026-11-21T22:00:00Z") == "2026-11-22 03:45"
    assert when("yesterday") == "yesterday"


def test_a_scale_is_not_wider_than_it_can_be_read() -> None:
    scale = scale_of([1.0, 1.3], [1e-9, 1e9])
    assert 0.2 < scale.low < 0.4 and 3 < scale.high < 6
    assert (scale.at(1e-12), scale.at(1e12)) == (0.0, 1.0) and scale.band == (0.95, 1.05)


def test_an_interval_that_holds_all_that_can_be_imagined_is_none() -> None:
    wild = Contrast(TIME.name, "bfq", 2, 0.8, 1e-9, 1e9, Outcome.UNDECIDED)
    row = compared_row(TIME, wild, "1 s", 1.0)
    assert (row.interval, row.gain_low, row.gain_high, row.difference) == ("too few rounds", None, None, "25 % faster")
    assert compared_row(TIME, replace(wild, ci_low=0.1), "1 s", 1.0).gain_low is not None
