# SPDX-License-Identifier: GPL-3.0-or-later
"""What the recorder reports of freezes with a known cause, on a simulated disk and in a memory-limited control group.

``./dev bench incidents`` plants each cause ``DISKTUNER_TIMES`` (20) times for some seconds, and as often a quiet and a
busy stretch in which nobody is held up; ``DISKTUNER_GOALS`` names some of them. Fails where less than 19 of 20 causes
are named, or where a quiet or busy stretch has an incident. Every other time a program sleeps in io_uring beside it.
Programs are alone in a control group (version 2), whose pressure is read as that of a user's programs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.sysfs import Tree
from disktuner_watch.causes import FreezeReason
from disktuner_watch.incidents import About, Incident
from disktuner_watch.reading import Reader
from disktuner_watch.recorder import Recorder
from disktuner_watch.samples import Program, Sample
from tests.bench.disks import CHECKOUT, root, say, stoppable, whole
from tests.conftest import LoopDisk
from tests.simdisk.simulated import simulated_disk
from tests.waiting import until

DISK_MB, BIG_MB = 1024, 300
DISK = ("flash", "rate_mb=60", "read_us=400", "write_us=400", "jump_us=200")
SLOW = ("flash", "rate_mb=8", "read_us=1500", "write_us=1500", "jump_us=1500")
HARD = ("flash", "rate_mb=60", "read_us=8000", "write_us=4000", "jump_us=4000")
"""As slow as a hard disk for each request."""
FREEZE_S, CALM_S, SILENT_S = 8.0, 20.0, 9.0
LEAST = 0.95
USER = int.from_bytes(os.urandom(4))
"""A user whose control group no other bench has."""
STARTS = """
import mmap, os, random, sys, time
open("/proc/self/comm", "w").write("program")
file, pause = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), float(sys.argv[2])
room, size = mmap.mmap(-1, 4096), os.fstat(file).st_size
while True:
    os.preadv(file, [room], random.randrange(size // 4096) * 4096)
    time.sleep(pause)
"""
"""Reads as a program that starts does, one scattered read after the other."""
SAVES = """
import os, sys
open("/proc/self/comm", "w").write("program")
file = os.open(sys.argv[1], os.O_WRONLY)
while True:
    os.pwrite(file, b"x" * 4096, 0)
    os.fdatasync(file)
"""
"""Saves its settings again and again, in place: who waits for a journal is not counted as waiting for I/O."""
OUTGROWS = """
import os, random, sys
open("/proc/self/comm", "w").write("program")
file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for place in range(32):
    os.pread(file, 1 << 20, place << 20)
while True:
    os.pread(file, 1, random.randrange(32 << 20))
"""
"""Works all over 32 MiB, of which it gets fewer."""
SWAPS = """
import mmap, random
open("/proc/self/comm", "w").write("program")
room = mmap.mmap(-1, 64 << 20)
while True:
    room[random.randrange(len(room))] = 1
"""
"""Works all over 64 MiB that no file holds."""
COMPUTES = """
open("/proc/self/comm", "w").write("program")
while True:
    sum(range(1000000))
"""
Argv = tuple[str, ...]
SLEEPER: Argv = (sys.executable, "-I", str(CHECKOUT / "tests/sleeper.py"))


def program(text: str, *arguments: str) -> Argv:
    return (sys.executable, "-I", "-c", text, *arguments)


@dataclass
class Stage:
    """A disk, a control group for the programs that use it, and this machine seen as if there were nothing else."""

    disk: LoopDisk
    groups: tuple[Path, ...]
    sysroot: Path
    server: tuple[str, ...]

    @property
    def folder(self) -> str:
        return str(self.disk.folder)

    @contextmanager
    def running(self, *commands: Argv, limited: bool = True) -> Iterator[None]:
        """Run programs in the control group, and in the one whose memory may be ``limited``."""
        with ExitStack() as stack:
            for argv in commands:
                stack.enter_context(in_groups(argv, self.groups if limited else self.groups[:1]))
            yield

    @property
    def used_bytes(self) -> int:
        """The memory of the second group, in bytes."""
        return int((self.groups[1] / "memory.usage_in_bytes").read_text())

    def limit(self, size_bytes: int) -> None:
        root()("tee", self.groups[1] / "memory.limit_in_bytes", stdin=str(size_bytes))


@contextmanager
def in_groups(
    argv: Argv, groups: Iterable[Path], output: int = subprocess.DEVNULL, end: signal.Signals = signal.SIGKILL
) -> Iterator[int]:
    """Run a program in control groups, and end it afterwards; yield its number."""
    process = subprocess.Popen(
        ("sh", "-c", 'read go; exec "$@"', "sh", *argv),
        stdin=subprocess.PIPE, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        for group in groups:
            root()("tee", group / "cgroup.procs", stdin=str(process.pid))
        process.stdin.close()
        yield process.pid
    finally:
        os.killpg(process.pid, end)
        process.wait()


def make_big(disk: LoopDisk) -> str:
    """Write the file that is read; return its name."""
    file = f"{disk.folder}/big"
    written = ["dd", "if=/dev/zero", f"of={file}", "bs=1M", f"count={BIG_MB}", "oflag=direct"]
    subprocess.run(written, check=True, capture_output=True)
    return file


class Watched:
    """The disk alone, which holds the system or not."""

    def __init__(self, stage: Stage, is_own: bool) -> None:
        self._reader, self._own = Reader(Tree(stage.sysroot), USER), is_own

    def read(self) -> Sample:
        return self._reader.read(time.monotonic())

    def look(self) -> tuple[Program, ...]:
        return self._reader.look()

    def about(self, names: Iterable[str]) -> Mapping[str, About]:
        return {name: About(holds="/" if self._own else "") for name in names}


@contextmanager
def recorded(stage: Stage, is_own: bool, on_request: bool) -> Iterator[list[Incident]]:
    """Record meanwhile; afterwards yield the incidents, with one ``on_request`` at the end."""
    incidents: list[Incident] = []
    recorder, over = (
        Recorder(Watched(stage, is_own), lambda incident, is_over: incidents.append(incident) if is_over else None),
        threading.Event(),
    )

    def record() -> None:
        while not over.wait(recorder.every_s):
            recorder.tick()
        if on_request:
            recorder.keep_now()
        recorder.close()

    thread = threading.Thread(target=record)
    thread.start()
    try:
        yield incidents
    finally:
        over.set()
        thread.join()


def loop(command: str) -> Argv:
    return ("sh", "-c", f"while :; do {command}; done")


Plant = Callable[[Stage, random.Random], None]


def writes(stage: Stage, draw: random.Random) -> None:
    with stage.running(
        loop(f"dd if=/dev/zero of={stage.folder}/written bs=1M count={draw.randint(100, 400)}"), starts(stage)
    ):
        time.sleep(FREEZE_S)


def reads(stage: Stage, draw: random.Random) -> None:
    block = draw.choice(("256K", "1M", "4M"))
    readers = [loop(f"dd if={stage.folder}/big of=/dev/null bs={block} iflag=direct")] * draw.randint(3, 8)
    with stage.running(*readers, starts(stage)):
        time.sleep(FREEZE_S)


def write_back(stage: Stage, draw: random.Random) -> None:
    """The writer has ended when somebody saves."""
    file = f"{stage.folder}/written{draw.random()}"
    with stage.running(("dd", "if=/dev/zero", f"of={file}", "bs=1M", f"count={draw.randint(55, 80)}")):
        time.sleep(3)
    with stage.running(("sync", "--file-system", stage.folder), program(SAVES, f"{stage.folder}/big")):
        time.sleep(FREEZE_S * 0.6)
    Path(file).unlink()


def silent(stage: Stage, draw: random.Random) -> None:
    with stage.running(starts(stage)):
        time.sleep(draw.uniform(1, 3))
        root()("kill", "-STOP", stage.server[-1])
        try:
            time.sleep(SILENT_S)
        finally:
            root()("kill", "-CONT", *stage.server)  # sudo stops with what it has started
        time.sleep(1)


def memory(stage: Stage, draw: random.Random) -> None:
    """Take memory away from a program that uses it: the kernel counts only losses of memory in use."""
    with stage.running(program(OUTGROWS, f"{stage.folder}/big")):
        until(lambda: stage.used_bytes > 36 << 20)
        time.sleep(1)
        stage.limit(31 << 20)
        time.sleep(draw.uniform(1.5, 2) * FREEZE_S)
    stage.limit(-1)


def swapping(stage: Stage, draw: random.Random) -> None:
    swap = f"{stage.folder}/swap"
    if not Path(swap).exists():
        root()("fallocate", "--length", "128M", swap)
        root()("chmod", "600", swap)
        root()("mkswap", swap)
    root()("swapon", swap)
    try:
        stage.limit(draw.randint(24, 40) << 20)
        with stage.running(program(SWAPS)):
            time.sleep(2 * FREEZE_S)
        stage.limit(-1)
    finally:
        root()("swapoff", swap)


def computing(stage: Stage, draw: random.Random) -> None:
    """Compute more than there are processors for, with somebody who reads now and then."""
    computing = [program(COMPUTES)] * draw.randint(3, 8)
    with stage.running(*computing, starts(stage, draw.uniform(0.2, 1))):
        time.sleep(CALM_S)


def quiet(stage: Stage, draw: random.Random) -> None:
    with stage.running(starts(stage, draw.uniform(0.2, 1))):
        time.sleep(CALM_S)


def busy(stage: Stage, draw: random.Random) -> None:
    """Copy, with somebody who reads now and then."""
    copy = f"dd if={stage.folder}/big of={stage.folder}/written bs=1M iflag=direct oflag=direct"
    with stage.running(loop(copy), starts(stage, draw.uniform(1, 3))):
        time.sleep(CALM_S)


def starts(stage: Stage, pause_s: float = 0.0) -> Argv:
    return program(STARTS, f"{stage.folder}/big", str(pause_s))


PLANTS: Mapping[str, tuple[Plant, tuple[str, ...], bool, FreezeReason | None]] = {
    "writes": (writes, DISK, True, FreezeReason.WRITES),
    "reads": (reads, DISK, True, FreezeReason.READS),
    "write-back": (write_back, SLOW, False, FreezeReason.WRITE_BACK),
    "silent": (silent, DISK, True, FreezeReason.SILENT),
    "memory": (memory, SLOW, True, FreezeReason.MEMORY),
    "swapping": (swapping, HARD, True, FreezeReason.SWAPPING),
    "not-disk": (computing, DISK, True, FreezeReason.NOT_DISK),
    "quiet": (quiet, DISK, True, None),
    "busy": (busy, DISK, True, None),
}
"""What is done, on which disk, whether that holds the system, and what is to be said."""


@contextmanager
def stage_on(folder: Path, profile: tuple[str, ...]) -> Iterator[Stage]:
    """Build everything on one simulated disk, and remove it afterwards."""
    sysroot, unified, name = folder / "sysroot", folder / "unified", f"disktuner-bench-{USER}"
    group, limited = unified / "user.slice" / f"user-{USER}.slice", Path("/sys/fs/cgroup/memory") / name
    with whole(simulated_disk(root(), folder, DISK_MB, *profile)) as disk:
        unified.mkdir()
        root()("mount", "-t", "cgroup2", "none", unified)
        root()("mkdir", "-p", group, limited)
        try:
            (sysroot / "sys/block").mkdir(parents=True)
            (sysroot / "sys/fs").mkdir()
            (sysroot / "sys/fs/cgroup").symlink_to(unified)
            (sysroot / "proc").symlink_to("/proc")
            (sysroot / "sys/block" / disk.name).symlink_to(f"/sys/block/{disk.name}")
            make_big(disk)
            server = root()("pgrep", "-f", f"simdisk-server {folder}/served").split()
            yield Stage(disk, (group, limited), sysroot, tuple(server))
        finally:
            until(lambda: _removed(group, limited))
            _removed(group.parent)
            root()("umount", unified)


def _removed(*groups: Path) -> bool:
    """Whether no group is left: killed programs stay in theirs until they have ended."""
    for group in groups:
        with suppress(AssertionError):
            root()("rmdir", group)
    return not any(group.exists() for group in groups)


def main() -> int:
    """Plant and look; 1 if too few causes were named, or something that nobody felt became an incident."""
    stoppable()
    times, wanted = int(os.environ.get("DISKTUNER_TIMES", "20")), os.environ.get("DISKTUNER_GOALS", "").split(",")
    failed = 0
    for name, (plant, profile, is_own, reason) in PLANTS.items():
        if wanted != [""] and name not in wanted:
            continue
        causes: Counter[str] = Counter()
        with (
            tempfile.TemporaryDirectory(prefix="disktuner-", dir="/var/tmp") as folder,
            stage_on(Path(folder), profile) as stage,
        ):
            for seed in range(times):
                with (
                    stage.running(*[SLEEPER] * (seed % 2), limited=False),
                    recorded(stage, is_own, on_request=reason == FreezeReason.NOT_DISK) as incidents,
                ):
                    time.sleep(2)
                    plant(stage, random.Random(seed))
                causes[" + ".join(sorted({incident.cause.reason for incident in incidents})) or "none"] += 1
                say(f"{name} {seed}: {[(incident.cause, round(incident.stalled_s, 1)) for incident in incidents]}")
                root()("sync", "--file-system", stage.folder)
        right = causes[reason or "none"]
        failed += right < times * (LEAST if reason else 1)
        print(f"{name}: {right} of {times} right; {dict(causes)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
