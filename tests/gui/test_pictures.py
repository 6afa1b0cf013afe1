# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the guide are those of today's window, and what changes in the window is seen in them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.gui.differences import difference, small, words_of
from tests.gui.pictures import DOCS

ROOT = DOCS.parent
MOST_BYTES, MOST_BYTES_IN_ALL = 100_000, 3_000_000


def test_the_pictures_are_those_of_todays_window(tmp_path: Path) -> None:
    """Drawn in a process of its own, for which a screen and letters hold; and they are small."""
    subprocess.run(
        [sys.executable, "-P", "-m", "tests.gui.pictures", tmp_path],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'app'}"}, capture_output=True, check=True,
    )  # fmt: skip
    now = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.png")}
    kept = {path.relative_to(DOCS): path.read_bytes() for path in DOCS.rglob("*.png")}
    assert kept.keys() == now.keys(), "run ./dev docs"
    found = {str(name): seen for name, picture in now.items() if (seen := difference(kept[name], picture))}
    assert found == {}, "run ./dev docs, and look at them"
    sizes = {str(path): len(picture) for path, picture in kept.items()}
    assert [name for name, size in sizes.items() if size > MOST_BYTES] == []
    assert sum(sizes.values()) <= MOST_BYTES_IN_ALL


@pytest.mark.long
def test_what_changes_in_the_window_is_found_in_its_picture() -> None:
    """A word, a shifted line, a colour; a stray pixel is nothing."""
    kept = (DOCS / "guide" / "en" / "disks.png").read_bytes()
    words = words_of(kept)

    def changed(words: str, box: tuple[int, int, int, int] | None = None, dx: int = 0) -> str:
        with Image.open(io.BytesIO(kept)) as opened:
            picture = opened.convert("RGB")
        if dx:
            picture.paste(picture.crop((0, 0, 400, 300)), (dx, 0))
        if box is not None:
            ImageDraw.Draw(picture).rectangle(box, fill="#3a5f95")
        out = io.BytesIO()
        picture.save(out, "PNG")
        return difference(kept, small(out.getvalue(), words))

    assert changed(words) == "" and changed(words, (500, 400, 504, 404)) == ""
    assert changed(words.replace("e", "c", 1)) and changed(words, (500, 400, 540, 440)) and changed(words, dx=2)
