# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine, what is felt in one folder while another is copied to.

``felt.py FELT COPIED LEAD_S HELD_MB GROUP JOINS``: nothing is copied where ``COPIED`` is ``-``, else for ``LEAD_S``
before anything is measured; ``HELD_MB`` of memory are held all the while, as open programs do; the control group
``GROUP`` is joined by the ``copy``, by ``both``, or by none (``-``). Prints one JSON document, all times in seconds.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

MIB, PAGE = 1 << 20, 4096
PROGRAM_MB, READS, READ_BYTES, HEAP_MB = 48, 150, 16384, 16
AWAKE_MB, BUFFERED_MB, DURABLE = 24, 30, 10
MEASURED_S = 10.0
LONGEST_S = 10.0
"""A start that takes longer is not waited for: what is left of it is taken to be as slow."""
MOST_COPIED_MB = 1500
COMPUTED = 300_000


def written_file(path: Path, size_mb: int) -> Path:
    """Make a file that is on the disk."""
    with path.open("wb") as file:
        for _ in range(size_mb):
            file.write(os.urandom(MIB))
        os.fsync(file.fileno())
    return path


def start(program: Path, choice: random.Random) -> float:
    """Start a program: scattered reads that wait for each other, none from memory, and its heap."""
    fd = os.open(program, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    places = choice.sample(range(PROGRAM_MB * MIB // READ_BYTES), READS)
    began = time.monotonic()
    read = 0
    while read < READS and time.monotonic() < began + LONGEST_S:
        os.pread(fd, READ_BYTES, places[read] * READ_BYTES)
        read += 1
    took = (time.monotonic() - began) * READS / read
    began = time.monotonic()
    touch(bytearray(HEAP_MB * MIB))
    os.close(fd)
    return took + time.monotonic() - began


def durable(fd: int) -> float:
    """Write a little, and wait until it is on the disk."""
    began = time.monotonic()
    os.write(fd, bytes(PAGE))
    os.fsync(fd)
    return time.monotonic() - began


def buffered(path: Path) -> float:
    """Save a file of 30 MB without waiting for the disk."""
    block, began = os.urandom(MIB), time.monotonic()
    with path.open("wb", buffering=0) as file:
        for _ in range(BUFFERED_MB):
            file.write(block)
    took = time.monotonic() - began
    path.unlink()
    return took


def touch(memory: bytearray | mmap.mmap, most_mb: int = 1 << 20) -> int:
    """Use each page once."""
    return sum(memory[place] for place in range(0, min(len(memory), most_mb * MIB), PAGE))


def held_memory(size_mb: int) -> bytearray:
    """Return a program's memory, none of whose pages is empty."""
    memory = bytearray(size_mb * MIB)
    memory[::PAGE] = b"x" * (len(memory) // PAGE)
    return memory


def woken(name: str, memory: bytearray | mmap.mmap) -> dict[str, float]:
    """Use what was used before the copy began; return the duration, and how many pages came from a disk."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_majflt, time.monotonic()
    touch(memory, AWAKE_MB)
    took = time.monotonic() - began
    return {f"{name}_s": took, f"{name}_faults": resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before}


def mapped(file: Path, protection: int) -> mmap.mmap:
    """Read a file as a program maps it, page by page."""
    with file.open("rb") as opened:
        memory = mmap.mmap(opened.fileno(), 0, prot=protection)
    memory.madvise(mmap.MADV_RANDOM)
    return memory


def copy(target: Path) -> None:
    """Write faster than the disk, until ended."""
    block = os.urandom(MIB)
    with target.open("wb", buffering=0) as file:
        while True:
            file.seek(0)
            for _ in range(MOST_COPIED_MB):
                file.write(block)


def join(group: str) -> None:
    """Join a control group, with everything started later."""
    Path(group, "cgroup.procs").write_text(str(os.getpid()))


def begin_copy(folder: Path, group: str) -> tuple[int, Path]:
    """Begin a copy in another process, which may join a control group."""
    target = folder / "copied"
    if not (pid := os.fork()):
        if group:
            join(group)
        copy(target)
    return pid, target


def end_copy(pid: int, target: Path) -> int:
    """End the copy, and drop what waits; return how many MB were accepted."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    size_mb = target.stat().st_size // MIB
    os.truncate(target, 0)
    target.unlink()
    os.sync()
    return size_mb


def waiting_mb() -> int:
    """Return how many MB of all disks wait in memory to be written."""
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return sum(int(lines[name].split()[0]) for name in ("Dirty", "Writeback")) >> 10


def computed() -> float:
    """Return how long the same computation takes each time: longer if the machine itself gets less processor time."""
    began = time.monotonic()
    sum(range(COMPUTED))
    return time.monotonic() - began


def measured(felt: Path) -> dict[str, list[float]]:
    """Start, write and save in turn."""
    choice, program, log = random.Random(1), felt / "program", felt / "log"
    times: dict[str, list[float]] = {"computed_s": [], "start_s": [], "durable_s": [], "buffered_s": []}
    fd, until = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), time.monotonic() + MEASURED_S
    while time.monotonic() < until:
        times["computed_s"].append(computed())
        times["start_s"].append(start(program, choice))
        times["durable_s"] += [durable(fd) for _ in range(DURABLE)]
        times["buffered_s"].append(buffered(felt / "saved"))
    os.close(fd)
    return times


def main() -> None:
    """Measure one cell of the table."""
    felt, copied, lead_s, held_mb = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    group, joins = sys.argv[5:]
    if not (felt / "program").exists():
        written_file(felt / "program", PROGRAM_MB)
        written_file(felt / "data", AWAKE_MB)
        written_file(felt / "code", AWAKE_MB)
    if joins == "both":
        join(group)
    occupied: bytearray | mmap.mmap = held_memory(held_mb)
    if not held_mb:
        occupied = mapped(felt / "data", mmap.PROT_READ)
    code = mapped(felt / "code", mmap.PROT_READ | mmap.PROT_EXEC)
    for memory in (occupied, code, occupied, code):
        touch(memory, AWAKE_MB)
    copying = begin_copy(Path(copied), group if joins == "copy" else "") if copied != "-" else None
    time.sleep(lead_s if copying else 1.0)
    document: dict[str, object] = {"waiting_mb": waiting_mb(), **woken("wake", occupied), **woken("code", code)}
    document |= {**measured(felt)}
    document["waiting_after_mb"] = waiting_mb()
    if copying:
        document["taken_mb"] = end_copy(*copying)
    print(json.dumps(document))


if __name__ == "__main__":
    main()
