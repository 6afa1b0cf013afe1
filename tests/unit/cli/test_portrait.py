# SPDX-License-Identifier: GPL-3.0-or-later
"""``portrait`` announces before it writes, asks if that wears the disk, and shows what is stored."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.block.trees import MQ, PCI, Tree
from tests.unit.cli.test_glance import Terminal
from tests.unit.portraits import FAST_S, portrait

from disktuner.block.disk import Disk, disk_to_json
from disktuner.block.system import System
from disktuner.cli import main
from disktuner.cli import portrait as command
from disktuner.cli.check import cache_ends
from disktuner.comparison.portrait import Announced, Pace
from disktuner.results.portrait import Added, PortraitFile, Portraits, Reads
from disktuner.vocabulary.errors import Cancelled, UsageError
from disktuner.vocabulary.kinds import HDD, SD_CARD, Kind
from disktuner.vocabulary.messages import message

Output = pytest.CaptureFixture[str]
LAST = Added(is_last=True)


def announced(kind: Kind) -> Announced:
    disk = SimpleNamespace(title="Card (mmcblk0)", kind=kind, size_bytes=10**10)
    target = SimpleNamespace(disk=disk, folder=Path("/media/card"))
    return Announced(target, None, Pace(), 10**9, 2 * 10**9, 0)  # type: ignore[arg-type]


def test_what_wears_is_asked_for(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    for typed in ("", "n\n", "no\n"):
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        with pytest.raises(Cancelled):
            command.announce(announced(SD_CARD), may_write=False)
    monkeypatch.setattr(sys, "stdin", Terminal("Y\n"))
    command.announce(announced(SD_CARD), may_write=False)
    output = capsys.readouterr().err
    assert "takes about 2 minutes and writes at most 2 GB to /media/card" in output and "up to 20 %" in output
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(UsageError, match="Repeat the command with --yes"):
        command.announce(announced(SD_CARD), may_write=False)
    for kind, may_write in ((SD_CARD, True), (HDD, False)):
        command.announce(announced(kind), may_write=may_write)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk of a machine that is not this one."""
    tree = Tree(tmp_path / "machine")
    tree.disk("vda", "254:0", f"{PCI}/virtio1", MQ, 1)
    tree.mount("254:0", "/", "ext4", "/dev/vda")
    system = System(tree.root)
    monkeypatch.setattr(command, "System", lambda: system)
    return system.disk("vda")


def keep(disk: Disk, last: Added = LAST, **changes: Any) -> None:
    with PortraitFile(Portraits(), replace(portrait(**changes), disk=disk_to_json(disk))) as file:
        file.add(last)


def test_a_picture_is_png_or_svg(tmp_path: Path) -> None:
    assert main.main(["portrait", str(tmp_path), "--last", "--image", str(tmp_path / "disk.jpg")]) == 2


def test_the_last_is_shown_of_a_folder_to_which_nothing_can_be_written(
    disk: Disk, tmp_path: Path, capsys: Output
) -> None:
    keep(disk)
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    assert main.main(["portrait", str(folder), "--last"]) == 0
    assert "Its fast cache ends after about 42 GB" in capsys.readouterr().out


def test_the_check_up_knows_it(disk: Disk) -> None:
    assert cache_ends([disk]) == {}
    keep(disk)
    assert cache_ends([disk])["vda"].startswith("Its fast cache ends after about 42 GB (measured 2026-11-30")
    assert cache_ends([replace(disk, model="another")]) == {}


def test_a_later_one_that_cannot_tell_hides_no_end(disk: Disk) -> None:
    """One that was cancelled before its curve, and one whose curve does not count, are the newest, and no evidence."""
    keep(disk)
    known = cache_ends([disk])
    for id_, last, changes in (
        ("20261130-003000-aaaaaaaa", Added(reads=Reads(0, False, 1e-4, 2e-4)), {"steps_s": (), "reads": ()}),
        ("20261130-004000-bbbbbbbb", LAST, {"curve_reason": message("suspended", slept=60.0)}),
    ):
        keep(disk, last, id=id_, finished=False, **changes)
        newest = Portraits().newest_of(disk)
        assert newest and newest.id == id_ and cache_ends([disk]) == known
    keep(disk, id="20261130-005000-cccccccc", steps_s=(FAST_S,) * 500)
    assert cache_ends([disk]) == {}, "no end was found in all of its curve"
