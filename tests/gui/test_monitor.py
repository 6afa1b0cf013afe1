# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work: their activity on a card each, drawn and in words, and every figure on demand."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from disktuner.block.counters import Figures, parse_stat
from disktuner.gui.style import look
from disktuner.gui.widgets.monitor_page import MonitorModel, MonitorPage
from tests.gui.conftest import Show
from tests.gui.person import settle, until, words
from tests.gui.stand_ins import disk


def second(reads: int) -> dict[str, Figures]:
    """A disk's figures of a second with reads, in sectors; half of it busy."""
    before = parse_stat("0 0 0 0 0 0 0 0 0 0 0", 0.0)
    return {"sda": parse_stat(f"10 0 {reads} 120 10 0 0 90 0 500 900", 1.0).since(before)}


def test_a_card_a_disk_shows_its_last_minute_and_all_figures_on_demand(show: Show) -> None:
    model, main = MonitorModel(), (disk("sda"), disk("sdb", diskseq=9, scheduler="none"))
    model.show_disks((*main, disk("loop0", diskseq=11)), main)
    for number in range(70):
        model.show_figures(second(2000 * (number > 30)))
    page = show(MonitorPage(model, QWidget()))
    page.resize(800, 700)
    assert list(page.cards) == ["sda", "sdb"]
    assert "mq-deadline" in words(page.cards["sda"]) and "none" in words(page.cards["sdb"])
    graph = page.cards["sda"].graph
    assert graph.accessibleDescription() == "read 1.02 MB/s; written 0 B/s; reads wait 12 ms"
    assert len(model.course("sda")) == 60
    picture, em = graph.grab().toImage(), look().medium
    left, top, right, bottom = em * 4.6, em * 0.6, picture.width() - em * 3.2, picture.height() - em * 2.2
    high, middle = bottom - top, (top + bottom) / 2
    ground = picture.pixel(1, 1)

    def seen(across: float, up: float) -> bool:
        """Whether anything is drawn that far to the right and above the line, as shares of the whole."""
        return picture.pixel(round(left + across * (right - left)), round(middle - up * high)) != ground

    assert not seen(0.2, 0.18), "nothing half a minute ago"
    assert seen(0.75, 0.18), "reads since then, up to half of the scale"
    assert not seen(0.75, 0.35) and not seen(0.75, -0.18), "and no writes"
    assert not page.table.isVisible()
    page.all_button.click()
    assert page.table.isVisible()
    assert [model.index(row, 0).data() for row in range(3)] == [listed.title for listed in (*main, disk("loop0"))]
    assert [model.index(0, at).data() for at in range(1, 6)] == ["mq-deadline", "10", "1.02 MB/s", "12 ms", "10"]


def test_cards_take_the_room_there_is(show: Show) -> None:
    """The graphs share the height, and the last of three has the width of two."""
    disks = tuple(disk(name, diskseq=number) for number, name in enumerate(("sda", "sdb", "sdc"), 1))
    model = MonitorModel()
    model.show_disks(disks, disks)
    page = show(MonitorPage(model, QWidget()))
    page.resize(look().wide * 40, 600)
    first, _, last = page.cards.values()
    until(lambda: last.width() >= 2 * first.width())
    height = first.graph.height()
    page.resize(page.width(), 1200)
    until(lambda: first.graph.height() > height)


def test_a_card_stays_while_its_disk_changes(show: Show) -> None:
    model = MonitorModel()
    model.show_disks((disk("sda"),), (disk("sda"),))
    page = show(MonitorPage(model, QWidget()))
    card = page.cards["sda"]
    model.show_disks((disk("sda", scheduler="bfq"),), (disk("sda", scheduler="bfq"),))
    assert page.cards["sda"] is card and "bfq" in words(card)
    model.show_disks((), ())
    assert page.cards == {}


def test_a_disk_in_the_place_of_another_has_its_own_name_and_minute(show: Show) -> None:
    model, one, other = MonitorModel(), disk("sda", model="One"), disk("sda", diskseq=8, model="Other")
    model.show_disks((one,), (one,))
    model.show_figures(second(2000))
    page = show(MonitorPage(model, QWidget()))
    model.show_disks((other,), (other,))
    settle()
    assert "Other (sda)" in words(page.cards["sda"]) and not model.course("sda")


def test_in_a_narrow_window_disks_of_one_model_and_schedulers_are_told_apart(show: Show) -> None:
    model, disks = MonitorModel(), tuple(disk(name, diskseq=number) for number, name in enumerate(("sda", "sdb"), 1))
    model.show_disks(disks, disks)
    page = show(MonitorPage(model, QWidget()))
    page.resize(look().wide * 20, 600)
    page.all_button.click()
    settle()
    table = page.table
    elided = {
        table.fontMetrics().elidedText(listed.title, table.textElideMode(), table.columnWidth(0)) for listed in disks
    }
    assert len(elided) == 2
    assert table.sizeHintForColumn(1) <= table.columnWidth(1)
