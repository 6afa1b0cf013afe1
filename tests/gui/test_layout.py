# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is clipped, overlaps or is hard to see, on any page and in any state, on screens of all sizes and scales.

On the screens of 1366×768 with scales below 2 the contrast of all that is seen is measured, too, and that the focus is
seen wherever it goes (tests/gui/contrast.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.colours import contrast
from disktuner.gui.palettes import dark_palette
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import button, column, label, row, scrolled
from disktuner.gui.wizard.step_names import StepNames
from disktuner.vocabulary.messages import text
from tests.gui.measuring import complaints
from tests.gui.screenshots import on_screen

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture(params=("light", "dark"))
def coloured(request: pytest.FixtureRequest, dressed: QApplication) -> Iterator[str]:
    plain = dressed.palette()
    if request.param == "dark":
        dressed.setPalette(dark_palette())
    yield request.param
    dressed.setPalette(plain)


Screen = tuple[str, str, str, str, dict[str, str]]
SCREENS: tuple[Screen, ...] = (
    ("en", "light", "1366x768", "1", {}),
    ("en", "dark", "1366x768", "1.5", {}),
    ("en", "light", "1366x768", "2", {}),
    ("en", "dark", "3840x2160", "1", {}),
    ("en", "light", "3840x2160", "1.5", {}),
    ("en", "dark", "3840x2160", "2", {}),
    ("en", "contrast", "1366x768", "1", {}),
    ("en", "light", "1366x768", "1", {"QT_FONT_DPI": "192"}),
    ("pseudo", "light", "1366x768", "1", {}),
)


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: "-".join((*screen[:4], *screen[4])))
def test_nothing_is_clipped_on_any_page_of_any_screen(screen: Screen) -> None:
    """In a process of its own with that screen, filled by the window; one has letters of double size.

    The GUI thread is watched there, too. What it does for too long it does in each walk; what the machine takes away in
    a moment it does not take again.
    """
    wrong = _walk(screen)
    if wrong.keys() == {"all"}:
        wrong = _walk(screen)
    assert wrong == {}


def _walk(screen: Screen) -> dict[str, list[str]]:
    *chosen, env = screen
    return on_screen(None, *chosen, **env)


def test_what_is_clipped_is_found(dressed: QApplication, qtbot: QtBot) -> None:
    """The measure itself: a label cut off, a button too narrow, two texts over each other."""
    page = QWidget()
    page.setLayout(column(row(label("fine"), button("fine", lambda: None))))
    qtbot.addWidget(page)
    page.show()
    assert complaints(page) == []
    page.findChild(QLabel).setMaximumWidth(5)
    second = label("over", wrap=False)
    second.setParent(page)
    second.setGeometry(page.findChild(QLabel).geometry())
    second.show()
    qtbot.wait(20)
    assert any("needs" in each for each in complaints(page)) and any(" over " in each for each in complaints(page))


def test_a_table_that_hides_columns_it_has_room_for_is_found(dressed: QApplication, qtbot: QtBot) -> None:
    shown = QTableWidget(1, 3)
    shown.setHorizontalHeaderLabels(["one", "two", "three"])
    qtbot.addWidget(shown)
    shown.resize(400, 200)
    shown.show()
    shown.resizeColumnsToContents()
    assert complaints(shown) == []
    shown.setColumnWidth(0, 390)
    assert [each for each in complaints(shown) if each.startswith("columns take")]


def test_a_text_that_has_just_grown_is_not_found(dressed: QApplication, qtbot: QtBot) -> None:
    """It gets its room, and its page as much more, before the next picture is seen."""
    page, grows = QWidget(), label("fine", wrap=True)
    page.setLayout(column(grows, *(label("fine " * 60, wrap=True) for _ in range(3))))
    area = scrolled(page)
    qtbot.addWidget(area)
    area.resize(300, 150)
    area.show()
    qtbot.waitExposed(area)
    grows.setText("fine " * 60)
    assert complaints(area) == []


def test_where_the_steps_have_no_room_only_the_current_one_has_its_name(dressed: QApplication, qtbot: QtBot) -> None:
    page, steps = QWidget(), StepNames()
    page.setLayout(row(steps))
    qtbot.addWidget(page)
    steps.show_step(2)
    page.show()
    page.resize(page.sizeHint())
    qtbot.wait(20)
    shown = steps.findChildren(QLabel)
    names = [text(each) for each in ("step-goal", "step-where", "step-run", "step-result")]
    assert [each.text() for each in shown] == [f"{at}  {name}" for at, name in enumerate(names, start=1)]
    assert complaints(page) == []
    page.resize(page.minimumSizeHint())
    qtbot.wait(20)
    assert [each.text() for each in shown] == ["1", "2", f"3  {names[2]}", "4"]
    assert [each.toolTip() for each in shown] == [*names[:2], "", names[3]]
    assert [each.accessibleName() for each in shown] == names
    assert complaints(page) == []
    steps.show_step(0)
    assert [each.text() for each in shown] == [f"1  {names[0]}", "2", "3", "4"]


def test_texts_can_be_read_on_what_they_stand_on(coloured: str) -> None:
    now = look()
    for ink in (now.text, now.muted, now.accent, now.good, now.caution, now.bad):
        assert contrast(ink, now.card) >= 4.5
    assert contrast(now.on_accent, now.accent) >= 4.5
    assert contrast(now.muted, now.window) >= 4.0
    for colour in (now.accent, now.good, now.caution, now.bad):
        assert min(contrast(ink, now.tint(colour)) for ink in (now.text, now.muted)) >= 4.5
