# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read on a made-up machine, and what of that is stored on the disk."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from itertools import repeat
from mmap import PAGESIZE
from pathlib import Path

import pytest
from tests.unit.watch.planted import QUIET, STARTED, Machine, writes

from disktuner.block.sysfs import Tree
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing
from disktuner.writing import NotSaved
from disktuner_watch import incidents as kept
from disktuner_watch.incidents import Incident, Incidents, choose_second, chosen_second
from disktuner_watch.kernel_log import told_of_disks
from disktuner_watch.machine import about_disks
from disktuner_watch.reading import Reader
from disktuner_watch.samples import Program, Stat

UID = 1000
PRESSURE = "some avg10=1.00 avg60=0.00 avg300=0.00 total=999\nfull avg10=0.00 avg60=0.00 avg300=0.00 total={}\n"


def plant(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def process(root: Path, pid: int, name: str, state: str, read: int, written: int, parent: int = 1) -> None:
    calls = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\n"
    plant(root, f"proc/{pid}/io", f"{calls}read_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 0\n")
    plant(root, f"proc/{pid}/stat", f"{pid} ({name}) {state} {parent} 7 7 0 -1")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for kind, total in (("io", 5_000_000), ("memory", 7)):
        plant(tmp_path, f"proc/pressure/{kind}", PRESSURE.format(total))
    plant(tmp_path, "proc/vmstat", "nr_dirty 10\nnr_writeback 5\npswpin 2\npswpout 3\n")
    plant(tmp_path, "sys/block/sda/stat", " 10 1 200 30 20 2 400 60 3 70 90 0 0 0 0\n")
    plant(tmp_path, "sys/block/loop0/stat", " 0 0 0 0 0 0 0 0 0 0 0\n")
    return tmp_path


def test_a_sample_is_what_the_kernel_counted(root: Path) -> None:
    sample = Reader(Tree(root), UID).read(1.0)
    assert (sample.stalled_us, sample.memory_us) == (5_000_000, 7)
    assert (sample.waiting_bytes, sample.swapped_bytes) == (15 * PAGESIZE, 5 * PAGESIZE)
    assert sample.disks == {"sda": Stat(10, 200 * 512, 20, 400 * 512, 3, 70)}, "unused ones are left out"


def test_idle_time_that_the_kernel_counts_as_busy_saturates_no_disk(root: Path) -> None:
    """If two processors start requests at once after the disk was idle; these took 20 ms."""
    reader, place = Reader(Tree(root), UID), "sys/block/sda/stat"
    samples = []
    for text in (
        "1589 1 14352 128 1965 2721 45228 229 0 148 443",
        "1844 1 16392 135 2290 3172 51392 242 0 8760 463",
        "1844 1 16392 135 2290 3172 51392 242 1 8760 463",
        "1845 1 16400 1135 2290 3172 51392 242 0 9760 1463",
    ):
        plant(root, place, text)
        samples.append(reader.read(float(len(samples))))
    assert [sample.disks["sda"].busy_ms for sample in samples] == [148, 168, 168, 1168]


def test_pressure_is_that_of_the_users_own_programs_where_it_is_counted(root: Path) -> None:
    for kind in ("io", "memory"):
        plant(root, f"sys/fs/cgroup/user.slice/user-{UID}.slice/{kind}.pressure", PRESSURE.format(42))
    assert Reader(Tree(root), UID).read(1.0).stalled_us == 42


def test_a_kernel_without_pressure_is_told(root: Path) -> None:
    (root / "proc/pressure/io").unlink()
    with pytest.raises(MeasurementImpossible) as refused:
        Reader(Tree(root), UID).read(1.0)
    assert refused.value.message.id == "no-pressure"


def test_programs_are_added_up_by_name_and_said_to_be_held_up(root: Path) -> None:
    reader = Reader(Tree(root), UID)
    process(root, 10, "rsync", "D", 100, 1000)
    process(root, 12, "odd (name", "S", 7, 0)
    process(root, 13, "kworker", "D", 7, 0, parent=2)
    assert reader.look() == (Program("rsync", 0, 0, held_up=True),), "what they did before is not known"
    process(root, 10, "rsync", "S", 150, 3000)
    process(root, 11, "rsync", "D", 1, 500)
    process(root, 12, "odd (name", "S", 9, 0)
    assert set(reader.look()) == {Program("rsync", 51, 2500, held_up=True), Program("odd (name", 2, 0)}


def test_what_a_child_did_is_not_counted_again_when_its_parent_inherits_it(root: Path) -> None:
    reader = Reader(Tree(root), UID)
    process(root, 10, "bash", "S", 0, 50)
    reader.look()
    process(root, 11, "make", "S", 0, 0, parent=10)
    process(root, 12, "dd", "D", 0, 1000, parent=11)
    assert reader.look() == (Program("dd", 0, 1000, held_up=True),)
    for pid in (11, 12):
        for name in ("io", "stat"):
            (root / f"proc/{pid}/{name}").unlink()
    process(root, 10, "bash", "S", 0, 1057)
    assert reader.look() == (Program("bash", 0, 7),)


def test_services_are_seen_where_control_groups_count_them(root: Path) -> None:
    reader = Reader(Tree(root), UID)
    place = "sys/fs/cgroup/system.slice/backup.service/io.stat"
    plant(root, place, "8:0 rbytes=5 wbytes=7 rios=1 wios=1\n")
    reader.look()
    plant(root, place, "8:0 rbytes=5 wbytes=9 rios=1 wios=1\n8:16 rbytes=0 wbytes=100 rios=0 wios=1\n")
    assert reader.look() == (Program("backup", 0, 102),)


def test_the_disk_of_the_users_files_is_known(root: Path) -> None:
    plant(root, "sys/block/sda/dev", "8:0\n")
    plant(root, "sys/block/sda/device/model", "WD Blue\n")
    plant(root, "sys/block/sda/queue/scheduler", "none [bfq]\n")
    plant(root, "proc/self/mountinfo", "1 0 8:0 / /home rw - ext4 /dev/sda rw\n")
    about = about_disks(Tree(root), ["sda", "loop0"], Path("/home/a"))
    assert (about["sda"].model, about["sda"].scheduler, about["sda"].holds) == ("WD Blue", "bfq", "/home")
    assert about["loop0"].holds == ""


@pytest.fixture
def incident() -> Incident:
    machine = Machine()
    machine.play(repeat(QUIET, 5))
    machine.play(writes(random.Random(1)))
    machine.play(repeat(QUIET, 70))
    return machine.kept[0]


def test_an_incident_is_kept_for_this_user_alone_and_read_again(incident: Incident, tmp_path: Path) -> None:
    incidents = Incidents(tmp_path / "incidents")
    assert incidents.all() == []
    incidents.save(incident)
    assert incidents.all() == [incident]
    file = incidents.folder / f"{incident.id}.json"
    assert (incidents.folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    assert list(incidents.folder.iterdir()) == [file]
    incidents.remove(incident.id)
    assert incidents.all() == []


def test_only_the_newest_stay(incident: Incident, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    incidents = Incidents(tmp_path)
    for minute in range(3):
        begun = (STARTED + timedelta(minutes=minute)).isoformat()
        incidents.save(Incident(begun, incident.begun_s, incident.ended_s, False, incident.disks, incident.samples))
    assert incidents.ids() == ["20261127-140200", "20261127-140100"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda document: document[: len(document) // 2],
        lambda _: "{}",
        lambda document: json.dumps({**json.loads(document), "samples": []}),
        lambda document: json.dumps({**json.loads(document), "started": "soon"}),
        lambda document: json.dumps({**json.loads(document), "format": "disktuner.incident/9"}),
    ],
)
def test_what_is_no_incident_is_refused(damage: object, incident: Incident, tmp_path: Path) -> None:
    incidents = Incidents(tmp_path)
    incidents.save(incident)
    file = tmp_path / f"{incident.id}.json"
    file.write_text(damage(file.read_text()))  # type: ignore[operator]
    with pytest.raises(NoSuchThing):
        incidents.load(incident.id)
    assert incidents.all() == []
    with pytest.raises(NoSuchThing):
        incidents.load("../../etc/passwd")


def test_what_its_disk_does_not_take_stays_in_memory_and_goes_to_the_second_folder(
    incident: Incident, tmp_path: Path
) -> None:
    memory, second = tmp_path / "memory", tmp_path / "stick"
    (tmp_path / "disk").touch()  # no folder can be made there
    incidents = Incidents(tmp_path / "disk", memory, lambda _: second)
    incidents.hold(incident)
    with pytest.raises(NotSaved):
        incidents.save(incident)
    assert incidents.all() == [incident] and (memory / f"{incident.id}.json").stat().st_mode & 0o777 == 0o600
    incidents.rescue(incident)
    (memory / f"{incident.id}.json").unlink()
    assert incidents.all() == [incident], "after a restart the second folder has it"
    (tmp_path / "disk").unlink()
    incidents.complete()
    assert Incidents(tmp_path / "disk").all() == [incident], "the next recorder takes it over"
    incidents.remove(incident.id)
    assert incidents.all() == [] and not second.exists()


def test_of_many_that_a_dead_disk_does_not_take_the_first_ones_and_the_newest_stay(
    incident: Incident, tmp_path: Path
) -> None:
    incidents = Incidents(tmp_path / "disk", tmp_path / "memory")
    many = [replace(incident, started=(STARTED + timedelta(minutes=number)).isoformat()) for number in range(60)]
    for kept_one in many:
        incidents.hold(kept_one, is_over=False)
        incidents.hold(kept_one)
    assert incidents.all() == [many[-1], *reversed(many[: kept.MOST_WAITING - 1])]
    assert incidents.held(many[-1].id) == (many[-1], True)
    assert incidents.held(many[-1].id)[0] is None and incidents.held(many[-2].id)[0] is None


def test_the_second_folder_is_remembered_until_it_is_taken_back_and_stays_as_it_is(
    incident: Incident, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    stick = tmp_path / "stick"
    stick.mkdir(mode=0o755)
    assert chosen_second() is None
    choose_second(stick)
    incidents = Incidents(tmp_path / "disk", None, chosen_second)
    incidents.rescue(incident)
    assert Incidents.of_user().all() == [incident] and stick.stat().st_mode & 0o777 == 0o755
    incidents.remove(incident.id)
    assert list(stick.iterdir()) == []
    choose_second(None)
    assert chosen_second() is None


LOG = """\
2026-11-27T14:03:12.000001+0000 host kernel: nvme nvme0: I/O tag 40 (1028) opcode 0x2 QID 3 timeout, aborting
2026-11-27T14:03:13.000001+0000 host kernel: wlan0: associated
2026-11-27T14:03:42.000001+0000 host kernel: nvme nvme0: I/O tag 40 (1028) QID 3 timeout, reset controller
2026-11-27T14:03:50.000001+0000 host kernel: amdgpu 0000:0b:00.0: ring gfx timeout
2026-11-27T14:04:12.000001+0000 host kernel: nvme nvme0: Device not ready; aborting reset, CSTS=0x1
2026-11-27T14:04:13.000001+0000 host kernel: I/O error, dev nvme0n1, sector 2048 op 0x1:(WRITE) flags 0x0
2026-11-27T14:04:14.000001+0000 host kernel: ata3.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen
2026-11-27T14:04:15.000001+0000 host kernel: mmc0: running CQE recovery
2026-11-27T14:04:16.000001+0000 host kernel: usb 2-1: USB disconnect, device number 4
"""


def test_of_the_kernels_log_faults_of_disks_are_told_and_nothing_else() -> None:
    lines = told_of_disks(LOG)
    assert len(lines) == 7 and lines[0].startswith("2026-11-27T14:03:12.000001+0000 nvme nvme0: I/O tag 40")
    assert not any("wlan0" in line or "amdgpu" in line for line in lines)
