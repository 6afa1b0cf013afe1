# SPDX-License-Identifier: GPL-3.0-or-later
"""Real comparisons with little time: begun, observed from outside while they run, and one that many tests read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import LoopDisk, Sudo, unmount
from tests.waiting import until

Formatted = Callable[[Path, int], None]
BRIEF = Path(__file__).with_name("brief.py")
UNUSUAL, SMALL = "bfq:slice_idle=0,timeout_sync=1000", "mq-deadline:queue/nr_requests=16,fifo_batch=1"
WHAT = ("--goal", "copying", "--workloads", "dd-write", "--seed", "11")
BEFORE = "kyber"
"""What the disks have before a comparison: neither what they are made with nor what competes."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A finished comparison; ``owners`` are the users whose processes took part.

    ``before`` and ``after`` are all values below queue/, ``moved_bytes`` what was written according to the kernel.
    """

    disk: LoopDisk
    done: subprocess.CompletedProcess[str]
    result: Path
    picture: Path
    before: dict[str, str]
    after: dict[str, str]
    files: tuple[set[Path], set[Path]]
    moved_bytes: int
    owners: frozenset[int]

    @property
    def document(self) -> dict[str, Any]:
        """Return what it printed."""
        document: dict[str, Any] = json.loads(self.done.stdout)
        return document


@contextmanager
def lasting_disk(sudo: Sudo, formatted: Formatted, folder: Path, size_mb: int) -> Iterator[LoopDisk]:
    """Yield a loop disk for many tests, mounted and with the usual scheduler before a comparison."""
    image, mounted = folder / "lasting.img", folder / "lasting"
    formatted(image, size_mb)
    device = sudo.attach(image, "--direct-io=on")
    disk = LoopDisk(Path(device).name, device, mounted)
    try:
        mounted.mkdir()
        sudo("mount", device, mounted)
        sudo("tee", disk.queue / "scheduler", stdin=BEFORE)
        yield disk
    finally:
        unmount(sudo, mounted)
        sudo.detach(device)


LIMITS = ("bdi/max_ratio", "bdi/max_ratio_fine", "bdi/strict_limit")


def values(disk: LoopDisk) -> dict[str, str]:
    """Return everything readable below queue/, and the limits in memory that do not follow the free memory."""
    limits = {name: (disk.queue.parent / name).read_text() for name in LIMITS}
    for folder, _, names in os.walk(disk.queue):  # goes on where iosched/ vanishes meanwhile
        for path in (Path(folder, name) for name in names):
            with suppress(OSError):  # an attribute that this disk does not have
                limits[str(path.relative_to(disk.queue))] = path.read_text()
    return limits


def written_bytes(disk: LoopDisk) -> int:
    """Return the bytes written to a disk so far, according to the kernel."""
    return int(Path(f"/sys/block/{disk.name}/stat").read_text().split()[6]) * 512


def compare(disk: LoopDisk, home: Path) -> Compared:
    """Compare two settings with the disk's own, and observe."""
    result, picture = home / "result.json", home / "result.png"
    settings = ("--settings", UNUSUAL, SMALL, "--out", str(result), "--image", str(picture), "--json")
    before, moved, files_before = values(disk), written_bytes(disk), set(disk.folder.rglob("*"))
    owners: set[int] = set()
    with begun(disk, *WHAT, *settings, home=home, apart=True) as process:

        def ended() -> bool:
            owners.update(owner for pid in (process.pid, *descendants(process.pid)) for owner in owner_of(pid))
            return process.poll() is not None

        until(ended)
        completed = subprocess.CompletedProcess(process.args, process.returncode, *process.communicate())
    files = files_before, set(disk.folder.rglob("*"))
    moved = written_bytes(disk) - moved
    return Compared(disk, completed, result, picture, before, values(disk), files, moved, frozenset(owners))


@contextmanager
def begun(
    disk: LoopDisk, *arguments: str, home: Path | None = None, apart: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """Yield a comparison in the middle of its trial: the disk's scheduler has been changed. Killed in the end.

    Its two streams are one text, or kept ``apart``.
    """
    before = disk.scheduler
    environment = {
        **os.environ,
        **({"XDG_DATA_HOME": str(home), "XDG_STATE_HOME": str(home / "state")} if home else {}),
    }
    with subprocess.Popen(
        [sys.executable, str(BRIEF), "compare", str(disk.folder), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if apart else subprocess.STDOUT,
        text=True,
        env=environment,
    ) as process:
        try:
            until(lambda: process.poll() is not None or disk.scheduler != before)
            assert process.poll() is None, process.communicate()
            yield process
        finally:
            process.kill()


def descendants(pid: int) -> list[int]:
    violations = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            violations += [child, *descendants(child)]
    return violations


def owner_of(pid: int) -> tuple[int, ...]:
    """Yield the user of a process; nothing if it is gone."""
    try:
        return (Path(f"/proc/{pid}").stat().st_uid,)
    except OSError:
        return ()


def command_of(pid: int) -> str:
    """Return a process's name, even if it has ended unreaped; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def processes_in(folder: Path) -> list[str]:
    """Return the command lines of our processes that work in a folder or have a file in it open."""
    commands = []
    for entry in Path("/proc").glob("[0-9]*"):
        if any(str(folder) in target for target in _open_files(entry)):
            with suppress(OSError):  # it has just ended
                commands.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return commands


def _open_files(entry: Path) -> list[str]:
    try:
        return [str(link.readlink()) for link in (entry / "cwd", *(entry / "fd").iterdir())]
    except OSError:
        return []


def left_in(folder: Path) -> list[Path]:
    return list(folder.glob(".disktuner-*"))
