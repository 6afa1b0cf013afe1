# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of disk is declared once, and everything that shows disks follows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests import docs_tables
from tests.unit.block.test_suggestion import on_kyber

from disktuner.block.counters import ceiling_bytes_per_s
from disktuner.block.queue import suggest
from disktuner.block.sysfs import Tree
from disktuner.cli.list import document, human
from disktuner.vocabulary.kinds import KINDS, Kind, StartingPoint
from disktuner.vocabulary.messages import ENGLISH, speaking

ROOT = Path(__file__).resolve().parents[3]
TOY = Kind(
    "toy-disk",
    "Toy disk",
    "chip",
    "its squeak",
    ceiling_bytes_per_s=1e6,
    starting_points=(StartingPoint("bfq", "A toy squeaks less with bfq.", "the toymaker"),),
)


def test_a_kind_appears_everywhere_by_one_declaration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(KINDS, TOY.id, TOY)
    disk = on_kyber(TOY)
    disk = replace(disk, suggestion=suggest(disk, "desktop"))
    assert "toy-disk" in human([disk], 200)
    assert "try bfq first. A toy squeaks less with bfq. Source: the toymaker." in human([disk], 200)
    (listed,) = json.loads(document([disk]))["disks"]
    assert (listed["kind"], listed["suggestion"]["scheduler"]) == ("toy-disk", "bfq")
    assert disk.title == "Toy disk (sda)"
    assert ceiling_bytes_per_s(Tree(tmp_path), disk) == 1e6
    assert "| `toy-disk` (Toy disk) | its squeak |" in docs_tables.kinds()
    assert "A toy squeaks less with bfq. (the toymaker)" in docs_tables.starting_points()


def test_a_kind_is_shown_in_the_readers_language() -> None:
    german = replace(
        ENGLISH,
        texts={"suggestion": "{reason:named} Quelle: {source:named}."},
        names={"Toy disk": "Spielzeug", "A toy squeaks less with bfq.": "Mit bfq quietscht es weniger."},
    )
    disk = on_kyber(TOY)
    disk = replace(disk, suggestion=suggest(disk, "desktop"))
    with speaking(german):
        assert disk.title == "Spielzeug (sda)"
        assert "Mit bfq quietscht es weniger. Quelle: the toymaker." in human([disk], 200)


def test_every_icon_exists() -> None:
    assert [each.id for each in KINDS.values() if not (ROOT / f"resources/icons/{each.icon}.svg").is_file()] == []


@pytest.mark.parametrize("wrong", [{"id": "Toy Disk"}, {"icon": ""}])
def test_a_broken_declaration_is_refused_when_it_is_loaded(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="cannot be an id"):
        replace(TOY, **wrong)


@pytest.mark.parametrize(
    ("scheduler", "reason", "goals"),
    [("bfx", "It is.", ()), ("bfq", "No sentence", ()), ("bfq", "It is.", ("knitting",))],
)
def test_a_broken_starting_point_is_refused(scheduler: str, reason: str, goals: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="not a starting point"):
        StartingPoint(scheduler, reason, "somebody", goals)
