# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner list`` agrees with lsblk and findmnt on this machine, loop disks and stacks included."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from disktuner.block.system import System
from disktuner.block.uevents import Monitor
from tests.end2end.conftest import COMMAND


def said(*command: str) -> dict[str, Any]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def whole(devices: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every whole disk of lsblk's tree: no partitions."""
    for device in devices:
        if device["type"] != "part":
            yield device
        yield from whole(device.get("children", []))


def mounted(device: dict[str, Any]) -> set[str]:
    """What is mounted of a device and all on top of it."""
    below = [mounted(child) for child in device.get("children", [])]
    return {path for path in device["mountpoints"] if path}.union(*below)


def bound(paths: set[str]) -> list[tuple[str, str]]:
    """What is mounted there, with the folder within the file system that each shows."""
    rows = [said("findmnt", "-J", "-o", "TARGET,FSROOT", path)["filesystems"][0] for path in paths]
    return [(row["target"], row["fsroot"]) for row in rows]


def ours(disktuner: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    done = disktuner("list", "--json")
    assert done.returncode == 0, done.stderr
    return {disk["name"]: disk for disk in json.loads(done.stdout)["disks"]}


def test_lsblk_says_the_same(disktuner: Callable[..., Any], loop_disk: Callable[..., Any]) -> None:
    made = [loop_disk(fs="ext4"), loop_disk(fs=None)]
    lsblk = {disk["kname"]: disk for disk in whole(said("lsblk", "-J", "-b", "-O")["blockdevices"])}
    disks = ours(disktuner)
    mine = {disk.name for disk in made}
    # Other people's loop disks come and go while the tests run.
    names = {name for name in {*lsblk, *disks} if not name.startswith("loop")} | mine
    for name in sorted(names):
        told, theirs = disks[name], lsblk[name]
        assert told["devno"] == theirs["maj:min"]
        assert told["size_bytes"] == int(theirs["size"])
        assert told["scheduler"] == theirs["sched"]
        assert told["rotational"] == theirs["rota"]
        assert told["removable"] == theirs["rm"]
        paths = {mount["path"] for mount in told["mounts"]}
        # lsblk also shows a folder that is bound onto its own place.
        assert paths <= mounted(theirs)
        assert all(path == root for path, root in bound(mounted(theirs) - paths))


def test_findmnt_says_the_same(loop_disk: Callable[..., Any]) -> None:
    disk = loop_disk(fs="ext4")
    for folder in (disk.folder, Path("/"), Path("/proc"), Path("/dev/shm")):
        theirs = said("findmnt", "--nofsroot", "-J", "-T", str(folder))["filesystems"][0]
        mount = System().disks_below(folder).mount
        assert mount is not None
        assert (mount.path, mount.fstype, mount.source) == (theirs["target"], theirs["fstype"], theirs["source"])
    assert System().disks_below(disk.folder).disks == (disk.name,)
    room = os.statvfs(disk.folder)
    mount = System().disks_below(disk.folder).mount
    assert mount is not None
    assert mount.size_bytes == room.f_blocks * room.f_frsize


def test_mounts_are_heard(loop_disk: Callable[..., Any]) -> None:
    with Monitor() as monitor:
        monitor.read()
        loop_disk(fs="ext4")
        assert any(event.action == "mounts" for event in monitor.read(timeout_s=10))


def test_a_table_without_a_terminal(disktuner: Callable[..., Any], loop_disk: Callable[..., Any]) -> None:
    """A row per disk, whatever its length, for grep and awk."""
    disk = loop_disk(fs="ext4")
    done = disktuner("list")
    assert done.returncode == 0
    head, *rows = done.stdout.split("\n\n")[0].splitlines()
    assert head.split()[0] == "DISK" and "\x1b" not in done.stdout
    (row,) = [row for row in rows if row.split()[0] == disk.name]
    assert row.endswith(str(disk.folder))


@pytest.mark.parametrize("columns", [80, 120])
def test_a_table_on_a_terminal(columns: int, loop_disk: Callable[..., Any]) -> None:
    """Within its width, with colours, and without a word less."""
    disk = loop_disk(fs="ext4")
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "NO_COLOR"):
        environment.pop(name, None)
    shown = pexpect.run(f"{COMMAND} list", env=environment, dimensions=(40, columns), encoding="utf-8")
    assert "\x1b[1mDISK" in shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, lines)) <= columns
    mounted = lines[0].index("MOUNTED")
    assert str(disk.folder) in "".join(line[mounted:].strip() for line in lines)


def test_a_folder_that_is_not_there_is_a_usage_error(disktuner: Callable[..., Any]) -> None:
    done = disktuner("list", "--sysroot", "/nowhere")
    assert done.returncode == 2
    assert "/nowhere" in done.stderr
