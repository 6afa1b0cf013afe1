# SPDX-License-Identifier: GPL-3.0-or-later
"""A second user who may rename in the measured folder, at every moment of a run: only our own folder is touched.

Both are real users with their own processes; the folders are shared as people share them: by a group, or with all.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from disktuner.workloads.catalogue import catalogue
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import COMMAND

HERE = Path(__file__).parent
GROUP = "dt-share"
SHARED = Path("/run/disktuner-shared")  # pytest's own folders are closed to other users
SHARES = {"group": 0o2775, "all": 0o777}
KINDS = ("link", "project", "own", "again")
EDGE, EVERY = 8, 9
"""All of the first and last moments of a life, and in between every ninth; each kind of exchange at others."""

State = dict[str, tuple[int, int, int, int, str]]


def state(folder: Path) -> State:
    """Return everything below: inodes, modes, times, contents."""
    state: State = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        content = str(path.readlink()) if path.is_symlink() else ""
        if path.is_file() and not path.is_symlink():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        name = str(path.relative_to(folder))
        # its own name may change, so may the time of that (st_ctime)
        state[name] = (status.st_ino, status.st_mode, status.st_mtime_ns, status.st_size, content)
    return state


class Person:
    """A user's process that does what it is told, line by line."""

    def __init__(self, user: str, script: str, state_home: Path) -> None:
        environment = [
            f"PYTHONPATH={os.pathsep.join(sys.path)}",
            f"XDG_STATE_HOME={state_home}",
        ]
        argv = ["sudo", "-n", "-u", user, "--", "env", "-C", "/", *environment, sys.executable, str(HERE / script)]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def tell(self, line: str) -> None:
        self._process.stdin.write(f"{line}\n")

    def hear(self) -> str:
        line = self._process.stdout.readline()
        assert line, "it died"
        return line.strip()

    def end(self) -> int:
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait()


@dataclass
class Street:
    """A user and the neighbour, and a disk on which both have folders.

    ``moments`` counts exchanges that took place.
    """

    victim: Person
    attacker: Person
    top: Path
    lives: int = 0
    moments: int = 0

    def place(self, share: str) -> Path:
        """Make a new shared folder with two folders of the user's own."""
        self.lives += 1
        place = self.top / f"place{self.lives}"
        place.mkdir()
        for name, mode in (("project", 0o700), ("photos", 0o2775)):
            (place / name / "2026").mkdir(parents=True)
            (place / name / "plan").write_text("all figures")
            (place / name / "2026/one.jpg").write_bytes(b"x" * 3000)
            (place / name).chmod(mode)
        place.chmod(SHARES[share])
        return place

    def live(self, life: str, place: Path, kind: str, moment: int, home: Path) -> tuple[int, str]:
        """Run one life with one exchange, or exchanges from a moment on; return the number of moments, and how it
        ended.
        """
        self.victim.tell(f"{life} {place} {moment} {'every' if kind == 'again' else 'once'}")
        while (heard := self.victim.hear()) == "now":
            self.attacker.tell(f"{kind} {place} {home}")
            assert self.attacker.hear() == "done"
            self.moments += 1
            self.victim.tell("go on")
        count, _, ended = heard.partition(" ")
        return int(count), ended


@pytest.fixture
def street(loop_disk: Callable[..., LoopDisk], sudo: Sudo, tmp_path: Path) -> Iterator[Street]:
    user, disk = os.environ["DISKTUNER_TEST_USER"], loop_disk(size_mb=512)
    sudo("groupadd", "--force", GROUP)
    for member in (user, "dt-other"):
        sudo("usermod", "--append", "--groups", GROUP, member)
    sudo("mkdir", SHARED)
    sudo("mount", "--bind", disk.folder, SHARED)
    sudo("chgrp", GROUP, SHARED)
    sudo("chmod", "2755", SHARED)
    people = [
        Person(who, script, tmp_path / "state")
        for who, script in ((user, "neighbour_victim.py"), ("dt-other", "neighbour_attacker.py"))
    ]
    yield Street(*people, SHARED)
    ended = [person.end() for person in people]
    sudo("umount", SHARED)
    sudo("rmdir", SHARED)
    assert ended == [0, 0]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that must stay as it is, with the names that workloads use, so that a wrong turn would hit something."""
    home = tmp_path / "home"
    for name in ("copy.0.in", "copy.0.out", "dd-write.out", "direct", "letter", "below/deep/file", "small-files/000/0"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("all figures")
    tmp_path.chmod(0o755)
    return home


def own_folders(place: Path) -> list[State]:
    """Return the user's two folders, whatever their names now."""
    return sorted((state(path.parent) for path in place.glob("*/plan")), key=str)


def left_in(place: Path) -> tuple[list[Path], list[Path]]:
    """Return what is left of scratch folders: files, folders with content, and empty folders."""
    foreign = [path for path in place.iterdir() if path.owner() != "dt-other" and not (path / "plan").exists()]
    folders = [path for path in foreign if path.is_dir() and not path.is_symlink()]
    return [path for path in folders if any(path.iterdir())], [path for path in folders if not any(path.iterdir())]


def some_of(count: int, first: int) -> Iterator[int]:
    """Return the moments of a life for an exchange: all at its beginning and end, and some in between."""
    return (n for n in range(1, count + 1) if n <= EDGE or n > count - EDGE or n % EVERY == first % EVERY)


@pytest.mark.parametrize(
    ("life", "share"),
    [
        ("measure", "all"),
        ("clear", "group"),
        pytest.param("measure", "group", marks=pytest.mark.long),
        pytest.param("clear", "all", marks=pytest.mark.long),
        ("tidy", "all"),
        pytest.param("tidy", "group", marks=pytest.mark.long),
    ],
)
def test_nothing_but_our_own_folder_is_touched(life: str, share: str, street: Street, home: Path) -> None:
    before, refused = state(home), 0
    count, _ = street.live(life, street.place(share), "link", 10**9, home)
    for first, kind in enumerate(KINDS):
        for moment in some_of(count, first):
            place = street.place(share)
            folders = own_folders(place)
            _, ended = street.live(life, place, kind, moment, home)
            assert state(home) == before, (kind, moment)
            assert own_folders(place) == folders, (kind, moment)
            full, empty = left_in(place)
            refused += ended != "done"
            if life == "measure":
                assert full == [], (kind, moment)
                assert len(empty) <= (ended != "done"), (kind, moment, ended)
            else:  # what was moved away before it was opened is not known any more
                assert all((path / "below/deep/file").stat().st_size == 5000 for path in full), (kind, moment)
                assert empty == [], (kind, moment)
    assert street.moments >= 50 or life != "measure"
    assert 0 < refused < 10 or life != "measure", "between mkdir and open there is a moment"


BY_NAME = re.compile(r"\.disktuner-[0-9a-f]{12}/")
ANSWERS = re.compile(r"(<\.\.\. )?(readlink|readlinkat|getcwd|faccessat2?|access|newfstatat|l?stat|statx)\b")
"""They tell a name, or what is there: nothing comes of that if no other call goes by the name."""


IN_THE_FOLDER = [workload.id for workload in catalogue() if workload.id != "raw-read"]
"""raw-read has its disk from udisks and no file at all, see tests/bus/test_raw_read.py."""


@pytest.mark.long
@pytest.mark.parametrize("workload", IN_THE_FOLDER)
def test_no_program_goes_by_the_name_of_the_folder(
    workload: str, loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> None:
    """Whatever a program opens, makes or removes, its path never leads through a name that somebody may exchange."""
    disk, calls = loop_disk(size_mb=2048), tmp_path / "calls"
    argv = ["strace", "-f", "-qq", "-s", "300", "-e", "trace=%file,%network", "-o", str(calls), COMMAND, "bench"]
    # under strace databases are slow
    argv += [str(disk.folder), "--workload", workload, "--rounds", "1", "--seconds", "16" if "ql" in workload else "4"]
    completed = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert completed.returncode in {0, 5}, completed.stderr  # strace may stop it for so long that no run counts
    lines = [line.partition(" ")[2].lstrip() for line in calls.read_text(errors="replace").splitlines()]
    assert {line[:200] for line in lines if BY_NAME.search(line) and not ANSWERS.match(line)} == set()
    assert len(lines) > 100
