# SPDX-License-Identifier: GPL-3.0-or-later
"""A trial's settings: each is complete, leaves nothing to the next, is not written where refused, and goes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

import pytest

from disktuner_helper.queue import known
from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.bus.test_hostile import Watch
from tests.bus.test_put_back import SCHEDULERS, WBT, another, kill_helper, tune_all, whole, write
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

Given = dict[str, dict[str, str]]
# The kernel itself derives these from what is set.
FOLLOWS = {
    "queue/nr_requests": {"async_depth", "iosched/async_depth"},
    "iosched/slice_idle": {"iosched/slice_idle_us"},
    "iosched/slice_idle_us": {"iosched/slice_idle"},
}
TICK = 10
NO_NUMBERS = ("", "x", "-1", "+1", " 1", "1\n", "0x1", "1e0", "1.0", "\uff11", "9" * 13)


def file(tunable: str) -> str:
    """Where it lies in the queue's folder."""
    return tunable.removeprefix("queue/")


def what_schedulers_give(helper: Caller, disk: LoopDisk) -> Given:
    """What SetTrialScheduler makes of all files of the queue, each time from a trial's beginning."""
    given = {}
    for name in SCHEDULERS:
        trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
        helper.call("SetTrialScheduler", trial, disk.name, name)
        given[name] = whole(disk)
        helper.call("EndTrial", trial)
    return given


def tunables_of(name: str, given: Given) -> dict[str, str]:
    """Every tunable that this kernel has under a scheduler, with another value than the scheduler gives."""
    here = {tunable: limits for tunable, limits in known(name).items() if file(tunable) in given[name]}
    return {tunable: str(another(limits, int(given[name][file(tunable)]))) for tunable, limits in here.items()}


def tour(given: Given) -> Iterator[tuple[str, str, str]]:
    """All tunables of all schedulers, always with another scheduler in between."""
    each = [[(name, *pair) for pair in tunables_of(name, given).items()] for name in SCHEDULERS]
    return (one for turn in zip_longest(*each) for one in turn if one)


def prepare(disk: LoopDisk, sudo: Sudo, first: str, wbt: str) -> None:
    """Nothing is as the kernel would have it; but wbt_lat_usec, where that is wanted."""
    write(sudo, disk, "scheduler", first)
    tune_all(sudo, disk, wbt=wbt == "manual")
    if wbt == "off":
        write(sudo, disk, WBT, 0)


@pytest.mark.parametrize("wbt", ["default", "manual", "off"])
@pytest.mark.parametrize("first", SCHEDULERS)
def test_no_setting_leaves_anything_to_the_next(
    first: str, wbt: str, helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    prepare(disk, sudo, first, wbt)
    before, given = whole(disk), what_schedulers_give(helper, disk)
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    for name, tunable, value in tour(given):
        helper.call("SetTrialSetting", trial, disk.name, name, {tunable: value})
        found = whole(disk)
        assert abs(int(found[file(tunable)]) - int(value)) < TICK, (name, tunable)
        aside = {file(tunable), *FOLLOWS.get(tunable, ())}
        assert left_out(found, aside) == left_out(given[name], aside), (name, tunable)
    for name in SCHEDULERS:
        helper.call("SetTrialScheduler", trial, disk.name, name)
        assert whole(disk) == given[name]
    helper.call("EndTrial", trial)
    assert whole(disk) == before


def left_out(files: dict[str, str], names: set[str]) -> dict[str, str]:
    return {name: text for name, text in files.items() if name not in names}


@pytest.mark.parametrize("wbt", ["default", "manual", "off"])
@pytest.mark.parametrize("first", SCHEDULERS)
def test_every_file_is_as_it_was_whatever_ends_the_trial(
    first: str, wbt: str, helper: Caller, caller: Callable[[], Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """With all tunables set at once. One setting follows the other as they would in a comparison."""
    prepare(disk, sudo, first, wbt)
    before, given = whole(disk), what_schedulers_give(helper, disk)
    left_on = SCHEDULERS[SCHEDULERS.index(first) - 1]
    for end in ("the caller leaves", "kill -9 of the caller", "kill -9 of the helper"):
        owner = caller()
        trial = owner.call("BeginTrial", [(disk.name, disk.diskseq)])
        for name in (*SCHEDULERS, first, left_on):
            owner.call("SetTrialSetting", trial, disk.name, name, tunables_of(name, given))
            assert disk.scheduler == name and whole(disk) != given[name]
        if end == "kill -9 of the helper":
            kill_helper(helper, sudo)
        else:
            (owner.process.kill if "kill" in end else owner.leave)()
            assert until(lambda: helper.state()["trials"] == [])
        assert whole(disk) == before, end


def test_what_is_refused_is_not_written(helper: Caller, loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    """With the very words of SetTunables, also beside a tunable that is right."""
    disk, other = (loop_disk(size_mb=16, fs=None) for _ in range(2))
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    helper.call("SetTrialSetting", trial, disk.name, "kyber", {"iosched/read_lat_nsec": "5", "queue/nomerges": "1"})
    everything = {tunable for name in SCHEDULERS for tunable in known(name)}
    before = whole(disk)
    for name in SCHEDULERS:
        helper.call("SetScheduler", other.name, other.diskseq, name)
        wrong = [(tunable, "1") for tunable in sorted(everything - known(name).keys())]
        wrong += [(tunable, "1") for tunable in ("", "queue/", "queue/scheduler", "queue/../ro", "iosched/../nomerges")]
        for tunable, limits in known(name).items():
            values = (*NO_NUMBERS, str(limits.start - 1), str(limits.stop))
            wrong += [(tunable, value) for value in values]
        with Watch(helper_pid(sudo)) as watch:
            for tunable, value in wrong:
                words = refusal(helper, "SetTunables", other.name, other.diskseq, {tunable: value})
                for beside in ({}, {"queue/rq_affinity": "2"}):
                    wishes = {**beside, tunable: value}
                    assert refusal(helper, "SetTrialSetting", trial, disk.name, name, wishes) == words, wishes
            assert watch.written() == [], "the helper wrote to a file"
        assert whole(disk) == before
    helper.call("EndTrial", trial)


def test_what_the_kernel_refuses_changes_nothing(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    helper.call("SetTrialSetting", trial, disk.name, "bfq", {"iosched/slice_idle": "0", "queue/nomerges": "1"})
    before = whole(disk)
    cases = {
        "no-such-scheduler": ("cfq", {"queue/nomerges": "2"}),
        "value-refused": ("none", {"queue/nr_requests": "65536", "queue/nomerges": "2"}),
    }
    for reason, (name, tunables) in cases.items():
        assert f": {reason} disk={disk.name}" in refusal(helper, "SetTrialSetting", trial, disk.name, name, tunables)
        assert whole(disk) == before
    with Watch(helper_pid(sudo)) as watch:
        refusal(helper, "SetTrialSetting", trial, disk.name, "bfq\n", {})
        assert refusal(helper, "SetTrialSetting", trial, "vda", "bfq", {}).endswith("not-in-trial")
        assert watch.written() == []
    helper.call("EndTrial", trial)


def refusal(helper: Caller, method: str, *arguments: object) -> str:
    """The error's name and text."""
    with pytest.raises(Refusal) as refused:
        helper.call(method, *arguments)
    return str(refused.value.__cause__)
