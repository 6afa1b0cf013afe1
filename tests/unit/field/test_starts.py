# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that start: which are seen, and how long they stood still in their first seconds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from disktuner.block.sysfs import Tree
from disktuner.field.starts import START_S, Starts

UID = 1000


class Desktop:
    """Programs in control groups, as GNOME and Plasma put them there."""

    def __init__(self, root: Path) -> None:
        self.place = root / f"sys/fs/cgroup/user.slice/user-{UID}.slice/user@{UID}.service/app.slice"
        self.has("app-old.scope", 7.0)
        self.starts = Starts(Tree(root), UID)

    def has(self, group: str, stood_s: float) -> None:
        folder = self.place / group
        folder.mkdir(parents=True, exist_ok=True)
        line = f"avg10=0.00 avg60=0.00 avg300=0.00 total={stood_s * 1e6:.0f}"
        (folder / "io.pressure").write_text(f"some {line}1\nfull {line}\n")


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    return Desktop(tmp_path)


def test_its_first_seconds_count_once(desktop: Desktop) -> None:
    desktop.has("app-gnome-gimp-4711.scope", 0.2)
    desktop.has("app-app\\x2dkate.slice/app-kate@1.service", 0.0)
    desktop.has("snap.firefox.firefox-1.scope", 0.5)
    assert desktop.starts.look(100.0) == ()
    desktop.has("app-gnome-gimp-4711.scope", 1.5)
    assert desktop.starts.look(99.0 + START_S) == ()
    assert sorted(desktop.starts.look(100.0 + START_S)) == [0.0, 0.5, 1.5]
    assert desktop.starts.look(100.0 + 2 * START_S) == ()


def test_what_is_no_program_or_ended_at_once_has_no_start(desktop: Desktop) -> None:
    for group in ("dbus.socket", "vte-spawn-1.scope", "app-kate.slice", "app-handed-over.scope"):
        desktop.has(group, 3.0)
    desktop.starts.look(100.0)
    shutil.rmtree(desktop.place / "app-handed-over.scope")
    assert desktop.starts.look(100.0 + START_S) == desktop.starts.look(200.0) == ()


def test_without_such_groups_nothing_is_seen(tmp_path: Path) -> None:
    assert Starts(Tree(tmp_path), UID).look(100.0) == ()
