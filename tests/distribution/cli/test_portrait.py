# SPDX-License-Identifier: GPL-3.0-or-later
"""``portrait`` announces before it writes, asks if that wears the disk, and shows what is stored."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.unit.cli.test_portrait import Output, keep

from disktuner.block.disk import Disk
from disktuner.cli import main


def test_the_last_is_shown_drawn_and_printed(disk: Disk, tmp_path: Path, capsys: Output) -> None:
    assert main.main(["portrait", "vda", "--last"]) == 4
    assert "There is no portrait of" in capsys.readouterr().err
    keep(disk)
    assert main.main(["portrait", "vda", "--last", "--image", str(tmp_path / "disk.svg")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "Its fast cache ends after about 42 GB"
    assert "  4 ms, 90 ms  while writing, cache used up" in lines
    assert (tmp_path / "disk.svg").read_text().startswith("<?xml")
    assert main.main(["portrait", "/dev/vda", "--last", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["end"]["bytes"] == pytest.approx(42e9, rel=0.01)


def test_the_picture_is_saved_although_the_answer_cannot_be_printed(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(disk)
    picture = tmp_path / "disk.svg"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            main.main(["portrait", str(tmp_path), "--last", "--image", str(picture)])
    assert ended.value.code == 5 and picture.read_text().startswith("<")
