# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job through the real command: compare, judge again, apply, go back, be refused, be killed."""

from __future__ import annotations

import getpass
import json
import pwd
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import COMMAND, Run

SHORT = ("--goal", "copying", "--budget", "quick", "--schedulers", "mq-deadline,bfq", "--workloads", "dd-write")


@pytest.fixture
def disk(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> LoopDisk:
    """A disk with room for a short comparison, on ``none`` as loop disks are."""
    made = loop_disk(size_mb=1024)
    sudo("tee", made.queue / "scheduler", stdin="kyber")
    return made


@pytest.fixture
def running(disk: LoopDisk) -> Iterator[subprocess.Popen[str]]:
    """A comparison that is in the middle of its trial: the disk's scheduler is not what it was."""
    assert disk.folder
    process = subprocess.Popen(
        [COMMAND, "compare", disk.folder, *SHORT],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    try:
        wait_for(lambda: process.poll() is not None or disk.scheduler != "kyber", 60)
        assert process.poll() is None, process.stdout and process.stdout.read()
        yield process
    finally:
        process.kill()
        process.communicate(timeout=20)


def wait_for(condition: Callable[[], bool], seconds: float) -> float:
    """Wait until it is so; returns how long that took, fails when it takes too long."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            pytest.fail(f"not so after {seconds} s")
        time.sleep(0.02)
    return time.monotonic() - start


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def processes_in(folder: Path) -> list[str]:
    """Command lines of our processes that have a file below a folder open or work in it."""
    return [
        (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        for entry in Path("/proc").glob("[0-9]*")
        if any(str(folder) in target for target in _open_files(entry))
    ]


def _open_files(entry: Path) -> list[str]:
    try:
        return [str(link.readlink()) for link in (entry / "cwd", *(entry / "fd").iterdir())]
    except OSError:
        return []


def test_a_comparison_can_be_judged_again_and_leaves_the_disk_as_it_was(
    disk: LoopDisk, disktuner: Run, tmp_path: Path
) -> None:
    assert disk.folder
    before = set(disk.folder.rglob("*"))
    out, image = tmp_path / "result.json", tmp_path / "result.png"

    done = disktuner("compare", disk.folder, *SHORT, "--out", out, "--image", image, "--json")

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    result = json.loads(out.read_text())
    again = disktuner("verdict", out, "--json")
    assert again.returncode == 0, again.stderr
    verdict = json.loads(again.stdout)
    assert verdict == answer.get("verdict", answer)
    assert verdict["baseline"] == "kyber"
    assert {sample["scheduler"] for sample in result["samples"]} == {"kyber", "mq-deadline", "bfq"}
    assert image.read_bytes().startswith(b"\x89PNG")
    assert disk.scheduler == "kyber"
    assert set(disk.folder.rglob("*")) == before


def test_nothing_of_a_comparison_runs_as_root(running: subprocess.Popen[str]) -> None:
    me = pwd.getpwnam(getpass.getuser()).pw_uid
    assert me != 0
    seen = set()
    end = time.monotonic() + 4
    while time.monotonic() < end and running.poll() is None:
        for pid in [running.pid, *descendants(running.pid)]:
            try:
                seen.add(Path(f"/proc/{pid}").stat().st_uid)
            except OSError:
                continue
        time.sleep(0.05)
    assert seen == {me}


def test_kill_9_of_the_app_restores_within_two_seconds(
    running: subprocess.Popen[str], disk: LoopDisk, disktuner: Run
) -> None:
    assert disk.folder
    folder = disk.folder
    running.send_signal(signal.SIGKILL)

    wait_for(lambda: disk.scheduler == "kyber", 2)
    wait_for(lambda: not processes_in(folder), 2)

    # What the killed run left is cleaned by the next one.
    assert disktuner("bench", folder, "--workload", "dd-write", "--rounds", "1").returncode == 0
    assert [path.name for path in folder.iterdir() if path.name != "lost+found"] == []


def test_kill_9_of_the_helper_is_restored_when_it_is_next_started(
    running: subprocess.Popen[str], disk: LoopDisk, disktuner: Run, sudo: Sudo
) -> None:
    pids = subprocess.run(["pgrep", "-u", "root", "-f", "disktuner-helper"], capture_output=True, text=True, check=True)
    running.send_signal(signal.SIGSTOP)
    sudo("kill", "-KILL", *pids.stdout.split())
    try:
        done = disktuner("status", "--json")
        assert done.returncode == 0, done.stderr
        wait_for(lambda: disk.scheduler == "kyber", 2)
    finally:
        running.send_signal(signal.SIGCONT)
    output = running.communicate(timeout=60)[0]
    assert running.returncode != 0
    assert "Traceback" not in output
    assert disk.scheduler == "kyber"


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_cancel_restores_at_once(running: subprocess.Popen[str], disk: LoopDisk, sent: signal.Signals) -> None:
    assert disk.folder
    running.send_signal(sent)
    wait_for(lambda: disk.scheduler == "kyber", 2)
    wait_for(lambda: running.poll() is not None, 5)
    assert running.returncode == 130
    assert [path.name for path in disk.folder.iterdir() if path.name != "lost+found"] == []


def test_set_and_revert(disk: LoopDisk, disktuner: Run) -> None:
    assert disktuner("set", disk.name, "bfq").returncode == 0
    assert disk.scheduler == "bfq"
    assert disktuner("revert", disk.name).returncode == 0
    assert disk.scheduler == "kyber"


@pytest.fixture
def shared(disk: LoopDisk, sudo: Sudo) -> Iterator[Path]:
    """The disk mounted a second time where other users reach it, owned by one of them."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    sudo("mount", disk.device, place)
    sudo("chown", "dt-other", place)
    yield place
    sudo("umount", place)
    place.rmdir()


def test_who_is_not_authorised_changes_nothing(disk: LoopDisk, disktuner: Run, shared: Path) -> None:
    done = disktuner("set", disk.name, "bfq", user="dt-other")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    done = disktuner("compare", shared, *SHORT, user="dt-other")
    assert done.returncode == 3, done.stderr
    assert disk.scheduler == "kyber"
    assert [path.name for path in shared.iterdir() if path.name != "lost+found"] == []


def test_a_folder_one_may_not_look_into(disk: LoopDisk, disktuner: Run) -> None:
    assert disk.folder
    done = disktuner("compare", disk.folder, *SHORT, user="dt-other")
    assert done.returncode == 5, done.stderr
    assert "may not" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("set", "no-such-disk", "bfq"), 4),
        (("set", "{disk}", "no-such-scheduler"), 4),
        (("compare", "/no/such/folder", "--goal", "desktop"), 4),
        (("compare", "/proc", "--goal", "desktop"), 4),
        (("verdict", "/no/such/file"), 2),
        (("compare", "/tmp", "--goal", "sleeping"), 2),
        (("no-such-command",), 2),
    ],
)
def test_bad_requests_end_with_a_sentence(
    disk: LoopDisk, disktuner: Run, arguments: tuple[str, ...], code: int
) -> None:
    done = disktuner(*(word.format(disk=disk.name) for word in arguments))
    assert done.returncode == code, done.stderr
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr
    assert disk.scheduler == "kyber"
