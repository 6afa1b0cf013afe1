# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up in the window: the line on a card, the page behind it, measuring and setting from there."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QAbstractButton

from disktuner.block.disk import Disk, PersistentChoice
from disktuner.block.writers import LineState, Writer
from disktuner.checkup.findings import Finding
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.helper_client import calls
from disktuner.remedies import Remedy
from disktuner.vocabulary.errors import HelperNotThere, NoSuchThing, NotAuthorised
from disktuner.vocabulary.messages import literal, message, text
from disktuner.vocabulary.settings import parse_setting
from tests.gui.person import Person, Visit, click, idle, seen, until, words
from tests.gui.stand_ins import Bench, disk, many_findings, read_ahead_of

READ_AHEAD = "queue/read_ahead_kb"
FIX = "mq-deadline:queue/read_ahead_kb=128"


@pytest.fixture
def hasty(bench: Bench) -> Bench:
    """A bench whose sda has far too much read-ahead."""
    bench.change("sda", {READ_AHEAD: 65_532})
    return bench


def to_page(person: Person) -> CheckPage:
    """Open the page from the line on sda's card."""
    line = person.card("sda").check_line
    until(line.isVisible)
    click(line.link)
    page = person.opened(CheckPage)
    until(lambda: all(card.isVisible() for card in page.cards))
    return page


def read_again(person: Person, bench: Bench) -> None:
    """Report a change, and wait for all that follows, including the check-up."""
    until(lambda: not person.running.reader.is_due)  # what is read after the start may be older than the change
    if person.window.measurement is None:
        idle()
    readings = QSignalSpy(person.running.reader.refreshed)
    bench.changed()
    until(readings.count)
    if person.window.measurement is None:
        idle()


def test_a_card_says_how_many_things_there_are_to_look_at(visit: Visit, hasty: Bench) -> None:
    person = visit(hasty)
    sick, fine = (person.card(name).check_line for name in ("sda", "nvme0n1"))
    until(lambda: sick.isVisible() and fine.isVisible())
    assert (words(sick), words(fine)) == ("Check-up: 1 finding", "Check-up: no findings")
    assert sick.link.accessibleDescription() == sick.link.toolTip() == "Caution: Read-ahead is 65,532 KiB."
    person.press("show-others", count=1)
    idle()
    assert person.card("zram0").findings is None
    hasty.findings = many_findings
    hasty.changed()
    until(lambda: words(sick) == "Check-up: 4 findings")
    assert sick.link.toolTip().startswith("Bad: ")


def test_the_disks_are_seen_before_they_are_checked(visit: Visit, hasty: Bench) -> None:
    """However long the check-up takes, nothing waits for it or makes room for it then."""
    go, started, findings = threading.Event(), threading.Event(), hasty.findings

    def slow(disk: Disk) -> Sequence[Finding]:
        started.set()
        go.wait()
        return findings(disk)

    hasty.findings = slow
    person = visit(hasty, settled=False)
    until(started.is_set)
    try:
        cards = person.window.disks_page.cards
        assert all(card.isVisible() and card.findings is None for card in cards)
        places = [button.mapToGlobal(button.pos()) for card in cards for button in seen(QAbstractButton, card)]
        assert person.card("sda").option.isEnabled()
    finally:
        go.set()
    until(lambda: all(card.findings is not None and card.check_line.isVisible() for card in cards))
    idle()
    lines = [card.check_line.link for card in cards]
    buttons = [button for card in cards for button in seen(QAbstractButton, card) if button not in lines]
    assert [button.mapToGlobal(button.pos()) for button in buttons] == places, "nothing moves below the pointer"


def test_of_many_disks_every_card_has_its_line_in_the_end(visit: Visit, bench: Bench) -> None:
    bench.disks = [disk(f"sd{number}", diskseq=100 + number) for number in range(36)]
    bench.findings = lambda disk: read_ahead_of(replace(disk, tunables={READ_AHEAD: 4096}))
    cards = visit(bench).window.disks_page.cards
    assert len(cards) == 36 and all(card.findings for card in cards)


def test_by_keyboard_to_the_page_and_back(visit: Visit, hasty: Bench) -> None:
    person = visit(hasty)
    window, link = person.window, person.card("sda").check_line.link
    window.activateWindow()
    until(window.isActiveWindow)
    person.card("sda").setFocus()
    person.tab_to(link)
    person.key(Qt.Key.Key_Return)
    page = person.opened(CheckPage)
    until(page.cards[0].isVisible)
    assert window.isActiveWindow(), "nothing flashed as a window of its own"
    assert window.opened is not None and window.focusWidget() is window.opened.title
    (finding,) = page.cards
    for widget in (page.again_button, finding.measure_button, finding.use_button, finding.keep_button, finding.fold):
        person.tab_to(widget)
    assert "mm/filemap.c" not in words(finding)
    person.key(Qt.Key.Key_Return)
    assert "mm/filemap.c" in words(finding), "why it is said"
    person.key(Qt.Key.Key_Escape)
    assert window.opened is None and window.focusWidget() is link


def test_measured_with_what_shows_it_and_back_on_the_page(visit: Visit, hasty: Bench) -> None:
    person = visit(hasty)
    page = to_page(person)
    person.press("measure-it")
    person.key(Qt.Key.Key_Escape)
    assert person.window.planned is None and person.opened(CheckPage) is page, "back from what would be measured"
    hasty.holds_at = 3
    person.press("measure-it")
    plan = person.plan
    assert text("proposed-question") in words(plan)
    until(plan.foot.measure_button.isEnabled)
    person.unfold_options()
    assert "mq-deadline, as currently set\nmq-deadline, read_ahead_kb 128" in words(plan)
    request = hasty.comparisons[-1].request
    assert (request.goal, request.settings, request.workloads) == (
        "desktop",
        (parse_setting(FIX),),
        ("launch-office", "dd-read"),
    )
    plan.budget_box.setCurrentIndex(plan.budget_box.findData("standard"))
    until(plan.foot.measure_button.isEnabled)
    assert replace(request, budget="standard") == hasty.comparisons[-1].request
    person.measure_until(3)
    looks, before = list[str](), hasty.findings

    def looked(disk: Disk) -> Sequence[Finding]:
        looks.append(disk.name)
        return before(disk)

    hasty.findings = looked
    read_again(person, hasty)
    assert looks == [], "what is measured is not set as it usually is"
    hasty.comparisons[-1].resume()
    person.at_result()
    assert person.result.presented.candidate == parse_setting(FIX)
    person.key(Qt.Key.Key_Escape)
    assert person.window.measurement is None and person.opened(CheckPage) is page
    assert page.isVisible() and not person.window.bar.isVisible()
    until(lambda: looks)


@pytest.mark.parametrize(
    ("scheduler", "kept_tunables", "wanted"),
    [
        ("mq-deadline", {"iosched/fifo_batch": 8}, {READ_AHEAD: 128, "iosched/fifo_batch": 8}),
        ("bfq", {"iosched/slice_idle": 0}, {READ_AHEAD: 128}),
    ],
)
def test_set_for_good_keeps_what_was_kept_before_for_the_same_scheduler(
    visit: Visit, hasty: Bench, scheduler: str, kept_tunables: dict[str, int], wanted: dict[str, int]
) -> None:
    hasty.helper.kept = {"sda": (scheduler, kept_tunables)}
    hasty.change("sda", persistent=PersistentChoice(scheduler, kept_tunables))
    person = visit(hasty)
    page = to_page(person)
    until(page.foot.isVisible)
    person.press("set-it-for-good")
    person.reads("permanently")
    assert hasty.helper.calls == [calls.set_disks([("sda", 7)], "mq-deadline", wanted, persist=True)]
    assert person.opened(CheckPage) is page


def test_refused_nothing_is_changed_without_the_helper_the_commands_are_there(visit: Visit, hasty: Bench) -> None:
    person = visit(hasty)
    (card,) = to_page(person).cards
    hasty.helper.fails = NotAuthorised("refused-nobody-to-ask")
    person.press("set-it")
    person.reads("Nothing was changed.")
    until(card.use_button.isEnabled)
    assert card.by_hand is not None
    hasty.helper.fails = HelperNotThere("helper-not-installed")
    person.running.refresh()
    until(card.by_hand.isVisible)
    assert not card.measure_button.isEnabled() and not card.use_button.isEnabled()
    assert text("check-page-no-helper") in words(person.opened(CheckPage))
    click(card.by_hand.copies[0])
    assert QGuiApplication.clipboard().text() == "echo 128 | sudo tee /sys/block/sda/queue/read_ahead_kb"
    assert person.window.notice.text == text("command-copied")
    hasty.helper.fails = None
    person.running.refresh()
    until(lambda: card.measure_button.isEnabled() and not card.by_hand.isVisible())


def test_what_endangers_data_is_not_measured_and_what_we_may_not_set_is_told(visit: Visit, hasty: Bench) -> None:
    """A finding that stays keeps its card, and the focus moves on."""
    hasty.findings = many_findings
    person = visit(hasty)
    page = to_page(person)
    ids = [card.finding.check.id for card in page.cards]
    assert ids == ["write-cache-denied", "read-ahead-huge", "sata-link-slow", "discard-at-once"], "the worst first"
    cache, read_ahead, link, discard = page.cards
    for card in (cache, link, discard):
        assert not any(button.isVisible() for button in (card.measure_button, card.use_button, card.keep_button))
    assert cache.by_hand is not None and cache.by_hand.isVisible()
    assert link.by_hand is None and "try another cable" in words(link)
    assert "disktuner bench /dev/sda --workload dd-read" in words(link) and "disktuner bench" not in words(cache)
    assert "'/media/anna/Urlaubsfotos und Steuererklärungen'" in words(discard)
    read_ahead.use_button.setFocus()
    hasty.change("sda", {READ_AHEAD: 128})
    until(lambda: len(page.cards) == 3)
    assert page.cards[:2] == (cache, link)
    assert person.window.focusWidget() is cache.by_hand.copies[0]


def test_who_sets_it_back_is_mended_where_that_is_set(visit: Visit, hasty: Bench) -> None:
    """With the commands that do it, and those that undo it."""
    line = Writer("tuned", "/etc/tuned/ours/tuned.conf", 3, "queue/read_ahead_kb", "65532")
    do, undo = ("sudo tuned-adm profile ours",), ("sudo tuned-adm off",)
    remedy = Remedy(line, literal("Take it out of the profile."), do, undo)
    finding = read_ahead_of(hasty.disks[1])[0]
    hasty.findings = lambda disk: (replace(finding, remedy=remedy),) if disk.name == "sda" else ()
    (card,) = to_page(visit(hasty)).cards
    for part in (*do, *undo, text("checkup-fix-undo")):
        assert part in words(card)
    assert card.remedy is not None
    card.remedy.copies[1].click()
    assert QGuiApplication.clipboard().text() == "sudo tuned-adm off"


def test_the_page_says_of_each_line_what_it_does(visit: Visit, hasty: Bench) -> None:
    why, better = (
        message("dead-dropped", said="Invalid operator for KERNEL."),
        'KERNEL=="sd*", ATTR{queue/scheduler}="bfq"',
    )
    dead = Writer(
        "udev", "/etc/udev/rules.d/60-x.rules", 3, "queue/scheduler", "bfq", LineState.DEAD, why, corrected=better
    )
    hasty.writers = (dead, replace(dead, line=4, state=LineState.OTHER_DISKS))
    page = to_page(visit(hasty))
    for part in ("/etc/udev/rules.d/60-x.rules:3", "Invalid operator for KERNEL.", better, text("check-page-lines")):
        assert part in words(page)
    assert "60-x.rules:4" not in words(page), "what is for other disks is not told"


def test_an_error_is_said_once_and_can_be_tried_again(visit: Visit, hasty: Bench) -> None:
    error, findings = NoSuchThing("disk-unreadable", disk="sda"), hasty.findings

    def broken(_: Disk) -> Sequence[Finding]:
        raise error

    person = visit(hasty)
    page = to_page(person)
    hasty.findings = broken
    person.press("look-again")
    until(lambda: text("check-page-failed") in words(page))
    assert str(error) in words(page) and person.notice == ""
    person.key(Qt.Key.Key_Escape)
    hasty.findings = findings
    read_again(person, hasty)
    hasty.findings = broken
    hasty.changed()
    person.reads(text("check-failed", why=str(error)))
    person.window.show_notice("")
    read_again(person, hasty)
    assert person.notice == "", "not with every change of the disks"


def test_a_plan_is_looked_at_again_when_its_disk_was_connected_again(visit: Visit, hasty: Bench) -> None:
    """The helper knows a disk by its number, which is another one then."""
    person = visit(hasty)
    page, disks = to_page(person), hasty.disks
    click(page.cards[0].measure_button)
    person.at_cost()
    hasty.show(*disks[:1])
    until(lambda: "is disconnected" in person.plan.foot.measure_button.toolTip())
    assert not person.plan.foot.measure_button.isEnabled()
    again = tuple(replace(candidate, diskseq=99) if candidate.name == "sda" else candidate for candidate in disks)
    hasty.show(*again)
    person.measure()
    assert [measured.diskseq for measured in hasty.comparisons[-1].disks] == [99]


def test_a_disk_that_goes_or_is_another_by_now_and_is_connected_again(visit: Visit, hasty: Bench) -> None:
    person = visit(hasty)
    page, disks = to_page(person), hasty.disks

    def with_sda(**changes: Any) -> tuple[Disk, ...]:
        return tuple(replace(candidate, **changes) if candidate.name == "sda" else candidate for candidate in disks)

    for number, present_disks in enumerate((disks[:1], with_sda(diskseq=99, serial="another", wwn="another"))):
        hasty.disks = present_disks
        hasty.changed()
        until(lambda: text("check-page-gone") in words(page))
        assert not page.cards and not page.foot.isVisible()
        hasty.disks = with_sda(diskseq=100 + number)  # the kernel counts it anew
        hasty.changed()
        until(lambda: len(page.cards) == 1)
