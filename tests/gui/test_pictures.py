# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide's pictures are those of today's window, and changes of the window are found in them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QPainter

from tests.gui.differences import difference, small, words_of
from tests.gui.pictures import DOCS

ROOT = DOCS.parent
MOST_BYTES, MOST_BYTES_IN_ALL = 100_000, 3_000_000


def test_the_pictures_are_those_of_todays_window(tmp_path: Path) -> None:
    """Drawn in a process of its own, to which screen and fonts belong; and they are small."""
    subprocess.run(
        [sys.executable, "-P", "-m", "tests.gui.pictures", tmp_path],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'app'}"}, capture_output=True, check=True,
    )  # fmt: skip
    now = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.png")}
    pictures = {path.relative_to(DOCS): path.read_bytes() for path in DOCS.rglob("*.png")}
    assert pictures.keys() == now.keys(), "run ./dev docs"
    changes = {str(name): change for name, picture in now.items() if (change := difference(pictures[name], picture))}
    assert changes == {}, "run ./dev docs, and look at them"
    sizes = {str(path): len(picture) for path, picture in pictures.items()}
    assert [name for name, size in sizes.items() if size > MOST_BYTES] == []
    assert sum(sizes.values()) <= MOST_BYTES_IN_ALL


@pytest.mark.long
def test_what_changes_in_the_window_is_found_in_its_picture() -> None:
    """A word, a shifted line or a colour; a stray pixel does not count."""
    original = (DOCS / "guide" / "en" / "disks.png").read_bytes()
    words = words_of(original)

    def changed(words: str, box: QRect | None = None, dx: int = 0) -> str:
        picture = QImage.fromData(original).convertToFormat(QImage.Format.Format_RGB32)
        with QPainter(picture) as painter:
            if dx:
                painter.drawImage(QPoint(dx, 0), picture.copy(0, 0, 400, 300))
            if box is not None:
                painter.fillRect(box, QColor("#3a5f95"))
        return difference(original, small(picture, words))

    assert changed(words) == "" and changed(words, QRect(500, 400, 5, 5)) == ""
    assert changed(words.replace("e", "c", 1)) and changed(words, QRect(500, 400, 41, 41)) and changed(words, dx=2)
