# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is clipped, overlaps or is hard to see, on any page and in any state, on screens of all sizes and scales."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QApplication, QCheckBox, QFrame, QLabel, QScrollArea, QTableWidget, QWidget, QWidgetItem
from shiboken6 import getAllValidWrappers

from disktuner.drawing.colours import contrast, mix
from disktuner.gui.plots.marks import Legend
from disktuner.gui.sheet import style_sheet, wear
from disktuner.gui.style import BAND, Look, look, wishes
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.chip import SchedulerChip
from disktuner.gui.widgets.flow import Tiles
from disktuner.gui.widgets.layout import Foot, bar, button, card, column, label, parts_of, pill, row
from disktuner.gui.widgets.notice import Notice
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.option import Tile
from disktuner.gui.wishes import Wishes
from disktuner.vocabulary import schedulers
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Show, Visit
from tests.gui.contrast import hard_to_see, unseen_focus
from tests.gui.emptiness import largest_empty
from tests.gui.measuring import complaints, place_unsaid
from tests.gui.palettes import DESKTOPS, palette_of
from tests.gui.person import Person, seen, settle, until
from tests.gui.screenshots import LOOKS, SCALES, SIZES, on_screen
from tests.gui.stand_ins import SCHEDULERS, Bench

USUAL = (
    ("pseudo", "light", "1366x768", "1"),
    ("en", "dark", "1366x768", "1.5"),
    ("en", "contrast", "3840x2160", "2"),
)
"""Each language, look, size and scale once; the long tests have all combinations."""
OTHERS = tuple(
    combination for combination in product(("en", "pseudo"), LOOKS, SIZES, SCALES) if combination not in USUAL
)


@pytest.mark.parametrize(
    "screen", [*USUAL, *(pytest.param(combination, marks=pytest.mark.long) for combination in OTHERS)], ids="-".join
)
def test_nothing_is_clipped_on_any_page_of_any_screen(screen: tuple[str, str, str, str]) -> None:
    """In a process of its own with that screen, filled by the window."""
    assert on_screen(None, *screen) == {}


def test_none_of_qts_items_is_kept_of_a_page_that_was_looked_at(show: Show) -> None:
    """PySide would find it again after Qt has reused its place, and take that for an item."""

    def kept() -> int:
        return sum(isinstance(wrapper, QWidgetItem) for wrapper in getAllValidWrappers())

    page, parts = QWidget(), [label("first"), label("second")]
    page.setLayout(column(*parts))
    show(page)
    before = kept()
    assert parts_of(page) == parts and kept() == before


@pytest.mark.long
def test_nothing_is_clipped_with_letters_of_double_size() -> None:
    assert on_screen(None, "en", "light", "1366x768", "1", QT_FONT_DPI="192") == {}


@pytest.mark.long
def test_what_is_clipped_is_found(show: Show) -> None:
    """A test of the measure itself: a label cut off, two overlapping texts, columns that leave no room for others."""
    page, fine_label = QWidget(), label("fine")
    page.setLayout(column(fine_label))
    show(page)
    assert complaints(page) == []
    fine_label.setMaximumWidth(5)
    second = label("over", wrap=False)
    second.setParent(page)
    second.setGeometry(0, 20, 40, 15)
    second.show()
    assert complaints(page) != [] and not any(" over " in complaint for complaint in complaints(page))
    second.setGeometry(fine_label.geometry())
    assert any("needs" in complaint for complaint in complaints(page)) and any(
        " over " in complaint for complaint in complaints(page)
    )
    table = QTableWidget(1, 3)
    table.resize(400, 200)
    show(table)
    table.resizeColumnsToContents()
    assert complaints(table) == []
    table.setColumnWidth(0, 390)
    assert [complaint for complaint in complaints(table) if complaint.startswith("columns take")]


def test_what_is_empty_is_found(show: Show) -> None:
    """A test of the measure itself: nothing, then a line across the middle, then a field in two colours."""
    page = QWidget()
    page.resize(400, 320)
    show(page)
    assert largest_empty(page) == 1
    line, field = QFrame(page), QFrame(page)
    line.setStyleSheet("background: black")
    line.setGeometry(0, 150, 400, 20)
    line.show()
    assert 0.4 < largest_empty(page) < 0.5
    field.setStyleSheet("background: qlineargradient(x1: 0, x2: 1, y1: 0, y2: 0, stop: 0 red, stop: 1 blue)")
    field.setGeometry(0, 170, 300, 150)
    field.show()
    line.setGeometry(0, 0, 400, 170)
    assert 0.5 < largest_empty(page) < 0.55, "what is painted in one colour is empty, too"
    line.hide()
    assert 0.5 < largest_empty(page) < 0.55


def test_a_window_says_where_one_is_or_that_is_found(person: Person) -> None:
    assert place_unsaid(person.window) == []
    person.window.bar.hide()
    assert place_unsaid(person.window) != []
    person.window.bar.show()
    person.running.check("sda")
    page = until(lambda: person.window.opened)
    assert place_unsaid(person.window) == []
    page.title.setText("")
    assert place_unsaid(person.window) != []


def test_the_heads_of_all_pages_are_equally_high(person: Person) -> None:
    """So that nothing jumps where a page opens over another."""
    tabs = person.window.bar.height()
    person.to_announced()
    person.press("start-measuring")
    person.at_result()
    head = person.measurement.title.parentWidget().parentWidget()
    assert head.property("bar") is True and head.height() == tabs


def test_heads_are_as_high_with_buttons_as_without(show: Show) -> None:
    heads = [bar(row(label("name"))), bar(row(button("Back", lambda: None), label("name")), upright=look().tight)]
    assert len({show(head).sizeHint().height() for head in heads}) == 1


def test_the_buttons_of_a_foot_stand_in_one_line(show: Show) -> None:
    left, right = button("Leave", lambda: None), button("Try", lambda: None)
    foot = Foot((left,), row(right))
    foot.resize(look().wide * 30, foot.sizeHint().height())
    show(foot)
    until(lambda: left.x() < right.x() and left.mapTo(foot, QPoint()).y() == right.mapTo(foot, QPoint()).y())


def test_tiles_are_no_narrower_than_their_longest_word_however_wide_their_room_is(show: Show) -> None:
    """Languages without spaces have long words."""
    page, tiles = QWidget(), [Tile(words, "copy") for words in ("copies", "复制文件时卡死或卡顿复制文件", "x", "films")]
    page.setLayout(Tiles(tiles, look().small))
    show(page)
    least = max(tile.minimumSizeHint().width() for tile in tiles)
    for width in range(page.minimumSizeHint().width(), 5 * least, look().small):
        page.resize(width, 400)
        settle()
        assert min(tile.width() for tile in tiles) >= least - 1, width  # a pixel is lost where they are rounded


def test_what_is_below_each_other_in_a_dialog_is_in_line(person: Person) -> None:
    person.running.change("sda")
    dialog = person.dialog(ChangeDialog)
    groups = [frame for frame in dialog.findChildren(QFrame) if frame.property("card") and frame.isVisible()]
    lefts = {part.mapTo(dialog, QPoint()).x() for part in (*groups, dialog.scheduler)}
    assert len(groups) > 1 and len(lefts) == 1
    dialog.reject()


def test_what_scrolls_stays_in_line_with_its_head(show: Show) -> None:
    content = QWidget()
    content.setLayout(column(label("name"), None))
    page = OpenedPage("", content)
    page.resize(look().wide * 50, look().wide * 10)
    show(page)

    def left(part: QWidget) -> int:
        return part.mapTo(page, QPoint()).x()

    until(lambda: left(content) + look().large == left(page.back_button))
    content.setMinimumHeight(look().wide * 20)
    until(lambda: left(content) + look().large == left(page.back_button) and page.height() < content.height())


def test_no_line_ends_before_a_unit_nor_is_that_copied() -> None:
    plain = "120 GB free on sda with mq-deadline, 2.3 MB/s, 95 %, 3 rounds"
    unbroken = label(plain, wrap=True)
    assert QLabel.text(unbroken).split(" ") == [
        "120\u00a0GB", "free", "on", "sda", "with", "mq\u2011deadline,", "2.3\u00a0MB/s,", "95\u00a0%,", "3", "rounds"
    ]  # fmt: skip
    unbroken.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    assert QLabel.text(unbroken) == unbroken.text() == plain


def test_a_label_without_spaces_moves_nothing_out_of_the_window(visit: Visit, bench: Bench) -> None:
    mount = replace(bench.disks[1].mounts[0], path=f"/media/anna/{'x' * 200}")
    bench.disks = (replace(bench.disks[1], mounts=(mount,)),)
    person = visit(bench)
    person.window.resize(800, 600)
    settle()
    (area,) = seen(QScrollArea, person.window.disks_page)
    assert area.widget().width() <= area.viewport().width()


@pytest.mark.parametrize("high", [False, True], ids=["usual", "high"])
@pytest.mark.parametrize("desktop", DESKTOPS)
def test_texts_and_marks_are_seen_on_all_that_they_stand_on(desktop: str, high: bool) -> None:
    """Each colour for texts on each background, each mark on what it is drawn on, in every palette."""
    now = Look.of(palette_of(desktop), QFont(), high)
    words, lines = (7.0, 4.5) if high else (4.5, 3.0)
    grounds = {name: getattr(now, name) for name in ("window", "card", "raised")}
    tints = {name: now.tint(getattr(now, name)) for name in ("accent", "good", "caution", "bad")}
    chosen, turn = now.tint(now.accent, 0.3), tints["accent"]
    track, band = now.tint(now.muted, 0.07), mix(now.card, now.text, BAND)
    needed = {(words, "text", name): (now.text, ground) for name, ground in {**grounds, "chosen": chosen}.items()}
    for name in ("muted", *tints):
        own = {name: tints[name]} if name in tints else tints | {"track": track, "turn": turn}
        for ground, colour in (grounds | own).items():
            needed[words, name, ground] = getattr(now, name), colour
            needed[words, "text", ground] = now.text, colour
    for ground, colour in grounds.items():
        needed |= {(lines, name, ground): (getattr(now, name), colour) for name in ("edge", "accent")}
    for ground, colour in {"card": now.card, "band": band, "raised": now.raised, "turn": turn, "track": track}.items():
        for name in schedulers.SCHEDULERS:
            mark = now.ink(QFont()).of(Setting(name))
            needed[lines, f"mark of {name}", ground] = mark, colour
            needed[lines, f"bar of {name}", ground] = now.drawn(mark, 0.6), colour
    needed[words, "button", "accent"] = now.on_accent, now.accent
    pale = {
        f"{ink} on {ground}": ratio
        for (least, ink, ground), colours in needed.items()
        if (ratio := round(contrast(*colours), 2)) < least - 0.06  # colours are rounded
    }
    assert pale == {}


@pytest.mark.parametrize("high", [False, True], ids=["usual", "high"])
@pytest.mark.parametrize("desktop", DESKTOPS)
def test_parts_of_pages_are_seen_in_every_palette(
    dressed: QApplication, focused: Show, desktop: str, high: bool
) -> None:
    """As painted: also what is disabled, under the mouse or chosen, and where the keyboard is."""
    usual, wished = dressed.palette(), wishes()
    wear(dressed, Wishes(high_contrast=high))
    dressed.setPalette(palette_of(desktop))
    settle()
    chips = [SchedulerChip() for _ in range(3)]
    for chip, name in zip(chips, SCHEDULERS, strict=False):
        chip.show_setting(Setting(name), is_ours=chip is chips[1])
    chips[2].highlight()
    buttons = [button(f"button {number}", lambda: None, primary=number < 2) for number in range(4)]
    for disabled in buttons[::2]:
        disabled.setEnabled(False)
    box, off = QCheckBox("permanent"), QCheckBox("not permanent")
    off.setEnabled(False)
    so_far = pill()
    so_far.setText("so far")
    notices = [Notice() for _ in range(4)]
    for notice, tone in zip(notices, ("info", "good", "caution", "bad"), strict=True):
        notice.show_text(f"a notice that is {tone}", tone)
    tones = [label(tone, tone=tone) for tone in ("", "muted", "accent", "good", "caution", "bad")]
    tile, link = Tile("a complaint", "copy"), button("a link", lambda: None, link=True)
    tile.setChecked(True)
    page, on_window = QWidget(), label("on the window", tone="muted")
    content = column(
        *chips, *buttons, box, off, so_far, *notices, *tones, Legend([*map(Setting, SCHEDULERS)]), tile, link
    )
    page.setLayout(column(on_window, card(content)))
    page.resize(page.sizeHint())
    try:
        focused(page)
        faults = [*hard_to_see(page), *unseen_focus(page)]
        assert not faults, faults
    finally:
        page.hide()
        wear(dressed, wished)
        dressed.setPalette(usual)
        settle()


@pytest.mark.parametrize("high", [False, True], ids=["usual", "high"])
@pytest.mark.parametrize("desktop", DESKTOPS)
def test_under_the_mouse_a_button_is_read_as_well(desktop: str, high: bool) -> None:
    """Each rule of the sheet that has both a text and a background of its own."""
    now = Look.of(palette_of(desktop), QFont(), high)
    sheet = style_sheet(now, flat=True)
    rules = re.findall(r"QPushButton([^{]*)\{([^}]*)\}", sheet)
    grounds = {name: found for name, rule in rules if (found := re.findall(r"background(?:-color)?: (#\w{6})", rule))}
    assert len(grounds) > 5
    least = min(7.0 if high else 4.5, contrast(now.text, now.card)) - 0.06
    for name, (ground, *_) in grounds.items():
        ink = now.on_accent if "primary" in name else now.text
        if "menu-indicator" not in name:
            assert contrast(ink, QColor(ground)) >= least, name
