# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the simulated disk and puts it below a loop device, restoring everything afterwards."""

from __future__ import annotations

import atexit
import getpass
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

SOURCE = Path(__file__).with_name("simdisk.c")
DEPTH = "4"
DIRTY_BYTES = 64 << 20
WHOLE_KB = 512
"""The largest request of most disks."""


@cache
def program() -> Path:
    """Compile the server once; it is removed when the tests' process ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    server = folder / "simdisk-server"
    fuse = subprocess.run(["pkg-config", "--cflags", "--libs", "fuse3"], check=True, capture_output=True, text=True)
    strict = ("-O2", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["gcc", *strict, "-o", server, SOURCE, *fuse.stdout.split(), "-lm", "-lpthread"], check=True)
    return server


@contextmanager
def simulated_disk(
    sudo: Sudo,
    folder: Path,
    size_mb: int,
    profile: str,
    *settings: str,
    depth: str = DEPTH,
    request_kb: int = WHOLE_KB,
    fstype: str = "ext4",
    bounded: bool = True,
) -> Iterator[LoopDisk]:
    """Yield a mounted file system on a loop disk on the simulated disk, writable for this user.

    The loop driver's own depth is cut to ``depth``, otherwise it takes 128 requests at once and leaves a scheduler
    nothing to hold back. If ``bounded``, at most ``DIRTY_BYTES`` wait in memory to be written, as on machines with
    little memory compared with the files: otherwise a short copy reads everything first and writes everything then,
    unlike any that takes minutes.
    """
    served, mounted = folder / "served", folder / "mounted"
    served.mkdir()
    mounted.mkdir()
    # In the mount namespace of the tests, as root because the loop device reads the file as root.
    server = subprocess.Popen(
        ["sudo", "-n", "--", str(program()), str(served), str(size_mb), profile, *settings],
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl+C must not end it before the disk is unmounted
    )
    try:
        _wait_for_mount(served, server)
        device = sudo.attach(served / "disk", "--direct-io=on")
        disk = LoopDisk(device.removeprefix("/dev/"), device, mounted)
        try:
            _shape(sudo, disk, profile, depth, request_kb)
            if bounded:
                _bound_dirty_memory(sudo, disk)
            sudo(f"mkfs.{fstype}", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", device)
            sudo("mount", device, mounted)
            sudo("chown", getpass.getuser(), mounted)
            yield disk
        finally:
            _take_away(sudo, disk)
    finally:
        with suppress(AssertionError):
            sudo("umount", served)
        server.wait()


def _shape(sudo: Sudo, disk: LoopDisk, profile: str, depth: str, request_kb: int) -> None:
    """Give the loop disk the queue of what it stands for; nr_requests only takes effect below under ``none``."""
    sudo("tee", disk.queue / "scheduler", stdin="none")
    wanted = {"nr_requests": depth, "rotational": str(int(profile == "hdd")), "max_sectors_kb": str(request_kb)}
    wanted |= {"read_ahead_kb": "128", "wbt_lat_usec": "75000" if profile == "hdd" else "2000"}
    until(lambda: all(_is_set(sudo, disk.queue / name, value) for name, value in wanted.items()))


def _is_set(sudo: Sudo, file: Path, value: str) -> bool:
    """Write a value; false if somebody else is using the queue at the moment."""
    with suppress(AssertionError):
        sudo("tee", file, stdin=value)
        return True
    return False


def _bound_dirty_memory(sudo: Sudo, disk: LoopDisk) -> None:
    """Limit what waits in memory to be written to this disk alone."""
    number = (disk.queue.parent / "dev").read_text().strip()
    folder = Path("/sys/class/bdi") / number
    sudo("tee", folder / "max_bytes", stdin=str(DIRTY_BYTES))
    sudo("tee", folder / "strict_limit", stdin="1")


@contextmanager
def throttled(sudo: Sudo, disk: LoopDisk, bytes_per_s: int) -> Iterator[None]:
    """Throttle everything above the disk's queue to a fixed pace, so that no scheduler makes a difference.

    The kernel lets go in slices of 0.1 s: too coarse for read times, which the simulated disk adds itself.
    """
    number = (disk.queue.parent / "dev").read_text().strip()
    old = Path("/sys/fs/cgroup/blkio")
    if old.is_dir():
        files = [old / f"blkio.throttle.{name}_bps_device" for name in ("read", "write")]
        set_to, taken_away = dict.fromkeys(files, f"{number} {bytes_per_s}"), dict.fromkeys(files, f"{number} 0")
    else:
        group = Path("/sys/fs/cgroup/disktuner-tests")
        if not group.exists():
            sudo("mkdir", group)
        sudo("tee", "/sys/fs/cgroup/cgroup.subtree_control", stdin="+io")
        sudo("tee", group / "cgroup.procs", stdin=str(os.getpid()))
        set_to = {group / "io.max": f"{number} rbps={bytes_per_s} wbps={bytes_per_s}"}
        taken_away = {group / "io.max": f"{number} rbps=max wbps=max"}
    for file, text in set_to.items():
        sudo("tee", file, stdin=text)
    try:
        yield
    finally:
        for file, text in taken_away.items():
            sudo("tee", file, stdin=text)


@contextmanager
def silent(sudo: Sudo, folder: Path) -> Iterator[None]:
    """The simulated disk in a folder answers nothing."""
    command = f"simdisk-server {folder}/served"
    sudo("pkill", "-STOP", "-x", "-f", f"[^ ]*/{command} .*")  # not sudo, whatever its number is
    try:
        yield
    finally:
        sudo("pkill", "-CONT", "-f", command)  # sudo stops with what it has started


def _take_away(sudo: Sudo, disk: LoopDisk) -> None:
    def unmounted() -> bool:
        if disk.folder and disk.folder.is_mount():
            with suppress(AssertionError):
                sudo("umount", disk.folder)
        return not (disk.folder and disk.folder.is_mount())

    until(unmounted)
    sudo.detach(disk.device)


def _wait_for_mount(folder: Path, server: subprocess.Popen[bytes]) -> None:
    until(lambda: server.poll() is not None or f" {folder} fuse" in Path("/proc/self/mounts").read_text())
    assert server.poll() is None, f"simdisk ended with {server.returncode}"
