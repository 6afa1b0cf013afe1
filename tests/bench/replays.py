# SPDX-License-Identifier: GPL-3.0-or-later
"""How close the replay of a recorded start comes to real cold starts.

``./dev bench replays`` copies real programs to a simulated disk, with all the libraries that lie around them, and
starts them there in a changed root. A start is really cold: the file system was unmounted before, so that folders and
inodes come from the disk, too. Their patterns are recorded outside, as a user does, on this machine's own disk. Needs
this checkout outside of /tmp, which is another one there. All run beside the same two writers, in rounds of all
schedulers. ``DISKTUNER_KEPT=FILE`` keeps what was found, a line a run, and goes on from there; ``DISKTUNER_TIMES`` is
the number of rounds (else 2), ``DISKTUNER_DISKS`` which disks, ``DISKTUNER_PROGRAMS`` which programs (else all).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from disktuner.experiment.probe import probe
from disktuner.vocabulary.background import WRITES
from disktuner.workloads.load import Background, Load, plan_load
from disktuner.workloads.patterns import Pattern, decode_pattern, encode_pattern
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.recording import record
from disktuner.workloads.source import Source
from disktuner.workloads.starts import Launch, Replay, StartSpec
from disktuner.workloads.workload import MIB, Probe, Scratch
from tests.bench.disks import CHECKOUT, chosen, keep, kept_file, root, say, stoppable, whole
from tests.bench.replays_table import REPLAY, START, Figures, predictions, read_kept, table
from tests.conftest import LoopDisk, unmount
from tests.simdisk.family import FOUR
from tests.simdisk.simulated import simulated_disk

HERE = Path("/var/tmp/disktuner-replays")
DISKS: Mapping[str, tuple[str, ...]] = {
    "flash": ("flash", "read_us=500", "write_us=400", "jump_us=3000", "rate_mb=60"),
    "hard disk": ("hdd", "rpm=10000", "track_us=500", "seek_us=5000", "rate_mb=200", "ncq=4"),
}
MOUNTED = {"proc": Path("/proc"), "dev": Path("/dev"), "tmp": HERE / "tmp"}
DISK_MB = 16000
LAUNCH_S = 6.0
MOST_S = 90.0
"""A start that takes longer is ended: it took so long at least."""
TREES = (
    *(f"/usr/lib/{name}" for name in ("x86_64-linux-gnu", "python3", "python3.11", "gcc", "git-core", "libreoffice")),
    *(f"/usr/share/{name}" for name in ("fonts", "libreoffice", "mime", "git-core", "hunspell")),
    *("/usr/lib/locale", "/usr/lib64", "/usr/include", "/usr/bin", "/etc"),
    *(str(CHECKOUT / ".venv"), str(HERE / "repository")),
)
WINDOW = (
    "from PySide6.QtWidgets import QApplication, QPushButton; from PySide6.QtCore import QTimer; "
    "app = QApplication([]); window = QPushButton('Hello'); window.show(); QTimer.singleShot(50, app.quit); app.exec()"
)
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "git status": ("git", "-C", str(HERE / "repository"), "status"),
    "a Qt window": ("env", "QT_QPA_PLATFORM=offscreen", str(CHECKOUT / ".venv/bin/python"), "-I", "-c", WINDOW),
    "g++": ("g++", "-x", "c++", "-fsyntax-only", "-include", "bits/stdc++.h", "/dev/null"),
    "LibreOffice Writer": ("soffice", "--headless", "--writer", "--terminate_after_init"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A simulated disk with the programs on it, its probe, and the scratch folder there."""

    name: str
    disk: LoopDisk
    folder: Path
    probe: Probe

    def scratch(self, processes: Processes) -> Scratch:
        """Return the folder in which the workloads write."""
        return Scratch(self.folder / "scratch", 1, Source(64 * MIB, 1), processes)

    def start(self, command: Sequence[str]) -> float:
        """Start a program cold in the changed root, and return how long that took in seconds."""
        inside = ["chroot", str(self.folder / "root"), "/usr/bin/env", "HOME=/tmp/home", "PATH=/usr/bin", *command]
        ended = shlex.join(["timeout", "-s", "KILL", str(MOST_S), *inside])
        timed = f"begin=$(date +%s%N); {ended} >/dev/null 2>&1; status=$?; echo $(($(date +%s%N) - begin)) $status"
        took_ns, status = root()("sh", "-c", timed).split()
        if status not in {"0", "137"}:
            raise AssertionError(f"{command[:3]} ended with {status}")
        return int(took_ns) / 1e9

    def cold(self) -> None:
        """Unmount and mount the file system, so that nothing of it is in memory."""
        self.leave()
        unmount(root(), self.folder)
        root()("mount", self.disk.device, self.folder)
        for inner, source in MOUNTED.items():
            root()("mount", "--bind", source, self.folder / "root" / inner)

    def leave(self) -> None:
        """Unmount what is mounted within it."""
        for inner in MOUNTED:
            if (self.folder / "root" / inner).is_mount():
                unmount(root(), self.folder / "root" / inner)

    @property
    def load(self) -> Load:
        """Return the writers that run during a start, however long it takes."""
        return plan_load(WRITES, self.probe, MOST_S, lasting=1.0)

    def beside_writers(self, command: Sequence[str], processes: Processes) -> float:
        """Start a program, cold, during the writers' work."""
        self.cold()
        background = Background(self.load, self.scratch(processes))
        background.start()
        try:
            return self.start(command)
        finally:
            background.finish(MOST_S)


@contextmanager
def place(name: str, programs: Sequence[str]) -> Iterator[Place]:
    """Yield the disk with the programs, which leave behind at their first start what later ones find: caches, a
    profile.
    """
    with tempfile.TemporaryDirectory() as folder:
        profile, *settings = DISKS[name]
        with whole(simulated_disk(root(), Path(folder), DISK_MB, profile, *settings)) as disk:
            copy_programs(disk.folder / "root")
            (disk.folder / "scratch").mkdir()
            place_ = Place(name, disk, disk.folder, probe(disk.folder, lambda: None))
            say(f"{name}: {place_.probe}")
            try:
                for program in programs:
                    place_.cold()
                    place_.start(PROGRAMS[program])
                yield place_
            finally:
                place_.leave()


def copy_programs(target: Path) -> None:
    """Copy them with everything around them, as an installation leaves it."""
    commands = [f"mkdir -p {' '.join(MOUNTED)}", "ln -s usr/bin usr/lib usr/lib64 usr/sbin ."]
    commands += [f"if [ -e {tree} ]; then cp -a --parents {tree} .; fi" for tree in TREES]
    target.mkdir()
    script = f"cd {target} && {' && '.join(commands)} && sync -f ."
    subprocess.run(["sudo", "-n", "sh", "-c", script], check=True)  # takes longer than a test waits for root


def make_repository() -> None:
    """Make a repository of this checkout's files, many times over: 6,000 files in 900 folders."""
    repository = HERE / "repository"
    if (repository / ".git").is_dir():
        return
    files = [path for part in ("app", "helper", "tests") for path in (CHECKOUT / part).rglob("*.py")]
    for number in range(6000):
        source = files[number % len(files)]
        target = repository / f"part-{number // len(files)}" / source.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# {number}\n" + source.read_text())
    options = ["-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "gc.auto=0"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=all"]):
        subprocess.run(["git", "-C", str(repository), *options, *command], check=True)


def recorded(name: str, processes: Processes) -> Pattern:
    path = HERE / f"{name.replace(' ', '-').replace('+', 'p').lower()}.pattern"
    if not path.exists():
        path.write_text(encode_pattern(record(PROGRAMS[name], processes)))
    return decode_pattern(path.read_text())


Measured = Callable[[], float]


def runs(place_: Place, programs: Sequence[str], processes: Processes) -> Iterator[tuple[str, Measured]]:
    """Yield the measurements of a round under one scheduler: a name and a function that returns seconds."""

    def replayed(name: str, runner: Replay, spec: StartSpec) -> tuple[str, Measured]:
        scratch = replace(place_.scratch(processes), folder=place_.folder / "scratch" / name.replace(" ", "-"))
        if not scratch.folder.exists():
            scratch.folder.mkdir()
            runner.prepare(scratch, spec)
        return name, lambda: runner.run(scratch, spec).values["wall_s"]

    launch = Launch("launch-office", WRITES)
    yield replayed(launch.id, launch, launch.plan(place_.probe, LAUNCH_S))
    for name in programs:
        yield f"{name}: {START}", lambda name=name: place_.beside_writers(PROGRAMS[name], processes)
        replay = Replay(recorded(name, processes), WRITES)
        spec = structs.replace(replay.plan(place_.probe, LAUNCH_S), duration_s=0.01, load=place_.load)
        yield replayed(f"{name}: {REPLAY}", replay, spec)


def measure(place_: Place, programs: Sequence[str], rounds: int, figures: Figures) -> None:
    file = kept_file()
    with Processes(Control()) as processes:
        for number in range(rounds):
            for name, once in runs(place_, programs, processes):
                for scheduler in FOUR[number % 4 :] + FOUR[: number % 4]:
                    durations = figures.setdefault((place_.name, name, scheduler), [])
                    if len(durations) > number:
                        continue
                    root()("tee", place_.disk.queue / "scheduler", stdin=scheduler)
                    before = reads(place_.disk)
                    seconds = once()
                    durations.append(seconds)
                    row = [place_.name, name, scheduler, seconds, reads(place_.disk) - before]
                    say(str(row))
                    keep(file, row)


def reads(disk: LoopDisk) -> int:
    """Return how many requests the disk has read so far; only starting programs read while writers work."""
    return int((disk.queue.parent / "stat").read_text().split()[0])


def main() -> None:
    stoppable()
    programs = chosen("DISKTUNER_PROGRAMS", tuple(PROGRAMS))
    (HERE / "tmp/home").mkdir(parents=True, exist_ok=True)
    make_repository()
    figures = read_kept(kept_file())
    for name in chosen("DISKTUNER_DISKS", tuple(DISKS)):
        with place(name, programs) as place_:
            measure(place_, programs, int(os.environ.get("DISKTUNER_TIMES", "2")), figures)
    print(table(figures), predictions(figures), sep="\n")


if __name__ == "__main__":
    main()
