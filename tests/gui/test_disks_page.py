# SPDX-License-Identifier: GPL-3.0-or-later
"""The first page: its first question, the disks it lists, and what their cards remember."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from disktuner.block.counters import parse_stat
from disktuner.block.disk import Disk, Mount, disk_to_json
from disktuner.block.pending import PageCache
from disktuner.comparison.target import Target
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.gui.widgets.chip import Dot, SchedulerChip
from disktuner.gui.widgets.minute import Minute
from disktuner.helper_client import calls
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.goals import DESKTOP, FELT
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.settings import Setting
from tests.gui.person import Person, Visit, click, idle, seen, until, words
from tests.gui.screenshots import busy
from tests.gui.stand_ins import Bench, disk, result, trial


def test_what_bothers_people_leads_to_what_is_measured_in_two_clicks(person: Person, bench: Bench) -> None:
    sentences = words(person.window.disks_page)
    assert "It freezes or stutters while something copies" in sentences and "scheduler" not in sentences.lower()
    person.to_announced("sda")
    assert bench.comparisons[-1].request.goal == "desktop", "without a choice"
    person.to_announced("sda", "copying")
    assert bench.comparisons[-1].request.goal == "copying"


def test_the_systems_disk_comes_first_and_what_nobody_tunes_is_folded_away(visit: Visit, bench: Bench) -> None:
    system = disk("sdz", diskseq=20, mounts=(Mount("/", "ext4", "/dev/sdz2", ("sdz2",), 10**12, 10**11),))
    bench.disks = (*bench.disks[1:], disk("loop0", diskseq=30, kind=kinds.LOOP), system)
    person = visit(bench)
    page = person.window.disks_page
    cards = sorted(page.cards, key=lambda card: card.y())
    assert [card.disk.name for card in cards] == ["sdz", "sda", "sdb"]
    assert "system disk" in words(cards[0]) and "system disk" not in words(cards[1])
    person.press("show-others", count=2)
    idle()
    assert {card.disk.name for card in page.cards} == {"sdz", "sda", "sdb", "loop0", "zram0"}
    bench.show(disk("loop0", diskseq=30, kind=kinds.LOOP))
    until(lambda: [card.disk.name for card in page.cards] == ["loop0"])


def test_what_orders_the_work_of_disks_stands_in_one_column(visit: Visit, bench: Bench) -> None:
    page = visit(bench).window.disks_page
    idle()
    assert len({card.disk.scheduler for card in page.cards}) > 1
    assert len({card.findChild(Dot).mapTo(page, QPoint()).x() for card in page.cards}) == 1


def test_who_has_no_complaint_has_the_first_disk_checked(person: Person) -> None:
    person.press("just-check")
    assert person.opened(CheckPage).disk.name == "nvme0n1"


def test_a_disk_that_is_not_mounted_says_what_to_do(visit: Visit, bench: Bench) -> None:
    bench.disks = (*bench.disks[:1], disk("sda", mounts=()))
    card = visit(bench).card("sda")
    assert text("nothing-mounted") in words(card) and not card.option.isCheckable()


def test_a_card_remembers_the_last_answer_and_contradicts_it_with_nothing(visit: Visit, bench: Bench) -> None:
    store = Store(bench.kept)
    for number, day in enumerate(("2026-11-20", "2026-11-21")):
        store.save(replace(result(6), id=f"r{number}", created=f"{day}T02:00:00Z"))
    person = visit(bench)
    card = person.card("sda")
    until(lambda: "Measured 2026-11-21" in words(card))
    sentences = words(card)
    assert say(judge(store.load("r1")).answer.summary) in sentences
    assert "Try first" not in sentences and "2026-11-20" not in sentences
    assert "Measured" not in words(person.card("nvme0n1"))
    person.press("show-answer", card)
    assert person.opened(ResultPage).presented.result.id == "r1"


def test_a_card_advises_nothing_where_somebody_has_chosen(visit: Visit, bench: Bench) -> None:
    bench.helper.first = {"nvme0n1": ("mq-deadline", {})}
    person = visit(bench)
    until(lambda: text("go-back") in words(person.card("nvme0n1")))
    assert "A fast NVMe" not in words(person.card("nvme0n1"))
    assert "On a spinning disk" in words(person.card("sda"))


def test_only_what_can_be_unplugged_says_what_waits_to_be_written(visit: Visit, bench: Bench) -> None:
    bench.counters = parse_stat("0 0 0 0 0 0 0 0 1 0 0", 0.0)
    bench.page_cache = PageCache(3_100_000_000, 0, 0, 0, 40.0)
    person = visit(bench)
    until(lambda: text("pending-at-most", size=3_100_000_000) in words(person.card("sdb")))
    assert "still to be written" not in words(person.card("sda"))


def test_the_last_minute_of_a_card_holds_nothing_of_before_it_was_minimised(person: Person) -> None:
    person.running.activity.set_running(False)
    for _ in range(9):
        person.running.activity.figures.emit(busy())
    (minute,) = seen(Minute, person.card("sda"))
    busy_minute = minute.grab().toImage()
    person.window.showMinimized()
    person.window.showNormal()
    person.running.activity.set_running(False)
    person.running.activity.figures.emit({})
    assert minute.grab().toImage() != busy_minute


def test_a_disk_on_trial_says_how_long_in_its_row_with_keep_and_undo(
    person: Person, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = person.card("sda")
    person.running.try_out((card.disk,), Setting("bfq"))
    person.on_trial()
    until(lambda: "bfq on trial, 5 minutes left" in words(card))
    monkeypatch.setattr("disktuner.gui.state.monotonic", lambda: person.running.state.trial.begun_s + 120)
    card.show_figures(busy()["sda"])
    assert "bfq on trial, 3 minutes left" in words(card)
    monkeypatch.undo()
    person.press("go-back", card)
    until(lambda: not person.window.trial.isVisible())
    until(lambda: "on trial" not in words(card))
    assert bench.helper.calls == [*trial("bfq", ("sda", 7)), calls.end_trial("t1")]
    idle()
    person.running.try_out((card.disk,), Setting("bfq"))
    person.on_trial()
    person.press("keep-for-good", card)
    until(lambda: bench.helper.calls[-1] == calls.keep_trial("t1", persist=True))
    until(lambda: card.findChild(SchedulerChip).property("chip") == "new")


def test_a_measured_disk_is_never_folded_away(visit: Visit, bench: Bench) -> None:
    loop = disk("loop0", diskseq=30, kind=kinds.LOOP, model="", vendor="")
    bench.disks = (*bench.disks, loop, replace(loop, name="loop1", diskseq=31), disk("sdc", diskseq=32, mounts=()))
    Store(bench.kept).save(replace(result(6), disk=disk_to_json(loop)))
    person = visit(bench)
    page = person.window.disks_page
    until(lambda: {card.disk.name for card in page.cards} == {"nvme0n1", "sda", "sdb", "loop0"})
    assert text(
        "others-why", why=tuple(map(text, ("others-not-mounted", "others-loop", "others-not-tunable")))
    ) in words(page)


def test_a_cancelled_measurement_leads_back_to_its_cost_and_an_answered_one_to_no_choice(
    person: Person, bench: Bench
) -> None:
    card = person.card("sda")
    person.hold_at(bench, 3)
    person.press("cancel")
    until(lambda: person.window.measurement is None)
    assert card.option.isChecked() and card.option.hasFocus()
    bench.holds_at = None
    person.at_cost()
    person.measure()
    person.window.back()
    assert not card.option.isChecked() and person.plan.cost.text() == text("choose-disk")


def test_a_disk_that_is_gone_is_chosen_no_more(person: Person, bench: Bench) -> None:
    person.to_announced("sda")
    bench.show(bench.disks[0])
    until(lambda: person.plan.cost.text() == text("choose-disk"))
    assert not person.plan.foot.measure_button.isEnabled() and not person.plan.foot.options_fold.isVisible()


def test_a_click_anywhere_on_a_row_chooses_its_disk_and_return_measures(person: Person) -> None:
    card = person.card("sda")
    name = next(label for label in seen(QLabel, card) if "WD Blue" in label.text())
    click(name)
    assert card.option.isChecked() and card.option.accessibleName() == "WD Blue WD10EZEX (sda)"
    person.at_cost()
    assert person.plan.foot.measure_button.accessibleDescription() == person.plan.cost.text()
    person.key(Qt.Key.Key_Return)
    person.at_result()


def test_a_disk_that_is_read_anew_while_its_folders_are_looked_for_can_be_measured(visit: Visit, bench: Bench) -> None:
    looked, places = threading.Event(), bench.places

    def slowly(disk: Disk) -> tuple[Target, ...]:
        looked.wait()
        return places(disk)

    bench.places = slowly  # type: ignore[method-assign]  # a disk that answers late
    person = visit(bench)
    person.find_best("sda")
    bench.show(*(replace(disk, tunables={}) for disk in bench.disks))
    until(lambda: person.card("sda").disk.tunables == {})
    person.find_best("sda", "copying")
    looked.set()
    person.at_cost()
    assert bench.comparisons[-1].request.goal == "copying"


def test_why_it_is_not_known_where_a_disk_can_be_measured_is_said_and_it_is_looked_for_again(
    visit: Visit, bench: Bench
) -> None:
    failures, places = [NoSuchThing("no-such-disk", disk="sdz")], bench.places
    (gone,) = failures

    def look(disk: Disk) -> tuple[Target, ...]:
        if failures:
            raise gone
        return places(disk)

    bench.places = look  # type: ignore[method-assign]  # another disk of the folder is pulled out meanwhile
    person = visit(bench)
    person.find_best("sda")
    until(lambda: str(gone) in words(person.window))
    assert text("no-writable-folder") not in words(person.window)
    failures.clear()
    person.press("try-again")
    person.at_cost()


def test_a_folder_that_can_be_written_to_by_now_is_found_when_the_disk_is_chosen_again(
    visit: Visit, bench: Bench
) -> None:
    blocked, places = [True], bench.places
    bench.places = lambda disk: () if blocked else places(disk)  # type: ignore[method-assign]
    person = visit(bench)
    person.find_best("sda")
    until(lambda: text("no-writable-folder") in words(person.window))
    blocked.clear()
    person.to_announced("sda")


def test_a_disk_can_be_chosen_while_the_rows_of_many_others_are_still_to_come(person: Person, bench: Bench) -> None:
    row = person.card("sda").option

    def choose(*_: object) -> None:
        person.running.changed.disconnect(choose)
        click(row)

    person.running.changed.connect(choose)
    bench.show(*bench.disks, *(disk(f"sd{letter}", diskseq=20 + at) for at, letter in enumerate("cdefghijklm")))
    person.at_cost()
    until(lambda: len(person.window.disks_page.cards) == 14)


def test_many_disks_are_not_each_compared_with_all_others_whenever_a_row_is_placed(
    person: Person, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else 400 disks keep the window busy for minutes."""
    compared, equal = 0, Disk.__eq__

    def counted(one: Disk, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(one, other)

    monkeypatch.setattr(Disk, "__eq__", counted)
    many = tuple(disk(f"sd{number}", diskseq=20 + number) for number in range(60))
    bench.show(*bench.disks, *many)
    until(lambda: len(person.window.disks_page.cards) == 63)
    idle()
    assert compared < 60 * 60


def test_a_stick_that_is_pulled_out_takes_its_complaint_along_and_nothing_is_said(person: Person, bench: Bench) -> None:
    person.find_best("sdb", FELT.id)
    bench.show(*(disk for disk in bench.disks if disk.name != "sdb"))
    complaints = person.window.disks_page.complaints
    until(lambda: complaints.goal == DESKTOP.id)
    assert not complaints.buttons[FELT.id].isVisible()
    assert person.notice == "" and not person.plan.foot.measure_button.isEnabled()


def test_a_click_on_a_row_that_cannot_be_measured_asks_for_nothing(visit: Visit, bench: Bench) -> None:
    bench.disks = (bench.disks[0], bench.disks[1], disk("sdc", diskseq=12, mounts=()))
    person = visit(bench)
    person.to_announced("sda")
    count = len(bench.comparisons)
    QTest.mouseClick(person.card("sdc"), Qt.MouseButton.LeftButton)
    idle()
    assert len(bench.comparisons) == count and person.plan.foot.measure_button.isEnabled()
