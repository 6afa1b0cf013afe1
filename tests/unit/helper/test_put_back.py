# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a disk had is back, on kernels and with schedulers that the tests' machines do not have.

tests/bus/test_put_back.py shows the same on a real disk.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.helper.fake import make_root
from tests.unit.helper.kernel import TUNABLES, FakeKernel, FakeQueue, Wbt

from disktuner_helper import errors
from disktuner_helper.queue import Queue, Setting
from disktuner_helper.trial import Snapshots, Trials


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    make_root(tmp_path)
    return FakeKernel(tmp_path, monkeypatch)


def tune(fake: FakeQueue, first: str, requests: int | None) -> dict[str, str]:
    """Attach a scheduler and set what can be set; with or without another number of requests."""
    fake.switch(first)
    for name in fake.tunables[first]:
        fake.write(f"iosched/{name}", str(fake.tunables[first][name] // 2 + 3))
    if requests:
        fake.write("nr_requests", str(requests))
    if first != "none":
        for name in {"async_depth", "iosched/async_depth"} & fake.values.keys():
            fake.write(name, "33")
    return fake.whole


def after_a_trial(root: Path, fake: FakeQueue) -> None:
    trials = Trials(root)
    trial = trials.begin(":1.1", 1000, [("sda", 1)])
    before = fake.whole
    for name in fake.tunables:
        trials.set_scheduler(":1.1", trial.id, "sda", name)
        trials.set_scheduler(":1.1", trial.id, "sda", trial.disks["sda"].scheduler)
        assert fake.whole == before, f"the baseline after {name}"
    trials.set_scheduler(":1.1", trial.id, "sda", "kyber")
    assert trials.end(trial) == []


def after_the_next_start(root: Path, fake: FakeQueue) -> None:
    trials = Trials(root)
    trial = trials.begin(":1.1", 1000, [("sda", 1)])
    for name in fake.tunables:
        trials.set_scheduler(":1.1", trial.id, "sda", name)
    (left,) = Trials(root).running.values()
    assert (left.id, left.uid, left.disks) == (trial.id, 1000, trial.disks)
    assert Trials(root).end(left) == []
    assert not Trials(root).running


def after_revert(root: Path, fake: FakeQueue) -> None:
    snapshots = Snapshots(root)
    with Queue(root, "sda") as queue:
        assert snapshots.remember(queue, queue.setting)
        for name in fake.tunables:
            wish = Setting(name, {"queue/nr_requests": 40, "queue/nomerges": 2})
            queue.change(queue.setting, wish)
    Snapshots(root).held["sda"].put_back(root)


WAYS = (after_a_trial, after_the_next_start, after_revert)


@pytest.mark.parametrize("requests", [None, 64, 100])
@pytest.mark.parametrize("seven", [False, True])
@pytest.mark.parametrize("first", TUNABLES)
def test_every_file_is_as_it_was(
    tmp_path: Path, kernel: FakeKernel, first: str, seven: bool, requests: int | None
) -> None:
    """Linux 7.0 moves async_depth to queue/, resets it when a scheduler attaches, and rescales it by nr_requests."""
    fake = kernel.add(seven=seven)
    fake.wbt = Wbt(2000, 75000)
    before = tune(fake, first, requests)
    assert ("async_depth" in before) == seven
    for way in WAYS:
        way(tmp_path, fake)
        assert fake.whole == before, way.__name__
    assert fake.wbt.manual is False


@pytest.mark.parametrize("way", WAYS)
def test_an_out_of_tree_scheduler_gets_its_own_back(
    tmp_path: Path, kernel: FakeKernel, way: Callable[[Path, FakeQueue], None]
) -> None:
    fake = kernel.add()
    fake.tunables["adios"] = {"lat_target_read": 2_000_000, "batch_limit_read": 16}
    before = tune(fake, "adios", 90)
    assert before["iosched/batch_limit_read"] == "11\n"
    way(tmp_path, fake)
    assert fake.whole == before
    with Queue(tmp_path, "sda") as queue:
        was = queue.setting
        fake.refuse["iosched/batch_limit_read"] = errno.EACCES
        queue.change(was, Setting("none", {}))
        queue.restore(was)  # a figure that nobody can set is no loss
        with pytest.raises(errors.WriteFailed):
            queue.change(was, Setting("adios", {"iosched/batch_limit_read": 3}))
