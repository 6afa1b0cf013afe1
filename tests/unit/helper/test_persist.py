# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule file: only the template, whatever hardware or a text editor put in its way."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from tests.unit.helper.fake import add_disk, places

from disktuner_helper.contract import Places
from disktuner_helper.errors import NoSuchDisk, NotUnique, WriteFailed
from disktuner_helper.persist import Persistent

LINE = re.compile(
    r'ACTION=="add\|change", SUBSYSTEM=="block", ENV\{DEVTYPE\}=="disk", ENV\{(ID_WWN|ID_SERIAL|ID_PATH)\}=='
    r'"[A-Za-z0-9_.:-]+", TEST!="/run/disktuner/hold/%M:%m", '
    r'ATTR\{queue/(scheduler|nomerges|iosched/[a-z_]+)\}="[a-z0-9-]+"'
)


@pytest.fixture
def at(tmp_path: Path) -> Places:
    return places(tmp_path)


def test_one_block_per_disk_by_the_best_identity(at: Places) -> None:
    add_disk(at, "sda", 0, {"ID_WWN": "0x5000c500a1b2c3d4", "ID_SERIAL": "Disk_1", "ID_MODEL": "Big_Disk"})
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Disk_2222"})
    add_disk(at, "sdc", 2, {"ID_PATH": "pci-0000:00:1f.2-ata-1.0"})
    persistent = Persistent(at)
    for name, key in (("sda", "ID_WWN"), ("sdb", "ID_SERIAL"), ("sdc", "ID_PATH")):
        choice = persistent.choose(name, "bfq", {"queue/nomerges": 1, "iosched/low_latency": 0})
        assert choice.identity.key == key
        persistent.write(choice)
        persistent.write(choice)
    assert [one.disk for one in persistent.choices] == ["sda", "sdb", "sdc"]
    lines = [line for line in persistent.file.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 9 and all(LINE.fullmatch(line) for line in lines)
    assert ["scheduler" in line for line in lines] == [True, False, False] * 3
    assert persistent.file.stat().st_mode & 0o7777 == 0o644
    assert persistent.unreadable == ()
    assert [one.disk for one in persistent.forget("sdb")] == ["sdb"]
    assert len(persistent.forget_all()) == 2
    assert list(at.rules.iterdir()) == [] and list(at.lib.iterdir()) == []


def test_a_shared_serial_is_not_trusted(at: Places) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Same_1234", "ID_PATH": "pci-1"})
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Same_1234", "ID_PATH": "pci-2"})
    assert Persistent(at).choose("sda", "bfq", {}).identity.key == "ID_PATH"
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Same_1234", "ID_PATH": "pci-1"})
    with pytest.raises(NotUnique):
        Persistent(at).choose("sda", "bfq", {})


@pytest.mark.parametrize("serial", ["0000000000", "0xdeadbeef", "0123456789ABCDEF", "12", "", "x" * 129])
def test_a_placeholder_is_not_trusted(at: Places, serial: str) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Bridge_" + serial, "ID_SERIAL_SHORT": serial})
    with pytest.raises(NotUnique):
        Persistent(at).choose("sda", "bfq", {})


def test_a_thousand_hostile_strings_never_leave_the_template(at: Places) -> None:
    chance = random.Random(7)
    alphabet = "aZ09_.:-\"'\\*?[]|{}$%#=,;\t /+!ü€\udc80"
    refused = 0
    for _ in range(1000):
        texts = ["".join(chance.choices(alphabet, k=chance.choice([3, 9, 40]))) for _ in range(4)]
        keys = ("ID_WWN", "ID_SERIAL", "ID_SERIAL_SHORT", "ID_MODEL")
        add_disk(at, "sda", 0, dict(zip(keys, texts, strict=True)))
        persistent = Persistent(at)
        try:
            persistent.write(persistent.choose("sda", "bfq", {"iosched/low_latency": 0}))
        except NotUnique:
            refused += 1
            continue
        body = persistent.file.read_text("ascii").splitlines()
        rules = [line for line in body if not line.startswith("#")]
        assert rules and all(LINE.fullmatch(line) for line in rules)
        assert len(persistent.choices) == 1
        persistent.forget_all()
    assert 900 < refused < 1000 or refused == 1000


def test_what_somebody_else_wrote_stays(at: Places) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    persistent.write(persistent.choose("sda", "bfq", {}))
    mine = persistent.file.read_bytes()
    foreign = b'KERNEL=="sdz", ATTR{queue/scheduler}="none" # \xff\r\n'
    persistent.file.write_bytes(mine + foreign)
    assert persistent.unreadable == (mine.count(b"\n") + 1,)
    persistent.write(persistent.choose("sda", "none", {}))
    assert foreign in persistent.file.read_bytes()
    persistent.forget("sda")
    assert persistent.file.read_bytes().endswith(foreign)
    assert persistent.forget("sda") == []


def test_a_block_edited_by_hand_is_somebodys_own(at: Places) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    persistent.write(persistent.choose("sda", "bfq", {}))
    whole = persistent.file.read_text()
    for old, new in (
        ('"bfq"', '"BFQ"'),
        ("queue/scheduler", "queue/rotational"),
        ("ID_SERIAL", "ID_MODEL"),
        ("%M", "%N"),
    ):
        persistent.file.write_text(whole.replace(old, new))
        assert persistent.choices == () and persistent.unreadable
        assert persistent.forget_all() == []
    tuned = whole.replace(
        "# disktuner: end", whole.splitlines()[4].replace('scheduler}="bfq"', 'nomerges}="9"') + "\n# disktuner: end"
    )
    persistent.file.write_text(tuned)
    assert persistent.choices == ()


def test_an_unfinished_line_is_not_continued(at: Places) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    persistent.file.write_text('KERNEL=="x", \\')
    with pytest.raises(WriteFailed, match="unfinished"):
        persistent.write(persistent.choose("sda", "bfq", {}))
    persistent.file.write_text('KERNEL=="x"')
    persistent.write(persistent.choose("sda", "bfq", {}))
    assert persistent.file.read_text().startswith('KERNEL=="x"\n# disktuner: begin')


def test_links_and_devices_are_not_followed(at: Places, tmp_path: Path) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    target = tmp_path / "target"
    target.write_text("precious")
    persistent = Persistent(at)
    persistent.file.symlink_to(target)
    with pytest.raises(WriteFailed):
        persistent.write(persistent.choose("sda", "bfq", {}))
    persistent.file.unlink()
    persistent.file.mkdir()
    with pytest.raises(WriteFailed):
        _ = persistent.choices
    assert target.read_text() == "precious"


def test_disks_that_are_gone_can_be_forgotten(at: Places) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    persistent.write(persistent.choose("sda", "bfq", {}))
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_2222"})
    assert len(persistent.forget("sda")) == 1
    with pytest.raises(NoSuchDisk):
        persistent.forget("sdq")
