# SPDX-License-Identifier: GPL-3.0-or-later
"""More contrast and less motion where the desktop says that its user needs them, also while the window is open."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.comfort import Comfort, ComfortReader
from disktuner.gui.plots.live import LivePlot
from disktuner.gui.plots.marks import Legend, scheduler_colour
from disktuner.gui.style import contrast, look, wear
from disktuner.gui.widgets.layout import button, card, column, label
from disktuner.vocabulary.schedulers import SCHEDULERS
from tests.gui.contrast import hard_to_see

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
PORTAL = Path(__file__).with_name("portal_settings.py")


@pytest.fixture
def plain(dressed: QApplication, qtbot: QtBot) -> Iterator[QApplication]:
    """The application, which becomes as it was."""
    yield dressed
    wear(dressed, Comfort())
    qtbot.wait(50)
    assert not look().high


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, Comfort()),
        ({"org.freedesktop.appearance": {"contrast": 1}}, Comfort(high_contrast=True)),
        ({"org.freedesktop.appearance": {"contrast": 0, "reduced-motion": 1}}, Comfort(calm=True)),
        ({"org.gnome.desktop.interface": {"enable-animations": False}}, Comfort(calm=True)),
        ({"org.gnome.desktop.interface": {"enable-animations": True}}, Comfort()),
        ({"org.gnome.desktop.a11y.interface": {"high-contrast": True}}, Comfort(high_contrast=True)),
        ({"org.kde.kdeglobals.KDE": {"AnimationDurationFactor": "0"}}, Comfort(calm=True)),
        ({"org.kde.kdeglobals.KDE": {"AnimationDurationFactor": "0.5"}}, Comfort()),
        ({"org.freedesktop.appearance": {"contrast": "strange"}}, Comfort()),
    ],
)
def test_what_settings_ask_for(settings: dict[str, dict[str, object]], wanted: Comfort) -> None:
    assert Comfort.of(settings) == wanted


def test_settings_are_read_and_followed(plain: QApplication, bus: str, qtbot: QtBot) -> None:
    with subprocess.Popen([sys.executable, PORTAL, bus], stdout=subprocess.PIPE, text=True) as portal:
        assert portal.stdout is not None and portal.stdout.readline() == "ready\n"
        reader, told = ComfortReader(bus), list[Comfort]()
        reader.changed.connect(told.append)
        reader.changed.connect(partial(wear, plain))
        qtbot.waitUntil(lambda: told == [Comfort(calm=True), Comfort(high_contrast=True, calm=True)], timeout=10000)
        assert look().high and look().dark is False and look().card == QColor("white")
        reader.close()
        portal.terminate()
    qtbot.wait(50)


def test_without_a_portal_or_a_bus_nothing_is_needed(dressed: QApplication, bus: str, qtbot: QtBot) -> None:
    told: list[Comfort] = []
    for address in (bus, None, "unix:path=/nonexistent/disktuner"):
        reader = ComfortReader(address)
        reader.changed.connect(told.append)
        qtbot.wait(200)
        reader.close()
    assert told == []


def test_with_more_contrast_texts_have_seven_to_one(plain: QApplication, qtbot: QtBot) -> None:
    wear(plain, Comfort(high_contrast=True))
    qtbot.wait(50)
    now = look()
    for ink in (now.text, now.muted, now.accent, now.good, now.caution, now.bad):
        assert min(contrast(ink, ground) for ground in (now.card, now.window, now.raised)) >= 7
    assert all(contrast(scheduler_colour(name), now.card) >= 4.5 for name in SCHEDULERS)
    assert contrast(now.edge, now.card) >= 4.5 and contrast(now.on_accent, now.accent) >= 7
    page, legend = QWidget(), Legend()
    legend.show_names(tuple(SCHEDULERS))
    tones = (label(tone, tone=tone) for tone in ("muted", "accent", "good", "caution", "bad"))
    page.setLayout(column(card(column(*tones, legend)), button("fine", lambda: None, primary=True)))
    qtbot.addWidget(page)
    page.show()
    assert hard_to_see(page) == []


def test_where_nothing_may_move_graphs_are_drawn_rarely(plain: QApplication, qtbot: QtBot) -> None:
    lively = LivePlot()
    qtbot.addWidget(lively)
    wear(plain, Comfort(calm=True))
    calm = LivePlot()
    qtbot.addWidget(calm)
    assert calm._timer.interval() >= 10 * lively._timer.interval()
    assert "widget-animation-duration: 0;" in plain.styleSheet() or not qtbot.wait(50)
    assert "widget-animation-duration: 0;" in plain.styleSheet()
    qtbot.wait(50)
