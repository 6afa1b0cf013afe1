# SPDX-License-Identifier: GPL-3.0-or-later
"""What a portrait examines before it writes: that there is one disk, and room, which earlier ones may have taken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import MQ, PCI, Tree
from tests.unit.comparison.test_continuing import PROBE
from tests.unit.experiment.test_scratch import leftover

from disktuner.block.disk import Mount
from disktuner.block.system import System
from disktuner.comparison import portrait
from disktuner.comparison.portrait import Portraying
from disktuner.comparison.target import Target
from disktuner.experiment.events import Event, Phase
from disktuner.experiment.exhaustion import SPARE
from disktuner.results.portrait import Portraits
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import message


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """A machine with two disks that are looked at without being touched."""
    tree = Tree(tmp_path / "machine")
    for name, number in (("vda", "254:0"), ("vdb", "254:16")):
        tree.disk(name, number, f"{PCI}/virtio{number[-1]}", MQ, 1)
    tree.mount("254:0", "/", "ext4", "/dev/vda")
    monkeypatch.setattr(portrait, "probe_folder", lambda *_: PROBE)
    monkeypatch.setattr(portrait, "refuse_root", lambda: None)
    return System(tree.root)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder in which it would be made."""
    folder = tmp_path / "place"
    folder.mkdir(mode=0o700)
    return folder


def test_none_is_made_of_several_disks_together(system: System, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror would seem to write twice as fast as it does, and all of it would be said of its first disk."""
    mirror = Target(place, Mount("/", "btrfs", "/dev/vda", (), 0, 0), (system.disk("vda"), system.disk("vdb")))
    monkeypatch.setattr(portrait, "find_target", lambda *_: mirror)
    with pytest.raises(MeasurementImpossible, match=r"is on several disks \(vda and vdb\)"):
        Portraying(str(place), system, Portraits()).announce()


@pytest.mark.parametrize(("fstype", "curve_bytes"), [("vfat", portrait.LARGEST_ON_FAT), ("ext4", 15 * 10**9)])
def test_on_fat_the_curve_is_no_longer_than_a_file(
    fstype: str, curve_bytes: int, system: System, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = Target(place, Mount("/", fstype, "/dev/vda", (), 0, 0), (system.disk("vda"),))
    monkeypatch.setattr(portrait, "find_target", lambda *_: stick)
    monkeypatch.setattr(portrait, "usable_bytes", lambda _: 10**11)
    monkeypatch.setattr(portrait, "too_little", lambda *_: None)
    announced = Portraying(str(place), system, Portraits()).announce()
    assert announced.curve_bytes == curve_bytes
    assert fstype != "vfat" or SPARE * curve_bytes < 2**32, "the file that uses up a cache of that size is one, too"


def test_a_slow_disk_is_not_called_small(system: System, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = replace(PROBE, write_bytes_per_s=3e5, stream_bytes_per_s=3e5)
    monkeypatch.setattr(portrait, "probe_folder", lambda *_: slow)
    with pytest.raises(MeasurementImpossible, match="writes at only 300 kB/s now, too slowly for a portrait"):
        Portraying(str(place), system, Portraits()).announce()


def test_what_a_killed_one_left_is_removed_before_room_is_missed(
    system: System, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, events = leftover(place), list[Event]()

    def no_room(folder: Path, _: int) -> None:
        assert list(folder.iterdir()) == []

    monkeypatch.setattr(portrait, "too_little", no_room)
    Portraying(str(place), system, Portraits()).announce(events.append)
    (removed,) = (event.message for event in events if isinstance(event, Phase))
    assert removed.id == "tidying" and removed.values["folder"] == str(left)


def test_room_that_is_gone_since_it_was_announced_is_missed(
    system: System, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portraying = Portraying(str(place), system, Portraits())
    announced = portraying.announce()
    monkeypatch.setattr(portrait, "too_little", lambda folder, needed: message("too-little-room", folder=str(folder),
                                                                               needed=needed, usable=0))  # fmt: skip
    with pytest.raises(MeasurementImpossible, match="Not enough space"):
        portraying.run(announced, lambda _: None)
    assert list(place.iterdir()) == []


def test_where_none_could_be_kept_nothing_is_written(system: System, place: Path) -> None:
    (place / "portraits").touch()
    with pytest.raises(MeasurementImpossible, match=f"cannot be kept in {place}/portraits"):
        Portraying(str(place), system, Portraits(place / "portraits")).announce()
