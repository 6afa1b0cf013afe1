# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a disk had is restored, on kernels and with schedulers that the test machines lack.

tests/bus/test_put_back.py shows the same on a real disk.
"""

from __future__ import annotations

import copy
import errno
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.helper.fake import later, make_root, nobody
from tests.unit.helper.kernel import TUNABLES, FakeKernel, FakeQueue, Wbt

from disktuner_helper import errors
from disktuner_helper.queue import Queue, Setting, known
from disktuner_helper.trial import Held, Snapshots, Trials


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    make_root(tmp_path)
    return FakeKernel(tmp_path, monkeypatch)


def tune(fake: FakeQueue, first: str, requests: int | None) -> dict[str, str]:
    """Attach a scheduler and set every tunable, with or without another number of requests."""
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
    trials = Trials(root, later, nobody)
    trial = trials.begin(":1.1", 1000, [("sda", 1)])
    before = fake.whole
    for name in fake.tunables:
        trials.set(":1.1", trial.id, "sda", name, {})
        trials.set(":1.1", trial.id, "sda", trial.disks["sda"].scheduler, {})
        assert fake.whole == before, f"the baseline after {name}"
    trials.set(":1.1", trial.id, "sda", "kyber", {})
    assert trials.end(trial) == []


def after_the_next_start(root: Path, fake: FakeQueue) -> None:
    trials = Trials(root, later, nobody)
    trial = trials.begin(":1.1", 1000, [("sda", 1)])
    for name in fake.tunables:
        trials.set(":1.1", trial.id, "sda", name, {})
    (left,) = Trials(root, later, nobody).all.values()
    assert (left.id, left.uid, left.disks) == (trial.id, 1000, trial.disks)
    assert Trials(root, later, nobody).end(left) == []
    assert not Trials(root, later, nobody).all


def after_revert(root: Path, fake: FakeQueue) -> None:
    snapshots = Snapshots(root)
    with Queue(root, "sda") as queue:
        assert snapshots.remember(Held.of(queue, queue.setting))
        for name in fake.tunables:
            queue.apply(Setting(name, {"queue/nr_requests": 40, "queue/nomerges": 2}))
    Snapshots(root).all["sda"].put_back(root)


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


SETTINGS: list[tuple[str, dict[str, int]]] = [
    ("none", {}),
    ("none", {"queue/nr_requests": 50, "queue/read_ahead_kb": 4096}),
    ("none", {"queue/wbt_lat_usec": 5000, "queue/nomerges": 1}),
    ("mq-deadline", {}),
    ("mq-deadline", {"iosched/read_expire": 99, "queue/nr_requests": 77}),
    ("mq-deadline", {"iosched/writes_starved": 9, "iosched/front_merges": 0, "queue/wbt_lat_usec": 0}),
    ("kyber", {}),
    ("kyber", {"iosched/read_lat_nsec": 1, "queue/nomerges": 2}),
    ("kyber", {"iosched/write_lat_nsec": 1, "queue/wbt_lat_usec": 70000}),
    ("bfq", {}),
    ("bfq", {"iosched/slice_idle": 0}),
    ("bfq", {"iosched/strict_guarantees": 1, "iosched/slice_idle": 20, "queue/nr_requests": 33}),
    ("bfq", {"iosched/low_latency": 0, "queue/wbt_lat_usec": 5000}),
]
WBTS: dict[str, Callable[[FakeQueue], None]] = {
    "the kernel's": lambda fake: None,
    "manual": lambda fake: fake.write("wbt_lat_usec", "6000"),
    "off": lambda fake: fake.write("wbt_lat_usec", "0"),
}


def alone(fake: FakeQueue, elsewhere: Path, scheduler: str, tunables: dict[str, int]) -> dict[str, str]:
    """What a queue like this one has when it was set to that alone."""
    fake = copy.deepcopy(fake)
    fake.folder = elsewhere
    fake.switch(scheduler)
    for name in known(scheduler):
        if name in tunables:
            fake.write(name.removeprefix("queue/"), str(tunables[name]))
    return fake.whole


@pytest.mark.parametrize("wbt", WBTS)
@pytest.mark.parametrize("seven", [False, True])
@pytest.mark.parametrize("first", TUNABLES)
def test_no_setting_of_a_trial_leaves_anything_to_the_next(
    tmp_path: Path, kernel: FakeKernel, first: str, seven: bool, wbt: str
) -> None:
    fake = kernel.add(seven=seven)
    fake.wbt = Wbt(2000, 75000)
    tune(fake, first, 100)
    WBTS[wbt](fake)
    before = fake.whole
    right = [alone(fake, tmp_path / "alone", *setting) for setting in SETTINGS]
    for start in range(list(WBTS).index(wbt), len(SETTINGS), 5):
        # Whichever comes first: what was written to wbt_lat_usec must not keep bfq from what it would do without.
        kernels = copy.copy(fake.wbt)
        order = [start, *random.Random(start).sample(range(len(SETTINGS)), len(SETTINGS))]
        trials = Trials(tmp_path, later, nobody)
        trial = trials.begin(":1.1", 1000, [("sda", 1)])
        for number in order:
            scheduler, tunables = SETTINGS[number]
            trials.set(":1.1", trial.id, "sda", scheduler, {name: str(value) for name, value in tunables.items()})
            assert fake.whole == right[number], (SETTINGS[number], start)
        assert trials.end(trial) == []
        assert fake.whole == before
        fake.wbt = kernels  # no kernel would do that: see test_fake_kernel.py


def test_a_scheduler_that_comes_later_does_not_find_what_was_written_to_wbt(tmp_path: Path, kernel: FakeKernel) -> None:
    """Even if the trial began with bfq, which has it off, or the kernel has no bfq to look at."""
    sda, sdb = kernel.add("sda"), kernel.add("sdb", 16)
    sda.wbt, sdb.wbt = Wbt(2000, 75000), Wbt(2000, 75000)
    sda.switch("bfq")
    del sdb.tunables["bfq"]
    trials = Trials(tmp_path, later, nobody)
    id_ = trials.begin(":1.1", 1000, [("sda", 1), ("sdb", 17)]).id
    trials.set(":1.1", id_, "sda", "bfq", {"queue/wbt_lat_usec": "5000"})
    trials.set(":1.1", id_, "sdb", "kyber", {"queue/wbt_lat_usec": "5000"})
    assert (sda.read("wbt_lat_usec"), sdb.read("wbt_lat_usec")) == ("5000\n", "5000\n")
    sda.tunables["adios"] = {"lat_target_read": 2_000_000}
    for name in ("kyber", "adios", "none"):
        trials.set(":1.1", id_, "sda", name, {})
        assert sda.read("wbt_lat_usec") == "2000\n", name
    trials.set(":1.1", id_, "sda", "bfq", {})
    trials.set(":1.1", id_, "sdb", "mq-deadline", {})
    assert (sda.read("wbt_lat_usec"), sdb.read("wbt_lat_usec")) == ("0\n", "2000\n")


@pytest.mark.parametrize("way", WAYS)
def test_an_out_of_tree_scheduler_gets_its_own_back(
    tmp_path: Path, kernel: FakeKernel, way: Callable[[Path, FakeQueue], None]
) -> None:
    fake = kernel.add()
    fake.tunables["stranger"] = {"lat_target_read": 2_000_000, "batch_limit_read": 16}
    before = tune(fake, "stranger", 90)
    assert before["iosched/batch_limit_read"] == "11\n"
    way(tmp_path, fake)
    assert fake.whole == before
    with Queue(tmp_path, "sda") as queue:
        was = queue.setting
        fake.refuse["iosched/batch_limit_read"] = errno.EACCES
        queue.apply(Setting("none", {}))
        queue.restore(was)  # a figure that nobody can set is no loss
        with pytest.raises(errors.WriteFailed):
            queue.apply(Setting("stranger", {"iosched/batch_limit_read": 3}))
