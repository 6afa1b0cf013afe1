# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on the machine's real disks, with the real helper and polkit.

A whole comparison is made in tests/gui/test_real_access.py, by a screen reader's means; results to apply are prepared
here. Refusals and failures are tested with the terminal, which uses the same client and engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtWidgets import QTableView

from disktuner.block.disk import Disk, disk_to_json
from disktuner.checkup.findings import CheckUp
from disktuner.comparison import difference
from disktuner.comparison.portrait import Pace, Portraying
from disktuner.gui import instruments
from disktuner.gui.application import Application
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.sources import real_sources
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.presentation import present
from disktuner.results.store import Store
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from tests.bus.conftest import known_to_udev, own_rules
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import close
from tests.gui.person import Person, click, idle, pressable, seen, until, words
from tests.gui.stand_ins import read_ahead_of, result, tuned
from tests.waiting import HANG_S

BEST = "bfq:slice_idle=0"
At = Callable[..., Person]


def check(disks: Sequence[Disk]) -> tuple[CheckUp, ...]:
    """Real check-ups skip loop disks, which are files: the finding of too much read-ahead is made up."""
    return tuple(CheckUp(disk, read_ahead_of(disk)) for disk in disks if disk.name.startswith("loop"))


@pytest.fixture
def at() -> Iterator[At]:
    """The window of this machine, with a person in front of it who is interested in a disk."""
    applications: list[Application] = []

    def open_(loop: LoopDisk | None = None) -> Person:
        running = Application(replace(real_sources(), checks=lambda: check), try_s=HANG_S)
        applications.append(running)
        running.start()
        until(lambda: running.ready and (loop is None or running.state.find(loop.name) is not None))
        return Person(running)

    yield open_
    for running in applications:
        close(running)
    idle()


def rules() -> str:
    """What is chosen permanently."""
    return "".join(file.read_text() for file in own_rules())


def slice_idle(loop: LoopDisk) -> str:
    return (loop.queue / "iosched/slice_idle").read_text().strip()


def back_from(person: Person, loop: LoopDisk) -> None:
    """*Go back* on the disk's card."""
    person.press("page-disks")
    person.press("go-back", person.card(loop.name))


def test_a_disk_and_its_mount_appear_and_vanish(loop_disk: Callable[..., LoopDisk], at: At, sudo: Sudo) -> None:
    """As the kernel reports them."""
    person = at()
    disk = loop_disk(fs="ext4", size_mb=64)

    def mounts() -> list[str] | None:
        current = person.running.state.find(disk.name)
        return None if current is None else [mount.path for mount in current.mounts]

    until(lambda: mounts() == [str(disk.folder)])
    assert [mount.path for mount in person.card(disk.name).disk.mounts] == mounts()
    sudo("umount", str(disk.folder))
    until(lambda: mounts() == [])
    sudo("losetup", "--detach", disk.device)
    until(lambda: mounts() is None)


def test_an_answer_is_tried_kept_for_good_and_taken_back(
    loop_disk: Callable[..., LoopDisk], at: At, sudo: Sudo
) -> None:
    """A setting, scheduler with tunable, from a kept result of this disk."""
    loop = loop_disk(size_mb=64)
    before = loop.scheduler
    with known_to_udev(loop, sudo):
        person = at(loop)
        disk = person.running.state.find(loop.name)
        assert disk is not None
        Store().save(replace(tuned(6, ("bfq", BEST), {BEST: 1.8}), disk=disk_to_json(disk)))
        person.press("page-history")
        until(lambda: seen(QTableView))
        seen(QTableView)[0].selectRow(0)
        person.press("history-open")
        click(person.opened(ResultPage).use_button)
        assert person.on_trial().left.text().startswith("“bfq, slice_idle 0” on trial on ")
        assert (loop.scheduler, slice_idle(loop)) == ("bfq", "0")
        person.press("go-back", person.window.trial)
        person.reads("nothing was kept.")
        assert loop.scheduler == before
        click(person.opened(ResultPage).use_button)
        person.on_trial()
        person.keep("keep-for-good")
        person.reads("permanently")
        assert person.window.opened is None, "its answer needs no more to be done"
        assert (loop.scheduler, slice_idle(loop)) == ("bfq", "0")
        rule = rules()
        assert 'ATTR{queue/scheduler}="bfq"' in rule and 'ATTR{queue/iosched/slice_idle}="0"' in rule
        person.press("page-disks")
        back_from(person, loop)
        until(lambda: loop.scheduler == before and not rules())
        until(lambda: before in words(person.card(loop.name)).splitlines())


def test_what_is_changed_and_kept_holds_at_once(loop_disk: Callable[..., LoopDisk], at: At, sudo: Sudo) -> None:
    """*Change…* with *Keep after restart*; what no rule could keep is refused first."""
    loop = loop_disk(size_mb=64)
    before, merges = loop.scheduler, loop.queue / "nomerges"
    previous, changed_value = int(merges.read_text()), 2 if merges.read_text().strip() == "1" else 1
    person = at(loop)

    def keep() -> None:
        person.press("change", person.card(loop.name))
        dialog = person.dialog(ChangeDialog)
        dialog.scheduler.setCurrentIndex(dialog.scheduler.findData("kyber"))
        next(row for row in dialog.rows if row.name == "queue/nomerges").spin.setValue(changed_value)
        dialog.persist.setChecked(True)
        person.press("apply")

    keep()
    until(lambda: person.window.notice.property("notice") == "bad")
    assert (loop.scheduler, rules()) == (before, ""), "a loop disk has no serial number"
    with known_to_udev(loop, sudo):
        person.running.reader.read_now()
        until(lambda: pressable(text("change"), person.card(loop.name)))
        keep()
        until(lambda: person.window.notice.property("notice") == "good")
        assert (loop.scheduler, int(merges.read_text())) == ("kyber", changed_value)
        rule = rules()
        assert 'ATTR{queue/scheduler}="kyber"' in rule and f'ATTR{{queue/nomerges}}="{changed_value}"' in rule
        back_from(person, loop)
        until(lambda: loop.scheduler == before and not rules())
        until(lambda: int(merges.read_text()) == previous)


def test_a_finding_is_mended_until_a_restart_and_taken_back(
    loop_disk: Callable[..., LoopDisk], at: At, sudo: Sudo
) -> None:
    loop = loop_disk(size_mb=64)
    read_ahead = loop.queue / "read_ahead_kb"
    sudo("tee", read_ahead, stdin="16384")
    person = at(loop)
    person.press("checkup-line", person.card(loop.name), count=1)
    person.press("set-it")
    until(lambda: text("check-page-fine") in words(person.window))
    assert int(read_ahead.read_text()) == 128 and not rules()
    person.press("go-back")
    until(lambda: text("check-page-found", count=1) in words(person.window))
    assert int(read_ahead.read_text()) == 16_384


def test_the_difference_that_a_trial_makes_is_shown_on_the_real_disk(
    loop_disk: Callable[..., LoopDisk], at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real starts beside real writers, in the trial that is held; afterwards the disk has the setting on trial."""
    monkeypatch.setattr(difference, "SIDE_S", 1.0)
    loop = loop_disk(fs="ext4", size_mb=1024)
    person = at(loop)
    before = loop.scheduler
    setting = Setting("mq-deadline" if before == "none" else "none")
    person.running.try_out([person.card(loop.name).disk], setting, present(result(6)))
    banner = person.on_trial()
    person.press("show-difference", banner)
    until(lambda: text("stop-difference") not in words(banner))
    lanes = person.opened(ResultPage).clocks.lanes
    assert None not in {lanes.value(Setting(str(before))), lanes.value(setting)}, person.notice
    assert loop.scheduler == setting.scheduler
    person.press("go-back", banner)
    until(lambda: loop.scheduler == before)
    person.reads("nothing was kept")


def test_a_portrait_of_the_real_disk_is_made_shown_and_kept(
    loop_disk: Callable[..., LoopDisk], at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In seconds instead of two minutes; nothing of it is left on the disk."""
    monkeypatch.setattr(instruments, "Portraying", partial(Portraying, pace=Pace(curve_s=2.0, whole_s=10.0)))
    loop = loop_disk(fs="ext4", size_mb=1024)
    files = set(loop.folder.iterdir())
    person = at(loop)
    page = person.to_sitting(loop.name)
    until(lambda: page.head.ring.value() > 0)
    portrait = person.at_portrait().portrait
    assert portrait.curve and portrait.reads, person.notice
    assert set(loop.folder.iterdir()) == files and not person.running.state.measured_disks
    person.press("back")
    person.press("portrait", person.card(loop.name))
    assert person.at_portrait().portrait == portrait
