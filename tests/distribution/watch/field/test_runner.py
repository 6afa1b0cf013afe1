# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial that runs: what it keeps of blocks, what a restart and a pause do, and how it ends."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import structs
from tests.unit.comparison.test_target import DISK

from disktuner.helper_client.calls import Call, FieldTrial, HelperState, Wish
from disktuner.helper_client.errors import Busy, NoSuchTrial, WriteFailed
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.settings import Setting
from disktuner.writing import NotSaved
from disktuner_watch.field import trial
from disktuner_watch.field.blocks import BLOCK_S, Block, FeltInterval
from disktuner_watch.field.runner import SAVE_S, Runner
from disktuner_watch.field.saved import Place, SavedTrial, empty_result

PAIR = (Setting("none"), Setting("bfq"))
END = 2_000_000.0


class Desk:
    """A disk, an obedient helper, and a person at work: a look covers a minute, with ``stalls`` by setting."""

    every_s = 1.0

    def __init__(self, folder: Path) -> None:
        self.place, self.store = Place(folder / "field"), Store(folder)
        result = empty_result(DISK, PAIR, seed=5)
        self.store.save(result)
        self.place.lock()
        self.place.save(SavedTrial("t1", result.id, 5, int(END), Block(0)))
        self.result_id = result.id
        self.scheduler, self.now, self.asked = "mq-deadline", 1_000_000.0, list[tuple[str, Any]]()
        self.refuses: Exception | None = None
        self.stalls = {"none": 6.0, "bfq": 6.0}
        self.looks = 0

    def wait(self, call: Call[Any]) -> None:
        self.asked.append((call.method, call.arguments[1:]))
        if self.refuses:
            raise self.refuses
        self.scheduler = "mq-deadline" if call.method == "EndFieldTrial" else PAIR[call.arguments[1]].scheduler

    def look(self) -> FeltInterval:
        return FeltInterval(60.0, self.stalls.get(self.scheduler, 0.0), True)

    def run(self, looks: int, meanwhile: Callable[[int], None] = lambda _: None) -> None:
        """Run like a process that is told to stop after so many looks."""
        left = looks

        def wait(_: float) -> bool:
            nonlocal left
            left -= 1
            meanwhile(looks - left)
            return left < 0

        system = SimpleNamespace(
            scheduler=lambda _: self.scheduler, tunables=lambda _: {}, counters=lambda _: None, disks=lambda: [DISK]
        )
        arguments: Any = {"system": system, "feeling": lambda _: self, "wait": wait, "now": lambda: self.now}
        Runner(self.place, self.store, cast(Any, self), **arguments).run()

    @property
    def saved(self) -> SavedTrial:
        trial = self.place.load()
        assert trial
        return trial

    @property
    def samples(self) -> list[tuple[int, str, bool]]:
        return [
            (sample.order, sample.setting.name, sample.valid) for sample in self.store.load(self.result_id).samples[::2]
        ]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


BLOCK_LOOKS = int(BLOCK_S / 60) + 1


def test_block_after_block_has_its_setting_and_is_kept(desk: Desk) -> None:
    desk.run(4 * BLOCK_LOOKS + 4)
    expected = [PAIR[Block(order).which(5)].name for order in range(4)]
    assert desk.samples == [(order, name, True) for order, name in enumerate(expected)]
    assert desk.asked[:4] == [("SetFieldTrial", (Block(order).which(5),)) for order in range(4)]
    result = desk.store.load(desk.result_id)
    assert {sample.value for sample in result.samples[::2]} == {6.0 * 60} and judge(result).decision == "undecided"


def test_a_restart_goes_on_where_it_was_and_a_power_cut_loses_a_minute(desk: Desk) -> None:
    desk.run(5)
    assert desk.saved.block.use_s == 180.0
    desk.scheduler = "mq-deadline"  # as the computer starts
    desk.run(3)
    assert desk.asked == [("SetFieldTrial", (Block(0).which(5),))] * 2 and desk.saved.block.use_s == 240.0
    desk.run(BLOCK_LOOKS)
    assert desk.samples == [(0, PAIR[Block(0).which(5)].name, True)]
    before = structs.replace(desk.saved, block=Block(0, use_s=BLOCK_S))  # cut between the result and the trial's file
    desk.place.save(before)
    desk.run(2)
    assert len(desk.samples) == 1


def test_a_pause_counts_and_changes_nothing(desk: Desk) -> None:
    desk.run(3)
    desk.place.pause(on=True)
    count = len(desk.asked)
    desk.run(3 * int(SAVE_S))
    assert len(desk.asked) == count and desk.saved.block.use_s == 60.0
    desk.place.pause(on=False)
    desk.run(5, lambda look: desk.place.pause(on=True) if look == 4 else None)
    assert len(desk.asked) == count + 1 and desk.saved.block.use_s == 180.0, "it is heeded at the next look"
    desk.now = END
    desk.run(3)
    assert desk.asked[-1][0] == "EndFieldTrial" and desk.place.load() is None, "its date ends it nevertheless"


def test_a_block_in_which_somebody_else_changed_the_disk_does_not_count(desk: Desk) -> None:
    desk.run(2 * BLOCK_LOOKS + 2, lambda look: setattr(desk, "scheduler", "kyber") if look == 4 else None)
    assert [valid for *_, valid in desk.samples] == [False, True]


def test_what_fails_is_tried_again_and_counts_nothing_meanwhile(desk: Desk) -> None:
    desk.refuses = Busy("refused-disk-in-trial", disk="sda")
    desk.run(2 * int(SAVE_S) + 1)
    assert len(desk.asked) == 3 and desk.saved.block == Block(0)


def test_it_ends_when_the_answer_is_certain(desk: Desk) -> None:
    desk.stalls = {"none": 9.0, "bfq": 1.0}
    desk.run(60 * BLOCK_LOOKS)
    verdict = judge(desk.store.load(desk.result_id))
    assert (verdict.decision, verdict.winner) == ("switch", PAIR[1]) and verdict.assessments[PAIR[1]].gain > math.log(5)
    assert desk.place.load() is None and len(desk.samples) < 30


def test_one_that_root_ended_is_over(desk: Desk) -> None:
    desk.refuses = NoSuchTrial("refused-no-such-trial")
    desk.run(3)
    assert desk.place.load() is None
    assert desk.asked[-1][0] == "EndFieldTrial", "where its date alone was over, the disk gets back what it had"


def test_where_the_disk_is_gone_it_is_stopped_nevertheless(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # without systemctl
    stored = FieldTrial("t1", os.getuid(), (Wish("none", {}), Wish("bfq", {})), 0, int(END), ())
    state = HelperState((), (), (), None, (stored,))

    def wait(call: Call[Any]) -> HelperState:
        if call.method == "GetState":
            return state
        raise WriteFailed("refused-not-put-back", disks="sda")

    with pytest.raises(WriteFailed):
        trial.stop(cast(Any, SimpleNamespace(wait=wait)), desk.place)
    assert desk.place.load() is None


def test_a_trial_that_cannot_be_kept_here_does_not_begin_at_the_helper_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the helper would hold the disk for days without anybody here knowing."""
    monkeypatch.setattr(trial, "require_counted", lambda: None)
    (full := tmp_path / "full").touch()
    (closed := tmp_path / "closed").mkdir(0o500)
    for place, store in ((Place(closed), Store(tmp_path / "store")), (Place(tmp_path / "field"), Store(full))):
        questions = list[str]()

        def wait(call: Call[Any], questions: list[str] = questions) -> str:
            questions.append(call.method)
            return "t1"

        with pytest.raises(NotSaved):
            trial.begin(place, store, cast(Any, SimpleNamespace(wait=wait)), DISK, settings=PAIR, days=7)
        assert questions == ["BeginFieldTrial", "EndFieldTrial"] and store.paths() == ()
        assert not (tmp_path / "field").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": 5}'])
def test_a_broken_file_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "trial.json").write_text(text)
    with pytest.raises(UsageError):
        Place(tmp_path).load()


def test_one_process_runs_it(tmp_path: Path) -> None:
    first = Place(tmp_path).lock()
    assert first is not None and Place(tmp_path).lock() is None


def test_what_is_over_leaves_no_file(desk: Desk) -> None:
    desk.place.pause(on=True)
    (folder := desk.store.folder / "field").chmod(0o500)
    for end in (desk.place.remove, lambda: desk.place.pause(on=False)):
        with pytest.raises(NotSaved, match="could not be removed"):
            end()
    folder.chmod(0o700)
    desk.place.remove()
    assert not folder.exists()
