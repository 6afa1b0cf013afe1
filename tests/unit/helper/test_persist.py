# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule files: only the template, whatever hardware or a text editor wrote."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import re
import subprocess
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.helper.fake import RULES, add_disk, make_root, rule_of

from disktuner_helper import audit, files
from disktuner_helper.errors import NoSuchDisk, NotUnique, WriteFailed
from disktuner_helper.identity import KEYS
from disktuner_helper.persist import Persistent, PersistentRule, name_of, tell_udev
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


def keep(persistent: Persistent, scheduler: str, *disks: str, tunables: Mapping[str, int] | None = None) -> None:
    with persistent.keeping([persistent.choose(disk, Setting(scheduler, tunables or {})) for disk in disks]):
        pass


def chosen(persistent: Persistent) -> list[PersistentRule]:
    return list(persistent.read()[0].values())


def files_at(root: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (root / RULES).iterdir()}


def test_one_file_per_disk_by_the_best_identity(at: Path) -> None:
    add_disk(at, "sda", 0, {"ID_WWN": "0x5000c500a1b2c3d4", "ID_SERIAL": "Disk_1", "ID_MODEL": "Big_Disk"})
    add_disk(at, "sdb", 1, {"ID_SERIAL": "Disk_2222"})
    add_disk(at, "sdc", 2, {"ID_PATH": "pci-0000:00:1f.2-ata-1.0"})
    persistent, tunables = Persistent(at), {"queue/nomerges": 1, "bdi/max_bytes": 1 << 24, "iosched/low_latency": 0}
    for _ in range(2):
        keep(persistent, "bfq", "sda", "sdb", "sdc", tunables=tunables)
    assert {(rule.disk, rule.key) for rule in chosen(persistent)} == {
        ("sda", "ID_WWN"), ("sdb", "ID_SERIAL"), ("sdc", "ID_PATH")}  # fmt: skip
    assert all(rule.tunables == tunables for rule in chosen(persistent))
    by_path = rule_of(at, "ID_PATH", "pci-0000:00:1f.2-ata-1.0")
    paths = [rule_of(at, "ID_WWN", "0x5000c500a1b2c3d4"), rule_of(at, "ID_SERIAL", "Disk_2222"), by_path]
    assert files_at(at).keys() == {path.name for path in paths}
    for path in paths:
        first, *lines, last = path.read_text().splitlines()
        data, rules = json.loads(first.removeprefix("# ")), [line for line in lines if not line.startswith("#")]
        assert (data["scheduler"], data["tunables"], data["disk"]) == ("bfq", tunables, f"sd{'abc'[paths.index(path)]}")
        assert len(rules) == 4 and all(LINE.fullmatch(line) for line in rules)
        assert ["scheduler" in line for line in rules] == [True, False, False, False]
        above = path.read_bytes().removesuffix(f"{last}\n".encode())
        assert last == f"# sha256 of all above: {hashlib.sha256(above).hexdigest()}"
        assert path.stat().st_mode & 0o7777 == 0o644
    assert [rule.disk for rule in persistent.forget(["sdb"])] == ["sdb"]
    assert len(persistent.forget([])) == 2
    assert files_at(at) == {}


def test_a_better_identity_takes_the_place_of_the_one_before(at: Path) -> None:
    """A disk has one choice, whatever udev knew of it when the choice was made."""
    add_disk(at, "sda", 0, {"ID_PATH": "pci-1"})
    persistent = Persistent(at)
    keep(persistent, "bfq", "sda")
    add_disk(at, "sda", 0, {"ID_PATH": "pci-1", "ID_SERIAL": "Disk_1111"})
    keep(persistent, "kyber", "sda")
    assert files_at(at).keys() == {rule_of(at, "ID_SERIAL", "Disk_1111").name}


HOSTILE = [
    "", "../../passwd", "/etc/passwd", "a b", "a\nb", "a\0b", "x" * 129, "x" * 300, "ü", "\udc80", "a\"b", "a*",
    "a%b", "a$b", "a\\", "a=b", "a|b", "~", "#a",
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE)
def test_no_file_has_a_name_that_a_disk_made_up(value: str, at: Path) -> None:
    """Nor is anything chosen for such a disk; it is refused when used as well as when read."""
    with pytest.raises(ValueError):
        name_of("ID_SERIAL", value)
    with (
        pytest.raises(ValueError),
        Persistent(at).keeping([PersistentRule("bfq", {}, "ID_SERIAL", value, "sda", "", "")]),
    ):
        raise AssertionError
    add_disk(at, "sda", 0, {"ID_SERIAL": value and f"Disk_1111{value}".replace("\n", "/")})
    persistent = Persistent(at)
    with pytest.raises(NotUnique):
        persistent.choose("sda", Setting("bfq", {}))
    assert persistent.forget(["sda"]) == [] and files_at(at) == {}


def test_names_of_files_are_harmless_and_no_two_identities_share_one() -> None:
    chance, names = random.Random(7), dict[str, tuple[str, str]]()
    values = [".", "..", "...", ".rules", "-", "--", "ID_WWN-x", "WWN-ID_SERIAL-x", "a.rules", "A.rules", "x" * 128]
    values += ["".join(chance.choices("aA0_.:-", k=chance.choice((1, 2, 9)))) for _ in range(300)]
    for pair in product(KEYS, values):
        name = name_of(*pair)
        assert re.fullmatch(r"90-disktuner-[A-Za-z0-9_.:-]+\.rules", name) and len(name) <= 160
        assert names.setdefault(name, pair) == pair


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


def swapped(path: Path, target: Path) -> None:
    path.rename(target)
    path.symlink_to(target)


def appended(path: Path, text: str) -> None:
    path.write_bytes(path.read_bytes() + text.encode("utf-8", "surrogateescape"))


def replaced(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def resealed(path: Path, data: str) -> None:
    """Return the file with other data and a valid digest."""
    above = f"# {data}\n" + path.read_text().partition("\n")[2].rpartition("# sha256")[0]
    path.write_text(f"{above}# sha256 of all above: {hashlib.sha256(above.encode()).hexdigest()}\n")


CHANGED: dict[str, Callable[[Path], object]] = {
    "a line below": lambda path: appended(path, 'KERNEL=="sda", RUN+="/bin/true"\n'),
    "bytes below": lambda path: appended(path, "# \udcff\r\n"),
    "another value": lambda path: replaced(path, '"bfq"\n', '"kyber"\n'),
    "another condition": lambda path: replaced(path, "%M", "%N"),
    "a space": lambda path: replaced(path, ", ", " , "),
    "a note reworded": lambda path: replaced(path, "# Written", "# Mine. Written"),
    "data": lambda path: replaced(path, '"scheduler": "bfq"', '"scheduler": "none"'),
    "no data": lambda path: path.write_text('KERNEL=="sda", ATTR{queue/scheduler}="bfq"\n'),
    "empty": lambda path: path.write_text(""),
    "cut": lambda path: path.write_text(path.read_text()[:-9]),
    "another disk's": lambda path: path.write_text(path.read_text().replace("Disk_1111", "Disk_2222")),
    "a link": lambda path: swapped(path, path.with_name("aside")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "too large": lambda path: path.write_bytes(b"#" * (2**20 + 1)),
    **{f"no choice: {data[:20]}": lambda path, data=data: resealed(path, data) for data in (  # type: ignore[misc]
        "[]", "{}", "7", "{", '{"scheduler": "bfq", "tunables": {}, "key": "ID_SERIAL", "value": 1, "disk": "sda", '
        '"title": "", "since": ""}', "[" * 9999)},
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGED)
def test_what_somebody_changed_is_neither_overwritten_nor_removed(change: str, at: Path) -> None:
    """It is reported instead, and it does not affect other disks."""
    for number, name in enumerate(("sda", "sdb")):
        add_disk(at, name, number, {"ID_SERIAL": f"Disk_{number + 1}111"})
    persistent, path = Persistent(at), rule_of(at, "ID_SERIAL", "Disk_1111")
    keep(persistent, "bfq", "sda")
    CHANGED[change](path)
    before = path.lstat()
    ours, foreign = persistent.read()
    assert ours == {} and foreign.keys() == {path} and str(path) in str(foreign[path])
    keep(persistent, "none", "sdb")
    for work in (lambda: keep(persistent, "bfq", "sda"), lambda: keep(persistent, "bfq", "sdb", "sda"),
                 lambda: persistent.forget(["sda"]), lambda: persistent.forget(["sdb", "sda"])):  # fmt: skip
        with pytest.raises(WriteFailed, match=re.escape(str(path))):
            work()
        assert [rule.scheduler for rule in chosen(persistent)] == ["none"]
    assert [rule.disk for rule in persistent.forget([])] == ["sdb"]
    with pytest.raises(WriteFailed, match=re.escape(str(path))):
        persistent.forget([])
    after = path.lstat()
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)


def test_a_file_of_somebody_elses_is_not_ours(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    keep(persistent, "bfq", "sda")
    rule, real = rule_of(at, "ID_SERIAL", "Disk_1111").stat(), os.fstat
    theirs = SimpleNamespace(st_uid=rule.st_uid + 1, st_mode=rule.st_mode, st_size=rule.st_size)
    monkeypatch.setattr(os, "fstat", lambda file: theirs if real(file).st_ino == rule.st_ino else real(file))
    assert chosen(persistent) == []
    with pytest.raises(WriteFailed):
        persistent.forget(["sda"])


def test_what_older_versions_left_is_named_and_left(at: Path) -> None:
    """One file for all disks; it stops nobody from choosing."""
    old = at / RULES / "90-disktuner.rules"
    old.write_text("# Written by Disktuner, a block per disk\n")
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    keep(persistent, "bfq", "sda")
    ours, foreign = persistent.read()
    assert [rule.disk for rule in ours.values()] == ["sda"] and foreign.keys() == {old}
    persistent.forget([])
    with pytest.raises(WriteFailed, match=re.escape(str(old))):
        persistent.forget([])
    assert files_at(at).keys() == {old.name}


@pytest.fixture
def three(at: Path) -> Persistent:
    """The choices for two disks of three; the first now has a better identity."""
    add_disk(at, "sda", 0, {"ID_PATH": "pci-1"})
    for number, name in enumerate(("sdb", "sdc"), 1):
        add_disk(at, name, number, {"ID_SERIAL": f"Disk_{name}_1"})
    persistent = Persistent(at)
    keep(persistent, "bfq", "sda", "sdb")
    add_disk(at, "sda", 0, {"ID_PATH": "pci-1", "ID_SERIAL": "Disk_sda_1"})
    return persistent


@pytest.mark.parametrize("fails_at", range(1, 6))
@pytest.mark.parametrize(("method", "steps"), [("keep", 4), ("forget", 2)])
def test_several_disks_are_written_and_forgotten_together_or_not_at_all(
    method: str, steps: int, fails_at: int, at: Path, three: Persistent, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, step, sync = files_at(at), iter(range(1, 99)), files._sync

    def fail(folder: Path) -> None:
        if next(step) == fails_at:  # the new file has its name already, or the old one is gone
            raise OSError(errno.ENOSPC, "no")
        sync(folder)

    monkeypatch.setattr(files, "_sync", fail)
    with nullcontext() if fails_at > steps else pytest.raises(WriteFailed):
        keep(three, "none", "sda", "sdb", "sdc") if method == "keep" else three.forget([])
    assert (files_at(at) == whole) == (fails_at <= steps)
    assert not any(name.startswith(".") for name in files_at(at))


def test_what_fails_when_all_is_written_leaves_nothing_of_it(at: Path, three: Persistent) -> None:
    whole = files_at(at)
    with pytest.raises(NoSuchDisk):
        three.forget(["sda", "sdq"])
    choices = [three.choose(disk, Setting("none", {})) for disk in ("sda", "sdb", "sdc")]
    with pytest.raises(WriteFailed, match="later"), three.keeping(choices):
        assert len(files_at(at)) == 3 and files_at(at) != whole
        raise WriteFailed("later")
    assert files_at(at) == whole


def test_disks_that_are_gone_can_be_forgotten(at: Path) -> None:
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_1111"})
    persistent = Persistent(at)
    keep(persistent, "bfq", "sda")
    add_disk(at, "sda", 0, {"ID_SERIAL": "Disk_2222"})
    assert len(persistent.forget(["sda"])) == 1
    with pytest.raises(NoSuchDisk):
        persistent.forget(["sdq"])


def test_an_absent_disk_keeps_its_choice_when_that_of_the_next_with_its_name_is_forgotten(at: Path) -> None:
    persistent = Persistent(at)
    for value, scheduler in (("Disk_1111", "bfq"), ("Disk_2222", "none")):
        add_disk(at, "sda", 0, {"ID_SERIAL": value})
        keep(persistent, scheduler, "sda")
    for value in ("Disk_2222", "Disk_1111"):
        assert [rule.value for rule in persistent.forget(["sda"])] == [value]


FAILURES = (None, OSError(), subprocess.CalledProcessError(1, ""), subprocess.TimeoutExpired("", 1))


def test_udev_is_told_where_it_runs(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    logged: list[str] = []
    monkeypatch.setattr(audit, "write", logged.append)
    reload = ["/usr/bin/udevadm", "control", "--reload", "--timeout=5"]
    trigger = ["/usr/bin/udevadm", "trigger", "--action=change", "/sys/block/sda"]
    settle = ["/usr/bin/udevadm", "settle", "--timeout=8"]
    for failing in FAILURES:

        def run(command: list[str], failing: Exception | None = failing, **_: object) -> None:
            commands.append(command)
            if failing:
                raise failing

        monkeypatch.setattr(subprocess, "run", run)
        tell_udev(at, "sda")
        assert commands == logged == []
        (at / "run/udev/control").touch()
        tell_udev(at, "sda")
        tell_udev(at)
        assert commands == ([reload, reload] if failing else [reload, trigger, settle, reload])
        assert logged == (["udev did not take the new rules; they hold from the next start."] * 2 if failing else [])
        commands.clear()
        logged.clear()
        (at / "run/udev/control").unlink()
