# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a switch of the scheduler holds a disk up: ``./dev bench switching``, on simulated disks.

The kernel freezes the queue and waits until what is in it is done. That is measured as what the write to
``queue/scheduler`` takes, on a disk at rest and beside writers that have filled what may wait in memory, and beside it
what a program waits meanwhile that reads 4 KiB at a time. ``DISKTUNER_TIMES`` is how many switches there are of each.
"""

from __future__ import annotations

import mmap
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.bench.disks import root, say, stoppable, whole
from tests.conftest import LoopDisk
from tests.simdisk.simulated import simulated_disk

TIMES = int(os.environ.get("DISKTUNER_TIMES", "20"))
DISK_MB, FILE_MB = 1024, 200
DISKS = {
    "hard disk": ("flash", "rate_mb=120", "read_us=8000", "write_us=4000", "jump_us=4000"),
    "stick": ("flash", "rate_mb=8", "read_us=1500", "write_us=1500", "jump_us=1500"),
    "SATA SSD": ("flash", "rate_mb=500", "read_us=100", "write_us=60", "jump_us=0"),
}
PAUSE_S = 1.0
FOUND = "bfq", "mq-deadline"


@contextmanager
def writers(folder: Path, count: int) -> Iterator[None]:
    """Run so many programs that write big files over and over."""
    command = f"while :; do dd if=/dev/zero of=$0 bs=1M count={FILE_MB} conv=notrunc 2>/dev/null; done"
    running = [
        subprocess.Popen(("sh", "-c", command, folder / f"written{number}"), start_new_session=True)
        for number in range(count)
    ]
    try:
        time.sleep(5.0 if running else 0.0)
        yield
    finally:
        for program in running:
            os.killpg(program.pid, 9)
            program.wait()


class Reads:
    """Scattered reads of a file, one after the other.

    Attributes: ``waits``, when each began and its duration.
    """

    def __init__(self, file: Path) -> None:
        self.waits: list[tuple[float, float]] = []
        self._file, self._over = file, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Reads:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        handle, room = os.open(self._file, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
        blocks = os.fstat(handle).st_size // 4096
        while not self._over.wait(0.01):
            began = time.monotonic()
            os.preadv(handle, [room], random.randrange(blocks) * 4096)
            self.waits.append((began, time.monotonic() - began))
        os.close(handle)

    def longest_s(self, since: float, until: float) -> float:
        """Return the longest wait of a read under way in that time."""
        return max((took for began, took in self.waits if began <= until and began + took >= since), default=0.0)


def switches(disk: LoopDisk, file: Path) -> tuple[list[float], list[float], list[float]]:
    """Return each switch's duration, the longest read during it, and the longest in as much time without a switch."""
    place, durations, during, without = f"/sys/block/{disk.name}/queue/scheduler", [], [], []
    with Reads(file) as reads:
        for number in range(TIMES):
            time.sleep(PAUSE_S)
            began = time.monotonic()
            root()("tee", place, stdin=FOUND[number % 2])
            ended = time.monotonic()
            durations.append(ended - began)
            without.append((began - (ended - began), began))
            during.append((began, ended))
        time.sleep(PAUSE_S)
    return durations, [reads.longest_s(*span) for span in during], [reads.longest_s(*span) for span in without]


def main() -> int:
    """Print a row for each disk at rest and with writers."""
    stoppable()
    say(f"{'disk':10} {'beside':10} {'a switch takes':>18} {'a read waits':>16} {'without':>10}   median (longest)")
    for name, profile in DISKS.items():
        with (
            tempfile.TemporaryDirectory() as folder,
            whole(simulated_disk(root(), Path(folder), DISK_MB, *profile)) as disk,
        ):
            file = disk.folder / "read"
            file.write_bytes(os.urandom(64 << 20))
            os.sync()
            for count in (0, 2):
                with writers(disk.folder, count):
                    row = switches(disk, file)
                waits = " ".join(
                    f"{median(durations) * 1000:8.0f} ({max(durations) * 1000:.0f}) ms" for durations in row
                )
                say(f"{name:10} {'nothing' if not count else f'{count} writers':10} {waits}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
