# SPDX-License-Identifier: GPL-3.0-or-later
"""The desktop's portal is used for the user's wishes and file dialogs; without it, nothing is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFont, QPalette

from disktuner.drawing.colours import contrast
from disktuner.gui.portal import Portal
from disktuner.gui.session import reach_session
from disktuner.gui.style import Look
from disktuner.gui.wishes import Wishes
from tests.gui.conftest import services, tell
from tests.gui.palettes import dark_palette
from tests.gui.person import until

ROOT = Path(__file__).resolve().parents[2]
SAVES = f"""
import sys
sys.path.insert(0, {str(ROOT / "app")!r})
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog
from disktuner.gui.main import main
from disktuner.gui.desktop import session_address
from disktuner.gui.session import reach_session
from disktuner.gui.sources import real_sources
from disktuner.gui.widgets.window import Window

def ask():
    (window,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]
    own = QApplication.testAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    if own if sys.argv[1] == "portal" else not window.disks_page.cards:
        QTimer.singleShot(10, ask)  # what the portal answers is not there yet
        return
    dialog = QFileDialog(window, "Save", "/tmp", "PNG (*.png)")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile("disk.png")
    dialog.open()
    if dialog.children():
        print("Qt's own", flush=True)
        window.close()
    dialog.fileSelected.connect(lambda path: (print(path, flush=True), window.close()))

def sources():
    QTimer.singleShot(0, ask)
    return real_sources()

print(main(["-platform", "offscreen"], reach_session(session_address()), sources))
"""


@pytest.fixture
def reached(bus: str) -> Iterator[Portal]:
    session = reach_session(bus)
    assert session is not None
    yield Portal(session.bus)
    session.close()


def test_wishes_are_told_now_and_when_they_change(reached: Portal, bus: str) -> None:
    wishes: list[Wishes] = []
    with services(bus) as running:
        reached.follow_wishes(wishes.append)
        until(lambda: wishes == [Wishes(calm=True)])
        for line, wished in (
            ("contrast u 1", Wishes(high_contrast=True, calm=True)),
            ("contrast u 0", Wishes(calm=True)),
        ):
            tell(running, line)
            until(lambda wished=wished: wishes[-1] == wished)
    assert len(wishes) == 3


@pytest.mark.parametrize("place", ["portal", "portal without dialogs", "none"])
def test_files_are_chosen_in_the_desktops_dialogs_where_it_has_some(bus: str, tmp_path: Path, place: str) -> None:
    """In a process and with a home of its own: a platform theme is chosen once."""
    chosen = tmp_path / "there.png"
    environment = {"HOME": str(tmp_path), "DBUS_SESSION_BUS_ADDRESS": bus, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

    def run() -> list[str]:
        argv = [sys.executable, "-I", "-c", SAVES, place]
        run = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=150, check=True)
        return list(dict.fromkeys(run.stdout.splitlines()))  # the stand-in answers more than once

    if place == "none":
        assert run() == ["Qt's own", "0"]
        return
    with services(bus, *([] if "without" in place else [chosen])) as running:
        assert run() == (["Qt's own", "0"] if "without" in place else [str(chosen), "0"])
        running.terminate()
        output = running.stdout.read()
    assert ("SaveFile Save disk.png" in output) is ("without" not in place)
    assert (tmp_path / ".local/state/disktuner/window.conf").exists()


ACCENTS = [
    QColor(name)
    for name in ("#3584e4", "#2190a4", "#3a944a", "#c88800", "#ed5b00", "#e62d42", "#d56199", "#9141ac", "#6f8396",
                 "#3daee9", "#ffffff", "#000000", "#ffff00", "#7f7f7f")
]  # fmt: skip
"""GNOME's nine, Breeze's, and the most difficult ones."""


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_whatever_the_accent(dark: bool) -> None:
    for accent in ACCENTS:
        can_be_read(accent, dark)


def can_be_read(accent: QColor, dark: bool) -> None:
    palette = dark_palette() if dark else QPalette(QColor("#efefef"), QColor("#efefef"))
    palette.setColor(QPalette.ColorRole.Accent, accent)
    look = Look.of(palette, QFont())
    assert look.dark is dark
    for text, background in (
        (look.on_accent, look.accent), (look.accent, look.card), (look.accent, look.window),
        (look.text, look.tint(look.accent)), (look.muted, look.card),
    ):  # fmt: skip
        assert contrast(text, background) >= 4.5, (text.name(), background.name())
