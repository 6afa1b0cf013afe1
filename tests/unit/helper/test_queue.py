# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading, changing and restoring a disk's queue, even if the kernel does not cooperate."""

from __future__ import annotations

import errno
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.helper.fake import make_root
from tests.unit.helper.kernel import FakeKernel, FakeQueue, WriteBack

from disktuner_helper import errors
from disktuner_helper.errors import HelperError
from disktuner_helper.queue import Queue, Setting, checked, known
from disktuner_helper.trial import Trials

SCHEDULERS = "[none] mq-deadline kyber bfq\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path)


@pytest.fixture
def fake(root: Path, monkeypatch: pytest.MonkeyPatch) -> FakeQueue:
    return FakeKernel(root, monkeypatch).add()


@pytest.mark.parametrize("name", ["", ".", "..", "sda/../sda", "/dev/sda", "sda\n", "s" * 33, "sdq", "sdä"])
def test_only_whole_disks_by_name(root: Path, fake: FakeQueue, name: str) -> None:
    with pytest.raises(errors.NoSuchDisk):
        Queue(root, name)


def test_another_disk_of_that_name_is_stale(root: Path, fake: FakeQueue) -> None:
    with pytest.raises(errors.StaleDisk):
        Queue(root, "sda", 77)
    with Queue(root, "sda", 1) as queue:
        assert (queue.name, queue.diskseq, queue.devno) == ("sda", 1, "8:0")
    (fake.folder / "diskseq").unlink()
    with Queue(root, "sda", 0) as queue:  # kernels before 5.15
        assert queue.diskseq == 0


def test_what_is_opened_is_changed_whoever_has_the_name_by_then(
    root: Path, fake: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = FakeKernel(root, monkeypatch)
    kernel.add("sda")
    with Queue(root, "sda") as queue:
        fake.folder.rename(fake.folder.with_name("sdz"))
        moved, other = kernel.add("sdz"), kernel.add("sda", 16)
        queue.apply(Setting("bfq", {"queue/nomerges": 1}))
    assert (moved.scheduler, other.scheduler, other.values["nomerges"]) == ("bfq", "none", 0)


@pytest.mark.parametrize("scheduler", ["bfq", "mq-deadline"])
def test_how_many_commands_the_disk_gets_is_set_and_put_back(root: Path, fake: FakeQueue, scheduler: str) -> None:
    depth = fake.folder / "device/queue_depth"
    depth.parent.mkdir()
    depth.write_text("32\n")
    with Queue(root, "sda") as queue:
        before = queue.setting
        assert before.tunables["device/queue_depth"] == 32
        queue.apply(Setting(scheduler, checked(scheduler, {"device/queue_depth": "1"})))
        assert depth.read_text() == "1"
        queue.restore(before)
    assert (depth.read_text(), fake.scheduler) == ("32", "none")


@pytest.fixture
def zoned(fake: FakeQueue, monkeypatch: pytest.MonkeyPatch) -> FakeQueue:
    """A zoned disk under a kernel whose queue may hang, without writes; nothing sleeps."""
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(release="6.12.57-amd64"))
    monkeypatch.setattr("time.sleep", lambda _: None)
    fake.texts["zoned"] = "host-managed"
    (fake.folder / "stat").write_text("5 0 40 1 7 0 56 1 0 1 1\n")
    return fake


@pytest.mark.parametrize("wish", [Setting("bfq", {}), Setting("none", {"queue/nr_requests": 64})])
def test_a_zoned_disk_is_changed_only_by_who_insists_and_while_nothing_is_written(
    root: Path, zoned: FakeQueue, wish: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = zoned.whole
    with pytest.raises(errors.NotTunable, match="zoned-may-hang"):
        Queue(root, "sda")
    with Queue(root, "sda", insists=True) as queue:
        setting = queue.setting
        for busy in ("5 0 40 1 7 0 56 1 1 1 1", ""):
            (zoned.folder / "stat").write_text(busy)
            with pytest.raises(errors.Busy, match="zoned-is-written"):
                queue.apply(wish)
        (zoned.folder / "stat").write_text("5 0 40 1 7 0 56 1 0 1 1")
        monkeypatch.setattr("time.sleep", lambda _: (zoned.folder / "stat").write_text("5 0 40 1 8 0 64 1 0 1 1"))
        with pytest.raises(errors.Busy, match="zoned-is-written"):
            queue.apply(wish)
        assert zoned.whole == before, "nothing was written"
        queue.apply(wish)
        assert zoned.whole != before
        queue.restore(setting)
        assert zoned.whole == before


def test_others_wait_once_for_a_zoned_disk_however_much_is_changed(
    root: Path, zoned: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yet writes between two changes are noticed."""
    waits = list[float]()
    monkeypatch.setattr("time.sleep", waits.append)
    with Queue(root, "sda", insists=True) as queue:
        queue.apply(Setting("bfq", {"queue/nr_requests": 64, "queue/nomerges": 1, "iosched/low_latency": 0}))
        assert len(waits) == 1
        for number, stat in enumerate(("5 0 40 1 9 0 72 1 0 1 1", "5 0 40 1 9 0 72 1 1 1 1")):
            (zoned.folder / "stat").write_text(stat)
            with pytest.raises(errors.Busy) if number else nullcontext():
                queue.apply(Setting("kyber", {}) if number else Setting("none", {}))
    assert len(waits) == 3 and zoned.scheduler == "none"


def test_no_trial_begins_on_a_zoned_disk(root: Path, zoned: FakeQueue) -> None:
    trials = Trials(root, lambda: 1.0, lambda _: None)
    with pytest.raises(errors.NotTunable, match="zoned-may-hang"):
        trials.begin(":1.1", 1000, [("sda", 1)])
    assert not trials.all


@pytest.mark.parametrize(
    ("release", "kind"), [("6.9.12", "host-managed"), ("6.1.0-18", "host-aware"), ("6.17", "none")]
)
def test_what_cannot_hang_needs_nobody_who_insists(
    root: Path, zoned: FakeQueue, release: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(release=release))
    zoned.texts["zoned"] = kind
    with Queue(root, "sda") as queue:
        queue.apply(Setting("bfq", {}))
    assert zoned.scheduler == "bfq"


def test_what_is_gone_need_not_go_back(root: Path, fake: FakeQueue) -> None:
    with Queue(root, "sda") as queue:
        queue.restore(Setting("none", {"queue/wbt_lat_usec": 1, "queue/nomerges": 2}))
        assert fake.values["nomerges"] == 2


def test_one_that_cannot_go_back_keeps_no_other_from_it(root: Path, fake: FakeQueue) -> None:
    fake.write("nr_requests", "64")
    fake.write("nomerges", "2")
    with Queue(root, "sda") as queue:
        before = queue.setting
        queue.apply(Setting("bfq", {"queue/nomerges": 1}))
        fake.refuse["nr_requests"] = errno.EIO
        with pytest.raises(errors.WriteFailed, match=r"^not-taken-back disk=sda$"):
            queue.restore(before)
    assert fake.whole == {"nr_requests": "128\n", "nomerges": "2\n", "read_ahead_kb": "128\n", "scheduler": SCHEDULERS}


def test_a_tick_too_much_is_not_what_it_was(root: Path, fake: FakeQueue) -> None:
    fake.switch("bfq")
    with Queue(root, "sda") as queue:
        before = queue.setting
        fake.values["iosched/slice_idle"] = 5
        fake.wrong["iosched/slice_idle"] = 4
        with pytest.raises(errors.WriteFailed, match=r"^not-taken-back disk=sda$"):
            queue.restore(before)


@pytest.mark.parametrize("alias", ["mq-adios", "adios"])
def test_a_module_is_loaded_by_its_alias_and_its_scheduler_used_by_its_name(
    root: Path, fake: FakeQueue, alias: str
) -> None:
    fake.modules = {alias: "adios"}
    with Queue(root, "sda") as queue:
        with pytest.raises(errors.NoSuchScheduler):
            queue.apply(Setting("mq-adios-2", {}))
        queue.apply(Setting("adios", {}))
        assert (queue.scheduler, fake.modules) == ("adios", {})
        fake.refuse["scheduler"] = errno.EINVAL
        queue.apply(Setting("adios", {}))


FEWER = Setting("bfq", {"queue/nr_requests": 9})
CASES = {
    "unknown": (Setting("cfq", {}), {}, errors.NoSuchScheduler),
    "no name": (Setting("bfq\n", {}), {}, errors.NoSuchScheduler),
    "ignored": (Setting("bfq", {}), {"ignore": {"scheduler"}}, errors.NotTunable),
    "broken": (Setting("bfq", {}), {"refuse": {"scheduler": errno.EIO}}, errors.WriteFailed),
    "missing tunable": (Setting("kyber", {"queue/wbt_lat_usec": 1}), {}, errors.InvalidTunable),
    "refused value": (FEWER, {"refuse": {"nr_requests": errno.EINVAL}}, errors.InvalidTunable),
    "out of range": (FEWER, {"refuse": {"nr_requests": errno.ERANGE}}, errors.InvalidTunable),
    "broken tunable": (FEWER, {"refuse": {"nr_requests": errno.EIO}}, errors.WriteFailed),
    "another value": (FEWER, {"wrong": {"nr_requests": 99}}, errors.WriteFailed),
}


@pytest.mark.parametrize("case", CASES)
def test_after_a_failure_the_old_setting_is_back(root: Path, fake: FakeQueue, case: str) -> None:
    wish, trouble, error = CASES[case]
    for name, value in trouble.items():
        setattr(fake, name, value)
    with Queue(root, "sda") as queue:
        before = queue.setting
        with pytest.raises(error), queue.undoing():
            queue.apply(wish)
        assert queue.setting.scheduler == before.scheduler


def test_what_belongs_to_a_change_undoes_it_when_it_fails(root: Path, fake: FakeQueue) -> None:
    with Queue(root, "sda") as queue, pytest.raises(HelperError), queue.undoing():
        queue.apply(Setting("bfq", {}))
        assert fake.scheduler == "bfq"
        raise errors.WriteFailed("file-not-written")
    assert fake.scheduler == "none"


def test_a_tick_of_the_clock_is_no_failure(root: Path, fake: FakeQueue) -> None:
    fake.switch("bfq")
    fake.wrong = {"iosched/slice_idle": 4}
    with Queue(root, "sda") as queue:
        queue.apply(Setting("bfq", {"iosched/slice_idle": 1}))


def test_no_choice_is_not_tunable_and_a_bare_none_is_none(
    root: Path, fake: FakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake, "read", lambda name: "")
    with Queue(root, "sda") as queue:
        with pytest.raises(errors.NotTunable):
            _ = queue.scheduler
        monkeypatch.setattr(fake, "read", lambda name: "none\n")
        assert queue.setting == Setting("none", {})


def test_only_what_is_listed_and_in_range_and_no_error_repeats_what_the_caller_sent(
    root: Path, fake: FakeQueue
) -> None:
    """Else a caller could put words into the helper's mouth, in the log or in another program."""
    tunables = {"queue/nomerges": "2", "queue/nr_requests": "64"}
    assert list(checked("none", tunables).items()) == [("queue/nr_requests", 64), ("queue/nomerges", 2)]
    assert all(limits.start >= 0 for name in ("none", "mq-deadline", "kyber", "bfq") for limits in known(name).values())
    forged = "x name=y cause=z\n"
    with Queue(root, "sda") as queue:
        attempts = [
            ("not-a-disk-name", lambda: Queue(root, forged)),
            ("no-such-scheduler disk=sda", lambda: queue.apply(Setting(forged, {}))),
            *(("tunable-not-listed", lambda name=name: checked("none", {name: "1"}))
              for name in (forged, "queue/../ro", "iosched/low_latency")),
            *(("tunable-out-of-range name=queue/nomerges low=0 high=2",
               lambda text=text: checked("none", {"queue/nomerges": text})) for text in (forged, "3", "\uff11")),
        ]  # fmt: skip
        for reason, attempt in attempts:
            with pytest.raises(HelperError) as caught:
                attempt()
            assert str(caught.value) == reason


LIMIT = {"bdi/max_bytes": 16 << 20, "bdi/strict_limit": 1}


@pytest.mark.parametrize("wish", [LIMIT, {"bdi/max_ratio": 7}, {"bdi/max_bytes": 1 << 20}])
def test_what_may_wait_goes_back_exactly_though_free_memory_has_changed(
    root: Path, fake: FakeQueue, wish: dict[str, int]
) -> None:
    limits = fake.write_back = WriteBack(share=14_318)
    with Queue(root, "sda") as queue:
        before = queue.setting
        queue.apply(Setting("bfq", wish))
        assert queue.setting.scheduler == "bfq" and limits.share != 14_318
        limits.most_bytes //= 3
        assert queue.setting.kept != before.kept
        queue.restore(before)
        assert (limits.share, limits.strict) == (14_318, 0)
        assert queue.setting.kept == before.kept and queue.setting != before


def test_before_linux_6_2_there_is_only_the_percentage(root: Path, fake: FakeQueue) -> None:
    fake.values["bdi/max_ratio"] = 100
    with Queue(root, "sda") as queue:
        before = queue.setting
        queue.apply(Setting("none", {"bdi/max_ratio": 3}))
        with pytest.raises(errors.InvalidTunable, match=r"^value-refused disk=sda name=bdi/max_bytes$"):
            queue.apply(Setting("none", LIMIT))
        queue.restore(before)
    assert fake.values["bdi/max_ratio"] == 100


@pytest.mark.parametrize(
    ("most_bytes", "error"), [(8 << 20, errors.InvalidTunable), (16_000_000 << 20, errors.WriteFailed)]
)
def test_a_limit_beyond_what_may_wait_at_all_or_too_fine_for_the_kernel_is_refused(
    root: Path, fake: FakeQueue, most_bytes: int, error: type[HelperError]
) -> None:
    """The kernel counts in millionths: of 16 TB that is just 16 MiB, and a little more is nothing."""
    fake.write_back = WriteBack(most_bytes + 4096)
    with Queue(root, "sda") as queue, pytest.raises(error):
        queue.apply(Setting("none", LIMIT))


def test_one_limit_is_not_set_in_two_ways() -> None:
    with pytest.raises(errors.InvalidTunable, match=r"^same-limit-twice$"):
        checked("none", {"bdi/max_bytes": "16777216", "bdi/max_ratio": "5"})
