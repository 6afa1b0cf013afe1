# SPDX-License-Identifier: GPL-3.0-or-later
"""How close the replay of a recorded start comes to real cold starts, beside the chain of ``launch-under-writes``.

``./dev bench replays`` copies real programs to a simulated disk, with all the libraries that lie around them, and
starts them there in a changed root. A start is really cold: the file system was unmounted before, so that folders and
inodes come from the disk, too. Their patterns are recorded outside, as a user does, on this machine's own disk. Needs
this checkout outside of /tmp, which is another one there. Starts, replays and the chain run beside the same two
writers, in rounds of all schedulers. ``DISKTUNER_REPLAYS=FILE`` keeps what was found, a line a run, and goes on from
there; ``DISKTUNER_TIMES`` is the number of rounds (else 2), ``DISKTUNER_DISKS`` which disks (else both).
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disktuner.experiment.probe import probe
from disktuner.experiment.processes import Control, UserProcesses
from disktuner.vocabulary.beside import WRITES_BESIDE
from disktuner.workloads.beside import Background, amount_for
from disktuner.workloads.launch_program import MODULES
from disktuner.workloads.launches import RUNNERS as LAUNCHES
from disktuner.workloads.patterns import Pattern, load_pattern, save_pattern
from disktuner.workloads.recording import record
from disktuner.workloads.replay import Replay
from disktuner.workloads.source import Source
from disktuner.workloads.under_load import LaunchUnderWrites
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size
from tests.bench.family import sudo
from tests.bench.replays_table import CHAIN, REPLAY, START, Figures, predictions, read_kept, table
from tests.conftest import LoopDisk
from tests.simdisk.family import FOUR
from tests.simdisk.simulated import simulated_disk

CHECKOUT = Path(__file__).parents[2]
HERE = Path("/var/tmp/disktuner-replays")
DISKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "flash": ("flash", ("read_us=500", "write_us=400", "jump_us=3000", "rate_mb=60")),
    "hard disk": ("hdd", ("rpm=10000", "track_us=500", "seek_us=5000", "rate_mb=200", "ncq=4")),
}
MOUNTED = {"proc": Path("/proc"), "dev": Path("/dev"), "tmp": HERE / "tmp"}
DISK_MB = 16000
CHAIN_S = 6.0
MOST_S = 90.0
"""A start that takes longer is ended: it took so long at least."""
WRITTEN_SHARE = 0.7
"""Which part of the free room the writers may fill: they must not be done before a start is."""
TREES = (
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/python3", "/usr/lib/python3.11", "/usr/lib/gcc", "/usr/include",
    "/usr/lib/git-core",
    "/usr/lib/libreoffice", "/usr/lib/locale", "/usr/share/fonts", "/usr/share/libreoffice", "/usr/share/mime",
    "/usr/share/git-core", "/usr/share/hunspell", "/usr/bin", "/etc", str(CHECKOUT / ".venv"), str(HERE / "repository"),
)  # fmt: skip
IMPORTS = "import importlib\nfor name in {}:\n try: importlib.import_module(name)\n except ImportError: pass"
WINDOW = (
    "from PySide6.QtWidgets import QApplication, QPushButton; from PySide6.QtCore import QTimer; "
    "app = QApplication([]); window = QPushButton('Hello'); window.show(); QTimer.singleShot(50, app.quit); app.exec()"
)
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "Python with 90 modules":
        ("/usr/bin/python3", "-I", "-S", "-B", "-W", "ignore", "-c", IMPORTS.format(MODULES.split())),
    "git status": ("git", "-C", str(HERE / "repository"), "status"),
    "a Qt window": ("env", "QT_QPA_PLATFORM=offscreen", str(CHECKOUT / ".venv/bin/python"), "-I", "-c", WINDOW),
    "g++": ("g++", "-x", "c++", "-fsyntax-only", "-include", "bits/stdc++.h", "/dev/null"),
    "LibreOffice Writer": ("soffice", "--headless", "--writer", "--terminate_after_init"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A simulated disk with the programs on it, as it was probed."""

    name: str
    disk: LoopDisk
    root: Path
    found: Probe

    def cold(self) -> None:
        """Unmount and mount the file system, so that nothing of it is in memory."""
        for inner in MOUNTED:
            _unmount(self.root / inner)
        assert self.disk.folder
        _unmount(self.disk.folder)
        sudo("mount", self.disk.device, self.disk.folder)
        for inner, source in MOUNTED.items():
            sudo("mount", "--bind", source, self.root / inner)

    def start(self, command: Sequence[str]) -> float:
        """Start a program in the changed root, and return how long that took in seconds."""
        inside = ["chroot", str(self.root), "/usr/bin/env", "HOME=/tmp/home", "PATH=/usr/bin", *command]
        ended = shlex.join(["timeout", "-s", "KILL", str(MOST_S), *inside])
        timed = (
            f"begin=$(date +%s%N); {ended} >/dev/null 2>&1; status=$?; end=$(date +%s%N); echo $((end - begin)) $status"
        )
        took_ns, status = sudo("sh", "-c", timed).split()
        if status not in {"0", "137"}:
            raise AssertionError(f"{command[:3]} ended with {status}")
        return int(took_ns) / 1e9

    @property
    def requests(self) -> int:
        """How many requests the disk has read until now, and only programs that start read beside writers."""
        return int((self.disk.queue.parent / "stat").read_text().split()[0])


def _unmount(folder: Path) -> None:
    for _ in range(50):
        if not folder.is_mount():
            return
        try:
            sudo("umount", folder)
        except AssertionError:
            time.sleep(0.1)
    raise AssertionError(f"{folder} is in use")


def places(wanted: Sequence[str]) -> Iterator[Place]:
    """Go through the disks, one after the other."""
    for name in wanted:
        profile, settings = DISKS[name]
        with (
            tempfile.TemporaryDirectory() as folder,
            simulated_disk(sudo, Path(folder), DISK_MB, profile, *settings) as disk,
        ):
            assert disk.folder
            copy_programs(disk.folder / "root")
            place = Place(name, disk, disk.folder / "root", probe(disk.folder, lambda: None))
            print(f"{name}: {place.found}", flush=True)
            try:
                for (
                    command
                ) in PROGRAMS.values():  # what a first start leaves behind for the later ones: caches, a profile
                    place.cold()
                    place.start(command)
                yield place
            finally:
                for inner in MOUNTED:
                    _unmount(place.root / inner)


def copy_programs(root: Path) -> None:
    """Copy them with what lies around them, as an installation leaves it."""
    root.mkdir()
    for tree in TREES:
        if Path(tree).exists():
            sudo("mkdir", "-p", root / Path(tree).parent.relative_to("/"))
            sudo("cp", "-a", tree, root / Path(tree).parent.relative_to("/"))
    for name in ("bin", "lib", "lib64", "sbin"):
        sudo("ln", "-s", f"usr/{name}", root / name)
    sudo("cp", "-a", "/usr/lib64", root / "usr")
    sudo("mkdir", "-p", *(root / name for name in MOUNTED))
    sudo("sync", "--file-system", root)


def make_repository() -> None:
    """A repository of this checkout's files, many times over: 6,000 files in 900 folders."""
    repository = HERE / "repository"
    if (repository / ".git").is_dir():
        return
    files = [path for part in ("app", "helper", "tests") for path in (CHECKOUT / part).rglob("*.py")]
    for number in range(6000):
        source = files[number % len(files)]
        target = repository / f"part-{number // len(files)}" / source.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# {number}\n" + source.read_text())
    git = ["git", "-C", str(repository), "-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "gc.auto=0"]
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=all"], check=True)


def recorded(name: str, processes: Processes) -> Pattern:
    """Record a start, once."""
    path = HERE / f"{name.replace(' ', '-').replace('+', 'p').lower()}.pattern"
    if not path.exists():
        recording = record(PROGRAMS[name], processes)
        save_pattern(recording.pattern, path, with_names=True)
        print(f"{name}: {recording.wall_s:.2f} s from memory, {len(recording.pattern.reads)} reads", flush=True)
    return load_pattern(path)


def amounts(place: Place) -> Size:
    """What the writers may write beside a start."""
    mib = int(WRITTEN_SHARE * place.found.free_bytes / WRITES_BESIDE.writers / MIB)
    settle_s = amount_for(WRITES_BESIDE, place.found, MOST_S).settle_s
    return Size(1, WRITES_BESIDE.writers * mib * MIB, 0, MOST_S, extra=mib, settle_s=settle_s)


def real_start(
    place: Place, command: Sequence[str], size: Size, scratch: Scratch, processes: Processes
) -> float | None:
    """Start a program cold in the changed root, beside the writers, and return how long that took in seconds.

    None where the writers were done before it.
    """
    place.cold()
    background = Background(WRITES_BESIDE, size, scratch, processes)
    background.start()
    try:
        took_s = place.start(command)
    finally:
        carried = background.finish()
    return None if carried.through_s is not None else took_s


def started(measurement: Measurement, parts: int = 1) -> float | None:
    """How long each part of a workload's start took in seconds, None where the writers were done before it."""
    return None if measurement.remark else measurement.values["wall_s"] / parts


def runs(
    place: Place, patterns: Mapping[str, Pattern], processes: Processes
) -> Iterator[tuple[str, Callable[[], float | None]]]:
    """Go through what is measured in a round under one scheduler: its name and what measures it, in seconds."""
    assert place.disk.folder
    scratch = Scratch(place.disk.folder / "scratch", 1, Source(64 * MIB, 1))
    scratch.folder.mkdir(exist_ok=True)
    chain = LaunchUnderWrites()
    chain_size = chain.size(place.found, CHAIN_S)
    chain_size = replace(chain_size, extra=chain_size.extra * 4)
    if not (scratch.folder / "launch.in").exists():
        chain.prepare(scratch, chain_size, processes)
    yield CHAIN, lambda: started(chain.run(scratch, chain_size, processes), chain_size.scale)
    for launch in LAUNCHES:
        size = launch.size(place.found, CHAIN_S)
        size = replace(size, extra=size.extra * 4)
        if not (scratch.folder / launch.id).exists():
            launch.prepare(scratch, size, processes)
        yield launch.id, lambda it=launch, size=size: started(it.run(scratch, size, processes))
    for name, pattern in patterns.items():
        size = amounts(place)
        own = replace(scratch, folder=scratch.folder / name.replace(" ", "-"))
        replayed = Replay(pattern, WRITES_BESIDE)
        if not own.folder.exists():
            own.folder.mkdir()
            replayed.prepare(own, size, processes)
        yield (
            f"{name}: {START}",
            lambda name=name, size=size: real_start(place, PROGRAMS[name], size, scratch, processes),
        )
        yield f"{name}: {REPLAY}", lambda own=own, size=size, it=replayed: started(it.run(own, size, processes))


def measure(place: Place, patterns: Mapping[str, Pattern], rounds: int, figures: Figures, kept: Path | None) -> None:
    """Measure all that is not there yet."""
    with UserProcesses(Control()) as processes:
        for number in range(rounds):
            for name, once in runs(place, patterns, processes):
                for scheduler in FOUR[number % 4 :] + FOUR[: number % 4]:
                    found = figures.setdefault((place.name, name, scheduler), [])
                    if len(found) > number:
                        continue
                    sudo("tee", place.disk.queue / "scheduler", stdin=scheduler)
                    before = place.requests
                    seconds = once()
                    requests = place.requests - before
                    for written in place.disk.folder.glob("scratch/**/writer-*.out") if place.disk.folder else ():
                        written.unlink()  # all of them together would fill the disk
                    if seconds is None:
                        print(
                            f"{place.name}, {name}, {scheduler}: invalid, the writers were done before it", flush=True
                        )
                        continue
                    found.append(seconds)
                    print(f"{place.name}, {name}, {scheduler}: {seconds:.3f} s, {requests} requests", flush=True)
                    if kept:
                        with kept.open("a") as file:
                            file.write(json.dumps([place.name, name, scheduler, seconds, requests]) + "\n")


def main() -> None:
    """Record, measure, print the table."""
    kept = Path(text) if (text := os.environ.get("DISKTUNER_REPLAYS")) else None
    wanted = os.environ.get("DISKTUNER_DISKS", ",".join(DISKS)).split(",")
    rounds = int(os.environ.get("DISKTUNER_TIMES", "2"))
    (HERE / "tmp/home").mkdir(parents=True, exist_ok=True)
    make_repository()
    figures = read_kept(kept)
    with UserProcesses(Control()) as processes:
        patterns = {name: recorded(name, processes) for name in PROGRAMS}
    for place in places(wanted):
        measure(place, patterns, rounds, figures, kept)
    print(table(figures), predictions(figures), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
