# SPDX-License-Identifier: GPL-3.0-or-later
"""A portrait by a person's clicks: announced, made, shown, kept and shared; and its effect on everything else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu, QWidget

from disktuner.block.disk import Disk
from disktuner.drawing.portrait import HEIGHT, WIDTH
from disktuner.experiment.events import Part, Warned
from disktuner.gui.measurement.portrait_plan import PortraitPlan
from disktuner.gui.plots.picture import Picture
from disktuner.results.portrait import Portraits
from disktuner.results.store import Store
from disktuner.verdict.model import Decision
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import message, text
from tests.gui.answers import measured
from tests.gui.person import Person, Visit, pressable, seen, until, words
from tests.gui.stand_ins import Bench

END = "Its fast cache ends after about 42 GB"
VANISHED = MeasurementImpossible("disk-vanished", disks=("sda",))


def choose(menu: QMenu, name: str) -> None:
    next(action for action in menu.actions() if action.text() == name).trigger()


def share(person: Person, name: str) -> None:
    button = person.at_portrait().share_button
    menu = button.menu()
    menu.popup(button.mapToGlobal(button.rect().center()))
    choose(menu, name)
    menu.close()


def held(person: Person, bench: Bench, at: int = 25) -> None:
    """Make a portrait of sda up to a part of the curve, and hold it there."""
    bench.holds_at = at
    page = person.to_sitting()
    until(lambda: page.part is Part.WRITE)


def test_two_clicks_lead_to_a_portrait_which_is_shown_again(person: Person) -> None:
    person.press("portrait", person.card("sda"))
    person.at_cost()
    sentences = words(person.window)
    assert "takes about 2 minutes and writes at most 286 GB to " in sentences and "wears" not in sentences
    person.press("start-measuring")
    page = person.at_portrait()
    assert END in words(page) and "at 180 MB/s after that" in words(page) and not person.running.state.measured_disks
    person.key(Qt.Key.Key_Escape)
    until(person.window.disks_page.isVisible)
    person.press("portrait", person.card("sda"))
    again = person.at_portrait()
    assert END in words(again) and "2026-11-30" in words(again)
    person.press("portrait-again-button")
    person.at_cost()
    person.press("back")
    assert person.at_portrait() is again


def test_what_wears_is_said_before(visit: Visit, bench: Bench, other: Disk) -> None:
    bench.disks = (*bench.disks[:-1], replace(other, kind=kinds.SD_CARD))
    person = visit(bench)
    person.to_portrait_plan(other.name)
    until(lambda: "every write wears flash a little" in words(person.window))


def test_while_it_is_made_the_curve_grows_and_progress_never_goes_back(person: Person, bench: Bench) -> None:
    bench.holds_at = 25
    page = person.to_sitting()
    shares = list[int]()
    page.head.ring.valueChanged.connect(shares.append)
    until(lambda: "25 GB of at most 285 GB" in words(page))
    assert "1.9 GB/s now" in page.curve.accessibleDescription() and 0 < page.head.ring.value() < 100
    assert "write" in page.head.steps.accessibleName()
    page.show_event(Warned(message("portrait-without-reads", why=message("disk-vanished", disks=("sda",)))))
    assert "Small reads are left out" in words(page)
    bench.sittings[-1].resume()
    person.at_portrait()
    assert shares == sorted(shares)


def test_nothing_else_is_measured_meanwhile_and_a_trial_elsewhere_goes_on(
    visit: Visit, bench: Bench, other: Disk
) -> None:
    person = visit(bench)
    person.to_result(other.name)
    banner = person.try_now()
    person.key(Qt.Key.Key_Escape)
    until(person.window.disks_page.isVisible)
    held(person, bench)
    person.press("keep", banner)
    until(lambda: next(iter(seen(QMenu)), None)).close()
    Store(bench.kept).save(measured(Decision.SWITCH))
    person.running.open_file(next(bench.kept.glob("*.json")))
    person.reads(text("history-added-meanwhile"))
    assert person.window.opened is None, "what is opened waits"
    person.press("go-back", banner)
    until(banner.isHidden)
    assert person.running.state.measured_disks
    bench.sittings[-1].resume()
    person.at_portrait()
    person.key(Qt.Key.Key_Escape)
    until(lambda: person.window.opened is not None)


@pytest.mark.parametrize("way", ["leave", "close"])
def test_leaving_asks_and_can_be_thought_better_of(person: Person, bench: Bench, way: str) -> None:
    held(person, bench)

    def leave() -> QWidget:
        if way == "close":
            person.window.close()
        else:
            person.key(Qt.Key.Key_Escape)
        return until(lambda: person.window.question)

    question = leave()
    assert "WD Blue WD10EZEX (sda)" in question.text() and text("leave-portrait") in question.informativeText()
    person.press("leave-stay", question)
    until(lambda: person.window.question is None)
    assert person.running.state.measured_disks
    person.press("leave-stop", leave())
    if way == "close":
        until(lambda: not person.window.isVisible())
    else:
        person.at_portrait()
        person.reads(text("portrait-cancelled"))


def test_going_back_may_wait_for_its_end(person: Person, bench: Bench) -> None:
    held(person, bench)
    person.key(Qt.Key.Key_Escape)
    person.press("leave-afterwards", until(lambda: person.window.question))
    bench.sittings[-1].resume()
    until(person.window.disks_page.isVisible)
    person.press("portrait", person.card("sda"))
    assert END in words(person.at_portrait())


def test_cancelled_what_was_measured_is_kept_and_shown(person: Person, bench: Bench) -> None:
    held(person, bench)
    person.press("cancel")
    page = person.at_portrait()
    person.reads(text("portrait-kept-here"))
    assert "Still writes fast after 25 GB" in words(page) and "Interrupted" in words(page)
    portrait = Portraits(bench.kept / "portraits").newest_of(person.card("sda").disk)
    assert portrait is not None and not portrait.finished and not person.running.state.measured_disks


def test_cancelled_before_anything_was_written_there_is_no_curve(person: Person, bench: Bench) -> None:
    held(person, bench, at=0)
    person.press("cancel")
    page = person.at_portrait()
    assert text("portrait-nothing") in words(page) and len(seen(Picture, page)) == 1
    assert text("portrait-curve") not in words(page)


@pytest.mark.parametrize("failure", ["disk-vanished", "disk-failed", "folder-read-only"])
def test_what_failed_is_said_with_what_to_do_and_what_was_measured_is_shown(
    person: Person, bench: Bench, failure: str
) -> None:
    held(person, bench)
    error = MeasurementImpossible(failure, disks=("sda",), folder="/home", why="No space left on device")
    bench.sittings[-1].fails = error
    bench.sittings[-1].resume()
    person.at_portrait()
    person.reads(str(error))
    assert person.window.notice.property("notice") == "bad" and text("portrait-kept-here") in person.notice
    assert ("notify", text("notify-stopped")) not in {request[:2] for request in bench.desktop.asked}, "it is looked at"


def test_what_failed_before_anything_was_measured_may_be_made_anew(visit: Visit, bench: Bench) -> None:
    bench.announces_refusal = message("too-little-room", folder="/home", needed=3 * 10**9, usable=10**9)
    person = visit(bench)
    person.press("portrait", person.card("sda"))
    until(lambda: "Not enough space in /home" in words(person.window))
    assert not pressable(text("start-measuring"))
    bench.announces_refusal = None
    person.press("try-again")
    person.at_cost()
    bench.holds_at = -1
    person.press("start-measuring")
    bench.sittings[-1].fails = VANISHED
    bench.sittings[-1].resume()
    person.reads(str(VANISHED))
    person.at_cost()


def test_a_disk_that_is_pulled_out_or_on_trial_is_left_alone(visit: Visit, bench: Bench) -> None:
    person, disks = visit(bench), bench.disks
    plan = person.to_portrait_plan()
    bench.show(*(disk for disk in disks if disk.name != "sda"))
    until(lambda: "is disconnected" in plan.foot.measure_button.toolTip())
    bench.show(*disks)
    until(plan.foot.measure_button.isEnabled)
    until(lambda: "sda" in {card.disk.name for card in person.window.disks_page.cards})
    person.press("back")
    person.to_result()
    person.try_now()
    person.key(Qt.Key.Key_Escape)
    until(person.window.disks_page.isVisible)
    person.press("portrait", person.card("sda"))
    button = until(lambda: seen(PortraitPlan))[0].foot.measure_button
    until(lambda: "is on trial" in button.toolTip())
    assert not button.isEnabled()


def test_a_disk_that_came_while_it_was_made_is_checked_afterwards(visit: Visit, bench: Bench) -> None:
    *disks, sdb, _ = bench.disks
    bench.disks = tuple(disks)
    person = visit(bench)
    held(person, bench)
    bench.show(*disks, sdb)
    until(lambda: sdb in person.running.state.disks)
    bench.sittings[-1].resume()
    person.at_portrait()
    person.press("back")
    until(lambda: person.card("sdb").findings is not None)


def test_no_portrait_is_made_of_another_disk_that_has_the_name_by_now(person: Person, bench: Bench) -> None:

    def exchange(model: str) -> None:
        """Unplug sda, and plug in another disk that is mounted at the same place."""
        (sda,) = (disk for disk in bench.disks if disk.name == "sda")
        other = replace(sda, diskseq=sda.diskseq + 20, model=model, serial=model, wwn="")
        bench.show(*(other if disk is sda else disk for disk in bench.disks))
        until(lambda: person.card("sda").disk.model == model)

    bench.announces_refusal = message("portrait-too-small", disk="sda")
    person.press("portrait", person.card("sda"))
    plan = until(lambda: seen(PortraitPlan))[0]
    until(lambda: pressable(text("try-again"), plan.foot))
    exchange("Second")
    bench.announces_refusal = None
    person.press("try-again", plan.foot)
    until(lambda: "Second" in plan.foot.cost.text())
    until(lambda: plan.foot.measure_button.toolTip() == text("another-disk-by-now", disk="Second (sda)"))
    assert not plan.foot.measure_button.isEnabled()
    person.press("back")
    person.press("portrait", person.card("sda"))
    person.at_cost()
    person.press("start-measuring")
    page = person.at_portrait()
    exchange("Third")
    person.press("portrait-again-button", page.foot)
    person.reads(text("another-disk-by-now", disk="Third (sda)"))
    assert page.isVisible() and not seen(PortraitPlan)


def test_no_helper_is_needed(visit: Visit, bench: Bench) -> None:
    bench.helper.fails = MeasurementImpossible("helper-not-installed")
    person = visit(bench)
    person.to_portrait_plan()


def test_by_keys_alone_and_what_is_drawn_is_said(person: Person) -> None:
    person.tab_to(pressable(text("portrait"), person.card("sda")))
    person.key(Qt.Key.Key_Space)
    person.at_cost()
    person.tab_to(pressable(text("start-measuring")))
    person.key(Qt.Key.Key_Return)
    page = person.at_portrait()
    charts = seen(Picture, page)
    for chart in charts:
        person.tab_to(chart)
        assert chart.accessibleName().startswith("Chart:")
    described = [chart.accessibleDescription() for chart in charts]
    assert END in described[0] and "while writing, cache used up: 4 ms, 90 ms" in described[1]
    person.tab_to(page.share_button)
    person.tab_to(page.again_button)


def test_a_picture_is_copied_and_saved_as_large_as_others_show_it(person: Person, tmp_path: Path) -> None:
    person.to_portrait_plan()
    person.press("start-measuring")
    person.at_portrait()
    share(person, text("copy-picture"))
    person.reads(text("portrait-copied"))
    assert QGuiApplication.clipboard().image().size() == QSize(WIDTH, HEIGHT)
    share(person, "Card, dark…")
    dialog = person.dialog(QFileDialog)
    name = dialog.findChild(QLineEdit)
    assert name.text().startswith("disktuner-wd-blue-wd10ezex-1-tb-2026-11-30")
    file = tmp_path / "disk.png"
    name.setText(str(file))
    dialog.accept()
    until(file.exists)
    person.reads(text("wrote", path=str(file)))
    assert QImage(str(file)).size() == QSize(WIDTH, HEIGHT)
