# SPDX-License-Identifier: GPL-3.0-or-later
"""``raw-read`` on a loop disk through the real udisksd and polkit: asked, refused, cancelled, and never writing."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pexpect
import pytest

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.vocabulary.errors import Cancelled, MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import say
from disktuner.workloads.dd import RawRead
from disktuner.workloads.raw_disk import NAME, RawDisk, not_there
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Scratch, Size
from tests.bus.conftest import Udevd
from tests.conftest import MKFS, LoopDisk, Sudo
from tests.end2end.conftest import COMMAND
from tests.waiting import until

RULE = Path("/usr/share/polkit-1/rules.d/20-test-udisks.rules")
SIZE_MIB = 256


def owner() -> int:
    """The process that is udisks on the bus, 0 where there is none."""
    bus = "org.freedesktop.DBus"
    question = f"gdbus call --system -d {bus} -o / -m {bus}.GetConnectionUnixProcessID {NAME}"
    out = subprocess.run(question.split(), capture_output=True, text=True, check=False)
    return int(out.stdout.split()[1].strip(",)")) if out.returncode == 0 else 0


@pytest.fixture
def udisks(udevd: Udevd, sudo: Sudo) -> Iterator[LoopDisk]:
    """A disk that the real udisksd knows, which the bus starts when it is first called; it asks for everything."""

    def end() -> None:
        if pid := owner():
            sudo("kill", str(pid))
            assert until(lambda: owner() == 0)

    end()
    yield udevd.disk
    end()


@pytest.fixture
def allowed(udisks: LoopDisk, sudo: Sudo) -> Iterator[LoopDisk]:
    """The same, and polkit lets this user read it: the word that an administrator's password would give."""
    rule = f"""polkit.addRule(function(action, subject) {{
        if (action.id.indexOf("org.freedesktop.udisks2.open-device") == 0 && subject.user == "{getpass.getuser()}")
            return polkit.Result.YES;
    }});"""
    sudo("tee", RULE, stdin=rule)
    yield udisks
    sudo("rm", RULE)


@contextmanager
def running(disks: tuple[str, ...]) -> Iterator[tuple[Scratch, UserProcesses, Control]]:
    """What an experiment gives to a workload."""
    control = Control()
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            Source(4096, 1) as source,
            RawDisk(disks) as raw,
            UserProcesses(control) as processes,
        ):
            yield Scratch(Path(folder), 1, source, raw), processes, control
    finally:
        control.close()


def open_disks() -> list[str]:
    """What this process holds open below /dev."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(str(link.readlink()))
    return [name for name in found if name.startswith(("/dev/loop", "/loop"))]


def moved(disk: LoopDisk) -> tuple[int, int]:
    """Bytes read, and writes begun."""
    words = (disk.queue.parent / "stat").read_text().split()
    return int(words[2]) * 512, int(words[4])


def test_reads_the_raw_disk_and_nothing_else(allowed: LoopDisk, sudo: Sudo) -> None:
    workload, size = RawRead(), Size(2 * SIZE_MIB, 0, 0, 1.0)
    sudo("dd", "if=/dev/urandom", f"of={allowed.device}", "bs=1M", "count=64", "oflag=direct")
    content, before = sudo("sha256sum", allowed.device), moved(allowed)
    with running((allowed.name,)) as (scratch, processes, _):
        workload.prepare(scratch, size, processes)
        fd = scratch.raw.open(processes)
        runs = [workload.run(scratch, size, processes) for _ in range(2)]
        assert scratch.raw.open(processes) == fd, "nobody is asked for each run"
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(fd, bytes(512))
    after = moved(allowed)
    assert [run.read_bytes for run in runs] == [2 * SIZE_MIB * MIB] * 2
    assert all(run.values["bytes_per_s"] > 0 and run.written_bytes == 0 for run in runs)
    assert after[0] - before[0] >= 4 * SIZE_MIB * MIB, "none of it came from memory"
    assert after[1] == before[1]
    assert sudo("sha256sum", allowed.device) == content
    assert open_disks() == []


def test_who_is_not_allowed_is_told_so(udisks: LoopDisk) -> None:
    with running((udisks.name,)) as (scratch, processes, _), pytest.raises(NotAuthorised, match="leave raw-read out"):
        RawRead().prepare(scratch, Size(8, 0, 0, 1.0), processes)
    assert open_disks() == []


def test_a_run_is_cancelled_at_once(allowed: LoopDisk) -> None:
    with running((allowed.name,)) as (scratch, processes, control):
        size = Size(10**7, 0, 0, 1000.0)
        RawRead().prepare(scratch, size, processes)
        began = time.monotonic()
        timer = threading.Timer(0.5, control.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            RawRead().run(scratch, size, processes)
        timer.join()
    assert time.monotonic() - began < 10
    assert open_disks() == []


def test_a_question_is_given_up_when_cancelled(udisks: LoopDisk) -> None:
    """An agent shows the question and nobody answers it."""
    agent = pexpect.spawn("pkttyagent", ["--process", str(os.getpid())], encoding="utf-8", timeout=20)
    asked = threading.Event()
    with running((udisks.name,)) as (scratch, processes, control):

        def cancel() -> None:
            agent.expect("AUTHENTICATING FOR")
            asked.set()
            control.cancel()

        waiting = threading.Thread(target=cancel)
        time.sleep(0.5)  # the agent says nowhere that polkit knows it
        waiting.start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            RawRead().prepare(scratch, Size(8, 0, 0, 1.0), processes)
        waiting.join()
        assert asked.is_set() and time.monotonic() - began < 20
    agent.close(force=True)
    assert open_disks() == []


def test_several_disks_and_unknown_ones_are_refused(allowed: LoopDisk) -> None:
    for disks, words in (((), "there is none"), (("sda", "sdb"), "sda and sdb"), (("none-such",), "does not know")):
        with running(disks) as (scratch, processes, _), pytest.raises(MeasurementImpossible, match=words):
            RawRead().prepare(scratch, Size(8, 0, 0, 1.0), processes)


def test_without_udisks_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not_there() is None
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent")
    reason = RawRead().unavailable()
    assert reason and "package udisks2" in say(reason)


@pytest.fixture
def mounted(udisks: LoopDisk, sudo: Sudo, tmp_path: Path) -> Iterator[LoopDisk]:
    folder = tmp_path / "mounted"
    folder.mkdir()
    sudo("mkfs.ext4", *MKFS["ext4"], udisks.device)
    sudo("mount", udisks.device, folder)
    sudo("chown", getpass.getuser(), folder)
    yield LoopDisk(udisks.name, udisks.device, folder)
    sudo("umount", folder)


def bench(folder: Path | None) -> subprocess.CompletedProcess[str]:
    words = ("bench", folder or "", "--workload", "raw-read", "--rounds", "2", "--seconds", "0.3", "--json")
    return subprocess.run(
        [str(COMMAND), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


def test_the_command_refuses_and_measures(mounted: LoopDisk, allowed: LoopDisk, sudo: Sudo) -> None:
    there = sorted(mounted.folder.iterdir()) if mounted.folder else []
    done = bench(mounted.folder)
    assert done.returncode in (0, 5), done.stderr  # a busy machine may take the CPU away from every run
    if done.returncode == 0:
        values = [
            each["value"] for each in json.loads(done.stdout)["samples"] if each["metric"] == "raw-read.bytes_per_s"
        ]
        assert len(values) >= 2 and min(values) > 0
    sudo("tee", RULE, stdin="")
    done = bench(mounted.folder)
    assert done.returncode == 3 and "leave raw-read out" in done.stderr
    assert mounted.folder and sorted(mounted.folder.iterdir()) == there
