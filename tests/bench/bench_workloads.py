# SPDX-License-Identifier: GPL-3.0-or-later
"""Our figures of dd, cp, sysbench and fio against the same commands run by hand: within 2 %, live graph off and on.

On a simulated flash card; bench_workloads_loop does the same on a loop disk. Each figure is the median of five pairs.
They need a quiet machine: a disturbance of a single run is larger than the bound.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.system import System
from disktuner.experiment.processes import Control, UserProcesses
from disktuner.experiment.sampler import Sampler
from disktuner.workloads.catalogue import find
from disktuner.workloads.cold import make_cold
from disktuner.workloads.dd import parse_dd
from disktuner.workloads.fio import parse_job
from disktuner.workloads.source import Source
from disktuner.workloads.sysbench import parse_report
from disktuner.workloads.workload import MIB, Finished, Probe, Scratch, Size, Workload
from tests.conftest import LoopDisk, attach, detach
from tests.simdisk.simulated import simulated_disk

PAIRS = 5
BOUND = 0.02
SECONDS = 1.5
THROTTLE = 40_000_000
METRICS = {
    "dd-read": "bytes_per_s",
    "dd-write": "bytes_per_s",
    "copy": "wall_s",
    "sysbench-rndrd": "ios_per_s",
    "scan": "bytes_per_s",
}


class Recording(UserProcesses):
    """Runs programs as the product does, and remembers which."""

    commands: list[list[str]]

    def start(
        self,
        argv: Sequence[str],
        cwd: Path,
        stdin: int | None = None,
        stdout: int | None = None,
        fds: tuple[int, ...] = (),
    ) -> int:
        self.commands.append(list(argv))
        return super().start(argv, cwd, stdin, stdout, fds)


@dataclass(frozen=True, slots=True)
class Bare:
    """One tool on one disk, run by the product or by hand."""

    workload: Workload
    size: Size
    scratch: Scratch
    disk: LoopDisk

    def ours(self, live: bool) -> tuple[float, list[list[str]]]:
        """The product's figure, and the commands it ran."""
        sampler = Sampler(System(), [self.disk.name], lambda _: None)
        sampler.begin(0, "")
        control = Control()
        try:
            with Recording(control, sampler.tick if live else lambda: None) as processes:
                processes.commands = []
                values = self.workload.run(self.scratch, self.size, processes).values
                return values[METRICS[self.workload.id]], processes.commands
        finally:
            control.close()

    def by_hand(self, commands: Sequence[list[str]]) -> float:
        """The same commands from here, and what they print."""
        for path in self.scratch.folder.rglob("*"):
            if path.is_file() and path.suffix != ".out":
                make_cold(path)
        began = time.monotonic()
        done = [self._run(argv) for argv in commands]
        wall_s = time.monotonic() - began
        for path in self.scratch.folder.glob("*.out"):
            path.unlink()
        return self._figure(done, wall_s)

    def _run(self, argv: list[str]) -> Finished:
        folder = self.scratch.folder / self.workload.id
        if argv[0] == "dd" and argv[1].startswith("if="):
            make_cold(self.scratch.folder / argv[1][3:])
        stdin = self.scratch.source.open(self.scratch.seed % 65536)
        try:
            done = subprocess.run(
                argv, cwd=folder if folder.is_dir() else self.scratch.folder, stdin=stdin, capture_output=True,
                text=True, check=True, env={**os.environ, "LC_ALL": "C"},
            )  # fmt: skip
        finally:
            os.close(stdin)
        return Finished(done.stdout, done.stderr, 0.0, 0.0)

    def _figure(self, done: Sequence[Finished], wall_s: float) -> float:
        match self.workload.id:
            case "dd-read" | "dd-write":
                copied = [parse_dd(each.err) for each in done]
                return sum(each.size_bytes for each in copied) / sum(each.seconds for each in copied)
            case "sysbench-rndrd":
                reports = [parse_report(each.out) for each in done]
                return sum(each.reads for each in reports) / sum(each.seconds for each in reports)
            case "scan":
                return parse_job(done[0].out, "scan", "read").bytes_per_s
            case _:
                return wall_s


def compare(bare: Bare) -> tuple[float, float]:
    """The median ratios of our figure to the one by hand, with the live graph off and on."""
    _, commands = bare.ours(live=False)
    ratios: dict[bool, list[float]] = {False: [], True: []}
    for number in range(PAIRS):
        order: list[bool | None] = [None, False, True]
        order = order[number % 3 :] + order[: number % 3]
        found = {each: bare.by_hand(commands) if each is None else bare.ours(each)[0] for each in order}
        for live, values in ratios.items():
            values.append(found[live] / found[None])
    return statistics.median(ratios[False]), statistics.median(ratios[True])


def sudo(*command: str | Path, stdin: str | None = None) -> str:
    argv = ["sudo", "-n", "--", *map(str, command)]
    return subprocess.run(argv, input=stdin, capture_output=True, text=True, check=True).stdout


@contextmanager
def throttled_loop_disk(folder: Path) -> Iterator[LoopDisk]:
    """A loop disk on a file in memory, with the kernel's throttle for everybody (control groups v1, root's group)."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as image:
        image.truncate(900 * MIB)
        device = attach(sudo, Path(image.name), "--direct-io=on")
        disk = LoopDisk(Path(device).name, device, folder)
        number = (Path("/sys/block") / disk.name / "dev").read_text().strip()
        groups = Path("/sys/fs/cgroup/blkio")
        try:
            sudo("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
            sudo("mount", device, folder)
            sudo("chown", str(os.getuid()), folder)
            for way in ("read", "write"):
                sudo("tee", groups / f"blkio.throttle.{way}_bps_device", stdin=f"{number} {THROTTLE}")
            yield disk
        finally:
            try:
                sudo("umount", folder)
            finally:
                detach(sudo, device)


def on(disk: LoopDisk, what: str, probe: Probe) -> bool:
    """Compare all tools on one disk; whether all are within the bound."""
    assert disk.folder
    good = True
    for name in METRICS:
        workload = find(name)
        size = workload.size(probe, SECONDS)
        folder = disk.folder / name
        folder.mkdir()
        with Source(size.bytes_source, 1) as source, UserProcesses(Control()) as processes:
            scratch = Scratch(folder, 1, source)
            workload.prepare(scratch, size, processes)
            off, live = compare(Bare(workload, size, scratch, disk))
        within = max(abs(off - 1), abs(live - 1)) <= BOUND
        good &= within
        print(
            f"{what}, {name}: ours ÷ by hand {off:.4f}, with the live graph {live:.4f}{'' if within else '  TOO FAR'}"
        )
        sudo("rm", "-r", folder)
    return good


def slow_flash(folder: Path) -> AbstractContextManager[LoopDisk]:
    """A steady card: no seeks, and no turns to miss when this machine is late."""
    return simulated_disk(sudo, folder, 900, "flash", "read_us=300", "write_us=300", "jump_us=0", "rate_mb=80")


def measure(what: str, make: Callable[[Path], AbstractContextManager[LoopDisk]], probe: Probe) -> int:
    """Compare all tools on a disk made for it."""
    with tempfile.TemporaryDirectory() as folder, make(Path(folder)) as disk:
        return 0 if on(disk, what, probe) else 1


if __name__ == "__main__":
    sys.exit(measure("simulated disk", slow_flash, Probe(78e6, 78e6, 0.0006, 1 << 33, 900 * MIB)))
