# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress that a comparison reports while the remaining work grows and shrinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median

import pytest
from tests.unit.experiment.playing import TWO, Clock, Ended, Paused, Played, plan, play

from disktuner.experiment.events import Preparing, RunDone, RunStarted
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.progress import Advance, Progress
from disktuner.experiment.rounds import Turn
from disktuner.results.codec import load
from disktuner.results.model import Result
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import find
from disktuner.workloads.dd import WriteSpec
from disktuner.workloads.spec import ReadSpec

FOUR = tuple(map(Setting, ("none", "mq-deadline", "kyber", "bfq")))
KEPT = sorted((Path(__file__).resolve().parents[3] / "docs" / "measured").glob("*.json"))
LATE, REST = 0.95, 0.15
"""Once so much is said to be done, no more than that part of the whole time may be left."""


@dataclass
class Writing(Played):
    """A workload that reports which files it writes."""

    to_write: Sequence[Planned] = ()

    def prepare(self, begins: Callable[[Planned], object]) -> float:
        for planned in self.to_write:
            begins(planned)
        return 0.0


def scripted(turns: list[Turn]) -> Callable[[Result], Turn]:
    left = iter(turns)
    return lambda _: next(left, Turn())


def advances(ended: Ended) -> list[Advance]:
    return [event.advance for event in ended.events if isinstance(event, Preparing | RunStarted)]


def check(ended: Ended, runner: Played, clock: Clock) -> list[Advance]:
    """Progress never goes back, reaches the end only at the end, and the announced maximum is not exceeded."""
    progress = advances(ended)
    assert progress and ended.error is None
    assert all(0 <= advance.share < advance.then < 1 for advance in progress)
    assert all(before.then <= after.share for before, after in pairwise(progress)), "it goes on from where it was"
    assert all(after.at_most_s <= before.at_most_s + 1e-9 for before, after in pairwise(progress))
    begins = runner.began[-len(progress) :]
    end_s, whole_s = clock.now_s, clock.now_s - begins[0]
    late = [end_s - began for began, advance in zip(begins, progress, strict=True) if advance.share >= LATE]
    assert all(left_s <= REST * whole_s for left_s in late), "it stands at the end"
    return progress


GROWS = [Turn({"dd-write": FOUR}), *[Turn({"dd-write": TWO}, {"copy": TWO})] * 3, *[Turn({"copy": TWO})] * 9]
SHRINKS = [*[Turn({"dd-write": FOUR, "dd-read": FOUR})] * 2, *[Turn({"dd-write": TWO})] * 2]
COMES_BACK = [Turn({"dd-write": FOUR}), Turn({"dd-write": TWO}), *[Turn({"dd-write": FOUR, "copy": TWO})] * 6]


@pytest.mark.parametrize("turns", [GROWS, SHRINKS, COMES_BACK, GROWS[:2]], ids=["grows", "shrinks", "back", "short"])
@pytest.mark.parametrize("slower", [0.4, 1.0, 2.5])
def test_it_never_goes_back_and_never_stands_at_the_end(turns: list[Turn], slower: float) -> None:
    clock = Clock()
    plan_made = plan(rounds=40, workloads=3, settings=FOUR, pricing=("copy",), most_s=180.0, piloted=FOUR, run_s=9.0)
    runner = Played(clock, lambda *_: slower)
    check(play(plan_made, runner, scripted(turns)), runner, clock)


def test_runs_that_are_made_again_and_time_that_is_up_do_not_stop_it() -> None:
    clock = Clock()
    doubtful = message("page-cache", claimed=96_000_000, moved=4096)
    runner = Played(clock, lambda *_: 1.5, reasons=[None, doubtful] * 20)
    ended = play(plan(rounds=40, settings=FOUR, most_s=60.0, run_s=9.0), runner)
    assert check(ended, runner, clock)[-1].share > 0.9, "all the time was used"
    events_of_kind = [event for event in ended.events if isinstance(event, RunDone)]
    assert [event.sample.valid for event in events_of_kind[:4]] == [True, False, True, False]


def test_a_pause_takes_nothing_of_what_is_left() -> None:
    clock = Clock()
    runner = Played(clock)
    control = Paused(clock, [0.0] * 6 + [500.0])
    progress = check(play(plan(rounds=3, most_s=60.0, run_s=9.0), runner, control=control), runner, clock)
    assert progress[-1].at_most_s > 30


def test_without_a_limit_all_rounds_are_what_is_left() -> None:
    clock = Clock()
    runner = Played(clock)
    progress = check(play(plan(rounds=10, settings=TWO[:1], piloted=TWO[:1]), runner), runner, clock)
    shares = [round(advance.share, 2) for advance in progress]
    assert shares[5] == pytest.approx(0.4, abs=0.1) and progress[1].at_most_s == pytest.approx(11, abs=2)


def test_what_is_prepared_is_counted(clock: Clock) -> None:
    reads = tuple(Planned(find(id_), ReadSpec(1.0, 96 << 20, 96 << 20), True, 2.0) for id_ in ("dd-read", "scan"))
    plan_made = replace(plan(rounds=1, most_s=60.0), planned=reads)
    events = play(plan_made, Writing(clock, to_write=reads), scripted([])).events
    preparations = [event for event in events if isinstance(event, Preparing)]
    assert [(preparation.number, preparation.count) for preparation in preparations] == [
        (number, 6) for number in range(1, 7)
    ]
    assert [
        (preparation.workload, preparation.setting, preparation.size_bytes) for preparation in preparations[1:3]
    ] == [
        ("scan", None, 96 << 20),
        ("dd-read", TWO[0], 0),
    ]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_comparisons_that_were_measured_would_have_said_it_rightly(file: Path, clock: Clock) -> None:
    """Replays their turns with the original durations."""
    result = load(file)
    took = {
        (workload, setting.name): median(sample.duration_s for sample in samples)
        for (workload, setting), samples in _by(
            result, lambda sample: (sample.metric.rpartition(".")[0], sample.setting)
        )
    }
    usual = {name: took[name, result.plan.baseline.name] for name, _ in took}
    deciding = result.question.deciding_workloads
    planned = tuple(Planned(find(name), WriteSpec(usual[name], 10), name in deciding) for name in usual)
    plan_made = Plan(Path("/x"), ("sda",), result.plan, planned, 9, 99, result.plan.settings, most_s=900.0)
    runner = Played(clock, lambda workload, name: took.get((workload, name), usual[workload]) / usual[workload])
    check(play(plan_made, runner, scripted(list(_turns(result)))), runner, clock)


def _by(result: Result, key: Callable[..., tuple[str, Setting]]) -> Iterator[tuple[tuple[str, Setting], list[object]]]:
    ordered = sorted(result.samples, key=lambda sample: str(key(sample)))
    return ((name, list(samples)) for name, samples in groupby(ordered, key))


def _turns(result: Result) -> Iterator[Turn]:
    """Yield the turns that ran: a workload that repeats begins the next."""
    runs: dict[str, list[Setting]] = {}
    ordered = sorted(result.samples, key=lambda sample: sample.order)
    for (workload, _), samples in groupby(ordered, lambda sample: (sample.metric.rpartition(".")[0], sample.round)):
        if workload in runs:
            yield Turn(runs)
            runs = {}
        runs[workload] = list(dict.fromkeys(sample.setting for sample in samples))
    yield Turn(runs)


def test_what_grows_takes_a_smaller_step() -> None:
    progress = Progress()
    first, second = progress.begin(10, 98, 120), progress.begin(10, 198, 110)
    assert first.then == second.share == pytest.approx(0.1)
    assert second.then - second.share == pytest.approx(0.9 * 0.05)
    half = first.after(5)
    assert half.share == pytest.approx(0.05) and half.at_most_s == 115
    assert first.after(99).share == first.then and first.after(99).at_most_s == 110
