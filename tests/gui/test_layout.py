# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is clipped or overlaps: what the parts need against what they got, on every page at three text sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.style import contrast, dark_palette, look
from tests.gui.conftest import Watchdog
from tests.gui.stand_ins import Bench

Open = Callable[[Bench], Application]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture(params=(1.0, 1.25, 2.0))
def scaled(request: pytest.FixtureRequest, dressed: QApplication) -> Iterator[float]:
    plain = QFont(dressed.font())
    larger = QFont(plain)
    larger.setPointSizeF(plain.pointSizeF() * request.param)
    dressed.setFont(larger)
    yield request.param
    dressed.setFont(plain)


@pytest.fixture(params=("light", "dark"))
def coloured(request: pytest.FixtureRequest, dressed: QApplication) -> Iterator[str]:
    plain = dressed.palette()
    if request.param == "dark":
        dressed.setPalette(dark_palette())
    yield request.param
    dressed.setPalette(plain)


def complaints(page: QWidget) -> list[str]:
    found = []
    for part in page.findChildren(QWidget):
        if not part.isVisible() or not isinstance(part, (QLabel, QAbstractButton)) or not part.text():
            continue
        needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else part.minimumSizeHint().height()
        too_narrow = not part.hasHeightForWidth() and part.width() < part.minimumSizeHint().width()
        if part.height() < needed or too_narrow:
            found.append(f"{part.text()!r}: {part.size()} needs {needed} high, {part.minimumSizeHint()}")
    return found + _overlaps(page)


def _overlaps(page: QWidget) -> list[str]:
    found = []
    for parent in (page, *page.findChildren(QWidget)):
        layout = parent.layout()
        if layout is None or not parent.isVisible():
            continue
        own = [c for c in parent.children() if isinstance(c, (QLabel, QAbstractButton)) and c.isVisible()]
        for number, one in enumerate(own):
            found += [
                f"{one.text()!r} over {two.text()!r}"
                for two in own[number + 1 :]
                if one.geometry().intersects(two.geometry())
            ]
    return found


def test_no_page_clips_or_overlaps(opened: Open, bench: Bench, qtbot: QtBot, scaled: float, watchdog: Watchdog) -> None:
    running = opened(bench)
    window = running.window
    qtbot.waitUntil(lambda: len(window.disks_page.cards) == 3)
    assert complaints(window) == []
    running.find_best("sda")
    wizard = window.wizard
    assert wizard is not None
    qtbot.wait(30)
    assert complaints(wizard) == []
    wizard.next()
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=5000)
    qtbot.wait(30)
    assert complaints(wizard) == []
    wizard.next()
    qtbot.wait(200)
    assert complaints(wizard) == []
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=20000)
    qtbot.wait(50)
    assert complaints(wizard) == []
    watchdog.longest_s = 0.0  # here geometry counts: fonts of this size are drawn for the first time


def test_texts_can_be_read_on_what_they_stand_on(coloured: str) -> None:
    now = look()
    for ink in (now.text, now.muted, now.accent, now.good, now.caution, now.bad):
        assert contrast(ink, now.card) >= 4.5
    assert contrast(now.on_accent, now.accent) >= 4.5
    assert contrast(now.muted, now.window) >= 4.0
