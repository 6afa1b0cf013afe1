# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the simulated disk and puts it below a loop device, with everything restored afterwards."""

from __future__ import annotations

import getpass
import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.conftest import LoopDisk, Sudo

SOURCE = Path(__file__).with_name("simdisk.c")
DEPTH = "4"
DIRTY_BYTES = 64 << 20
TOUCHED = ("nr_requests", "rotational", "max_sectors_kb", "read_ahead_kb", "wbt_lat_usec")


def build(folder: Path) -> Path:
    """Compile the server, once per version of its source."""
    program = folder / f"simdisk-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}"
    if not program.exists():
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "fuse3"], check=True, capture_output=True, text=True
        ).stdout.split()
        argv: list[str | Path] = [
            "gcc",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            program,
            SOURCE,
            *flags,
            "-lm",
            "-lpthread",
        ]
        subprocess.run(argv, check=True)
    return program


@contextmanager
def simulated_disk(
    sudo: Sudo, folder: Path, size_mb: int, profile: str, *settings: str, depth: str = DEPTH
) -> Iterator[LoopDisk]:
    """A mounted ext4 on a loop disk on the simulated disk, writable for this user.

    The loop driver's own depth is cut to ``depth``, otherwise it takes 128 requests at once and leaves a scheduler
    nothing to hold back. No more than ``DIRTY_BYTES`` wait in memory to be written, as where memory is small beside
    the files: otherwise a short copy is all reading first and all writing then, unlike any that takes minutes. These
    settings survive ``losetup -d``, so all of them are put back.
    """
    served, mounted = folder / "served", folder / "mounted"
    served.mkdir()
    mounted.mkdir()
    # In the mount namespace of the tests, as root because the loop device reads the file as root.
    server = subprocess.Popen(
        ["sudo", "-n", "--", str(build(folder)), str(served), str(size_mb), profile, *settings],
        stdin=subprocess.DEVNULL,
    )
    try:
        _wait_for_mount(served, server)
        device = sudo("losetup", "--find", "--show", "--direct-io=on", served / "disk").strip()
        name = device.removeprefix("/dev/")
        disk = LoopDisk(name, device, mounted)
        before = {each: (disk.queue / each).read_text() for each in TOUCHED}
        try:
            _shape(sudo, disk, profile, depth)
            _bound_dirty_memory(sudo, disk, DIRTY_BYTES)
            sudo("mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", device)
            sudo("mount", device, mounted)
            sudo("chown", getpass.getuser(), mounted)
            yield disk
        finally:
            _put_back(sudo, disk, before)
    finally:
        with suppress(AssertionError):
            sudo("umount", served)
        server.wait(20)


def _shape(sudo: Sudo, disk: LoopDisk, profile: str, depth: str) -> None:
    """Give the loop disk the queue of what it stands for; nr_requests only takes effect below under ``none``."""
    sudo("tee", disk.queue / "scheduler", stdin="none")
    wanted = {"nr_requests": depth, "rotational": str(int(profile == "hdd")), "max_sectors_kb": "512"}
    wanted |= {"read_ahead_kb": "128", "wbt_lat_usec": "75000" if profile == "hdd" else "2000"}
    for name, value in wanted.items():
        sudo("tee", disk.queue / name, stdin=value)


def _bound_dirty_memory(sudo: Sudo, disk: LoopDisk, size_bytes: int | None) -> None:
    """Bound what waits in memory to be written to this disk alone; None takes the bound away."""
    number = (disk.queue.parent / "dev").read_text().strip()
    folder = Path("/sys/class/bdi") / number
    if size_bytes is None:
        sudo("tee", folder / "max_ratio", stdin="100")
    else:
        sudo("tee", folder / "max_bytes", stdin=str(size_bytes))
    sudo("tee", folder / "strict_limit", stdin=str(int(size_bytes is not None)))


@contextmanager
def throttled(sudo: Sudo, disk: LoopDisk, bytes_per_s: int, reads_per_s: int) -> Iterator[None]:
    """Hold back everything above the disk's queue at a fixed pace, so that no scheduler makes a difference."""
    number = (disk.queue.parent / "dev").read_text().strip()
    old = Path("/sys/fs/cgroup/blkio")
    if old.is_dir():
        limits = {"read_bps": bytes_per_s, "write_bps": bytes_per_s, "read_iops": reads_per_s}
        files = {old / f"blkio.throttle.{name}_device": limit for name, limit in limits.items()}
        set_to, taken_away = {f: f"{number} {n}" for f, n in files.items()}, dict.fromkeys(files, f"{number} 0")
    else:
        group = Path("/sys/fs/cgroup/disktuner-tests")
        if not group.exists():
            sudo("mkdir", group)
        sudo("tee", "/sys/fs/cgroup/cgroup.subtree_control", stdin="+io")
        sudo("tee", group / "cgroup.procs", stdin=str(os.getpid()))
        set_to = {group / "io.max": f"{number} rbps={bytes_per_s} wbps={bytes_per_s} riops={reads_per_s}"}
        taken_away = {group / "io.max": f"{number} rbps=max wbps=max riops=max"}
    for file, text in set_to.items():
        sudo("tee", file, stdin=text)
    try:
        yield
    finally:
        for file, text in taken_away.items():
            sudo("tee", file, stdin=text)


def _put_back(sudo: Sudo, disk: LoopDisk, before: dict[str, str]) -> None:
    for _ in range(20):
        if not disk.folder or not disk.folder.is_mount():
            break
        with suppress(AssertionError):
            sudo("umount", disk.folder)
        time.sleep(0.1)
    sudo("tee", disk.queue / "scheduler", stdin="none")
    _bound_dirty_memory(sudo, disk, None)
    for name, value in before.items():
        with suppress(AssertionError):
            sudo("tee", disk.queue / name, stdin=value)
    sudo("losetup", "--detach", disk.device)


def _wait_for_mount(folder: Path, server: subprocess.Popen[bytes]) -> None:
    for _ in range(100):
        mounts = Path("/proc/self/mounts").read_text()
        if f" {folder} fuse" in mounts:
            return
        if server.poll() is not None:
            raise AssertionError(f"simdisk ended with {server.returncode}")
        time.sleep(0.05)
    raise AssertionError("simdisk did not mount")
