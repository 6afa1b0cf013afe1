# SPDX-License-Identifier: GPL-3.0-or-later
"""A flood of calls without rights: the helper answers what it can bear, dies of what is too much, and restores.

How much is too much: `./dev bench bench_flood`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bus.confine import Group
from tests.bus.conftest import Caller, Refusal, helper_pid, named
from tests.bus.test_polkit_gone import reload_bus
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import WHAT, begun, values
from tests.waiting import until

POLICY = "/usr/share/dbus-1/system.d/org.disktuner.Helper1.conf"
RUNNING = Path("/run/disktuner/trials.json")
FLOOD = str(Path(__file__).parents[1] / "bench/flood.py")


@contextmanager
def flood(kind: str, connections: int, count: int) -> Iterator[subprocess.Popen[str]]:
    """Flood the bus as dt-other, until so many messages are sent and answered, or until ended."""
    command = ["sudo", "-n", "-u", "dt-other", "--", "/usr/bin/python3", FLOOD, kind, str(connections), str(count)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1) as flooding:
        assert flooding.stdin and flooding.stdout and flooding.stdout.readline() == "ready\n"
        flooding.stdin.write("begin\n")
        yield flooding
        flooding.terminate()


@pytest.fixture
def trying(confined: None, caller: Callable[..., Caller], disk: LoopDisk) -> tuple[Caller, str]:
    """Begin a trial in which the disk has another scheduler."""
    owner = caller()
    trial = owner.begin(disk)
    owner.set_trial(trial, disk, "bfq")
    return owner, trial


def test_a_flood_is_answered_and_so_is_who_asks_meanwhile(
    trying: tuple[Caller, str], caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    (owner, trial), other, pid = trying, caller("dt-ask"), helper_pid(sudo)
    with flood("ending", 40, 30) as flooding:
        other.state()
        assert flooding.stdout and json.load(flooding.stdout) == {"sent": 1200, "answered": 1200, "lost": 0}
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    owner.call("EndTrial", trial)


@pytest.mark.usefixtures("trying")
def test_a_helper_that_a_flood_kills_gives_back_what_it_changed(
    caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """At the unit's MemoryMax. systemd starts the next one within 5 s: see tests/machine."""
    other, pid = caller("dt-ask"), helper_pid(sudo)
    with flood("more-disks", 4, 1000):
        until(lambda: not Path(f"/proc/{pid}").exists())
    until(lambda: answers(other))
    assert other.state()["trials"] == [] and disk.scheduler == "none"


def answers(caller: Caller) -> bool:
    """Whether the helper answers: a fresh one may have died of the same flood."""
    try:
        return bool(caller.state())
    except Refusal:
        return False


@pytest.fixture(params=["refused by the bus", "given back"])
def carrying(request: pytest.FixtureRequest, sudo: Sudo) -> Iterator[None]:
    """The bus refuses calls that carry descriptors; one that cannot lets them through."""
    text = sudo("cat", POLICY)
    if request.param == "given back":
        sudo("tee", POLICY, stdin="".join(line for line in text.splitlines(True) if "min_fds" not in line))
        reload_bus(sudo)
    yield
    sudo("tee", POLICY, stdin=text)
    reload_bus(sudo)


@pytest.mark.usefixtures("carrying")
def test_files_that_come_with_calls_do_not_stay(trying: tuple[Caller, str], disk: LoopDisk, sudo: Sudo) -> None:
    (owner, trial), pid = trying, helper_pid(sudo)

    def open_files() -> int:
        return len(sudo("ls", f"/proc/{pid}/fd").split())

    before = open_files()
    with flood("descriptors", 4, 100) as flooding:
        assert flooding.stdout and json.load(flooding.stdout) == {"sent": 400, "answered": 400, "lost": 0}
    assert (helper_pid(sudo), disk.scheduler) == (pid, "bfq") and open_files() < before + 16
    owner.set_trial(trial, disk, "kyber")
    owner.call("EndTrial", trial)
    assert disk.scheduler == "none"


@contextmanager
def no_more_threads(sudo: Sudo) -> Iterator[None]:
    """As if others had taken all threads of the computer."""
    folder = Group().folder("pids")
    usual = sudo("cat", folder / "pids.max")
    sudo("tee", folder / "pids.max", stdin=sudo("cat", folder / "pids.current"))
    yield
    sudo("tee", folder / "pids.max", stdin=usual)


@contextmanager
def no_more_room(sudo: Sudo) -> Iterator[None]:
    """Fill /run."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    *_, usual = (options for _, place, _, options, *_ in mounts if place == "/run")  # the topmost
    blocks = sudo("df", "--output=used", "-k", "/run").split()[1]
    sudo("mount", "-o", f"remount,size={blocks}k", "/run")
    sudo("sh", "-c", "cat /dev/zero >/run/full 2>/dev/null || true")
    yield
    sudo("rm", "/run/full")
    sudo("mount", "-o", f"remount,size=50%,{usual}", "/run")


@pytest.mark.parametrize("scarcity", [no_more_threads, no_more_room])
def test_disks_go_back_whatever_others_have_used_up(
    scarcity: Callable[[Sudo], object], confined: None, caller: Callable[..., Caller],
    loop_disk: Callable[..., LoopDisk], sudo: Sudo,
) -> None:  # fmt: skip
    """Three trials: one is ended, one's owner leaves, and one's is killed; then everything is forgotten."""
    disks, owners = [loop_disk(size_mb=16, fs=None) for _ in range(3)], [caller() for _ in range(3)]
    before, trials = [values(disk) for disk in disks], []
    for disk, owner in zip(disks, owners, strict=True):
        trials.append(owner.begin(disk))
        owner.set_trial(trials[-1], disk, "bfq", {"queue/nomerges": "1"})
    pid, watcher = helper_pid(sudo), caller("dt-ask")
    with scarcity(sudo):  # type: ignore[attr-defined]
        owners[0].process.kill()
        owners[1].leave()
        try:
            owners[2].call("EndTrial", trials[2])
        except Refusal as refusal:
            assert scarcity is no_more_threads and str(refusal) == "WriteFailed"
            owners[2].leave()
        until(lambda: [values(disk) for disk in disks] == before)
    until(lambda: watcher.state()["trials"] == [])
    assert helper_pid(sudo) == pid and not list(Path("/run/disktuner").glob("*.json"))
    assert not list(Path("/run/disktuner/hold").iterdir())


def test_disks_go_back_as_soon_as_there_are_descriptors_again(
    trying: tuple[Caller, str], caller: Callable[..., Caller], disk: LoopDisk, sudo: Sudo
) -> None:
    """Whatever took them all: what the disk had is remembered, and the helper does not die of it."""
    (owner, _), watcher, pid = trying, caller("dt-ask"), helper_pid(sudo)
    watcher.state()
    descriptors = {int(name) for name in sudo("ls", f"/proc/{pid}/fd").split()}
    few = next(number for number in range(len(descriptors) + 1) if number not in descriptors)
    sudo("prlimit", f"--pid={pid}", f"--nofile={few}:1024")
    owner.process.kill()
    owner.process.wait()
    until(lambda: helper_pid(sudo, owner.name) == 0)
    assert RUNNING.exists() and (helper_pid(sudo), disk.scheduler) == (pid, "bfq")
    sudo("prlimit", f"--pid={pid}", "--nofile=1024:1024")
    until(lambda: disk.scheduler == "none")
    until(lambda: watcher.state()["trials"] == [])
    assert helper_pid(sudo) == pid and not RUNNING.exists()


def tries(owner: Caller, pair: list[LoopDisk]) -> bool:
    """Whether two disks are in a trial: the rest of the last flood may end the helper once more."""
    try:
        trial = owner.call("BeginTrial", named(*pair))
        for disk, scheduler in zip(pair, ("bfq", "kyber"), strict=True):
            owner.set_trial(trial, disk, scheduler, {"queue/nomerges": "1", "bdi/strict_limit": "1"})
    except Refusal:
        return False
    return True


FLOODS = [
    ("asking", 250, 1000), ("ending", 40, 1000), ("many-small", 40, 1000), ("descriptors", 4, 1000), ("long", 2, 1000),
    ("disks", 4, 1000), ("more-disks", 4, 1000), ("paths", 4, 1000), ("silent", 4, 1_000_000), None,
]  # fmt: skip
"""What a helper can have too much of: connections, threads, descriptors, memory, long paths; none: /run is full."""


@pytest.mark.parametrize("floods", [FLOODS[-1:-8:-3], pytest.param(FLOODS * 5, marks=pytest.mark.long)])
def test_after_each_flood_all_disks_are_as_before(
    floods: Sequence[tuple[str, int, int] | None],
    confined: None,
    caller: Callable[..., Caller],
    loop_disk: Callable[..., LoopDisk],
    sudo: Sudo,
    tmp_path: Path,
) -> None:
    """During a comparison, and a trial of two disks whose owner leaves in the middle of the flood."""
    compared, watcher = loop_disk(size_mb=1024), caller("dt-ask")
    pair = [loop_disk(size_mb=16, fs=None) for _ in range(2)]
    before = [values(disk) for disk in (compared, *pair)]
    for kind in floods:
        owner = caller()
        until(lambda owner=owner: tries(owner, pair))
        with begun(compared, *WHAT, "--schedulers", "bfq,mq-deadline", home=tmp_path) as comparing:
            with flood(*kind) if kind else no_more_room(sudo):
                owner.leave()
                comparing.terminate()
                output, _ = comparing.communicate()
            assert comparing.returncode in (0, 3, 5, 6, 130), output
        until(lambda: answers(watcher) and watcher.state()["trials"] == [])
        assert [values(disk) for disk in (compared, *pair)] == before, kind
