# SPDX-License-Identifier: GPL-3.0-or-later
"""Portraits are stored line by line, and read as far as they are valid."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.block.trees import MQ, PCI, Tree
from tests.unit.portraits import portrait

from disktuner.block.disk import Disk, disk_to_json
from disktuner.block.system import System
from disktuner.results.portrait import Added, Burst, Portrait, PortraitFile, Portraits, Reads
from disktuner.vocabulary.messages import message
from disktuner.writing import NotSaved

LINES = (
    Added(reads=Reads(0, False, 1e-4, 2e-4)),
    Added(steps_s=(0.1, 0.2)),
    Added(steps_s=(0.3,), curve_reason=message("other-io", moved=10**9)),
    Added(burst=Burst(2.0, 1e8)),
)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    tree = Tree(tmp_path / "machine")
    tree.disk("vda", "254:0", f"{PCI}/virtio1", MQ, 1)
    return System(tree.root).disk("vda")


def empty(disk: Disk, id_: str = "20261130-002000-abcdef01") -> Portrait:
    return portrait(id=id_, disk=disk_to_json(disk), steps_s=(), reads=(), bursts=(), copied=None, finished=False)


def test_each_line_is_there_at_once_and_the_last_says_that_it_is_whole(tmp_path: Path, disk: Disk) -> None:
    store = Portraits(tmp_path / "portraits")
    with PortraitFile(store, empty(disk)) as file:
        assert store.newest_of(disk) is None and not store.folder.exists()
        for line in LINES:
            file.add(line)
            assert store.newest_of(disk) == file.portrait
        assert not file.portrait.finished
        file.add(Added(is_last=True))
    portrait = store.newest_of(disk)
    assert portrait == replace(
        empty(disk), steps_s=(0.1, 0.2, 0.3), curve_reason=message("other-io", moved=10**9), bursts=(Burst(2.0, 1e8),),
        reads=(Reads(0, False, 1e-4, 2e-4),), finished=True,
    )  # fmt: skip
    assert store.file_of(portrait).stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path, disk: Disk) -> None:
    store = Portraits(tmp_path)
    with PortraitFile(store, empty(disk)) as file:
        for line in LINES[:2]:
            file.add(line)
    whole = file.path.read_bytes()
    for length in range(whole.index(b"\n", whole.index(b"\n") + 1) + 1, len(whole)):
        file.path.write_bytes(whole[:length])
        portrait = store.newest_of(disk)
        assert portrait and portrait.reads and not portrait.steps_s


def test_the_newest_of_the_disk_in_which_something_was_measured_is_found(tmp_path: Path, disk: Disk) -> None:
    store = Portraits(tmp_path)
    for id_, found_on, lines in (
        ("20261130-002000-aaaaaaaa", disk, LINES),
        ("20261130-002100-bbbbbbbb", disk, LINES[:1]),
        ("20261130-002200-cccccccc", disk, (Added(is_last=True),)),
        ("20261130-002300-dddddddd", replace(disk, model="another"), LINES),
    ):
        with PortraitFile(store, empty(found_on, id_)) as file:
            for line in lines:
                file.add(line)
    (tmp_path / "20261130-002400-eeeeeeee.jsonl").write_bytes(b'{"format": "disktuner.portrait/2"}\n')
    (tmp_path / "20261130-002500-ffffffff.jsonl").write_bytes(b"\xff\x00")
    os.mkfifo(tmp_path / "20261130-002600-00000000.jsonl")
    portrait = store.newest_of(disk)
    assert portrait and portrait.id == "20261130-002100-bbbbbbbb"


@pytest.mark.parametrize(
    "impossible",
    [
        {"step_bytes": 0},
        {"step_bytes": 10**400},
        {"earlier_bytes": -1},
        *({"steps_s": (step_s,)} for step_s in (0.0, -1.0, 1e-320, 1e300)),
    ],
    ids=str,
)
def test_one_with_impossible_figures_is_passed_over(tmp_path: Path, disk: Disk, impossible: dict[str, Any]) -> None:
    """Nothing can be worked out from it."""
    store = Portraits(tmp_path)
    for made in (empty(disk), replace(empty(disk, "20261130-002100-bbbbbbbb"), **impossible)):
        with PortraitFile(store, made) as file:
            file.add(Added(steps_s=(0.1,) * 100))
    portrait = store.newest_of(disk)
    assert portrait and portrait.id == empty(disk).id


def test_what_cannot_be_kept_is_said(tmp_path: Path, disk: Disk) -> None:
    (tmp_path / "portraits").write_text("a file")
    with PortraitFile(Portraits(tmp_path / "portraits"), empty(disk)) as file, pytest.raises(NotSaved):
        file.add(LINES[0])
