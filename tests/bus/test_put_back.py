# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything a disk had is restored: every file in queue/, iosched/ and bdi/, whatever was switched and set meanwhile.

Every scheduler and every state of wbt once here, all pairs of them with ``--all``; every combination on kernels that
this machine lacks: tests/unit/helper/test_put_back.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

import pytest

from disktuner_helper.queue import known
from tests.bus.conftest import Caller, Refusal, helper_pid, named, stop_helper
from tests.bus.test_hostile import Watch
from tests.conftest import LoopDisk, Sudo, unmount
from tests.end2end.comparing import values
from tests.simdisk.sata import sata_disk
from tests.waiting import until

Given = dict[str, dict[str, str]]
SCHEDULERS = ("none", "mq-deadline", "kyber", "bfq")
WBT = "queue/wbt_lat_usec"
# The kernel itself derives these from what is set.
FOLLOWS = {
    "queue/nr_requests": {"async_depth", "iosched/async_depth"},
    "iosched/slice_idle": {"iosched/slice_idle_us"},
    "iosched/slice_idle_us": {"iosched/slice_idle"},
    "bdi/max_ratio": {"bdi/max_ratio_fine"},
}
TICK = 10
USUAL = [("none", "default"), ("mq-deadline", "manual"), ("kyber", "off"), ("bfq", "default")]
ALL = [(first, wbt) for first in SCHEDULERS for wbt in ("default", "manual", "off")]
FIRST_AND_WBT = [*USUAL, *(pytest.param(*pair, marks=pytest.mark.long) for pair in ALL if pair not in USUAL)]


def file(tunable: str) -> str:
    """Return a tunable's path in the queue's folder."""
    return tunable.removeprefix("queue/")


def path(disk: LoopDisk, tunable: str) -> Path:
    return disk.queue.parent / tunable if tunable.startswith("bdi/") else disk.queue / file(tunable)


def another(limits: range, value: int) -> int:
    """Return another value that the kernel accepts."""
    return (value + 1) % 2 if len(limits) <= 3 else value // 2 + 1 if value > 4 else value + 3


def tunables_of(name: str, at_start: dict[str, str]) -> dict[str, str]:
    """Return every tunable that this kernel has under a scheduler, with a value other than at the start."""
    return {tunable: str(another(limits, int(at_start[file(tunable)])))
            for tunable, limits in known(name).items() if file(tunable) in at_start}  # fmt: skip


def prepare(disk: LoopDisk, sudo: Sudo, first: str, wbt: str) -> dict[str, str]:
    """Set nothing to the kernel's default; wbt_lat_usec only on request."""
    sudo("tee", disk.queue / "scheduler", stdin=first)
    kernels = values(disk)
    for tunable, value in tunables_of(first, kernels).items():
        if tunable != WBT or wbt == "manual":
            sudo("tee", path(disk, tunable), stdin=value)
            assert path(disk, tunable).read_text() != kernels[file(tunable)]
    if wbt == "off":
        sudo("tee", disk.queue / file(WBT), stdin="0")
    return values(disk)


def given_by_schedulers(helper: Caller, disk: LoopDisk) -> Given:
    """Return what SetTrial makes of all files of the queue, each time from a trial's beginning."""
    defaults = {}
    for name in SCHEDULERS:
        trial = helper.begin(disk)
        helper.set_trial(trial, disk, name)
        defaults[name] = values(disk)
        helper.call("EndTrial", trial)
    return defaults


def tour(defaults: Given) -> Iterator[tuple[str, str, str]]:
    """Return all tunables of all schedulers, always with another scheduler in between."""
    by_scheduler = [[(name, *pair) for pair in tunables_of(name, defaults[name]).items()] for name in SCHEDULERS]
    return (wish for turn in zip_longest(*by_scheduler) for wish in turn if wish)


@pytest.mark.parametrize(("first", "wbt"), FIRST_AND_WBT)
def test_no_setting_of_a_trial_leaves_anything_to_the_next(
    first: str, wbt: str, helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    before, defaults = prepare(disk, sudo, first, wbt), given_by_schedulers(helper, disk)
    trial = helper.begin(disk)
    for name, tunable, value in tour(defaults):
        helper.set_trial(trial, disk, name, {tunable: value})
        state = values(disk)
        assert abs(int(state[file(tunable)]) - int(value)) < TICK, (name, tunable)
        for aside in (file(tunable), *FOLLOWS.get(tunable, ())):
            state[aside] = defaults[name].get(aside, "")
        assert {key: text for key, text in state.items() if text} == defaults[name], (name, tunable)
    for name in SCHEDULERS:
        helper.set_trial(trial, disk, name)
        assert values(disk) == defaults[name]
        helper.set_trial(trial, disk, first)
        assert values(disk) == before, f"the baseline after {name}"
    helper.call("EndTrial", trial)
    assert values(disk) == before


ENDS: dict[str, Callable[[Caller, Sudo], None]] = {
    "the caller leaves": lambda owner, _: owner.leave(),
    "kill -9 of the caller": lambda owner, _: owner.process.kill(),
    "kill -9 of the helper": lambda _, sudo: stop_helper(sudo, "-KILL"),
}


@pytest.mark.parametrize(("first", "wbt"), FIRST_AND_WBT)
def test_every_file_is_as_it_was_whatever_ends_the_trial_and_after_revert(
    first: str, wbt: str, helper: Caller, caller: Callable[[], Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """With all tunables set at once, of one scheduler after the other. A number written to wbt stays one."""
    before = prepare(disk, sudo, first, wbt)
    defaults = given_by_schedulers(helper, disk)
    wishes = {name: tunables_of(name, defaults[name]) for name in SCHEDULERS}
    for name in SCHEDULERS if wbt == "default" else ():
        del wishes[name][WBT]
    for name in SCHEDULERS[::2]:  # the same limit in another way
        wishes[name]["bdi/max_bytes"] = str(int(wishes[name].pop("bdi/max_ratio")) << 20)
    for name in SCHEDULERS:
        helper.set(disk, name, wishes[name])
    helper.call("Revert", named(disk))
    assert values(disk) == before, "after Revert"
    for ending, end in ENDS.items():
        owner = caller()
        trial = owner.begin(disk)
        for name in (*SCHEDULERS, first, SCHEDULERS[SCHEDULERS.index(first) - 1]):
            owner.set_trial(trial, disk, name, wishes[name])
            assert disk.scheduler == name and values(disk) != defaults[name]
        end(owner, sudo)
        until(lambda: helper.state()["trials"] == [])
        assert values(disk) == before, ending
    assert wbt_is_the_kernels(sudo, disk) == (wbt == "default")


@pytest.mark.long
@pytest.mark.parametrize("ending", ["EndTrial", *ENDS])
def test_how_many_commands_a_disk_gets_is_as_it_was_whatever_ends_the_trial(
    ending: str, helper: Caller, caller: Callable[[], Caller], sudo: Sudo, tmp_path: Path
) -> None:
    with sata_disk(sudo, tmp_path, 64) as disk:
        depth = disk.queue.parent / "device/queue_depth"
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        before, owner = (depth.read_text(), values(disk)), caller()
        trial = owner.begin(disk)
        for name in ("bfq", "mq-deadline"):
            owner.set_trial(trial, disk, name, {"device/queue_depth": "1"})
            assert (depth.read_text(), disk.scheduler) == ("1\n", name)
        if ending in ENDS:
            ENDS[ending](owner, sudo)
        else:
            owner.call(ending, trial)
        until(lambda: helper.state()["trials"] == [])
        assert (depth.read_text(), values(disk)) == before


@pytest.mark.long
def test_a_disk_that_is_pulled_out_while_its_depth_is_tried_leaves_the_next_of_its_name_alone(
    helper: Caller, sudo: Sudo, tmp_path: Path
) -> None:
    with sata_disk(sudo, tmp_path, 64) as disk:
        assert disk.folder
        depth, trial = disk.queue.parent / "device/queue_depth", helper.begin(disk)
        helper.set_trial(trial, disk, "bfq", {"device/queue_depth": "1"})
        assert (depth.read_text(), disk.scheduler) == ("1\n", "bfq")
        number = disk.diskseq
        unmount(sudo, disk.folder)
        sudo("losetup", "--detach", disk.device)
        sudo("losetup", disk.device, tmp_path / "served/disk")
        assert disk.diskseq != number
        sudo("tee", depth, stdin="31")
        before = (depth.read_text(), values(disk))
        for method, *words in (("SetTrial", disk.name, "bfq", {"device/queue_depth": "1"}), ("KeepTrial", False)):
            with pytest.raises(Refusal, match="StaleDisk"):
                helper.call(method, trial, *words)
        with pytest.raises(Refusal, match="WriteFailed") as refused:
            helper.call("EndTrial", trial)
        assert f"not-put-back disks={disk.name}" in str(refused.value.__cause__)
        assert helper.state()["trials"] == [] and (depth.read_text(), values(disk)) == before


def wbt_is_the_kernels(sudo: Sudo, disk: LoopDisk) -> bool:
    """Whether bfq still switches it off, and on again when it leaves; not so once a number was written."""
    values = []
    for name in ("none", "bfq", "none"):
        sudo("tee", disk.queue / "scheduler", stdin=name)
        values.append((disk.queue / file(WBT)).read_text())
    assert values[0] == values[2]
    return values[1] == "0\n" != values[0]


def test_wbt_can_be_set_while_bfq_has_it_off_and_goes_back_by_number(
    helper: Caller, disk: LoopDisk, sudo: Sudo
) -> None:
    """No kernel takes a written number back, not even with -1 (see test_fake_kernel.py): none is written unless a
    caller wants it.
    """
    before = values(disk)
    helper.set(disk, "bfq")
    for value in (before[file(WBT)].strip(), "5000"):
        helper.set(disk, disk.scheduler, {WBT: value})
        assert (disk.queue / file(WBT)).read_text() == f"{value}\n"
    helper.call("Revert", named(disk))
    assert values(disk) == before and not wbt_is_the_kernels(sudo, disk)


def test_what_it_writes_is_queues_its_rules_and_its_state(helper: Caller, known_disk: LoopDisk, sudo: Sudo) -> None:
    """In all of its work, according to the kernel."""
    disk, wished = known_disk, {"queue/nomerges": "1", "bdi/strict_limit": "1", "iosched/low_latency": "0"}
    helper.state()
    queue, places = str(disk.queue.resolve()), ("/run/disktuner/", "/etc/udev/rules.d/")
    changed: set[str] = set()
    with Watch(helper_pid(sudo)) as watch:
        for persist in (False, True):
            helper.set(disk, "bfq", wished, persist=persist)
            changed.update(watch.written())  # a file of iosched/ has no name any more once it is gone
        helper.call("Undo", named(disk))
        trial = helper.begin(disk)
        helper.set_trial(trial, disk, "bfq", wished)
        changed.update(watch.written())
        helper.call("EndTrial", trial)
        changed.update(watch.written())
    tunables = {f"{queue}/{file(name)}" for scheduler in SCHEDULERS for name in known(scheduler)}
    limits = {str((disk.queue.parent / "bdi" / name).resolve()) for name in ("max_ratio_fine", "strict_limit")}
    foreign = {path for path in changed if not path.startswith(places)}
    assert {f"{queue}/scheduler", f"{queue}/nomerges", f"{queue}/iosched/low_latency"} <= foreign
    assert foreign <= {f"{queue}/scheduler", *tunables, *limits}


def test_what_is_refused_is_not_written(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    """Even with a valid tunable, and for values that only the kernel refuses."""
    trial = helper.begin(disk)
    helper.set_trial(trial, disk, "kyber", {"iosched/read_lat_nsec": "5", "queue/nomerges": "1"})
    before, right = values(disk), {"queue/rq_affinity": "2"}
    with Watch(helper_pid(sudo)) as watch:
        for name in ("", "queue/scheduler", "queue/../ro", "iosched/../nomerges", "iosched/read_lat_nsec"):
            assert "tunable-not-listed" in refusal(helper, trial, disk.name, "bfq", {**right, name: "1"})
        for value in ("", "-1", "1\n", "0x1", "\uff11", "3", "9" * 13):
            wishes = {**right, "queue/nomerges": value}
            assert "tunable-out-of-range" in refusal(helper, trial, disk.name, "bfq", wishes)
        assert "not-in-trial" in refusal(helper, trial, "vda", "bfq", {})
        assert watch.written() == [], "the helper wrote to a file"
    for scheduler, reason in (("cfq", "no-such-scheduler"), ("bfq\n", "no-such-scheduler"), ("none", "value-refused")):
        wishes = {"queue/nr_requests": "65536", "queue/nomerges": "2"}
        assert f"{reason} disk={disk.name}" in refusal(helper, trial, disk.name, scheduler, wishes)
        assert values(disk) == before
    helper.call("EndTrial", trial)


def test_a_limit_that_the_kernel_refuses_leaves_what_was_there(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    sudo("tee", disk.queue.parent / "bdi/max_ratio_fine", stdin="14318")
    before = values(disk)
    for wish in (
        {"bdi/max_bytes": str(512 << 30)},
        {"bdi/max_ratio": "0"},
        {"bdi/max_bytes": "1048576", "bdi/max_ratio": "5"},
    ):
        with pytest.raises(Refusal, match="InvalidTunable"):
            helper.set(disk, "bfq", {"bdi/strict_limit": "1", **wish})
        assert (values(disk), helper.state()["snapshots"]) == (before, [])


def refusal(helper: Caller, *arguments: object) -> str:
    with pytest.raises(Refusal) as refused:
        helper.call("SetTrial", *arguments)
    return str(refused.value.__cause__)
