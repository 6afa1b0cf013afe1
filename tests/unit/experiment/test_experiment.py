# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of an experiment, without a disk: what is run, repeated and saved, and what ends it all."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise

import pytest
from tests.unit.experiment.playing import EMPTY, Clock, Paused, Played, plan, play

from disktuner.experiment.events import Phase, RoundDone, RunStarted, SampleTaken, Warned
from disktuner.experiment.processes import Control
from disktuner.experiment.rounds import MOST_FAILURES, orders
from disktuner.results.model import Addition, NotSaved
from disktuner.vocabulary.errors import Cancelled, MeasurementImpossible
from disktuner.vocabulary.messages import Message, literal, message, say

CACHED = message("page-cache", claimed=96_000_000, moved=4096)
FAILED = message("run-failed", error=literal("dd failed with status 1: No space left on device"))
BATTERY = message("on-battery")
OTHER_IO = message("other-io", moved=96_000_000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_every_round_runs_every_scheduler_and_workload_once(clock: Clock) -> None:
    runner = Played(clock)
    ended = play(plan(rounds=4, workloads=2), runner)
    assert ended.error is None and ended.rounds == [0, 1, 2, 3]
    assert set(Counter(runner.ran).values()) == {1} and len(runner.ran) == 4 * 2 * 2
    assert [sample.order for sample in ended.result.samples] == list(range(16))
    phases = [event.message.id for event in ended.events if isinstance(event, Phase)]
    assert phases == ["preparing", "warming-up", "measuring", "cleaning"]


def test_all_that_is_added_is_saved_before_it_is_reported(clock: Clock) -> None:
    ended = play(plan(rounds=2), Played(clock, reasons=[CACHED]))
    result = EMPTY
    for addition in ended.saved:
        result = result.plus(addition)
    assert result == ended.result
    taken = [event.sample for event in ended.events if isinstance(event, SampleTaken)]
    assert len(taken) == len(ended.result.samples) == 5
    done = [event for event in ended.events if isinstance(event, RoundDone)]
    assert [event.round for event in done] == [0, 1] and done[-1].result == ended.result


def test_no_round_is_begun_that_would_not_fit_into_the_budget(clock: Clock) -> None:
    ended = play(plan(rounds=9, most_s=10.0), Played(clock, run_s=1.9))
    assert ended.rounds == [0, 1] and ended.error is None
    assert ended.warnings == ["time-is-up"]
    warned = [event.message.id for event in ended.events if isinstance(event, Warned)]
    assert warned == ["time-is-up"]


def test_a_pause_and_a_wait_for_a_password_are_not_counted(clock: Clock) -> None:
    control = Paused(clock, [500.0, 0.0, 300.0])
    ended = play(plan(rounds=3, most_s=10.0), Played(clock, asked_s=1000.0), control=control)
    assert ended.rounds == [0, 1, 2] and ended.warnings == []


def test_rounds_are_added_on_a_fast_disk_as_many_as_were_announced(clock: Clock) -> None:
    runner = Played(clock, run_s=0.5, run_bytes=5)
    ended = play(plan(rounds=4, announced_s=6.4, most_rounds=9), runner)
    assert ended.rounds == [0, 1, 2, 3, 4, 5]
    assert ended.result.plan.rounds == 6
    runs = [event.runs_planned for event in ended.events if isinstance(event, RunStarted)]
    assert runs == [8] * 8 + [9, 10, 11, 12]


@pytest.mark.parametrize(("run_bytes", "knows", "rounds"), [(10, True, 4), (5, False, 4), (4, True, 9)])
def test_no_round_is_added_that_might_write_more_than_was_announced(
    clock: Clock, run_bytes: int, knows: bool, rounds: int
) -> None:
    runner = Played(clock, run_s=0.1, run_bytes=run_bytes, knows_bytes=knows)
    ended = play(plan(rounds=4, announced_s=60.0, most_rounds=9, repeats=1), runner)
    assert len(ended.rounds) == rounds


def test_a_doubtful_run_is_made_again_with_its_scheduler_set_anew(clock: Clock) -> None:
    runner = Played(clock, reasons=[None, CACHED])
    ended = play(plan(rounds=2), runner)
    assert runner.ran[1] == runner.ran[2] and runner.used[1] == runner.used[2]
    assert [sample.valid for sample in ended.result.samples] == [True, False, True, True, True]
    (warning,) = ended.result.warnings
    assert say(warning).endswith("The run does not count and is repeated if there is time.")


def test_repeats_are_bounded(clock: Clock) -> None:
    runner = Played(clock, reasons=[CACHED] * 99)
    ended = play(plan(rounds=3, repeats=2), runner)
    assert len(runner.ran) == 6 + 2 and ended.rounds == []
    assert ended.error is None and ended.warnings == ["run-invalid"], "the same is kept once"


def test_all_at_once_twice_as_slow_is_drift_and_the_round_is_made_again(clock: Clock) -> None:
    runner = Played(clock, factors=lambda number, _: 3.0 if number == 2 else 1.0)
    ended = play(plan(rounds=4), runner)
    assert ended.rounds == [0, 1, 3, 4]
    assert {each.reason.id for each in ended.result.samples if each.reason} == {"drift"}
    assert ended.warnings == ["round-drifted"]


@pytest.mark.parametrize(
    ("reason", "error", "words"),
    [
        ("disk-gone", "disk-vanished", "sda vanished"),
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
    """A full disk, for example."""
    runner = Played(clock, reasons=[FAILED] * 99)
    ended = play(plan(rounds=9, repeats=9), runner)
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
    assert len(ended.result.samples) == sum(len(each.samples) for each in ended.saved) == 5


def test_a_result_that_cannot_be_saved_ends_it(clock: Clock) -> None:
    """The disk with the results is full: going on would measure for nobody."""

    def full(addition: Addition) -> None:
        if any(sample.order == 2 for sample in addition.samples):
            raise NotSaved("not-saved", file="/full/new.json", why="No space left on device")

    runner = Played(clock)
    ended = play(plan(), runner, save=full)
    assert isinstance(ended.error, NotSaved) and "Make room" in str(ended.error)
    assert len(runner.ran) == 3 and len(ended.saved) == 2
    assert sum(isinstance(event, SampleTaken) for event in ended.events) == 2


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
    names = [f"s{i}" for i in range(count)]
    cycle = count if count % 2 == 0 else 2 * count
    for seed in range(5):
        found = list(islice(orders(names, seed), cycle))
        assert all(sorted(order) == names for order in found)
        follows = Counter(pair for order in found for pair in pairwise(order))
        assert len(set(follows.values())) == 1
        assert len(follows) == count * (count - 1)


def test_a_seed_repeats_and_seeds_differ() -> None:
    names = ("none", "mq-deadline", "kyber", "bfq")
    first = [tuple(islice(orders(names, seed), 12)) for seed in (1, 1, 2)]
    assert first[0] == first[1] != first[2]
