# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a disk may be measured: folders on it, whatever their paths look like."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.trees import MQ, PCI, Tree

from disktuner.block.system import System
from disktuner.comparison.target import find_target, lies_on, places
from disktuner.vocabulary.errors import MeasurementImpossible


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, in its own folder that another file system may be mounted on."""
    home_folder = tmp_path / "homes/anna"
    home_folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home_folder))
    return home_folder


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine with two disks, of which the first holds the root."""
    tree_made = Tree(tmp_path / "machine")
    tree_made.disk("vda", "254:0", f"{PCI}/virtio1", MQ, 1)
    tree_made.disk("vdb", "254:16", f"{PCI}/virtio2", MQ, 1)
    tree_made.mount("254:0", "/", "ext4", "/dev/vda")
    return tree_made


def offered(tree: Tree, name: str) -> list[str]:
    system = System(tree.root)
    return [str(place.folder) for place in places(system.disk(name), system)]


def test_home_comes_first_where_it_lies_on_the_disk(tree: Tree, home: Path) -> None:
    assert offered(tree, "vda") == [str(home)]
    assert offered(tree, "vdb") == []


def test_a_home_on_another_disk_is_only_offered_for_that(tree: Tree, home: Path) -> None:
    tree.mount("254:16", str(home.parent), "ext4", "/dev/vdb")
    assert offered(tree, "vda") == ["/var/tmp"]
    assert offered(tree, "vdb") == [str(home)]


def test_a_disk_named_on_the_command_line_is_measured_where_most_room_is(tree: Tree, home: Path) -> None:
    other = home.parent.parent / "data"
    other.mkdir()
    tree.mount("254:16", str(home.parent), "ext4", "/dev/vdb")
    tree.mount("254:0", str(other), "ext4", "/dev/vda")
    tree.write("disktuner-record/room", f"9000 1000 /\n900 100 {home.parent}\n9000 2000 {other}\n")
    assert find_target("vda", System(tree.root)).folder == other
    with pytest.raises(MeasurementImpossible, match="no mounted file system"):
        tree.disk("vdc", "254:32", f"{PCI}/virtio3", MQ, 1)
        find_target("vdc", System(tree.root))


def test_where_a_result_would_be_kept_is_told_before_the_folder_is_there(tree: Tree, home: Path) -> None:
    tree.mount("254:16", str(home.parent), "ext4", "/dev/vdb")
    system, folder = System(tree.root), home / ".local/share/disktuner"
    assert lies_on(folder, ("vda", "vdb"), system) and lies_on(folder, ("vdb",), system)
    assert not lies_on(folder, ("vda",), system)
