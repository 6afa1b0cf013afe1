# SPDX-License-Identifier: GPL-3.0-or-later
"""More contrast, less motion, larger texts if the desktop says that its user wants them, while a window is open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from disktuner.gui.plots.live import LiveStrip
from disktuner.gui.sheet import wear
from disktuner.gui.style import look
from disktuner.gui.wishes import Wishes
from tests.gui.person import Visit, idle, seen, until
from tests.gui.stand_ins import Bench
from tests.gui.test_lanes import point


@pytest.fixture
def plain(dressed: QApplication) -> Iterator[QApplication]:
    """The application, restored afterwards."""
    yield dressed
    wear(dressed, Wishes())
    idle()
    assert not look().high


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, Wishes()),
        ({"org.freedesktop.appearance": {"contrast": 1}}, Wishes(high_contrast=True)),
        ({"org.freedesktop.appearance": {"contrast": 0, "reduced-motion": 1}}, Wishes(calm=True)),
        ({"org.gnome.desktop.interface": {"enable-animations": False}}, Wishes(calm=True)),
        ({"org.gnome.desktop.interface": {"enable-animations": True}}, Wishes()),
        ({"org.gnome.desktop.a11y.interface": {"high-contrast": True}}, Wishes(high_contrast=True)),
        ({"org.kde.kdeglobals.KDE": {"AnimationDurationFactor": "0"}}, Wishes(calm=True)),
        ({"org.kde.kdeglobals.KDE": {"AnimationDurationFactor": "0.5"}}, Wishes()),
        ({"org.freedesktop.appearance": {"contrast": "strange"}}, Wishes()),
    ],
)
def test_what_settings_ask_for(settings: dict[str, dict[str, object]], wanted: Wishes) -> None:
    assert Wishes.of(settings) == wanted


def test_more_contrast_goes_when_it_is_not_wished_any_more(plain: QApplication) -> None:
    before = look()
    wear(plain, Wishes(high_contrast=True))
    assert look().high and look().border == look().edge
    wear(plain, Wishes())
    assert look() == before
    idle()


def test_where_nothing_may_move_graphs_are_drawn_rarely(plain: QApplication, qtbot: QtBot) -> None:
    strip, intervals = LiveStrip(), []
    qtbot.addWidget(strip)
    strip.show()
    for number, wished in enumerate((Wishes(), Wishes(calm=True))):
        wear(plain, wished)
        strip.add(point(number, None))
        (timer,) = (timer for timer in strip.findChildren(QTimer) if timer.isActive())
        intervals.append(timer.interval())
        timer.stop()
    idle()
    assert intervals == [500, 5000], "docs/access.md says so; a wish is followed while the window is open"
    assert "widget-animation-duration: 0;" in plain.styleSheet()


def test_all_texts_follow_the_desktops_font(visit: Visit, bench: Bench, dressed: QApplication) -> None:
    person, usual = visit(bench), dressed.font()
    sizes = {label: label.font().pointSizeF() for label in seen(QLabel, person.window)}
    larger = QFont(usual)
    larger.setPointSizeF(usual.pointSizeF() * 1.5)
    dressed.setFont(larger)
    try:
        until(lambda: all(label.font().pointSizeF() == pytest.approx(sizes[label] * 1.5) for label in sizes))
        assert len({round(size, 1) for size in sizes.values()}) > 1
    finally:
        dressed.setFont(usual)
    until(lambda: all(label.font().pointSizeF() == pytest.approx(sizes[label]) for label in sizes))
