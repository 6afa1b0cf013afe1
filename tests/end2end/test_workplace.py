# SPDX-License-Identifier: GPL-3.0-or-later
"""Where `./dev run` lets another user work, and what it takes from there, while somebody else changes the folder."""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.end2end.throw_away import CHECKOUT, ThrowAway, as_found
from tests.waiting import until

DEV = CHECKOUT / "dev"
TOOL = CHECKOUT / "packaging/workplace.py"
HANDED = 'exec 3<"$1"; cd /; shift; exec "$@"'
TIMES = 60
SWAPPER = """
import ctypes, os, select, sys
here, victim = sys.argv[1:]
libc, exchange = ctypes.CDLL(None), 2

def swap(one, other):
    return libc.renameat2(-100, one.encode(), -100, other.encode(), exchange) == 0

os.chdir(here)
os.mkdir("results")
os.symlink(victim, "link")
print("ready", flush=True)
swaps = 0
while not select.select([0], [], [], 0)[0]:
    swaps += swap("results", "link")
    place = "results" if os.path.islink("link") else "link"
    for name in os.listdir(place):
        if name.startswith(".disktuner-run-"):
            if not os.path.lexists("aside-" + name):
                os.symlink(victim, "aside-" + name)
            swaps += swap(place + "/" + name, "aside-" + name)
print(swaps)
"""
"""Puts links to a victim in the place of two folders and takes them away again, until its input ends."""
AS_ROOT = ["sudo", "-n"]


@pytest.fixture
def victim(sudo: Sudo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of root's that nobody named."""
    folder = tmp_path_factory.mktemp("victim") / "etc"
    sudo("sh", "-c", 'mkdir -m 755 -p "$1/empty" && echo secret >"$1/shadow" && chmod 600 "$1/shadow"', "sh", folder)
    return folder


@pytest.fixture
def shared(sudo: Sudo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another user's world-writable folder."""
    folder = tmp_path_factory.mktemp("shared")
    folder.parent.parent.chmod(0o755)
    folder.parent.chmod(0o755)
    folder.chmod(0o777)
    sudo("chown", "dt-other", folder)
    return folder


def state(sudo: Sudo, folder: Path) -> str:
    return sudo("find", folder, "-printf", r"%p %y %m %U:%G %i %s %C@\n")


def tool(sudo_or_not: list[str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [*sudo_or_not, "bash", "-c", HANDED, "bash", str(folder), "/usr/bin/python3", "-I", str(TOOL), *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("who", "make", "owner", "complaint"),
    [
        ("root", ("ln", "-s", "{victim}", "{results}"), "dt-other", "./results is a link or a file"),
        ("user", ("ln", "-s", "{victim}", "{results}"), "dt-other", "Rename it"),
        ("user", ("mkdir", "-m", "777", "{results}"), "dt-ask", "./results belongs to dt-ask"),
    ],
)
def test_run_takes_no_link_and_no_folder_of_somebody_elses(
    who: str,
    make: tuple[str, ...],
    owner: str,
    complaint: str,
    machine: ThrowAway,
    shared: Path,
    victim: Path,
    sudo: Sudo,
) -> None:
    sudo(*(word.format(victim=victim, results=shared / "results") for word in make), user=owner)
    before = state(sudo, shared), state(sudo, victim)
    if who == "root":
        completed = machine.run(DEV, "run", cwd=shared)
    else:
        completed = subprocess.run([DEV, "run"], cwd=shared, capture_output=True, text=True, check=False)
    assert completed.returncode == 1 and complaint in completed.stderr
    assert (state(sudo, shared), state(sudo, victim)) == before


def test_run_opens_no_folder_to_everybody(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A run of root's in somebody's folder, terminated in the middle with all its processes: its user has a private
    folder, which is cleared.
    """
    disk = loop_disk(size_mb=4096)
    sudo("chown", "dt-other", disk.folder)
    sudo("rmdir", disk.folder / "lost+found")
    with as_found(tmp_path_factory.mktemp("as-found")) as machine:
        command = machine.command(DEV, "run", cwd=disk.folder)
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        ) as process:
            try:
                until(lambda: process.poll() is not None or "/.disktuner-run-" in seen(sudo, disk.folder, 4))
                during = seen(sudo, disk.folder, 1) + seen(sudo, disk.folder, 2)
            finally:
                sudo("kill", "-TERM", "--", f"-{process.pid}")
            output = process.communicate()[0]
    results = f"{disk.folder}/results"
    assert re.fullmatch(rf"{results} 755 dt-other\n{results}/[.]disktuner-run-\w+ 700 [\w-]+\n", during), output
    assert (seen(sudo, disk.folder, 1), seen(sudo, disk.folder, 2)) == (f"{results} 755 dt-other\n", ""), output


def seen(sudo: Sudo, folder: Path, depth: int) -> str:
    return sudo("find", folder, "-mindepth", str(depth), "-maxdepth", str(depth), "-printf", r"%p %m %u\n")


def in_private_system(sudo: Sudo, place: Path, token: str, *command: str) -> None:
    """Run a command as ``./dev screenshots`` does, in a folder given away."""
    private = sudo("mktemp", "-d").strip()
    unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
    words = [CHECKOUT / "packaging/private-system", "test", private, CHECKOUT, place, token, getpass.getuser()]
    try:
        sudo(*unshare, *words, *command)
    finally:
        sudo("rmdir", private)


def test_what_is_given_away_is_written_to_though_no_other_user_may_pass(shared: Path, sudo: Sudo) -> None:
    name, token = tool(AS_ROOT, shared, "make", "results").stdout.split()
    in_private_system(sudo, shared / "results" / name, token, "touch", "picture.png")
    assert tool(AS_ROOT, shared, "clear", "results", name, token).stdout == "picture.png\n"


def test_the_folder_is_only_given_away_if_it_is_the_one(shared: Path, victim: Path, sudo: Sudo) -> None:
    """Somebody puts a link in its place before root's private system hands it over."""
    before = state(sudo, victim)
    name, token = tool(AS_ROOT, shared, "make", "results").stdout.split()
    place = shared / "results" / name
    sudo("mv", place, f"{place}-aside", user="dt-other")
    sudo("ln", "-s", victim / "empty", place, user="dt-other")
    with pytest.raises(AssertionError, match="somebody changed"):
        in_private_system(sudo, place, token, "true")
    assert state(sudo, victim) == before
    assert "is not there any more" in tool(AS_ROOT, shared, "clear", "results", name, token).stderr


def test_only_what_the_user_made_is_taken_and_nothing_is_written_through_links(
    shared: Path, victim: Path, sudo: Sudo
) -> None:
    before = state(sudo, victim)
    name, token = tool(AS_ROOT, shared, "make", "results").stdout.split()
    place = shared / "results" / name
    sudo("chown", getpass.getuser(), place)
    (place / "a.json").write_text("result")
    (place / "link.json").symlink_to(victim / "shadow")
    (place / "folder/deep").mkdir(parents=True)
    (place / "elsewhere").symlink_to(victim)
    os.mkfifo(place / "pipe.json")
    sudo("ln", victim / "shadow", place / "hard.json")
    sudo("ln", "-s", victim / "shadow", shared / "results/a.json")

    completed = tool(AS_ROOT, shared, "clear", "results", name, token)

    assert (completed.stdout, completed.stderr) == ("a.json\n", "")
    assert seen(sudo, shared, 1) + seen(sudo, shared, 2) == (
        f"{shared}/results 755 dt-other\n{shared}/results/a.json 600 dt-other\n"
    )
    assert sudo("cat", shared / "results/a.json") == "result"
    # The link to it made its number of names, and with it the time of its last change, another.
    assert state(sudo, victim).splitlines()[:2] == before.splitlines()[:2]
    assert sudo("cat", victim / "shadow") == "secret\n"


def test_what_a_killed_run_left_is_removed_but_not_what_is_in_use(tmp_path: Path) -> None:
    left, used, young = (tool([], tmp_path, "make", "results").stdout.split()[0] for _ in range(3))
    (tmp_path / "results/other").mkdir()
    for name in (left, used):
        (tmp_path / "results" / name / "file").touch()
        os.utime(tmp_path / "results" / name, (0, 0))
    lock = os.open(tmp_path / "results" / used, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    new = tool([], tmp_path, "make", "results").stdout.split()[0]
    os.close(lock)
    assert {path.name for path in (tmp_path / "results").iterdir()} == {used, young, new, "other"}


def test_a_neighbour_who_swaps_folders_all_the_time(shared: Path, victim: Path, sudo: Sudo) -> None:
    """The folder's owner, as fast as possible, while root makes and clears folders in it."""
    before = state(sudo, victim)
    words = ["sudo", "-n", "-u", "dt-other", "/usr/bin/python3", "-I", "-c", SWAPPER, str(shared), str(victim)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as swapper:
        assert swapper.stdout and swapper.stdin and swapper.stdout.readline()
        ends: Counter[str] = Counter()
        for _ in range(TIMES):
            completed = tool(AS_ROOT, shared, "make", "results")
            ends[completed.stderr or "made"] += 1
            for line in completed.stdout.splitlines():
                cleared = tool(AS_ROOT, shared, "clear", "results", *line.split())
                ends[cleared.stderr or "cleared"] += 1
        swapper.stdin.close()
        swaps = int(swapper.stdout.read())
    assert state(sudo, victim) == before
    assert swaps > TIMES and ends["made"] > 0
    assert not any("Traceback" in output for output in ends), ends


@pytest.fixture
def roots(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> Path:
    """A folder of root's alone, on a disk."""
    folder = loop_disk(size_mb=2048).folder
    sudo("chown", "root", folder)
    sudo("chmod", "700", folder)
    sudo("mkdir", folder / "home", folder / "mine")
    return folder


def test_what_root_is_told_to_type_works_when_it_is_typed(
    roots: Path, sudo: Sudo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The user of the run is gone, and could neither write here nor read root's files."""

    def typed(words: str) -> str:
        with as_found(tmp_path_factory.mktemp("as-found")) as machine:
            completed = machine.run(DEV, "exec", *words.split(), cwd=roots, env={"HOME": str(roots / "home")})
        assert completed.returncode == 0, completed.stderr
        return completed.stdout

    typed("disktuner bench . --workload dd-read --rounds 1 --seconds 0.5 --out a.json")
    id_ = json.loads(sudo("cat", roots / "a.json"))["id"]
    sudo("mv", roots / "a.json", roots / "mine")
    sudo("install", "-D", "-m", "600", roots / "mine/a.json", roots / f"home/.local/share/disktuner/{id_}.json")
    typed(f"disktuner export {id_} --to card.png")
    assert typed("disktuner verdict mine/a.json --json") == typed(f"disktuner verdict {id_} --json")
    assert sudo("find", roots, "-name", "*.png", "-printf", "%P %m %u") == "card.png 600 root"
    assert sudo("find", roots / "home", "-type", "f", "-printf", "%f %m %u") == f"{id_}.json 600 root"


def test_what_is_lent_comes_back_as_it_was_left_and_nothing_else_is_touched(tmp_path: Path, victim: Path) -> None:
    """The user changes a result, makes two, deletes one, and plants a link; a file that cannot be copied stops no
    other.
    """
    folder_kept, named, lent, user = tmp_path / "kept", tmp_path / "named", tmp_path / "home/lent", Path.home().owner()
    folder_kept.mkdir()
    named.symlink_to(folder_kept)
    for name in ("changed.json", "deleted.json", "same.json"):
        (folder_kept / name).write_text(name)
    names = tool([], tmp_path, "lend", str(named), str(lent), user).stdout
    assert names.split() == ["changed.json", "deleted.json", "same.json"]
    (lent / "changed.json").write_text("anew")
    (lent / "deleted.json").unlink()
    (lent / "new.json").write_text("new")
    (lent / "a-folder.json").write_text("where a folder is")
    (lent / "link.json").symlink_to(victim / "shadow")
    (folder_kept / "meanwhile.json").write_text("of another run")
    (folder_kept / "a-folder.json").mkdir()
    status = (folder_kept / "same.json").stat()

    words = ["/usr/bin/python3", "-I", str(TOOL), "take", str(lent), str(named), user]
    completed = subprocess.run(words, input=names, text=True, check=True, capture_output=True)

    assert completed.stderr == "dev: a-folder.json could not be copied, as the others are: Is a directory.\n"
    (folder_kept / "a-folder.json").rmdir()
    assert {path.name: path.read_text() for path in folder_kept.iterdir()} == {
        "changed.json": "anew",
        "new.json": "new",
        "same.json": "same.json",
        "meanwhile.json": "of another run",
    }
    assert (folder_kept / "same.json").stat() == status
