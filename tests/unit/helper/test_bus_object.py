# SPDX-License-Identifier: GPL-3.0-or-later
"""When the helper leaves: after 30 s in which nobody needed it, and never during a trial or a call."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.helper.fake import make_root
from tests.unit.helper.kernel import FakeKernel

from disktuner_helper import bus_object, contract, trial
from disktuner_helper.authority import Call
from disktuner_helper.bus_object import BusObject
from disktuner_helper.queue import Queue


class Bus:
    """Takes what a bus takes."""

    def __getattr__(self, name: str) -> Any:
        return lambda *words: None


class Clock:
    """Second by second, as the main loop has it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        for module in (bus_object, trial):
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))

    def left_within(self, answering: BusObject, seconds: int) -> int | None:
        """After how many more seconds the helper leaves; None if it does not."""
        left: list[bool] = []
        for second in range(1, seconds + 1):
            self.now += 1
            assert answering.tick(lambda: left.append(True)) is True
            if left:
                return second
        return None


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def answering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> BusObject:
    FakeKernel(make_root(tmp_path), monkeypatch).add("sda")
    made = BusObject(Bus(), tmp_path)
    # What ends too late ends in a thread of its own; here at once.
    monkeypatch.setattr(made.service, "end_soon", made.service.end_trials)
    return made


def test_it_leaves_when_nobody_needed_it_for_thirty_seconds(answering: BusObject, clock: Clock) -> None:
    assert clock.left_within(answering, 100) == contract.IDLE_LIMIT_S == 30


def test_it_never_leaves_during_a_trial(answering: BusObject, clock: Clock, tmp_path: Path) -> None:
    trials = answering.service.trials
    with Queue(tmp_path, "sda") as queue:
        before = queue.setting
    begun = trials.begin(":1.1", 1000, [("sda", 1)])
    trials.set(":1.1", begun.id, "sda", "bfq", {})
    assert clock.left_within(answering, contract.TRIAL_LIMIT_S - 1) is None
    assert trials.running.keys() == {begun.id}
    tunables = {"queue/nr_requests": "50", "queue/nomerges": "2"}
    trials.set(":1.1", begun.id, "sda", "kyber", tunables)  # its owner's use gives it more time
    assert clock.left_within(answering, contract.TRIAL_LIMIT_S - 1) is None
    assert trials.running.keys() == {begun.id}
    assert clock.left_within(answering, 100) == contract.IDLE_LIMIT_S, "the time limit ended it"
    assert not trials.running
    with Queue(tmp_path, "sda") as queue:
        assert queue.setting == before


def test_it_never_leaves_while_a_trial_waits_for_its_end(answering: BusObject, clock: Clock) -> None:
    """Somebody's switch that hangs in the kernel keeps what is too late waiting, and the helper there."""
    answering.service.trials.begin(":1.1", 1000, [("sda", 1)])
    with answering.service.lock:
        assert clock.left_within(answering, 2 * contract.TRIAL_LIMIT_S) is None
        assert answering.service.trials.running
    assert clock.left_within(answering, 100) == contract.IDLE_LIMIT_S


def test_it_never_leaves_during_a_call(answering: BusObject, clock: Clock) -> None:
    call = Call(":1.1", "Revert")
    answering._authority.admit(call)
    assert clock.left_within(answering, contract.PROMPT_LIMIT_S) is None
    answering._authority.leave(call)
    assert clock.left_within(answering, 100) == contract.IDLE_LIMIT_S
