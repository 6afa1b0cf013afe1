# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of an experiment, without a disk: what is run, repeated and saved, and what ends it."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from itertools import count, islice, pairwise, product
from pathlib import Path

import pytest
from tests.unit.experiment.playing import EMPTY, TWO, WORKLOADS, Clock, Paused, Played, plan, play

from disktuner.experiment.events import Phase, RoundDone
from disktuner.experiment.experiment import MOST_FAILURES
from disktuner.experiment.plan import AROUND_S, OVERHEAD_S, Planned, Task, make_plan
from disktuner.experiment.rounds import Turn, orders
from disktuner.results.model import Addition, PlanRecord, Result
from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
from disktuner.verdict.race import next_turn
from disktuner.vocabulary.errors import Cancelled, MeasurementImpossible
from disktuner.vocabulary.goals import QUICK
from disktuner.vocabulary.messages import Message, literal, message, say
from disktuner.vocabulary.questions import Part, Price, Question
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS as WORKLOAD_FACTS
from disktuner.vocabulary.workloads import metrics_of
from disktuner.workloads.catalogue import find
from disktuner.workloads.dd import CopiedSpec, WriteSpec
from disktuner.workloads.many_files import SmallFilesSpec
from disktuner.workloads.processes import Control
from disktuner.workloads.workload import Probe
from disktuner.writing import NotSaved

CACHED = message("page-cache", claimed=96_000_000, moved=4096)
FAILED = message("run-failed", error=literal("dd failed with status 1: No space left on device"))
BATTERY = message("on-battery")
OTHER_IO = message("other-io", moved=96_000_000)
DECIDED = Question((Part("dd-write.bytes_per_s"), Part("dd-read.bytes_per_s")), (Price("copy.wall_s", 0.2),))
FOUR = tuple(map(Setting, ("none", "mq-deadline", "kyber", "bfq")))
LEARNING = tuple(map(Setting, ("none", "mq-deadline", "adios", "bfq")))


class Failing(Played):
    """A runner whose pilot fails."""

    def pilot(self, planned: Planned, abort_after_s: float) -> None:
        super().pilot(planned, abort_after_s)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_every_round_runs_every_scheduler_and_workload_once(clock: Clock) -> None:
    runner = Played(clock)
    ended = play(plan(rounds=4, workloads=2), runner)
    assert ended.error is None and ended.rounds == [0, 1, 2, 3]
    assert set(Counter(runner.ran).values()) == {1} and len(runner.ran) == 4 * 2 * 2
    assert [sample.order for sample in ended.result.samples] == list(range(16))
    assert runner.piloted == [(id_, name) for id_ in WORKLOADS[:2] for name in ("none", "bfq")]
    phases = [event.message.id for event in ended.events if isinstance(event, Phase)]
    assert phases == ["preparing", "warming-up", "measuring", "cleaning"]


def test_what_learns_is_warmed_up_before_each_of_its_runs_and_that_is_announced(clock: Clock) -> None:
    runner = Played(clock)
    plain, learning = plan(rounds=4), plan(rounds=4, settings=(Setting("none"), Setting("adios")))
    ended = play(learning, runner)
    assert runner.piloted == [("dd-write", name) for name in ("none", *["adios"] * 5)]
    assert len(ended.result.samples) == len(runner.ran) == 8
    assert learning.seconds(4) - plain.seconds(4) == pytest.approx(4 * plain.planned[0].run_s)
    assert learning.bytes_of_rounds(4) > plain.bytes_of_rounds(4)


def test_all_that_is_added_is_saved(clock: Clock) -> None:
    ended = play(plan(rounds=2), Played(clock, reasons=[CACHED]))
    result = EMPTY
    for addition in ended.saved:
        result = result.plus(addition)
    assert result == ended.result
    assert len(ended.result.samples) == 5
    events_of_kind = [event for event in ended.events if isinstance(event, RoundDone)]
    assert [event.round for event in events_of_kind] == [0, 1] and events_of_kind[
        -1
    ].result.samples == ended.result.samples


def test_a_pause_and_a_wait_for_a_password_are_not_counted(clock: Clock) -> None:
    control = Paused(clock, [500.0, 0.0, 300.0])
    ended = play(plan(rounds=3, most_s=14.0), Played(clock, asked_s=1000.0), control=control)
    assert ended.rounds == [0, 1, 2] and ended.warnings == []


def test_time_that_is_up_before_what_was_planned_is_told(clock: Clock) -> None:
    ended = play(plan(rounds=4, most_s=5 + 2 + 5), Played(clock))
    assert ended.rounds == [0, 1] and ended.error is None
    assert ended.warnings == ["time-is-up"]


@pytest.mark.parametrize("seed", range(40))
def test_time_and_bytes_that_were_announced_are_kept_on_any_disk(clock: Clock, seed: int) -> None:
    """At 5 MB/s to 3 GB/s, with runs that take a third to fifteen times what was expected."""
    source = random.Random(seed)
    factors = {key: source.uniform(0.3, 10.0) for key in product(WORKLOADS, (setting.name for setting in LEARNING))}
    runner = Played(
        clock,
        lambda workload, scheduler: factors[workload, scheduler] * source.uniform(0.5, 1.5),
        share_written=source.uniform(0.2, 1.0),
        knows_bytes=source.random() < 0.8,
        reasons=(CACHED if source.random() < 0.1 else None for _ in count()),
    )
    speed = 10 ** source.uniform(6.7, 9.5)
    probe = Probe(speed, 1.2 * speed, 10 ** source.uniform(-4, -1.8), 1 << 33, 1 << 37, 0.01)
    limits = replace(QUICK.limits, rounds=999, written_bytes=source.uniform(0.2, 24) * 1e9)
    record = PlanRecord(None, None, LEARNING, LEARNING[0], WORKLOADS, 1, question=DECIDED)
    plan_made = make_plan(Task(record, [find(workload) for workload in WORKLOADS], limits), Path(), ("a",), probe)
    ended = play(plan_made, runner)
    assert ended.error is None and len(runner.ran) > 8
    assert runner.written <= plan_made.most_bytes
    late_s = clock.now_s - 1000.0 - (plan_made.announced_s - AROUND_S)
    assert late_s <= max(runner.took), "only the run under way may take longer than the longest before it"


def test_the_pilot_makes_runs_as_short_as_the_slowest_scheduler_needs(clock: Clock) -> None:
    times = {"none": 12.0, "bfq": 4.0}
    runner = Played(clock, lambda _, scheduler: times[scheduler])
    ended = play(plan(rounds=2, most_s=99.0), runner)
    assert runner.piloted == [("dd-write", "none"), ("dd-write", "bfq")]
    assert runner.took[0] == 4.0, "nobody waits longer than four times what is expected"
    assert runner.took[1] == pytest.approx(3.0), "what the first pilot shows to take too long, the next does less of"
    assert ended.result.sizes["dd-write"]["expected_s"] == pytest.approx(0.75)
    assert sorted(runner.took[2:]) == pytest.approx([3, 3, 9, 9])


def test_a_workload_whose_runs_were_planned_far_too_short_does_not_keep_the_others_from_being_measured(
    clock: Clock,
) -> None:
    """A run of 20 ms that takes a second: the next workload is not fifty times as slow for that."""
    planned = plan(rounds=1, workloads=2, most_s=60.0)
    short = replace(planned.planned[0], spec=WriteSpec(0.02, 10))
    planned = replace(planned, planned=(short, planned.planned[1]))
    ended = play(planned, Played(clock, lambda workload, _: 50.0 if workload == "dd-write" else 1.0))
    assert {sample.metric for sample in ended.result.samples} == {"dd-write.bytes_per_s", "dd-read.bytes_per_s"}


def test_the_quickest_scheduler_still_runs_for_half_a_second(clock: Clock) -> None:
    times = {"none": 4.0, "bfq": 1.2}
    runner = Played(clock, lambda _, scheduler: times[scheduler])
    play(plan(rounds=3, run_s=1.0), runner)
    assert min(runner.took[2:]) == pytest.approx(0.5)


def test_a_pilot_never_makes_prepared_files_larger_and_a_failing_one_changes_nothing(clock: Clock) -> None:
    for runner in (Played(clock, lambda *_: 0.1), Failing(clock)):
        ended = play(plan(rounds=2), runner)
        assert not ended.result.sizes and ended.rounds == [0, 1]


@pytest.mark.parametrize(("took", "files"), [(1.5, 200), (0.9, 200), (0.5, 400), (0.1, 600)])
def test_the_pilot_makes_runs_as_long_as_planned_where_nothing_was_prepared(
    clock: Clock, took: float, files: int
) -> None:
    """Up to three times as long, and not if the pilot has no time to reach."""
    of_files = Planned(find("small-files"), SmallFilesSpec(1.0, 200))
    plan_made = replace(plan(rounds=2), planned=(of_files,))
    plan_made = replace(plan_made, record=replace(plan_made.record, workloads=("small-files",)))
    sizes = play(plan_made, Played(clock, lambda *_: took)).result.sizes
    assert sizes.get("small-files", {"files": 200})["files"] == files
    assert not play(replace(plan_made, run_s=math.inf), Played(clock, lambda *_: took)).result.sizes


@pytest.mark.parametrize(("took", "mib"), [(4.0, 80), (10.9, 80), (22.0, 40)])
def test_a_copy_to_a_stick_is_only_shortened_where_it_takes_far_too_long(clock: Clock, took: float, mib: int) -> None:
    copied = Planned(find("copy-then-unplug"), CopiedSpec(11.0, 80 << 20))
    plan_made = replace(plan(rounds=2), planned=(copied,), piloted=TWO[:1])
    plan_made = replace(plan_made, record=replace(plan_made.record, workloads=("copy-then-unplug",)))
    sizes = play(plan_made, Played(clock, lambda *_: took / 11.0)).result.sizes
    assert sizes.get("copy-then-unplug", {"written_bytes": 80 << 20})["written_bytes"] == mib << 20


def test_whoever_takes_four_times_as_long_as_the_quickest_is_not_waited_for(clock: Clock) -> None:
    """Even if it is the baseline; a bench of one scheduler waits to the end."""
    times = {"none": 30.0, "bfq": 1.0}
    runner = Played(clock, lambda _, scheduler: times[scheduler])
    play(plan(rounds=5, run_s=99.0), runner)
    of_bfq = [patience for (_, name, _), patience in zip(runner.ran, runner.patience, strict=True) if name == "bfq"]
    assert set(runner.patience) == {4.0} and len(of_bfq) == 5
    alone = Played(clock)
    play(plan(rounds=2, settings=TWO[:1]), alone)
    assert set(alone.patience) == {math.inf}


def test_each_follows_each_other_in_the_turns_and_only_those_run_that_are_worth_it(clock: Clock) -> None:
    runner = Played(clock)
    play(plan(rounds=8, workloads=2, settings=FOUR), runner)
    for workload in WORKLOADS[:2]:
        rows = [[name for id_, name, at in runner.ran if (id_, at) == (workload, number)] for number in range(8)]
        follows = Counter(pair for row in rows for pair in pairwise(row))
        assert all({*row} == {setting.name for setting in FOUR} for row in rows) and set(follows.values()) == {2}
    racing = Played(clock)
    wanted = iter([Turn({"dd-write": FOUR}), Turn({"dd-write": TWO}), Turn()])
    ended = play(plan(rounds=8, settings=FOUR), racing, next_turn=lambda _: next(wanted))
    assert Counter(name for _, name, _ in racing.ran) == {"none": 2, "bfq": 2, "kyber": 1, "mq-deadline": 1}
    assert ended.warnings == [], "all is answered"


@pytest.mark.parametrize(("priced", "copies", "slower"), [(True, 8, 1.0), (False, 0, 1.0), (True, 8, 1.5)])
def test_what_a_price_needs_is_kept_for_it_as_long_as_there_is_one(
    clock: Clock, priced: bool, copies: int, slower: float
) -> None:
    """A candidate is proved with little time left but for its price, which takes longer than planned."""

    def wanted(result: Result) -> Turn:
        rounds = len({sample.round for sample in result.samples if sample.metric.startswith("dd-write")})
        prices = {"copy": TWO} if priced and rounds >= 8 else {}
        return Turn({"dd-write": TWO, "dd-read": TWO, **prices}, {"copy": TWO} if priced else {})

    runner = Played(clock, lambda _workload, _scheduler: slower)
    most_s = AROUND_S + slower * (4 + 8 * 4 + 8) + 8 * OVERHEAD_S + 1
    plan_made = plan(99, workloads=3, pricing=("copy",), most_s=most_s)
    play(plan_made, runner, wanted)
    ran = Counter(id_ for id_, _, _ in runner.ran)
    assert ran["copy"] == copies and ran["dd-write"] == (16 if priced else 20)
    assert ("copy" in runner.prepared) == priced, "its files are written when it is first measured"


@pytest.mark.parametrize(("slower", "discarded"), [(1.0, 0), (4.0, 2)])
def test_the_pilot_of_a_price_counts_unless_it_changes_the_size(clock: Clock, slower: float, discarded: int) -> None:
    turns = iter([Turn({"dd-write": TWO}), *[Turn({"copy": TWO})] * 2, Turn()])
    runner = Played(clock, lambda id_, name: slower if (id_, name) == ("copy", "bfq") else 1.0)
    ended = play(plan(9, workloads=3, pricing=("copy",)), runner, next_turn=lambda _: next(turns))
    copies = [(sample.setting.name, sample.round) for sample in ended.result.samples if "copy" in sample.metric]
    assert sorted(copies) == [("bfq", 0), ("bfq", 1), ("none", 0), ("none", 1)]
    assert [id_ for id_, _, _ in runner.ran].count("copy") == len(copies) + discarded
    assert ("copy" in ended.result.sizes) == (discarded > 0)
    assert [sample.order for sample in ended.result.samples] == list(range(6))


@pytest.mark.parametrize("reasons", [[], [None, None, CACHED]])
def test_a_pilot_that_was_cut_short_or_is_invalid_does_not_count(clock: Clock, reasons: list[Message | None]) -> None:
    """Copies take seven times as long as planned, whatever is set, and their size is fixed."""
    turns = iter([Turn({"dd-write": TWO}), Turn({"copy": TWO}), Turn()])
    runner = Played(clock, lambda id_, _: 7.0 if id_ == "copy" and not reasons else 1.0, reasons=reasons)
    ended = play(plan(9, workloads=3, pricing=("copy",), run_s=math.inf), runner, next_turn=lambda _: next(turns))
    copies = [sample for sample in ended.result.samples if "copy" in sample.metric]
    assert {sample.duration_s for sample in copies} == ({1.0} if reasons else {7.0})
    assert all(sample.valid for sample in copies) and len(copies) == 2
    assert [sample.order for sample in ended.result.samples] == list(range(4))


def test_a_gain_is_proved_and_then_priced_for_the_one_that_gains(clock: Clock) -> None:
    """bfq writes twice as fast, and copies take twice as long: that is known long before the time is up."""
    plan_made = plan(99, workloads=3, pricing=("copy",), settings=FOUR, most_s=600.0)
    metrics = {name: metric for id_ in WORKLOADS for name, metric in metrics_of(WORKLOAD_FACTS[id_]).items()}
    record = PlanRecord("copying", "quick", FOUR, FOUR[0], WORKLOADS, 1, question=DECIDED)
    before = replace(EMPTY, plan=record, metrics=metrics)
    runner = Played(clock, values=lambda number, name: (1.9 if name == "bfq" else 1.0) + 0.02 * (number % 3))
    ended = play(plan_made, runner, next_turn, before=before)
    copies = Counter(name for id_, name, _ in runner.ran if id_ == "copy")
    assert copies.keys() == {"none", "bfq"} and set(copies.values()) <= {2, 3, 4}
    last = max(at for at, (id_, _, _) in enumerate(runner.ran) if id_ != "copy")
    assert all(id_ == "copy" for id_, _, _ in runner.ran[last + 1 :]) and ended.warnings == []
    assert judge(ended.result).decision is Decision.TRADE_OFF and clock.now_s < 1200


def test_a_doubtful_run_is_made_again_with_its_scheduler_set_anew(clock: Clock) -> None:
    runner = Played(clock, reasons=[None, CACHED])
    ended = play(plan(rounds=2), runner)
    assert runner.ran[1] == runner.ran[2] and runner.used[3] == runner.used[4]
    assert [sample.valid for sample in ended.result.samples] == [True, False, True, True, True]
    warning, written = ended.result.warnings
    assert written == message("bytes-written", written=70)
    assert say(warning).endswith("The run does not count and is repeated if there is time.")


def test_what_passes_never_ends_it_however_often_it_comes(clock: Clock) -> None:
    runner = Played(clock, reasons=[CACHED] * 99)
    ended = play(plan(rounds=5), runner)
    assert len(runner.ran) == 5 * 2 * 2 and ended.rounds == []
    assert ended.error is None and ended.warnings == ["run-invalid"], "the same is kept once"


def test_a_level_that_all_share_and_that_moves_is_told_once_and_nothing_is_thrown_away(clock: Clock) -> None:
    runner = Played(clock, values=lambda number, _: 2.0 if number >= 3 else 1.0)
    ended = play(plan(rounds=6), runner)
    assert ended.rounds == list(range(6)) and ended.warnings == ["level-shifted"]
    alone = Played(clock, values=lambda number, scheduler: 2.0 if number >= 3 and scheduler == "bfq" else 1.0)
    assert play(plan(rounds=6), alone).warnings == []


@pytest.mark.parametrize(
    ("reason", "error", "words"),
    [
        ("disk-gone", "disk-vanished", "sda was disconnected"),
        ("read-only", "folder-read-only", "/x became read-only"),
        ("unmounted", "folder-unmounted", "/x was unmounted"),
    ],
)
def test_what_cannot_go_on_ends_at_once_and_says_why(clock: Clock, reason: str, error: str, words: str) -> None:
    runner = Played(clock, reasons=[None, message(reason)])
    ended = play(plan(), runner)
    assert isinstance(ended.error, MeasurementImpossible) and ended.error.message.id == error
    assert words in str(ended.error)
    assert len(runner.ran) == 2 and ended.warnings == ["run-invalid"], "what was measured is there, with the reason"
    assert isinstance(ended.events[-1], Phase) and ended.events[-1].message.id == "cleaning"


def test_three_failures_in_a_row_end_it(clock: Clock) -> None:
    """For example on a full disk."""
    runner = Played(clock, reasons=[FAILED] * 99)
    ended = play(plan(rounds=9), runner)
    assert ended.error and ended.error.message.id == "runs-failed"
    assert len(runner.ran) == MOST_FAILURES
    assert str(ended.error).startswith("3 runs in a row failed. ")
    assert ended.warnings == ["run-invalid"]


@pytest.mark.parametrize("reason", [BATTERY, OTHER_IO, message("disk-hot", disk="sda", warm=70.0, limit=60.0)])
def test_what_lasts_and_only_disturbs_never_ends_it(clock: Clock, reason: Message) -> None:
    ended = play(plan(rounds=5), Played(clock, reasons=[reason] * 99))
    assert ended.error is None and ended.rounds == [0, 1, 2, 3, 4]
    assert ended.warnings == ["run-disturbed"], "it is said once"


def test_a_cancel_ends_before_the_next_run_and_what_was_measured_stays(clock: Clock) -> None:
    control = Control()
    runner = Played(clock, before=lambda order: control.cancel() if order == 4 else None)
    ended = play(plan(), runner, control=control)
    assert isinstance(ended.error, Cancelled) and len(runner.ran) == 5
    assert len(ended.result.samples) == sum(len(addition.samples) for addition in ended.saved) == 5


def test_a_result_that_cannot_be_saved_ends_it(clock: Clock) -> None:
    """If the disk with the results is full, going on would measure for nobody."""

    def full(addition: Addition) -> None:
        if any(sample.order == 2 for sample in addition.samples):
            raise NotSaved("not-saved", file="/full/new.json", why="No space left on device")

    runner = Played(clock)
    ended = play(plan(), runner, save=full)
    assert isinstance(ended.error, NotSaved) and "Free some space" in str(ended.error)
    assert len(runner.ran) == 3 and len(ended.saved) == 2


def test_a_result_is_measured_on_with_its_rounds_and_orders_going_on(clock: Clock) -> None:
    whole = Played(clock)
    play(plan(rounds=6), whole)
    first = play(plan(rounds=2), Played(clock)).result
    again = Played(clock)
    ended = play(plan(rounds=4), again, before=first)
    assert ended.rounds == [0, 1, 2, 3, 4, 5]
    assert again.ran == whole.ran[4:], "as if it had never stopped"
    assert [sample.order for sample in ended.result.samples] == list(range(12))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_each_follows_each_other_equally_often(count: int) -> None:
    settings = [Setting(f"s{i}") for i in range(count)]
    cycle = count if count % 2 == 0 else 2 * count
    for seed in range(5):
        cycle_orders = list(islice(orders(settings, seed), cycle))
        assert all({*order} == {*settings} for order in cycle_orders)
        follows = Counter(pair for order in cycle_orders for pair in pairwise(order))
        assert len(set(follows.values())) == 1
        assert len(follows) == count * (count - 1)


def test_a_seed_repeats_and_seeds_differ() -> None:
    first = [tuple(islice(orders(FOUR, seed), 12)) for seed in (1, 1, 2)]
    assert first[0] == first[1] != first[2]
