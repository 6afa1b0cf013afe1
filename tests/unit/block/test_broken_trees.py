# SPDX-License-Identifier: GPL-3.0-or-later
"""However broken a tree is, there is never a traceback, and the sound disks are still listed."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.block.trees import Tree, sata

from disktuner.block.disk import disk_to_json
from disktuner.block.system import System
from disktuner.block.writers.owners import writers_of
from disktuner.vocabulary.errors import NoSuchThing

BREAKABLE = (
    "dev", "size", "stat", "diskseq", "removable", "hidden", "device/model", "device/vendor", "queue",
    "queue/scheduler", "queue/rotational", "queue/zoned", "queue/nr_requests", "queue/iosched",
    "queue/iosched/fifo_batch", "slaves", "",
)  # fmt: skip
GLOBAL = ("proc/self/mountinfo", "proc/swaps", "proc/sys/kernel/osrelease", "run/udev/data/b8:0", "sys/dev/block/8:0",
          "sys/class/block/sda", "sys/fs/btrfs", "etc/udev/rules.d/90-disktuner-ID_WWN-0x1.rules",
          "etc/tuned/active_profile", "lib/modules/6.1.0/modules.alias")  # fmt: skip
WAYS = ("missing", "empty", "garbage", "folder", "loop", "dangling", "unreadable", "fifo")
BREAK = st.tuples(
    st.one_of(
        st.sampled_from(BREAKABLE).map(lambda name: f"sys/block/sda/{name}".rstrip("/")), st.sampled_from(GLOBAL)
    ),
    st.sampled_from(WAYS),
    st.binary(max_size=60),
)


def sound(root: Path) -> None:
    tree = Tree(root)
    tree.kernel("6.1.0")
    for number, name in enumerate(("sda", "sdb")):
        tree.disk(
            name, f"8:{number * 16}", sata(number + 1), files={"device/model": "M", "device/vendor": "ATA"}, udev={}
        )
    tree.partition("sda", "sda1", "8:1")
    tree.partition("sdb", "sdb1", "8:17")
    tree.disk("dm-0", "253:0", "virtual", None, slaves=("sdb1",), files={"dm/name": "vg-data"})
    tree.mount("8:1", "/", "ext4", "/dev/sda1")
    tree.mount("253:0", "/data", "xfs", "/dev/mapper/vg-data")
    tree.mount("0:41", "/pool", "btrfs", "/dev/sda1")
    for name in ("sda1", "sdb1"):
        tree.write(f"sys/fs/btrfs/aaaa/devices/{name}/size", "1")


def spoil(place: Path, way: str, content: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        if way in ("empty", "garbage", "unreadable"):
            place.write_bytes(content if way == "garbage" else b"")
        if way == "unreadable":
            place.chmod(0)
        elif way == "folder":
            place.mkdir()
        elif way in ("loop", "dangling"):
            place.symlink_to(place if way == "loop" else "nowhere")
        elif way == "fifo":
            os.mkfifo(place)
    except OSError:
        return  # an earlier break already took away what this one wanted to break


@settings(suppress_health_check=list(HealthCheck))
@given(st.lists(BREAK, min_size=1, max_size=4))
def test_the_sound_disk_is_still_told_truly(breaks: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        root = Path(folder)
        sound(root)
        for path, way, content in breaks:
            spoil(root / path, way, content)
        system = System(root)
        disks = {disk.name: disk for disk in system.disks()}
        assert disks["sdb"].scheduler == "mq-deadline"
        assert disks["sdb"].model == "M"
        json.dumps([disk_to_json(disk) for disk in disks.values()]).encode()
        for disk in disks.values():
            writers_of(system, disk)
            system.counters(disk.name)
        ways = {folder: way_down(system, folder) for folder in ("/", "/data/x", "/pool")}
        if "proc/self/mountinfo" not in [path for path, *_ in breaks]:
            assert ways["/data/x"] == ("sdb",)


def way_down(system: System, folder: str) -> tuple[str, ...]:
    """Return the disks below a folder; none if the tree knows no mount. Without any, a sentence says why."""
    try:
        where = system.disks_below(Path(folder))
    except NoSuchThing:
        return ()
    assert where.disks or where.why_nothing
    return where.disks


def test_a_model_that_is_not_text_is_shown_safely(tmp_path: Path) -> None:
    sound(tmp_path)
    (tmp_path / "sys/block/sda/device/model").write_bytes(b"Evil\x1b[2J\xff\nDisk\0")
    model = System(tmp_path).disk("sda").model
    assert model.isprintable()
    assert model.startswith("Evil?[2J")


def test_stacks_that_lie_on_themselves_end(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.disk("dm-0", "253:0", "virtual", None)
    tree.disk("dm-1", "253:1", "virtual", None, slaves=("dm-0",))
    tree.slave("sys/devices/virtual/block/dm-0", "dm-1")
    assert [disk.name for disk in System(tmp_path).disks()] == ["dm-0", "dm-1"]
