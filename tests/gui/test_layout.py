# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is clipped, overlaps or is hard to see, on any page and in any state, on screens of all sizes and scales."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QTableWidget, QWidget, QWidgetItem
from shiboken6 import getAllValidWrappers

from disktuner.drawing.colours import contrast
from disktuner.gui.plots.marks import setting_colour
from disktuner.gui.sheet import wear
from disktuner.gui.style import look, wishes
from disktuner.gui.widgets.change_dialog import ChangeDialog
from disktuner.gui.widgets.flow import Tiles
from disktuner.gui.widgets.layout import Foot, bar, button, column, label, parts_of, row
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.option import Tile
from disktuner.gui.wishes import Wishes
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Show, Visit
from tests.gui.measuring import complaints
from tests.gui.palettes import dark_palette
from tests.gui.person import settle, until
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


def test_what_is_below_each_other_in_a_dialog_is_in_line(visit: Visit, bench: Bench) -> None:
    person = visit(bench)
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


@pytest.fixture(params=LOOKS)
def coloured(request: pytest.FixtureRequest, dressed: QApplication) -> Iterator[None]:
    plain, wished = dressed.palette(), wishes()
    wear(dressed, Wishes(high_contrast=request.param == "contrast"))
    if request.param != "light":
        dressed.setPalette(dark_palette())
    yield
    wear(dressed, wished)
    dressed.setPalette(plain)


@pytest.mark.usefixtures("coloured")
def test_texts_can_be_read_on_what_they_stand_on() -> None:
    now = look()
    words, marks = (7.0, 4.5) if now.high else (4.5, 3.0)
    inks = (now.text, now.muted, now.accent, now.good, now.caution, now.bad)
    assert min(contrast(ink, now.card) for ink in inks) >= words
    assert contrast(now.on_accent, now.accent) >= 4.5 and contrast(now.muted, now.window) >= 4.0
    tints = [now.tint(colour) for colour in (now.accent, now.good, now.caution, now.bad)]
    drawn = [now.edge, *(setting_colour(Setting(name)) for name in SCHEDULERS)]
    assert min(contrast(mark, now.card) for mark in drawn) >= marks
    assert min(contrast(ink, tint) for tint in tints for ink in (now.text, now.muted)) >= 4.5
