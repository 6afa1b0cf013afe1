# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is clipped, overlaps or is hard to see, on any page and in any state, on screens of all sizes and scales."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QTableWidget, QWidget

from disktuner.drawing.colours import contrast
from disktuner.gui.plots.marks import setting_colour
from disktuner.gui.style import look
from disktuner.gui.widgets.flow import Tiles
from disktuner.gui.widgets.layout import Foot, bar, button, column, label, row
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.option import Tile
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Show
from tests.gui.measuring import complaints
from tests.gui.palettes import dark_palette
from tests.gui.person import settle, until
from tests.gui.screenshots import LOOKS, SCALES, SIZES, on_screen
from tests.gui.stand_ins import SCHEDULERS

USUAL = (
    ("pseudo", "light", "1366x768", "1"),
    ("en", "dark", "1366x768", "1.5"),
    ("en", "contrast", "3840x2160", "2"),
)
"""Each language, look, size and scale once; the long tests have them all."""
OTHERS = tuple(each for each in product(("en", "pseudo"), LOOKS, SIZES, SCALES) if each not in USUAL)


@pytest.mark.parametrize(
    "screen", [*USUAL, *(pytest.param(each, marks=pytest.mark.long) for each in OTHERS)], ids="-".join
)
def test_nothing_is_clipped_on_any_page_of_any_screen(screen: tuple[str, str, str, str]) -> None:
    """In a process of its own with that screen, filled by the window."""
    assert on_screen(None, *screen) == {}


@pytest.mark.long
def test_nothing_is_clipped_with_letters_of_double_size() -> None:
    assert on_screen(None, "en", "light", "1366x768", "1", QT_FONT_DPI="192") == {}


@pytest.mark.long
def test_what_is_clipped_is_found(show: Show) -> None:
    """The measure itself: a label cut off, two texts over each other, columns that leave no room for others."""
    page, shown = QWidget(), label("fine")
    page.setLayout(column(shown))
    show(page)
    assert complaints(page) == []
    shown.setMaximumWidth(5)
    second = label("over", wrap=False)
    second.setParent(page)
    second.setGeometry(0, 20, 40, 15)
    second.show()
    assert complaints(page) != [] and not any(" over " in each for each in complaints(page))
    second.setGeometry(shown.geometry())
    assert any("needs" in each for each in complaints(page)) and any(" over " in each for each in complaints(page))
    table = QTableWidget(1, 3)
    table.resize(400, 200)
    show(table)
    table.resizeColumnsToContents()
    assert complaints(table) == []
    table.setColumnWidth(0, 390)
    assert [each for each in complaints(table) if each.startswith("columns take")]


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
    page, tiles = QWidget(), [Tile(each, "copy") for each in ("copies", "复制文件时卡死或卡顿复制文件", "x", "films")]
    page.setLayout(Tiles(tiles, look().small))
    show(page)
    least = max(each.minimumSizeHint().width() for each in tiles)
    for width in range(page.minimumSizeHint().width(), 5 * least, look().small):
        page.resize(width, 400)
        settle()
        assert min(each.width() for each in tiles) >= least - 1, width  # a pixel is lost where they are rounded


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
    shown = label(plain, wrap=True)
    assert QLabel.text(shown).split(" ") == [
        "120\u00a0GB", "free", "on", "sda", "with", "mq\u2011deadline,", "2.3\u00a0MB/s,", "95\u00a0%,", "3", "rounds"
    ]  # fmt: skip
    shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    assert QLabel.text(shown) == shown.text() == plain


@pytest.fixture(params=("light", "dark"))
def coloured(request: pytest.FixtureRequest, dressed: QApplication) -> Iterator[None]:
    plain = dressed.palette()
    if request.param == "dark":
        dressed.setPalette(dark_palette())
    yield
    dressed.setPalette(plain)


@pytest.mark.usefixtures("coloured")
def test_texts_can_be_read_on_what_they_stand_on() -> None:
    now = look()
    assert (
        min(contrast(ink, now.card) for ink in (now.text, now.muted, now.accent, now.good, now.caution, now.bad)) >= 4.5
    )
    assert contrast(now.on_accent, now.accent) >= 4.5 and contrast(now.muted, now.window) >= 4.0
    tints = [now.tint(colour) for colour in (now.accent, now.good, now.caution, now.bad)]
    assert min(contrast(setting_colour(Setting(name)), now.card) for name in SCHEDULERS) >= 3
    assert min(contrast(ink, tint) for tint in tints for ink in (now.text, now.muted)) >= 4.5
