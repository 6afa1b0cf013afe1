# SPDX-License-Identifier: GPL-3.0-or-later
"""What is reported during a copy to a slow stick, compared with what the stick has.

``./dev bench pending`` copies 200 MB ``DISKTUNER_TIMES`` (20) times to a simulated stick of 12 MB/s, and looks each
second at what is said to wait and which pages of the file the stick does not have. Every other copy is unmounted at
once. Fails where a figure is more than 20 % off while a tenth of the file is missing, a bound is too low, or a page is
missing when it is said to be safe. What others write on the machine meanwhile makes bounds of figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from disktuner.block.pending import Estimator, Pending, Sureness
from disktuner.block.system import System
from tests.bench.disks import root, say, stoppable, whole
from tests.conftest import LoopDisk
from tests.simdisk.simulated import simulated_disk

PAGE, FILE_BYTES, DISK_MB = 4096, 200_000_000 // 4096 * 4096, 512
STICK = ("flash", "rate_mb=12", "read_us=500", "write_us=500", "jump_us=500")
WITHIN, LEAST = 0.2, FILE_BYTES // 10
GIVE_UP_S = 120
COUNT = """
import re, sys
import numpy as np
pid, size = sys.argv[1], int(sys.argv[2])
maps = (re.match(r"([0-9a-f]+)-([0-9a-f]+) rw-p \\S+ 00:00 0\\s*$", line) for line in open(f"/proc/{pid}/maps"))
spans = [(int(m[1], 16), int(m[2], 16)) for m in maps if m]
at, end = next(each for each in spans if each[1] - each[0] >= size)
with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
    for line in sys.stdin:
        found = 0
        for start in range(at, end, 1 << 24):
            memory.seek(start)
            words = np.frombuffer(memory.read(min(1 << 24, end - start)), np.uint64)
            found += int((words[:: 4096 // 8] == int(line)).sum())
        print(found, flush=True)
"""
"""Counts the pages that begin with a number in the memory of the process that is the stick."""


class Stick:
    """What the simulated disk really has."""

    def __init__(self, pid: int) -> None:
        argv = ["sudo", "-n", "--", sys.executable, "-I", "-c", COUNT, str(pid), str(DISK_MB << 20)]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def missing(self, marker: int) -> int:
        """Return how many bytes of a file of ``FILE_BYTES``, each page of which begins with a number, are missing."""
        print(marker, file=self._process.stdin, flush=True)
        return FILE_BYTES - PAGE * int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True, slots=True)
class Seen:
    """What was reported at a moment, and what was missing just before and after."""

    pending: Pending
    mounted: bool
    missing: int
    left: int

    @property
    def error(self) -> float:
        return self.pending.bytes / max(1, (self.missing + self.left) / 2) - 1

    @property
    def is_wrong(self) -> bool:
        if self.pending.is_safe(self.mounted):
            return self.missing > 0
        if self.pending.sureness == Sureness.ABOUT and self.missing >= LEAST:
            return not self.left * (1 - WITHIN) <= self.pending.bytes <= self.missing * (1 + WITHIN)
        return self.pending.sureness == Sureness.AT_MOST and self.pending.bytes < self.left * 0.98


@dataclass
class Watcher:
    """Looks at this machine as the window does."""

    name: str
    system: System = field(default_factory=System)
    estimator: Estimator = field(default_factory=Estimator)

    def look(self) -> Pending:
        cache, counters = self.system.page_cache(), self.system.counters(self.name)
        assert cache and counters
        self.estimator.add(time.monotonic(), cache, {self.name: counters})
        pending = self.estimator.of(self.name)
        assert pending
        return pending

    def idle(self, seconds: int) -> None:
        """Look on while nothing is copied."""
        for _ in range(seconds):
            self.look()
            time.sleep(1)


def copy(target: Path, marker: int) -> None:
    """Write a file as ``cp`` does, each page beginning with a number."""
    page = marker.to_bytes(8, "little") + bytes(PAGE - 8)
    with target.open("wb", buffering=0) as file:
        for _ in range(FILE_BYTES // (64 * PAGE)):
            file.write(page * 64)
        file.write(page * (FILE_BYTES // PAGE % 64))


def watched(disk: LoopDisk, stick: Stick, watcher: Watcher, number: int) -> Iterator[Seen]:
    """Copy, and record each second what is reported, until it is safe to unplug; unmount at once, or when all is
    written.
    """
    folder, marker = disk.folder, 0x6469736B00000000 + number
    writing = Thread(target=copy, args=(folder / f"file{number}", marker))
    leaving: subprocess.Popen[bytes] | None = None
    writing.start()
    began = time.monotonic()
    while time.monotonic() < began + GIVE_UP_S:
        missing = stick.missing(marker)
        pending, mounted = watcher.look(), watcher.system.is_mounted(disk.name)
        if not writing.is_alive():
            yield Seen(pending, mounted, missing, stick.missing(marker))
            if leaving is None and (number % 2 or pending.is_safe(mounted) or (pending.quiet and not missing)):
                leaving = subprocess.Popen(["sudo", "-n", "umount", str(folder)])
            elif pending.is_safe(mounted) and not mounted:
                break
        time.sleep(1)
    writing.join()
    if leaving:
        leaving.wait()


def ready(disk: LoopDisk) -> Watcher:
    """Look on until nothing older can wait for the stick."""
    watcher = Watcher(disk.name)
    watcher.idle(42)
    return watcher


def clear(disk: LoopDisk, number: int) -> None:
    """Mount it again, without the copy."""
    if not disk.folder.is_mount():
        root()("mount", disk.device, disk.folder)
    (disk.folder / f"file{number}").unlink()
    root()("sync", "--file-system", disk.folder)


def summary(number: int, moments: list[Seen]) -> str:
    about = [
        moment.error for moment in moments if moment.pending.sureness == Sureness.ABOUT and moment.missing >= LEAST
    ]
    bounds = [moment for moment in moments if moment.pending.sureness == Sureness.AT_MOST and not moment.pending.quiet]
    worst, last = max(map(abs, about), default=0), moments[-1]
    high = max((moment.error for moment in bounds if moment.missing >= LEAST), default=0)
    safe = "safe" if last.pending.is_safe(last.mounted) else f"not told safe ({last.pending})"
    wrong = [moment for moment in moments if moment.is_wrong]
    summary = f"{len(about)} figures within {worst:.0%}, {len(bounds)} bounds up to {high:.0%} higher, {safe}"
    return f"copy {number}: {len(moments)} looks, {summary}, {len(wrong)} wrong {wrong[:2] or ''}"


def main() -> int:
    """Copy as often as wanted; 1 if any report was wrong."""
    stoppable()
    wrong, times = 0, int(os.environ.get("DISKTUNER_TIMES", "20"))
    with (
        tempfile.TemporaryDirectory(prefix="disktuner-", dir="/var/tmp") as folder,
        whole(simulated_disk(root(), Path(folder), DISK_MB, *STICK, bounded=False)) as disk,
    ):
        watcher = ready(disk)
        pid = root()("pgrep", "-f", f"simdisk-server {folder}/served").split()[-1]
        stick = Stick(int(pid))
        for number in range(times):
            moments = list(watched(disk, stick, watcher, number))
            say(summary(number, moments))
            wrong += any(moment.is_wrong for moment in moments)
            clear(disk, number)
        stick.close()
    print(f"{times} copies, {wrong} with something wrong.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
