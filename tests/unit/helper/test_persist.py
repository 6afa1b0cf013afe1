# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule file: only the template, whatever hardware or a text editor put in its way."""

from __future__ import annotations

import errno
import random
import re
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.unit.helper.fake import FILE, RULES, add_disk, make_root

from disktuner_helper import audit, files
from disktuner_helper.errors import NoSuchDisk, NotUnique, WriteFailed
from disktuner_helper.persist import Persistent, tell_udev
from disktuner_helper.queue import Setting

LINE = re.compile(
    r'ACTION=="add\|change", SUBSYSTEM=="block", ENV\{DEVTYPE\}=="disk", ENV\{(ID_WWN|ID_SERIAL|ID_PATH)\}=='
    r'"[A-Za-z0-9_.:-]+", TEST!="/run/disktuner/hold/%M:%m-\$env\{DISKSEQ\}", '
    r'TEST!="/run/disktuner/hold/%M:%m-\$env\{DISKSEQ\}-until-restart", '
    r'ATTR\{(queue/(scheduler|nomerges|iosched/[a-z_]+)|bdi/[a-z_]+)\}="[a-z0-9-]+"'
)


@pytest.fixture
def at(tmp_path: Path) -> Path:
    return make_root(tmp_path)


def test_one_block_per_disk_by_the_best_identity(at: Path) -> None:
    add_disk(at, "sda", 0, {"ID_WWN": "0x5000c500a1b2c3d4", "ID_SERIAL": "Disk_1", "ID_MODEL": "Big_Disk"})
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Disk_2222"})
    add_disk(at, "sdc", 2, {"ID_PATH": "pci-0000:00:1f.2-ata-1.0"})
    persistent = Persistent(at)
    for name, key in (("sda", "ID_WWN"), ("sdb", "ID_SERIAL"), ("sdc", "ID_PATH")):
        tunables = {"queue/nomerges": 1, "bdi/max_bytes": 1 << 24, "iosched/low_latency": 0}
        choice = persistent.choose(name, Setting("bfq", tunables))
        assert choice.key == key
        for _ in range(2):
            persistent.write([choice])
    assert [one.disk for one in persistent.read()] == ["sda", "sdb", "sdc"]
    assert all(one.tunables == tunables for one in persistent.read())
    lines = [line for line in (at / FILE).read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) == 12 and all(LINE.fullmatch(line) for line in lines)
    assert ["scheduler" in line for line in lines] == [True, False, False, False] * 3
    assert (at / FILE).stat().st_mode & 0o7777 == 0o644
    assert [one.disk for one in persistent.forget(["sdb"])] == ["sdb"]
    assert len(persistent.forget([])) == 2
    assert list((at / RULES).iterdir()) == []


def test_what_others_have_and_what_stands_for_nothing_is_not_trusted(at: Path) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Same_1234", "ID_PATH": "pci-1"})
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Same_1234", "ID_PATH": "pci-2"})
    assert Persistent(at).choose("sda", Setting("bfq", {})).key == "ID_PATH"
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Same_1234", "ID_PATH": "pci-1"})
    with pytest.raises(NotUnique):
        Persistent(at).choose("sda", Setting("bfq", {}))
    for serial in ("0000000000", "0xdeadbeef", "0123456789ABCDEF", "12", "", "x" * 129):
        add_disk(at, "sda", 0, {"ID_SERIAL": "Bridge_" + serial, "ID_SERIAL_SHORT": serial})
        with pytest.raises(NotUnique):
            Persistent(at).choose("sda", Setting("bfq", {}))


def test_hostile_strings_never_leave_the_template(at: Path) -> None:
    chance = random.Random(7)
    harmless = "aZ09_.:-"
    alphabet = harmless + "\"'\\*?[]|{}$%#=,;\t /+!ü€\udc80"
    refused, persistent = 0, Persistent(at)
    for _ in range(150):
        letters = chance.choice([harmless, alphabet])
        texts = ["".join(chance.choices(letters, k=chance.choice([3, 9, 40]))) for _ in range(4)]
        keys = ("ID_WWN", "ID_SERIAL", "ID_SERIAL_SHORT", "ID_MODEL")
        add_disk(at, "sda", 0, dict(zip(keys, texts, strict=True)))
        try:
            choice = persistent.choose("sda", Setting("bfq", {"iosched/low_latency": 0}))
        except NotUnique:
            refused += 1
            continue
        rules = [line for line in str(choice).splitlines() if not line.startswith("#")]
        assert len(rules) == 2 and all(LINE.fullmatch(line) for line in rules)
        assert str(choice).isascii() and str(choice).count("\n") == 5
    assert 0 < refused < 150


def test_what_somebody_else_wrote_stays(at: Path) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    persistent.write([persistent.choose("sda", Setting("bfq", {}))])
    foreign = b'KERNEL=="sdz", ATTR{queue/scheduler}="none" # \xff\r\n'
    (at / FILE).write_bytes((at / FILE).read_bytes() + foreign)
    persistent.write([persistent.choose("sda", Setting("none", {}))])
    assert foreign in (at / FILE).read_bytes()
    persistent.forget(["sda"])
    assert (at / FILE).read_bytes().endswith(foreign)
    assert persistent.forget(["sda"]) == []


def test_a_block_is_ours_by_its_keys_and_values_whatever_its_comment_says(at: Path) -> None:
    for number, name in enumerate(("sda", "sdb")):
        add_disk(at, name, number, {"ID_SERIAL": f"Disk_{name}_1"})
    persistent = Persistent(at)
    tunables = {"queue/nomerges": 1, "iosched/low_latency": 0}
    persistent.write([persistent.choose("sda", Setting("bfq", tunables))])
    ours = (at / FILE).read_text()
    whose = next(line for line in ours.splitlines() if "known by" in line)
    for reworded in (
        ours.replace(whose, "# Meine große Platte; nicht anfassen!"),
        ours.replace(whose + "\n", ""),
        ours.replace(whose, f"{whose}\n\n# and a word of mine"),
        ours.replace(", ", " ,  "),
    ):
        (at / FILE).write_text(reworded)
        (choice,) = persistent.read()
        assert (choice.value, choice.scheduler, choice.tunables) == ("Disk_sda_1", "bfq", tunables)
        persistent.write([persistent.choose("sdb", Setting("none", {}))])
        assert (at / FILE).read_text().startswith(reworded), "what nobody chose anew stays as it was written"
        assert len(persistent.forget(["sda"])) == len(persistent.forget(["sdb"])) == 1
    for foreign in (
        ours.replace('"bfq"', '"BFQ"'),
        ours.replace("queue/scheduler", "queue/rotational"),
        ours.replace("ID_SERIAL", "ID_MODEL"),
        ours.replace("%M", "%N"),
        ours.replace('nomerges}="1"', 'nomerges}="9"'),
        ours.replace("# disktuner: end", 'KERNEL=="sda", RUN+="/bin/true"\n# disktuner: end'),
    ):
        (at / FILE).write_text(foreign)
        assert persistent.read() == persistent.forget([]) == []
        assert (at / FILE).read_text() == foreign


def test_several_disks_are_written_and_forgotten_together_or_not_at_all(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("sda", "sdb")):
        add_disk(at, name, number, {"ID_SERIAL": f"Disk_{name}_1"})
    persistent, wish = Persistent(at), Setting("bfq", {})
    persistent.write([persistent.choose(name, wish) for name in ("sda", "sdb")])
    whole = (at / FILE).read_text()
    with pytest.raises(NoSuchDisk):
        persistent.forget(["sda", "sdq"])
    monkeypatch.setattr(files, "_sync", refuse)  # the new file has its name already
    for work in (lambda: persistent.forget(["sda"]), lambda: persistent.write([persistent.choose("sda", wish)])):
        with pytest.raises(WriteFailed):
            work()
        assert (at / FILE).read_text() == whole
    monkeypatch.undo()
    assert len(persistent.forget(["sda", "sdb"])) == 2 and not (at / FILE).exists()


def refuse(_: object) -> None:
    raise OSError(errno.EIO, "no")


def test_links_devices_and_huge_files_are_not_read(at: Path, tmp_path: Path) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    target = tmp_path / "target"
    target.write_text("precious")
    persistent = Persistent(at)
    (at / FILE).symlink_to(target)
    with pytest.raises(WriteFailed):
        persistent.write([persistent.choose("sda", Setting("bfq", {}))])
    (at / FILE).unlink()
    (at / FILE).mkdir()
    with pytest.raises(WriteFailed):
        _ = persistent.read()
    (at / FILE).rmdir()
    for size, refused in ((2**20, False), (2**20 + 1, True)):
        (at / FILE).write_bytes(b"#" * size)
        with pytest.raises(WriteFailed) if refused else nullcontext():
            _ = persistent.read()
    assert target.read_text() == "precious"


def test_disks_that_are_gone_can_be_forgotten(at: Path) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    persistent.write([persistent.choose("sda", Setting("bfq", {}))])
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_2222"})
    assert len(persistent.forget(["sda"])) == 1
    with pytest.raises(NoSuchDisk):
        persistent.forget(["sdq"])


FAILURES = (None, OSError(), subprocess.CalledProcessError(1, ""), subprocess.TimeoutExpired("", 1))


def test_udev_is_told_where_it_runs(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[list[str]] = []
    logged: list[str] = []
    monkeypatch.setattr(audit, "write", logged.append)
    reload = ["/usr/bin/udevadm", "control", "--reload", "--timeout=5"]
    trigger = ["/usr/bin/udevadm", "trigger", "--action=change", "/sys/block/sda"]
    settle = ["/usr/bin/udevadm", "settle", "--timeout=8"]
    for failing in FAILURES:

        def run(command: list[str], failing: Exception | None = failing, **_: object) -> None:
            told.append(command)
            if failing:
                raise failing

        monkeypatch.setattr(subprocess, "run", run)
        tell_udev(at, "sda")
        assert told == logged == []
        (at / "run/udev/control").touch()
        tell_udev(at, "sda")
        tell_udev(at)
        assert told == ([reload, reload] if failing else [reload, trigger, settle, reload])
        assert logged == (["udev did not take the new rules; they hold from the next start."] * 2 if failing else [])
        told.clear()
        logged.clear()
        (at / "run/udev/control").unlink()
