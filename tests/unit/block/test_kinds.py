# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of disk is declared once and recognised in one place, and everything that shows disks follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree

from disktuner.block import kind as recognition
from disktuner.block.counters import ceiling_bytes_per_s
from disktuner.block.disk import Disk, Transport
from disktuner.block.queue import suggest
from disktuner.block.sysfs import Tree as Files
from disktuner.block.system import System
from disktuner.vocabulary import kinds
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
    """Declare and recognise a made-up kind, and return a machine with such a disk."""
    monkeypatch.setitem(KINDS, TOY.id, TOY)
    monkeypatch.setitem(recognition._BY_NAME, r"toy\d+", recognition.Judgement(TOY, Transport.NONE))
    Tree(tmp_path).disk("toy0", "240:0", "virtual")
    return tmp_path


def test_a_kind_that_is_recognised_brings_its_name_ceiling_and_starting_point(toy: Path) -> None:
    """How lists, documents and pictures show it is tested in tests/distribution/vocabulary/test_declared.py."""
    disk = System(toy).disk("toy0")
    assert (disk.title, disk.kind_certain) == ("Toy disk (toy0)", True)
    assert disk.suggestion is not None
    assert "A toy squeaks less with bfq. Source: the toymaker." in say(disk.suggestion.why)
    assert System(toy).ceiling_bytes_per_s("toy0") == 1e6


def test_every_icon_exists() -> None:
    assert [kind.id for kind in KINDS.values() if not (ICONS / f"{kind.icon}.svg").is_file()] == []


@pytest.mark.parametrize("wrong", [{"id": "Toy Disk"}, {"icon": ""}])
def test_a_broken_declaration_is_refused_when_it_is_loaded(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="cannot be an id"):
        replace(TOY, **wrong)


# ---- the most that a disk can move: its kind's, or its link's own speed ----


def disk(kind: Kind, transport: Transport = Transport.SATA, name: str = "sda", certain: bool = True) -> Disk:
    return Disk(
        name, "8:0", 0, "", "", "", "", 0, kind, transport, False, certain, False, "none", None, (), (), True, None
    )  # fmt: skip


def usb(root: Path, mbits: str) -> Files:
    """A stick on a hub's port, as in sysfs."""
    below = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.3/2-1.3:1.0/host6/target6:0:0/6:0:0:0/block/sda"
    (root / "sys" / below).mkdir(parents=True)
    (root / "sys/block").mkdir()
    (root / "sys/block/sda").symlink_to(f"../{below}")
    (root / "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.3/speed").write_text(f"{mbits}\n")
    return Files(root)


@pytest.mark.parametrize(
    "kind", [kinds.LOOP, kinds.DEVICE_MAPPER, kinds.RAID, kinds.ZRAM, kinds.NETWORK, kinds.UNKNOWN]
)
def test_what_may_be_anything_has_none(tmp_path: Path, kind: Kind) -> None:
    assert ceiling_bytes_per_s(Files(tmp_path), disk(kind)) is None


@pytest.mark.parametrize(("mbits", "most"), [("480", 60e6), ("5000", 500e6), ("10000", 1.2121e9), ("12", 1.5e6)])
def test_a_usb_disk_is_no_faster_than_its_port(tmp_path: Path, mbits: str, most: float) -> None:
    ceiling = ceiling_bytes_per_s(usb(tmp_path, mbits), disk(kinds.USB_FLASH, Transport.USB))
    assert ceiling == pytest.approx(most, rel=0.001)


@pytest.mark.parametrize(("speed", "most"), [("16.0 GT/s PCIe", 7.877e9), ("nonsense", 32e9), ("32 GT/s", 15.75e9)])
def test_an_nvme_disk_is_no_faster_than_its_lanes(tmp_path: Path, speed: str, most: float) -> None:
    folder = tmp_path / "sys/block/nvme0n1/device/device"
    folder.mkdir(parents=True)
    (folder / "current_link_speed").write_text(f"{speed}\n")
    (folder / "current_link_width").write_text("4\n")
    ceiling = ceiling_bytes_per_s(Files(tmp_path), disk(kinds.NVME_SSD, Transport.NVME, "nvme0n1"))
    assert ceiling == pytest.approx(most, rel=0.001)


# ---- what to try first: by kind, hardware and goal ----


def on_kyber(kind: Kind) -> Disk:
    return replace(disk(kind), scheduler="kyber", schedulers=("none", "mq-deadline", "kyber", "bfq"))


@pytest.mark.parametrize(
    ("kind", "goal", "scheduler"),
    [
        (kinds.NVME_SSD, "desktop", "none"),
        (kinds.HDD, "desktop", "bfq"),
        (kinds.HDD, "database", "mq-deadline"),
        (kinds.SATA_SSD, "desktop", "bfq"),
        (kinds.SATA_SSD, "server", "mq-deadline"),
        (kinds.SD_CARD, "desktop", "bfq"),
        (kinds.VIRTUAL, "desktop", "none"),
        (kinds.RAID, "database", "mq-deadline"),
        (kinds.OPTICAL, "desktop", "kyber"),
    ],
)
def test_each_kind_and_goal(kind: Kind, goal: str, scheduler: str) -> None:
    first = suggest(on_kyber(kind), goal)
    assert first is not None
    assert first.scheduler == scheduler
    assert first.why.id == ("suggestion-none" if scheduler == "kyber" else "suggestion")


def test_only_what_the_disk_can_have_is_suggested() -> None:
    poor = replace(on_kyber(kinds.HDD), scheduler="none", schedulers=("none", "mq-deadline"))
    first = suggest(poor, "desktop")
    assert first is not None
    assert first.scheduler == "mq-deadline"
    assert suggest(replace(poor, tunable=False), "desktop") is None


@pytest.mark.parametrize("kind", [kinds.USB_FLASH, kinds.SD_CARD, kinds.USB_HDD, kinds.USB_SSD, kinds.HDD])
def test_how_much_should_wait_in_memory_is_suggested_for_what_is_unplugged(kind: Kind) -> None:
    limits = {"bdi/max_ratio": 100, "bdi/max_bytes": 4 << 30, "bdi/strict_limit": 0, "queue/nr_requests": 2}
    disk = replace(on_kyber(kind), tunables=limits)
    first, chosen = suggest(disk, "desktop"), suggest(replace(disk, tunables={**limits, "bdi/max_ratio": 1}), "desktop")
    assert first is not None and (first.limit is not None) == (kind in kinds.REMOVABLE)
    assert chosen is not None and chosen.limit is None, "somebody has limited it"
    if first.limit:
        assert "kyber, max_bytes 16 MiB, strict_limit 1" in say(first.limit) and "Source:" in say(first.limit)


def test_a_disk_that_takes_one_request_at_a_time_is_left_alone() -> None:
    first = suggest(replace(on_kyber(kinds.USB_FLASH), tunables={"queue/nr_requests": 2}), "desktop")
    assert first is not None
    assert (first.scheduler, first.why.id) == ("kyber", "suggestion-few-requests")
    assert "nr_requests" in say(first.why)
