# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of disk is declared once and recognised in one place, and everything that shows disks follows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree

from disktuner.block import kind as recognition
from disktuner.block.disk import Transport
from disktuner.block.system import System
from disktuner.vocabulary.kinds import KINDS, Kind, StartingPoint
from disktuner.vocabulary.messages import say

ICONS = Path(__file__).resolve().parents[3] / "resources/icons"
TOY = Kind(
    "toy-disk",
    "Toy disk",
    "chip",
    "its squeak",
    ceiling_bytes_per_s=1e6,
    starting_points=(StartingPoint("bfq", "A toy squeaks less with bfq.", "the toymaker"),),
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with a disk of a kind that is declared and recognised here."""
    monkeypatch.setitem(KINDS, TOY.id, TOY)
    monkeypatch.setattr(recognition, "_BY_NAME", ((re.compile(r"toy\d+"), TOY, Transport.NONE), *recognition._BY_NAME))
    Tree(tmp_path).disk("toy0", "240:0", "virtual")
    return tmp_path


def test_a_kind_that_is_recognised_brings_its_name_ceiling_and_starting_point(toy: Path) -> None:
    """What lists, documents and pictures show of it is asked in tests/unit/vocabulary/test_declared.py."""
    disk = System(toy).disk("toy0")
    assert (disk.title, disk.kind_certain) == ("Toy disk (toy0)", True)
    assert disk.suggestion is not None
    assert "A toy squeaks less with bfq. Source: the toymaker." in say(disk.suggestion.why)
    assert System(toy).ceiling_bytes_per_s("toy0") == 1e6


def test_every_icon_exists() -> None:
    assert [each.id for each in KINDS.values() if not (ICONS / f"{each.icon}.svg").is_file()] == []


@pytest.mark.parametrize("wrong", [{"id": "Toy Disk"}, {"icon": ""}])
def test_a_broken_declaration_is_refused_when_it_is_loaded(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="cannot be an id"):
        replace(TOY, **wrong)
