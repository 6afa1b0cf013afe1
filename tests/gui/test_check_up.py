# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up in the window: the line on a card, the page behind it, and what is measured and set from there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from disktuner.block.disk import Disk, PersistentChoice
from disktuner.block.writers import Writer
from disktuner.checkup.findings import Finding
from disktuner.gui.application import Application
from disktuner.gui.widgets.check_page import CheckPage
from disktuner.gui.widgets.finding_card import FindingCard
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.helper_client import calls
from disktuner.mending import Mending
from disktuner.mending.mending import Change
from disktuner.vocabulary.errors import HelperNotThere, NoSuchThing, NotAuthorised
from disktuner.vocabulary.messages import literal, message, text
from tests.gui.conftest import click
from tests.gui.stand_ins import Bench, disk, finding, many_findings, read_ahead_of

Open = Callable[[Bench], Application]
READ_AHEAD = "queue/read_ahead_kb"
FIX = "mq-deadline:queue/read_ahead_kb=128"
# Only the offscreen platform says this.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def with_read_ahead(bench: Bench, value: int) -> None:
    """On sda; the kernel tells that something changed."""
    bench.disks = tuple(
        replace(each, tunables={**each.tunables, READ_AHEAD: value}) if each.name == "sda" else each
        for each in bench.disks
    )
    bench.changed()


@pytest.fixture
def hasty(bench: Bench) -> Bench:
    """Its sda reads far too far ahead."""
    with_read_ahead(bench, 65_532)
    return bench


def to_page(qtbot: QtBot, running: Application, name: str = "sda") -> CheckPage:
    """From the card's line."""
    card = running.window.disks_page.card(name)
    qtbot.waitUntil(lambda: card.findings is not None)
    qtbot.waitUntil(card.check_line.isVisible)
    click(qtbot, card.check_line.link)
    page = page_of(running)
    qtbot.waitUntil(lambda: all(each.isVisible() for each in page.cards))
    return page


def page_of(running: Application) -> CheckPage:
    opened = running.window.opened
    assert opened is not None and isinstance(opened.content, CheckPage)
    return opened.content


def test_a_card_says_how_many_things_there_are_to_look_at(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    page = running.window.disks_page
    qtbot.waitUntil(lambda: all(card.findings is not None for card in page.cards))
    sick, fine = page.card("sda").check_line, page.card("nvme0n1").check_line
    assert sick.link.text() == "Check-up: 1 thing to look at" and fine.link.text() == "Check-up: nothing found"
    assert sick._picture._name == "warning" and fine._picture._name == "check"
    assert sick.link.accessibleDescription() == sick.link.toolTip() == "Caution: Read-ahead is 65,532 KiB."
    click(qtbot, page._fold)
    assert page.card("zram0").findings is None
    hasty.findings = many_findings
    hasty.changed()
    qtbot.waitUntil(lambda: sick.link.text() == "Check-up: 4 things to look at")
    assert sick._picture._name == "danger"
    assert sick.link.toolTip().startswith("Bad: ")


def test_the_disks_are_seen_before_they_are_checked(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    """However long that takes, and nothing waits for it or makes room for it then."""
    go, found = threading.Event(), hasty.findings

    def slow(one: Disk) -> Sequence[Finding]:
        assert go.wait(20)
        return found(one)

    hasty.findings = slow
    try:
        running = opened(hasty)
        card = running.window.disks_page.card("sda")
        assert card.isVisible() and card._find.isEnabled() and card.findings is None
        assert "check_line" not in vars(card)
        cards = running.window.disks_page.cards
        places = [(each.geometry(), each._find.geometry()) for each in cards]
    finally:
        go.set()
    qtbot.waitUntil(lambda: bool(card.findings) and card.check_line.isVisible())
    qtbot.wait(50)
    assert [(each.geometry(), each._find.geometry()) for each in cards] == places, "nothing moves below the pointer"


def test_many_disks_are_told_a_part_at_a_time(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    """No turn is too long (the watchdog looks), and every card has its line in the end."""
    bench.disks = [disk(f"sd{number}", diskseq=100 + number) for number in range(60)]
    running = opened(bench)
    page = running.window.disks_page
    qtbot.waitUntil(lambda: len(page.cards) == 60 and all(card.findings == () for card in page.cards), timeout=20000)
    bench.findings = lambda one: read_ahead_of(replace(one, tunables={READ_AHEAD: 4096}))
    bench.changed()
    qtbot.waitUntil(lambda: all(card.findings for card in page.cards), timeout=20000)


def test_by_keyboard_to_the_page_and_back(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    window = running.window
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    card = window.disks_page.card("sda")
    qtbot.waitUntil(lambda: bool(card.findings))
    qtbot.waitUntil(card.check_line.isVisible)
    card.setFocus()
    for _ in range(4):
        if window.focusWidget() is card.check_line.link:
            break
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert window.focusWidget() is card.check_line.link
    qtbot.keyClick(card.check_line.link, Qt.Key.Key_Return)
    page = page_of(running)
    qtbot.waitUntil(page.cards[0].isVisible)
    assert window.isActiveWindow(), "nothing flashed as a window of its own"
    assert window.opened is not None and window.focusWidget() is window.opened.back_button
    reached: list[QWidget] = []
    for _ in range(8):
        reached.append(window.focusWidget())
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    (finding,) = page.cards
    wanted = [page.again_button, finding.measure_button, finding.use_button, finding.keep_button, finding.fold]
    assert [each for each in dict.fromkeys(reached) if each in wanted] == wanted
    finding.fold.setFocus()
    qtbot.keyClick(finding.fold, Qt.Key.Key_Return)
    assert finding.fold.isChecked()
    qtbot.keyClick(finding, Qt.Key.Key_Escape)
    assert window.opened is None and window.focusWidget() is card.check_line.link


def shown(card: FindingCard) -> str:
    """All that can be read on it."""
    return "\n".join(each.text() for each in card.findChildren(QLabel) if each.isVisible())


def test_a_finding_says_what_who_why_and_what_it_costs(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    (card,) = to_page(qtbot, opened(hasty)).cards
    assert card.accessibleName() == "Caution: Read-ahead is 65,532 KiB."
    said = shown(card)
    for part in (
        text("checkup-severity-caution"),
        "Read-ahead is 65,532 KiB.",
        "queue/read_ahead_kb = 65532",
        "60-plattenbeschleunigung-fuer-alle.rules:17 (a udev rule) sets it.",
        text("rule-read-ahead-default"),
        text("check-read-ahead-huge-cost"),
        "queue/read_ahead_kb = 128",
    ):
        assert part in said
    assert "mm/filemap.c" not in said
    click(qtbot, card.fold)
    assert "mm/filemap.c" in shown(card) and "VM_READAHEAD_PAGES" in shown(card)
    assert card.by_hand is not None and not card.by_hand.isVisible()


def test_measured_with_what_shows_it_and_back_on_the_page(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    window = running.window
    page = to_page(qtbot, running)
    click(qtbot, page.cards[0].measure_button)
    wizard = window.wizard
    assert wizard is not None and wizard.step == 1
    assert wizard.where_page._title.text() == text("proposed-question")
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    assert wizard.where_page._facts["will-compare"].text() == (
        "mq-deadline as it is set now\nmq-deadline, read_ahead_kb 128"
    )
    request = hasty.comparisons[-1].request
    assert (request.goal, request.schedulers) == ("desktop", (FIX,))
    assert request.workloads == ("mapped-reads", "dd-read")
    click(qtbot, wizard.where_page.budgets["standard"])
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    assert replace(request, budget="standard") == hasty.comparisons[-1].request
    click(qtbot, wizard.next_button)
    checked = len(looks := looks_of(hasty))
    qtbot.waitUntil(lambda: wizard.running_page._bar.value() > 2)
    hasty.changed()
    qtbot.wait(300)
    assert len(looks) == checked, "what is measured is not set as it usually is"
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)
    assert wizard.result_page is not None
    assert wizard.result_page.presented.candidate == FIX
    window.back()
    assert window.wizard is None and page_of(running) is page
    assert window.pages.currentWidget() is window.opened and not window.bar.isVisible()
    qtbot.waitUntil(lambda: len(looks) > checked)


def looks_of(bench: Bench) -> list[str]:
    """The disks that are looked at from now on, one after the other."""
    looks, before = [], bench.findings

    def counted(one: Disk) -> Sequence[Finding]:
        looks.append(one.name)
        return before(one)

    bench.findings = counted
    return looks


def test_back_from_what_would_be_measured_leads_to_the_page(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    page = to_page(qtbot, running)
    click(qtbot, page.cards[0].measure_button)
    assert running.window.wizard is not None
    running.window.back()
    assert running.window.wizard is None and page_of(running) is page
    qtbot.wait(100)


def test_set_the_finding_goes_and_go_back_stays(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    page = to_page(qtbot, running)
    assert not page.foot.isVisible()
    hasty.helper.first = {"sda": ("mq-deadline", {READ_AHEAD: 65_532})}
    click(qtbot, page.cards[0].use_button)
    assert not page.cards[0].keep_button.isEnabled(), "one call at a time"
    qtbot.waitUntil(lambda: bool(hasty.helper.calls))
    assert hasty.helper.calls == [calls.set_tunables("sda", 7, {READ_AHEAD: "128"})]
    with_read_ahead(hasty, 128)
    qtbot.waitUntil(lambda: not page.cards)
    assert page._title.text() == text("check-page-fine")
    qtbot.waitUntil(page.back_button.isVisible)
    assert page._undone.text() == text("check-undo")
    qtbot.waitUntil(page.back_button.isEnabled)
    click(qtbot, page.back_button)
    qtbot.waitUntil(lambda: hasty.helper.calls[1:] == [calls.revert("sda")])
    hasty.helper.first = {}
    with_read_ahead(hasty, 65_532)
    qtbot.waitUntil(lambda: len(page.cards) == 1)


def test_set_for_good_keeps_what_was_kept_before(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    before = {"iosched/fifo_batch": 8}
    hasty.helper.kept = {"sda": ("mq-deadline", before)}
    hasty.disks = tuple(
        replace(each, persistent=PersistentChoice("mq-deadline", before)) if each.name == "sda" else each
        for each in hasty.disks
    )
    running = opened(hasty)
    page = to_page(qtbot, running)
    qtbot.waitUntil(page.foot.isVisible)
    click(qtbot, page.cards[0].keep_button)
    qtbot.waitUntil(lambda: bool(hasty.helper.calls))
    wanted = {READ_AHEAD: 128, "iosched/fifo_batch": 8}
    assert hasty.helper.calls == [calls.persist("sda", 7, "mq-deadline", wanted)]
    qtbot.waitUntil(lambda: "from now on, also after a restart" in running.window.notice.text)
    assert page_of(running) is page


def test_a_kept_rule_of_another_scheduler_is_not_mixed_in(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    hasty.helper.kept = {"sda": ("bfq", {"iosched/slice_idle": 0})}
    running = opened(hasty)
    page = to_page(qtbot, running)
    click(qtbot, page.cards[0].keep_button)
    qtbot.waitUntil(lambda: bool(hasty.helper.calls))
    assert hasty.helper.calls == [calls.persist("sda", 7, "mq-deadline", {READ_AHEAD: 128})]


def test_a_missing_scheduler_is_set_as_one(opened: Open, bench: Bench, qtbot: QtBot) -> None:
    bench.disks = (replace(bench.disks[1], scheduler="none"),)
    bench.findings = lambda _: (
        finding("no-scheduler", "none", "mq-deadline", message("set-by-hand"), "scheduler", fix="mq-deadline"),
    )
    page = to_page(qtbot, opened(bench))
    assert "queue/scheduler = mq-deadline" in shown(page.cards[0])
    click(qtbot, page.cards[0].use_button)
    qtbot.waitUntil(lambda: bool(bench.helper.calls))
    assert bench.helper.calls == [calls.set_scheduler("sda", 7, "mq-deadline")]


def test_refused_nothing_is_changed_and_it_can_be_tried_again(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    page = to_page(qtbot, running)
    hasty.helper.fails = NotAuthorised("refused-nobody-to-ask")
    click(qtbot, page.cards[0].use_button)
    qtbot.waitUntil(lambda: running.window.notice.text.startswith("Nothing was changed."))
    assert running.window.notice.isVisible() and len(page.cards) == 1
    qtbot.waitUntil(page.cards[0].use_button.isEnabled)


def test_without_the_helper_the_commands_are_there(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    page = to_page(qtbot, running)
    (card,) = page.cards
    assert card.by_hand is not None
    hasty.helper.fails = HelperNotThere("helper-not-installed")
    running.actions.refresh()
    qtbot.waitUntil(card.by_hand.isVisible)
    assert not card.measure_button.isEnabled() and not card.use_button.isEnabled()
    assert page._about.text() == text("check-page-no-helper")
    click(qtbot, card.by_hand.copies[0])
    assert QGuiApplication.clipboard().text() == "echo 128 | sudo tee /sys/block/sda/queue/read_ahead_kb"
    assert running.window.notice.text == text("command-copied")
    hasty.helper.fails = None
    running.actions.refresh()
    qtbot.waitUntil(lambda: card.measure_button.isEnabled() and not card.by_hand.isVisible())


def test_what_endangers_data_is_not_measured_and_what_we_may_not_set_is_told(
    opened: Open, hasty: Bench, qtbot: QtBot
) -> None:
    hasty.findings = many_findings
    page = to_page(qtbot, opened(hasty))
    ids = [each.finding.check.id for each in page.cards]
    assert ids == ["write-cache-denied", "read-ahead-huge", "sata-link-slow", "discard-at-once"], "the worst first"
    cache, _, link, discard = page.cards
    for each in (cache, link, discard):
        assert not any(button.isVisible() for button in (each.measure_button, each.use_button, each.keep_button))
    assert cache.by_hand is not None and cache.by_hand.isVisible()
    assert link.by_hand is None and "try another cable" in shown(link)
    assert "'/media/anna/Urlaubsfotos und Steuererklärungen'" in shown(discard)


def test_what_remains_when_the_proposal_is_set_is_told(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    flag = finding("flash-said-to-rotate", 1, 0, message("set-by-disk"), "rotational", kernel=1, fix=FIX)
    hasty.findings = lambda one: (flag,) if one.name == "sda" else ()
    (card,) = to_page(qtbot, opened(hasty)).cards
    assert card.by_hand is not None and card.by_hand.isVisible() and card.use_button.isVisible()
    assert text("nothing-is-set-here") in shown(card)


def test_who_sets_it_back_is_mended_where_that_is_set(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    """The difference of somebody else's file, the commands that make it, and those that take it back."""
    line = Writer("tuned", "/etc/tuned/ours/tuned.conf", 3, "queue/read_ahead_kb", "65532")
    change = Change(line.file, "readahead=65532\n", "readahead=128\n")
    mending = Mending(
        line,
        literal("Take it out of the profile."),
        (change,),
        ("sudo tuned-adm profile ours",),
        ("sudo tuned-adm off",),
    )
    found = read_ahead_of(hasty.disks[1])[0]
    hasty.findings = lambda one: (replace(found, mending=mending),) if one.name == "sda" else ()
    (card,) = to_page(qtbot, opened(hasty)).cards
    assert "-readahead=65532\n+readahead=128" in shown(card)
    assert card.mending is not None and card.mending.isVisible()
    assert ("sudo tuned-adm profile ours" in shown(card), "sudo tuned-adm off" in shown(card)) == (True, True)
    assert text("checkup-mend-undo") in shown(card)
    click(qtbot, card.mending.copies[1])
    assert QGuiApplication.clipboard().text() == "sudo tuned-adm off"


def test_a_finding_that_stays_is_not_made_anew_and_the_focus_goes_on(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    hasty.findings = many_findings
    running = opened(hasty)
    page = to_page(qtbot, running)
    cache, read_ahead, link, _ = page.cards
    read_ahead.use_button.setFocus()
    with_read_ahead(hasty, 128)
    qtbot.waitUntil(lambda: len(page.cards) == 3)
    assert page.cards[:2] == (cache, link)
    assert cache.by_hand is not None and running.window.focusWidget() is cache.by_hand.copies[0]


def test_an_error_is_said_once_and_can_be_tried_again(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    error, found = NoSuchThing("disk-unreadable", disk="sda"), hasty.findings

    def broken(_: Disk) -> Sequence[Finding]:
        raise error

    running = opened(hasty)
    window = running.window
    page = to_page(qtbot, running)
    hasty.findings = broken
    click(qtbot, page.again_button)
    qtbot.waitUntil(lambda: page._title.text() == text("check-page-failed"))
    assert page._about.text() == str(error) and window.notice.text == ""
    window.back()
    hasty.findings = found
    hasty.changed()
    qtbot.waitUntil(lambda: running.checking._failure == "")
    hasty.findings = broken
    hasty.changed()
    qtbot.waitUntil(lambda: window.notice.text == text("check-failed", why=str(error)))
    window.show_notice("")
    hasty.changed()
    qtbot.wait(400)
    assert window.notice.text == "", "not with every change of the disks"
    hasty.findings = found


def test_a_disk_that_goes_or_is_another_by_now(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    page = to_page(qtbot, running)
    there = hasty.disks
    hasty.disks = there[:1]
    hasty.changed()
    qtbot.waitUntil(lambda: page._title.text() == text("check-page-gone"))
    assert not page.cards and not page.foot.isVisible()
    hasty.disks = there
    hasty.changed()
    qtbot.waitUntil(lambda: len(page.cards) == 1)
    hasty.disks = tuple(replace(each, diskseq=99) if each.name == "sda" else each for each in there)
    hasty.changed()
    qtbot.waitUntil(lambda: page._title.text() == text("check-page-gone"))


def test_closed_while_it_looks_nothing_is_left(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    to_page(qtbot, running)
    running.checking.look()
    running.window.close()
    assert running.checking._reader._job is None or running.checking._reader._job.isFinished()
    qtbot.wait(50)


def test_a_result_that_is_opened_takes_its_place(opened: Open, hasty: Bench, qtbot: QtBot) -> None:
    running = opened(hasty)
    to_page(qtbot, running)
    running.window.open_page(OpenedPage("a result", QWidget()))
    hasty.changed()
    qtbot.wait(300)
    running.window.back()
    assert running.window.opened is None and running.window.pages.currentWidget() is running.window.history_page
