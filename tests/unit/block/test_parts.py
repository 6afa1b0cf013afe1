# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters, schedulers, tunables, uevents and the recorder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.recording.tree import record
from tests.unit.block.trees import Tree, sata
from tests.unit.helper.fake import add_disk, make_root, rule_of

from disktuner.block.counters import parse_stat
from disktuner.block.queue import parse_schedulers, read_tunables
from disktuner.block.rule_files import own_choices
from disktuner.block.sysfs import Tree as FileTree
from disktuner.block.system import System
from disktuner.vocabulary import kinds
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.schedulers import SCHEDULERS
from disktuner.vocabulary.tunables import RATIO_LIMIT, name_of
from disktuner_helper import queue as of_the_helper
from disktuner_helper.persist import Persistent


def test_figures_are_those_of_iostat() -> None:
    before = parse_stat("100 0 800 50 10 0 80 5 0 100 60", 1.0)
    after = parse_stat("300 20 2400 250 20 5 160 105 3 1100 660 7 0 56 1 2 9", 3.0)
    assert before is not None
    assert after is not None
    figures = after.since(before)
    assert figures.reads_per_s == 100
    assert figures.read_bytes_per_s == 1600 * 512 / 2
    assert figures.read_latency_s == pytest.approx(0.001)
    assert figures.write_latency_s == pytest.approx(0.010)
    assert figures.in_flight == pytest.approx(0.3)
    assert figures.utilisation == pytest.approx(0.5)
    assert after.in_flight == 3
    assert after.since(after).read_latency_s is None


@pytest.mark.parametrize(("in_flight", "busy"), [(0, 0.02), (1, 1.0)])
def test_a_disk_is_not_busy_for_longer_than_its_requests_took(in_flight: int, busy: float) -> None:
    before = parse_stat("1589 1 14352 128 1965 2721 45228 229 0 148 443", 1.0)
    after = parse_stat(f"1844 1 16392 135 2290 3172 51392 242 {in_flight} 8760 463", 2.0)
    assert before is not None
    assert after is not None
    assert after.since(before).utilisation == pytest.approx(busy)


@pytest.mark.parametrize("text", ["", "1 2 3", "a b c d e f g h i j k"])
def test_garbage_is_no_reading(text: str) -> None:
    assert parse_stat(text, 0) is None


@pytest.mark.parametrize(
    ("text", "chosen", "offered"),
    [
        ("none [mq-deadline] kyber bfq", "mq-deadline", ("none", "mq-deadline", "kyber", "bfq")),
        ("[adios] none", "adios", ("adios", "none")),
        ("none", None, ()),
        (None, None, ()),
        ("", None, ()),
        ("[none] \x00\xff", None, ()),
    ],
)
def test_forms_of_the_scheduler_file(text: str | None, chosen: str | None, offered: tuple[str, ...]) -> None:
    assert (parse_schedulers(text).chosen, parse_schedulers(text).offered) == (chosen, offered)


def test_a_number_that_no_result_file_holds_is_shown_as_the_kernels_text(tmp_path: Path) -> None:
    """The kernel takes any 64 bits for kyber's targets."""
    own, values = tmp_path / "queue/iosched", {"least": "-7", "most": f"{2**63 - 1}", "more": f"{2**64}", "odd": "a"}
    own.mkdir(parents=True)
    for name, value in values.items():
        (own / name).write_text(f"{value}\n")
    folder = FileTree(tmp_path).folder("")
    assert folder is not None
    with folder:
        seen = read_tunables(folder)
    assert seen == {"iosched/least": -7, "iosched/most": 2**63 - 1, "iosched/more": values["more"], "iosched/odd": "a"}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_rule_holds_every_tunable_in_the_order_of_writing(tmp_path: Path, scheduler: str) -> None:
    make_root(tmp_path)
    add_disk(tmp_path, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    wanted = {name: limits[-1] for name, limits in of_the_helper.known(scheduler).items() if name != RATIO_LIMIT}
    mixed = {name: str(wanted[name]) for name in sorted(wanted)}
    persistent = Persistent(tmp_path)
    wish = of_the_helper.Setting(scheduler, of_the_helper.checked(scheduler, mixed))
    with persistent.keeping([persistent.choose("sda", wish)]):
        pass
    (rule,) = persistent.read()[0].values()
    (choice,) = own_choices(FileTree(tmp_path))
    rules = rule_of(tmp_path, "ID_SERIAL", "Disk_1111").read_text()
    written = {name_of(match[1]): int(match[2]) for match in re.finditer(r'ATTR\{([\w/]+)\}="(\d+)"', rules)}
    assert list(written.items()) == list(wanted.items()) and choice.is_for({"ID_SERIAL": "Disk_1111"})
    assert (rule.scheduler, list(rule.tunables.items())) == (scheduler, list(wanted.items()))
    assert (choice.scheduler, list(choice.tunables.items())) == (scheduler, list(wanted.items()))
    loads = "kmod load mq-adios-iosched" in rules
    assert loads == (scheduler == "adios"), "by its own name the kernel would not find its module"
    order = list(wanted)
    assert order.index("queue/nr_requests") < order.index("queue/async_depth")
    assert all(order.index("queue/nr_requests") < place for place, name in enumerate(order) if "async_depth" in name)


def test_this_machine_recorded(tmp_path: Path) -> None:
    record(Path("/"), tmp_path / "copy")
    live = {disk.name: disk for disk in System().disks()}
    for disk in System(tmp_path / "copy").disks():
        if disk.kind != kinds.LOOP:
            original = live[disk.name]
            assert (disk.size_bytes, disk.kind, disk.schedulers, len(disk.mounts)) == (
                original.size_bytes, original.kind, original.schedulers, len(original.mounts))  # fmt: skip


def test_a_disk_is_found_by_its_links_and_a_partition_names_its_disk(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.disk("sda", "8:0", sata(1))
    tree.partition("sda", "sda1", "8:1")
    tree.link("dev/disk/by-id/ata-ONE", "../../sda")
    tree.link("dev/disk/by-id/ata-ONE-part1", "../../sda1")
    system = System(tmp_path)
    assert {system.disk(given).name for given in ("sda", "/dev/sda", "/dev/disk/by-id/ata-ONE")} == {"sda"}
    for given in ("sda1", "/dev/sda1", "/dev/disk/by-id/ata-ONE-part1"):
        with pytest.raises(NoSuchThing, match="sda1 is a partition of sda"):
            system.disk(given)
    for given in ("sdb", "/dev/sdb", "/dev/disk/by-id/ata-TWO", "sda9", ""):
        with pytest.raises(NoSuchThing, match="There is no disk"):
            system.disk(given)
