# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the guide are those of today's window, and what changes in the window is seen in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.gui.differences import difference
from tests.gui.pictures import DOCS

ROOT = DOCS.parent
MOST_BYTES, MOST_BYTES_IN_ALL = 100_000, 3_000_000


def run(module: str, *arguments: str | Path) -> str:
    """A screen and letters hold for a whole process, so this is one of its own."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", f"tests.gui.{module}", *arguments],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'app'}"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_pictures_are_those_of_todays_window(tmp_path: Path) -> None:
    run("pictures", tmp_path)
    now = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.png")}
    kept = {path.relative_to(DOCS): path.read_bytes() for path in DOCS.rglob("*.png")}
    assert kept.keys() == now.keys(), "run ./dev docs"
    found = {str(name): seen for name, picture in now.items() if (seen := difference(kept[name], picture))}
    assert found == {}, "run ./dev docs, and look at them"


def test_what_changes_in_the_window_is_found_in_its_picture() -> None:
    found = json.loads(run("planted_pictures"))
    assert found.pop("nothing") == ""
    assert len(found) >= 5 and all(found.values()), found


def test_the_pictures_are_small() -> None:
    sizes = {str(path): path.stat().st_size for path in DOCS.rglob("*.png")}
    assert [name for name, size in sizes.items() if size > MOST_BYTES] == []
    assert sum(sizes.values()) <= MOST_BYTES_IN_ALL
