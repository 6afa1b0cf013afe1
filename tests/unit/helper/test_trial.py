# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials: who may begin them, how many, and that every disk is restored."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.unit.helper.fake import later, make_root, nobody
from tests.unit.helper.kernel import FakeKernel

from disktuner_helper import audit, contract, files
from disktuner_helper.errors import (
    Busy,
    NoSuchDisk,
    NoSuchTrial,
    StaleDisk,
    WriteFailed,
)
from disktuner_helper.queue import Queue, Setting
from disktuner_helper.trial import Held, Snapshots, Trials, flag


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path)


@pytest.fixture
def kernel(root: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    return FakeKernel(root, monkeypatch)


def flags(root: Path) -> list[str]:
    return sorted(file.name for file in (root / "run/disktuner/hold").iterdir())


def test_bounds(root: Path, kernel: FakeKernel) -> None:
    for number in range(contract.MAX_TRIALS + 1):
        kernel.add(f"sd{number}", number)
    trials = Trials(root, later, nobody)
    with pytest.raises(NoSuchDisk):
        trials.begin(":1.1", 1, [])
    with pytest.raises(StaleDisk):
        trials.begin(":1.1", 1, [("sd0", 99)])
    for number in range(contract.MAX_TRIALS):
        if number % contract.MAX_TRIALS_PER_UID == 0 and number:
            with pytest.raises(Busy):
                trials.begin(":1.1", number - 1, [("sd16", 17)])
        trials.begin(":1.1", number - number % contract.MAX_TRIALS_PER_UID + 3, [(f"sd{number}", number + 1)])
    with pytest.raises(Busy):
        trials.begin(":1.1", 99, [("sd16", 17)])


def test_the_next_helper_restores_and_remembers_what_a_disk_did_not_take_back(root: Path, kernel: FakeKernel) -> None:
    sda, sdb, sdc = kernel.add("sda"), kernel.add("sdb", 16), kernel.add("sdc", 32)
    trials, snapshots = Trials(root, later, nobody), Snapshots(root)
    trial = trials.begin(":1.1", 1000, [("sda", 1), ("sdb", 17), ("sdc", 33)])
    for name in trial.disks:
        trials.set(":1.1", trial.id, name, "bfq", {})
    sdb.refuse["scheduler"] = errno.EIO
    (sdc.folder / "diskseq").write_text("34\n")
    trials = Trials(root, later, snapshots.remember)
    (left,) = trials.all.values()
    assert (left.id, left.uid, left.since, str(left)) == (trial.id, 1000, trial.since, "sda=none sdb=none sdc=none")
    with pytest.raises(NoSuchTrial):
        trials.own(":1.1", left.id)
    assert trials.end(left) == ["sdb", "sdc"], "one refused, one is another by now"
    assert (sda.scheduler, sdb.scheduler, sdc.scheduler) == ("none", "bfq", "bfq")
    assert flags(root) == []
    assert not Trials(root, later, nobody).all
    held = Snapshots(root).all
    assert held == {"sdb": left.disks["sdb"]}, "what is there stays remembered, also for the next helper"
    sdb.refuse.clear()
    held["sdb"].put_back(root)
    assert sdb.scheduler == "none"


def test_nothing_is_kept_that_could_not_be_read_again(root: Path) -> None:
    """For example the states of a thousand disks: then no first state is stored, and nothing is changed."""
    snapshots, tunables = Snapshots(root), {f"iosched/{'x' * 200}{number}": 1 for number in range(400)}
    fitting = [Held("none", tunables, f"sd{number}", 1, "8:0", "x") for number in range(20)]
    with pytest.raises(WriteFailed, match="cause=EFBIG"):
        for held in fitting:
            snapshots.remember(held)
    assert 1 < len(snapshots.all) < 20 and Snapshots(root).all == snapshots.all


def test_a_first_state_that_is_remembered_is_not_replaced_by_a_trials(root: Path, kernel: FakeKernel) -> None:
    sda, snapshots = kernel.add("sda"), Snapshots(root)
    with Queue(root, "sda") as queue:
        snapshots.remember(Held.of(queue, queue.setting))
        queue.apply(Setting("kyber", {}))
    trials = Trials(root, later, snapshots.remember)
    trial = trials.begin(":1.1", 1000, [("sda", 1)])
    trials.set(":1.1", trial.id, "sda", "bfq", {})
    sda.refuse["scheduler"] = errno.EIO
    assert trials.end(trial) == ["sda"]
    assert snapshots.all["sda"].scheduler == "none"


HELD = {
    "scheduler": "none",
    "tunables": {"queue/nomerges": 0},
    "disk": "sda",
    "diskseq": 1,
    "devno": "8:0",
    "since": "x",
}
WRONG = [
    1,
    [],
    {"a": 1},
    *({**HELD, name: wrong} for name in ("scheduler", "disk", "devno") for wrong in (1, None, ["sda"], {})),
    *({**HELD, "diskseq": wrong} for wrong in ("1", 1.0, True, None, [])),
    *({**HELD, "tunables": wrong} for wrong in (1, None, "x", ["queue/nomerges"], {"queue/nomerges": "0"})),
]
BROKEN = ["[]", "{", "null", "\xff", "[" * 100_000, '{"x":' * 100_000, '{"x": {"uid": ' + "1" * 5000 + "}}"]
BROKEN += ['{"x": 1}', '{"x": {}}', '{"x": {"disks": [], "since": 1}}']


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines written to the helper's log."""
    lines: list[str] = []
    monkeypatch.setattr(audit, "write", lines.append)
    return lines


def test_a_broken_state_is_told_and_no_obstacle(root: Path, kernel: FakeKernel, logged: list[str]) -> None:
    kernel.add()
    trials_file, snapshots_file = (root / f"run/disktuner/{name}.json" for name in ("trials", "snapshots"))
    for stored in BROKEN:
        for file in (trials_file, snapshots_file):
            file.write_text(stored, "latin-1")
        trials, snapshots = Trials(root, later, nobody), Snapshots(root)
        assert len(logged) == 2 and not trials.all and not snapshots.all, stored[:20]
        assert trials.end(trials.begin(":1.1", 1000, [("sda", 1)])) == []
        with Queue(root, "sda") as queue:
            assert snapshots.remember(Held.of(queue, queue.setting))
        assert Snapshots(root).all == snapshots.all
        snapshots.drop("sda")
        assert not trials_file.exists() and not snapshots_file.exists()
        logged.clear()


def test_what_is_broken_does_not_lose_the_rest(root: Path, kernel: FakeKernel, logged: list[str]) -> None:
    sda = kernel.add()
    for wrong in WRONG:
        sda.write("scheduler", "bfq")
        stored, other = ({"uid": 1, "since": "x", "disks": [disk]} for disk in (HELD, wrong))
        (root / "run/disktuner/trials.json").write_text(json.dumps({"a": other, "b": stored}))
        (root / "run/disktuner/snapshots.json").write_text(json.dumps({"sdb": wrong, "sda": HELD}))
        assert Snapshots(root).all.keys() == {"sda"}
        trials = Trials(root, later, nobody)
        assert trials.all.keys() == {"b"}
        assert len(logged) == 2 and all("json is broken" in line for line in logged)
        assert trials.end(trials.all["b"]) == []
        assert sda.scheduler == "none"
        logged.clear()


def test_the_first_state_is_kept_and_of_another_disk_its_own(root: Path, kernel: FakeKernel) -> None:
    snapshots, sda = Snapshots(root), kernel.add("sda")
    for diskseq, new in ((1, True), (1, False), (2, True)):
        (sda.folder / "diskseq").write_text(f"{diskseq}\n")
        with Queue(root, "sda") as queue:
            assert snapshots.remember(Held.of(queue, queue.setting)) is new


def test_a_name_in_a_state_file_is_no_path(root: Path) -> None:
    held = Held("none", {}, "sda", 1, "../../../etc/8", "x")
    assert flag(root, held).parent == root / "run/disktuner/hold"
    old = Held("none", {}, "sda", 0, "8:0", "x")  # kernels before 5.15: for udev $env{DISKSEQ} is nothing there
    assert flag(root, old).name == "8:0-"


def test_a_trial_that_cannot_be_kept_does_not_begin(
    root: Path, kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.add()
    trials, refused = Trials(root, later, nobody), set()
    real = files.replace

    def replace(file: Path, content: bytes) -> None:
        if file.parent.name in refused:
            raise WriteFailed("file-not-written")
        real(file, content)

    monkeypatch.setattr(files, "replace", replace)
    for folder in ("hold", "disktuner"):
        refused.add(folder)
        with pytest.raises(WriteFailed):
            trials.begin(":1.1", 1, [("sda", 1)])
        assert (flags(root), dict(trials.all), list((root / "run/disktuner").glob("*.json"))) == ([], {}, [])


def test_a_trial_ends_though_nothing_can_be_stored(
    root: Path, kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sda = kernel.add()
    trials = Trials(root, later, nobody)
    trial = trials.begin(":1.1", 1, [("sda", 1)])
    trials.set(":1.1", trial.id, "sda", "bfq", {})

    def refuse(*_: object) -> None:
        raise WriteFailed("file-not-written")

    with monkeypatch.context() as full:
        full.setattr(files, "remove", refuse)
        for _ in range(2):
            assert trials.end(trial) == [] and sda.scheduler == "none"
            assert dict(trials.all) == {trial.id: trial}, "the file says so, and so would the next helper"
            with pytest.raises(Busy):
                trials.require_free("sda")
            with pytest.raises(NoSuchTrial):
                trials.own(":1.1", trial.id)
    assert trials.end(trial) == [] and dict(trials.all) == {} and not flags(root)
    assert not (root / "run/disktuner/trials.json").exists()


def test_two_trials_end_where_only_their_file_can_still_go(
    root: Path, kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither has room to write that the other still exists."""
    kernel.add("sda"), kernel.add("sdb", 16)
    trials = Trials(root, later, nobody)
    both_trials = [trials.begin(":1.1", 1, [disk]) for disk in (("sda", 1), ("sdb", 17))]

    def full(*_: object) -> None:
        raise WriteFailed("file-not-written")

    monkeypatch.setattr(files, "replace", full)
    assert [trials.end(trial) for trial in both_trials] == [[], []]
    assert dict(trials.all) == {} and not (root / "run/disktuner/trials.json").exists()


LIMITS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)


@pytest.mark.parametrize("number", LIMITS)
def test_the_last_record_of_what_a_disk_had_goes_when_it_has_it_again_or_another_is_kept(
    number: int, root: Path, kernel: FakeKernel
) -> None:
    """Neither the kernel nor /run accepts anything: the trial is ended again, by this helper or the next."""
    sda, sdb = kernel.add("sda"), kernel.add("sdb", 16)
    before, room = (sda.whole, sdb.whole), [False]

    def remember(held: Held) -> None:
        if not room[0]:
            raise OSError(number, "/run")
        snapshots.remember(held)

    snapshots = Snapshots(root)
    for restarted in (False, True):
        trials = Trials(root, later, remember)
        trial = trials.begin(":1.1", 1, [("sda", 1), ("sdb", 17)])
        for name in ("sda", "sdb"):
            trials.set(":1.1", trial.id, name, "bfq", {})
        room[0] = False
        sda.refuse["scheduler"] = number
        content = (root / "run/disktuner/trials.json").read_bytes()
        for _ in range(2):
            assert trials.end(trial) == ["sda"] and sda.scheduler == "bfq" and sdb.whole == before[1]
            assert (root / "run/disktuner/trials.json").read_bytes() == content
        if restarted:
            trials = Trials(root, later, remember)
            (trial,) = trials.all.values()
        room[0] = True
        assert trials.end(trial) == ["sda"] and not trials.all and snapshots.all.keys() == {"sda"}
        sda.refuse.clear()
        snapshots.all["sda"].put_back(root)
        snapshots.drop("sda")
        assert (sda.whole, sdb.whole) == before
        assert not (root / "run/disktuner/trials.json").exists() and not flags(root)


@pytest.mark.parametrize("number", LIMITS[:-1])
def test_what_cannot_be_read_for_lack_of_room_is_not_taken_for_an_answer(
    number: int, root: Path, kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither that the disk is another one, nor that it lacks the tunable, nor that a file is empty."""
    sda = kernel.add("sda")
    trials = Trials(root, later, nobody)
    trial = trials.begin(":1.1", 1, [("sda", 1)])
    trials.set(":1.1", trial.id, "sda", "bfq", {})
    with Queue(root, "sda") as queue:
        whole = queue.setting
    left, real = [0], os.open

    def scarce(*words: Any, **how: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(number, os.strerror(number))
        return real(*words, **how)

    monkeypatch.setattr(os, "open", scarce)
    contents = []
    for left[0] in range(100):
        with suppress(OSError), Queue(root, "sda", 1) as queue:
            contents.append(queue.setting)
    assert 0 < len(contents) < 99 and all(content == whole for content in contents)
    left[0] = 0
    with pytest.raises(OSError, match=os.strerror(number)):
        Trials(root, later, nobody)
    assert trials.end(trial) == ["sda"] and trials.all, "it is not gone"
    left[0] = 1000
    assert trials.end(trial) == [] and sda.scheduler == "none" and not trials.all


def test_a_lock_whose_file_was_removed_meanwhile_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`./dev run` takes it away at its end, while it holds it."""
    file = tmp_path / "lock"
    holder = file.open("w")
    fcntl.flock(holder, fcntl.LOCK_EX)

    def end(_: float) -> None:
        file.unlink(missing_ok=True)
        holder.close()

    monkeypatch.setattr("disktuner_helper.files.time.sleep", end)
    files.lock(file, 60)
    with pytest.raises(WriteFailed):
        files.lock(file, -1)
