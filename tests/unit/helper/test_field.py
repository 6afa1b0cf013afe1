# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials in daily use: who may change what until when, what survives a restart, and what broken files do."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.unit.helper.fake import add_disk, later, make_root
from tests.unit.helper.kernel import FakeKernel

from disktuner_helper import contract
from disktuner_helper.errors import (
    Busy,
    HelperError,
    InvalidTunable,
    NoSuchDisk,
    NoSuchScheduler,
    NoSuchTrial,
    NotUnique,
    StaleDisk,
    WriteFailed,
)
from disktuner_helper.field import FieldTrial, FieldTrials, details
from disktuner_helper.identity import everybody
from disktuner_helper.queue import known
from disktuner_helper.trial import Held, Snapshots, Trials

ALICE, BOB, ROOT = 1000, 1001, 0
DAY = 86400
PAIR = [("bfq", {"iosched/slice_idle": "0"}), ("kyber", {})]
SDA = [("sda", 1)]


class Machine:
    """A root folder with disks, a clock, and a helper that can be restarted."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.now = make_root(root), 1_800_000_000.0
        self.kernel, self.patch = FakeKernel(root, monkeypatch), monkeypatch.setattr
        self.sda = self.kernel.add("sda")
        self.lack: Exception | None = None
        self.rights = root / "var/lib/disktuner/field-trials.json"
        self.start()

    def start(self) -> FieldTrials:
        """Start the next helper."""
        self.snapshots = Snapshots(self.root)
        self.trials = Trials(self.root, later, self.remember)
        self.field = FieldTrials(self.root, self.trials, lambda: self.now)
        return self.field

    @contextmanager
    def full(self, number: int) -> Iterator[None]:
        """Make writes to /run fail for a while."""
        self.lack = WriteFailed("file-not-written") if number == errno.ENOSPC else OSError(number, "/run")
        yield
        self.lack = None

    def remember(self, held: Held) -> None:
        if self.lack:
            raise self.lack
        self.snapshots.remember(held)

    def restart(self) -> FieldTrials:
        """Restart the whole computer, which empties /run."""
        for file in (self.root / "run/disktuner").rglob("*"):
            if file.is_file():
                file.unlink()
        return self.start()

    def begin(self, uid: int = ALICE, **other: Any) -> FieldTrial:
        wanted: dict[str, Any] = {"disks": SDA, "wishes": PAIR, "until": int(self.now) + DAY}
        return self.field.begin(uid, **{**wanted, **other})


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_its_user_changes_between_the_two_and_at_the_end_all_is_as_it_was(machine: Machine) -> None:
    machine.sda.values["nomerges"] = 2
    before, trial = machine.sda.whole, machine.begin()
    assert machine.sda.whole == before, "the right alone changes nothing"
    for which, (scheduler, idle) in enumerate((("bfq", 0), ("kyber", None))):
        name, change = machine.field.set(ALICE, trial.id, which)
        assert (name, machine.sda.scheduler, machine.sda.values.get("iosched/slice_idle")) == ("sda", scheduler, idle)
        assert scheduler in change and machine.sda.values["nomerges"] == 2
    assert [file.name for file in (machine.root / "run/disktuner/hold").iterdir()] == ["8:0-1"]
    assert machine.start().end(trial) and machine.sda.whole == before
    assert not machine.field.all and not machine.rights.exists()
    assert not list((machine.root / "run/disktuner").rglob("*.json")) + list(
        (machine.root / "run/disktuner/hold").iterdir()
    )


def test_it_goes_on_after_a_restart_with_what_the_disk_has_then(machine: Machine) -> None:
    trial = machine.begin()
    machine.field.set(ALICE, trial.id, 0)
    sdb = machine.kernel.add("sdb", 16)  # the same disk has another name, and another is called so
    add_disk(machine.root, "sdb", 16, {"ID_SERIAL": "Disk_sda_1"})
    add_disk(machine.root, "sda", 0, {"ID_SERIAL": "Disk_sdb_1"})
    sdb.switch("mq-deadline")
    before, other = sdb.whole, machine.sda.whole
    field = machine.restart()
    assert (sdb.whole, machine.sda.whole) == (before, other), "nothing changes by itself"
    assert field.set(ALICE, trial.id, 1)[0] == "sdb" and sdb.scheduler == "kyber"
    assert field.end(trial) and (sdb.whole, machine.sda.whole) == (before, other)


def not_the_user(machine: Machine, trial: FieldTrial) -> None:
    machine.field.set(BOB, trial.id, 0)


def not_a_setting(machine: Machine, trial: FieldTrial) -> None:
    machine.field.set(ALICE, trial.id, 2)


def after_the_date(machine: Machine, trial: FieldTrial) -> None:
    machine.now += DAY
    machine.field.set(ALICE, trial.id, 0)


def before_the_date(machine: Machine, trial: FieldTrial) -> None:
    machine.now -= 1
    machine.field.set(ALICE, trial.id, 0)


def another_disk_of_that_name(machine: Machine, trial: FieldTrial) -> None:
    add_disk(machine.root, "sda", 0, {"ID_SERIAL": "Another_1"})
    machine.field.set(ALICE, trial.id, 0)


def another_disk_takes_the_name_meanwhile(machine: Machine, trial: FieldTrial) -> None:
    known = everybody(machine.root)
    add_disk(machine.root, "sda", 0, {"ID_SERIAL": "Another_1"})
    machine.patch("disktuner_helper.field.everybody", lambda _: known)
    machine.field.set(ALICE, trial.id, 0)


def two_of_that_identity(machine: Machine, trial: FieldTrial) -> None:
    machine.kernel.add("sdb", 16)
    add_disk(machine.root, "sdb", 16, {"ID_SERIAL": "Disk_sda_1"})
    machine.field.set(ALICE, trial.id, 0)


def while_measured(machine: Machine, trial: FieldTrial) -> None:
    machine.trials.begin(":1.1", BOB, SDA)
    machine.field.set(ALICE, trial.id, 0)


def end_of_anothers(machine: Machine, trial: FieldTrial) -> None:
    machine.field.end(machine.field.own(BOB, trial.id))


@pytest.mark.parametrize(
    ("attack", "error"),
    [
        (not_the_user, NoSuchTrial), (not_a_setting, NoSuchScheduler), (after_the_date, NoSuchTrial),
        (before_the_date, NoSuchTrial), (another_disk_of_that_name, NoSuchDisk),
        (another_disk_takes_the_name_meanwhile, StaleDisk), (two_of_that_identity, NoSuchDisk), (while_measured, Busy),
        (end_of_anothers, NoSuchTrial),
    ],
)  # fmt: skip
def test_what_it_does_not_allow_is_refused_and_changes_nothing(
    attack: Callable[[Machine, FieldTrial], None], error: type[HelperError], machine: Machine
) -> None:
    trial = machine.begin()
    before, rights = machine.sda.whole, machine.rights.read_bytes()
    with pytest.raises(error):
        attack(machine, trial)
    assert (machine.sda.whole, machine.rights.read_bytes()) == (before, rights)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"disks": []}, NoSuchDisk), ({"disks": [*SDA, ("sdb", 2)]}, NoSuchDisk),
        ({"disks": [("sda", 2)]}, StaleDisk),
        ({"disks": [("../sda", 1)]}, NoSuchDisk), ({"wishes": PAIR[:1]}, InvalidTunable),
        ({"wishes": [*PAIR, ("none", {})]}, InvalidTunable), ({"wishes": PAIR[:1] * 2}, InvalidTunable),
        ({"wishes": PAIR * 100_000}, InvalidTunable), ({"wishes": [("bfq\n", {}), PAIR[1]]}, NoSuchScheduler),
        ({"wishes": [("bfq", {"device/delete": "1"}), PAIR[1]]}, InvalidTunable),
        ({"wishes": [("bfq", {"queue/nomerges": "3"}), PAIR[1]]}, InvalidTunable),
        ({"until": 1_800_000_000}, InvalidTunable), ({"until": 0}, InvalidTunable),
        ({"until": 2**64 - 1}, InvalidTunable),
        ({"until": 1_800_000_001 + contract.MAX_FIELD_TRIAL_S}, InvalidTunable),
    ],
)  # fmt: skip
def test_a_right_that_is_none_is_not_given(wrong: dict[str, Any], error: type[HelperError], machine: Machine) -> None:
    with pytest.raises(error):
        machine.begin(**wrong)
    assert not machine.field.all and not machine.rights.exists()


def test_a_disk_without_a_number_of_its_own_gets_none(machine: Machine) -> None:
    add_disk(machine.root, "sda", 0, {"ID_PATH": "pci-1"})
    with pytest.raises(NotUnique):
        machine.begin()


def test_a_disk_that_takes_the_name_while_it_is_identified_gets_none(machine: Machine) -> None:
    def identified(root: Path, name: str) -> tuple[str, str]:
        (root / "sys/block" / name / "diskseq").write_text("9\n")
        return "ID_SERIAL", "Disk_sda_1"

    machine.patch("disktuner_helper.field.identify", identified)
    with pytest.raises(StaleDisk):
        machine.begin()
    assert not machine.field.all and not machine.rights.exists()


def test_at_its_end_a_disk_that_took_the_name_is_not_touched(machine: Machine) -> None:
    trial = machine.begin()
    machine.field.set(ALICE, trial.id, 0)
    (machine.root / "sys/block/sda/diskseq").write_text("9\n")
    other = machine.sda.whole
    assert not machine.field.end(trial) and machine.sda.whole == other and not machine.field.all


def test_at_each_moment_it_is_either_allowed_or_over(machine: Machine) -> None:
    trial = machine.begin()
    machine.now = trial.until - 1e-6
    assert machine.field.set(ALICE, trial.id, 0) and machine.field.over() == []
    machine.now = trial.until
    assert machine.field.over() == [trial]
    with pytest.raises(NoSuchTrial):
        machine.field.set(ALICE, trial.id, 1)
    assert machine.field.end(trial) and machine.sda.scheduler == "none"
    machine.now -= 1
    with pytest.raises(NoSuchTrial):  # nor after its end, whatever the clock says then
        machine.field.set(ALICE, trial.id, 1)


def test_what_begins_later_was_begun_by_another_clock(machine: Machine) -> None:
    trial = machine.begin()
    machine.field.set(ALICE, trial.id, 0)
    machine.now -= 1
    assert machine.field.over() == [] and machine.start().over(begin_later=True) == [trial]


@pytest.mark.parametrize("wishes", [[("none bqf", {}), PAIR[1]], [PAIR[1], ("bqf", {})],
                                    [PAIR[1], ("bfq", {"queue/async_depth": "9"})]])  # fmt: skip
def test_what_the_kernel_would_not_take_is_no_setting(wishes: list[Any], machine: Machine) -> None:
    """As if it were set immediately; the disk is left alone."""
    before = machine.sda.whole
    with pytest.raises((NoSuchScheduler, InvalidTunable)):
        machine.begin(wishes=wishes)
    assert machine.sda.whole == before and not machine.field.all and not machine.rights.exists()
    assert not list((machine.root / "run/disktuner").rglob("*.json"))


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC])
def test_what_the_disk_had_is_not_forgotten_where_it_can_neither_be_put_back_nor_remembered(
    number: int, machine: Machine
) -> None:
    """The right is withdrawn nevertheless; Revert hands over what is left, as the next start does."""
    trial, before = machine.begin(), machine.sda.whole
    machine.field.set(ALICE, trial.id, 0)
    machine.sda.refuse["scheduler"] = number
    with machine.full(number):
        assert not machine.field.end(trial) and not machine.field.all and not machine.rights.exists()
        with pytest.raises((WriteFailed, OSError)):
            machine.field.hand_over()
    machine.start()
    assert machine.snapshots.all["sda"].scheduler == "none"
    machine.sda.refuse.clear()
    machine.snapshots.all["sda"].put_back(machine.root)
    assert machine.sda.whole == before


def test_bounds(machine: Machine) -> None:
    count = contract.MAX_TRIALS_PER_UID
    for number in range(1, count + 2):
        machine.kernel.add(f"sd{number}", number * 16)
    for number in range(1, count + 1):
        machine.begin(disks=[(f"sd{number}", number * 16 + 1)])
    for uid, number in ((ALICE, count + 1), (BOB, 1)):
        with pytest.raises(Busy):
            machine.begin(uid, disks=[(f"sd{number}", number * 16 + 1)])
    machine.begin(BOB, disks=[(f"sd{count + 1}", (count + 1) * 16 + 1)])


FORGED: list[dict[str, Any]] = [
    {"uid": "1000"}, {"uid": -1}, {"uid": None}, {"until": 2_000_000_000}, {"since": 1.5}, {"key": "ID_PATH"},
    {"key": "ID_MODEL"}, {"value": "*"}, {"value": 5}, {"disk": "../../etc"}, {"settings": []}, {"settings": [{}] * 2},
    {"settings": [{"scheduler": "bfq", "tunables": {}}] * 3}, {"settings": [{"scheduler": "bfq", "tunables": {}}] * 2},
    {"settings": [{"scheduler": "/x", "tunables": {}}, {"scheduler": "bfq", "tunables": {}}]},
    {"settings": [{"scheduler": "bfq", "tunables": {"queue/scheduler": 1}}, {"scheduler": "none", "tunables": {}}]},
    {"settings": [{"scheduler": "bfq", "tunables": {"queue/nomerges": -1}}, {"scheduler": "none", "tunables": {}}]},
    {"another": 1},
]  # fmt: skip


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_right_is_none_and_changes_nothing(
    forged: dict[str, Any], machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    trial = machine.begin()
    machine.field.set(ALICE, trial.id, 0)
    changed, ours = machine.sda.whole, json.loads(machine.rights.read_text())
    machine.rights.write_text(json.dumps({trial.id: {**ours[trial.id], **forged}}))
    field = machine.start()
    with pytest.raises(NoSuchTrial):
        field.set(ALICE, trial.id, 1)
    assert machine.sda.whole == changed and "broken" in capsys.readouterr().err
    assert machine.snapshots.all["sda"].scheduler == "none", "Revert gives back what it had"


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "[" * 100_000, '{"x": 1}', "\0\xff"])
def test_a_garbled_file_holds_no_right(text: str, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    trial = machine.begin()
    before = machine.sda.whole
    machine.rights.write_text(text)
    with pytest.raises(NoSuchTrial):
        machine.start().set(ALICE, trial.id, 1)
    assert machine.sda.whole == before and ("broken" in capsys.readouterr().err) == bool(text)


def test_a_link_in_place_of_the_file_is_not_followed(machine: Machine, tmp_path: Path) -> None:
    trial = machine.begin()
    machine.rights.rename(tmp_path / "aside")
    machine.rights.symlink_to(tmp_path / "aside")
    with pytest.raises(NoSuchTrial):
        machine.start().own(ALICE, trial.id)


def test_a_measurement_goes_first_and_the_rules_stay_held_back(machine: Machine) -> None:
    trial = machine.begin()
    machine.field.set(ALICE, trial.id, 0)
    during, measuring = machine.sda.whole, machine.trials.begin(":1.1", BOB, SDA)
    machine.trials.set(":1.1", measuring.id, "sda", "none", {})
    for refused in (lambda: machine.field.set(ALICE, trial.id, 1), lambda: machine.field.end(trial)):
        with pytest.raises(Busy):
            refused()
    assert machine.trials.end(measuring) == [] and machine.sda.whole == during
    machine.field.keep_flags()
    assert [file.name for file in (machine.root / "run/disktuner/hold").iterdir()] == ["8:0-1"]


def test_polkit_is_told_what_is_asked_for_in_harmless_words() -> None:
    forged = [("bfq", {"queue/nomerges": '1"\n$(x)'}), ("kyber", {}), ("none", {})]
    assert details(forged, 1_800_000_000) == {
        "trial.settings": "bfq queue nomerges 1 x, kyber", "trial.until": "2027-01-15"
    }  # fmt: skip
    first, second = details([("x" * 10_000, {}), ("bfq", {"a": " " * 9_999 + "1"})], 2**64 - 1)["trial.settings"].split(
        ", "
    )
    assert len(first) == 700 and first.endswith("x ...") and second == "bfq a ...", "what is cut says so"


@pytest.mark.parametrize("scheduler", ["none", "mq-deadline", "kyber", "bfq", "adios"])
def test_no_setting_that_may_be_set_is_cut_before_the_eyes_of_who_decides(scheduler: str) -> None:
    tunables = {name: str(limits.stop - 1) for name, limits in known(scheduler).items()}
    text = details([(scheduler, tunables), ("none", {})], 1_800_000_000)["trial.settings"]
    assert text.endswith(", none") and "..." not in text
    assert all(f"{name} {value}".replace("/", " ") in text for name, value in tunables.items())
