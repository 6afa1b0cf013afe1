# SPDX-License-Identifier: GPL-3.0-or-later
"""``raw-read`` on a loop disk through the real udisksd and polkit: asked, refused, cancelled, and never writing."""

from __future__ import annotations

import getpass
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from disktuner.udisks import NAME
from disktuner.vocabulary.errors import Cancelled, DisktunerError, MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import say
from disktuner.workloads.dd import RawRead, RawSpec
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.raw_disk import RawDisk, unknown
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Scratch
from tests.bus.conftest import Udevd, helper_pid, text_agent
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

RULE = Path("/usr/share/polkit-1/rules.d/20-test-udisks.rules")
SIZE_MIB = 256


@pytest.fixture
def udisks(udevd: Udevd, sudo: Sudo) -> Iterator[LoopDisk]:
    """A disk known to the real udisksd, which the bus starts on demand; every action needs a password."""

    def end() -> None:
        if pid := helper_pid(sudo, NAME):
            sudo("kill", str(pid))
            until(lambda: helper_pid(sudo, NAME) == 0)

    end()
    yield udevd.disk
    end()


@pytest.fixture
def allowed(udisks: LoopDisk, sudo: Sudo) -> Iterator[LoopDisk]:
    """The same, with polkit allowing this user to read it, as an administrator's password would."""
    rule = f"""polkit.addRule(function(action, subject) {{
        if (action.id.indexOf("org.freedesktop.udisks2.open-device") == 0 && subject.user == "{getpass.getuser()}")
            return polkit.Result.YES;
    }});"""
    sudo("tee", RULE, stdin=rule)
    yield udisks
    sudo("rm", RULE)


@contextmanager
def running(disks: tuple[str, ...]) -> Iterator[tuple[Scratch, Control]]:
    """Return an experiment's arguments for a workload."""
    control = Control()
    with (
        tempfile.TemporaryDirectory() as folder,
        Source(4096, 1) as source,
        closing(RawDisk(disks)) as raw,
        Processes(control) as processes,
    ):
        yield Scratch(Path(folder), 1, source, processes, raw), control


def open_disks() -> list[str]:
    """Return what this process holds open below /dev."""
    answers = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            answers.append(str(link.readlink()))
    return [name for name in answers if name.startswith(("/dev/loop", "/loop"))]


def moved(disk: LoopDisk) -> tuple[int, int]:
    """Return the bytes read, and the writes begun."""
    words = (disk.queue.parent / "stat").read_text().split()
    return int(words[2]) * 512, int(words[4])


def test_reads_the_raw_disk_and_nothing_else(allowed: LoopDisk, sudo: Sudo) -> None:
    workload, spec = RawRead(), RawSpec(1.0, 2 * SIZE_MIB * MIB)
    sudo("dd", "if=/dev/urandom", f"of={allowed.device}", "bs=1M", "count=64", "oflag=direct")
    content, before = sudo("sha256sum", allowed.device), moved(allowed)
    with running((allowed.name,)) as (scratch, _):
        workload.prepare(scratch, spec)
        fd = scratch.raw.open(scratch.processes)
        runs = [workload.run(scratch, spec) for _ in range(2)]
        assert scratch.raw.open(scratch.processes) == fd, "nobody is asked for each run"
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(fd, bytes(512))
    after = moved(allowed)
    assert [run.read_bytes for run in runs] == [2 * SIZE_MIB * MIB] * 2
    assert all(run.values["bytes_per_s"] > 0 and run.written_bytes == 0 for run in runs)
    assert after[0] - before[0] >= 4 * SIZE_MIB * MIB, "none of it came from memory"
    assert after[1] == before[1]
    assert sudo("sha256sum", allowed.device) == content
    assert open_disks() == []


def test_a_question_is_given_up_when_cancelled(udisks: LoopDisk) -> None:
    """An agent shows the question and nobody answers it."""
    agent = text_agent(os.getpid(), getpass.getuser())
    with running((udisks.name,)) as (scratch, control):

        def cancel() -> None:
            agent.expect("AUTHENTICATING FOR")
            control.cancel()

        cancelling = threading.Thread(target=cancel)
        cancelling.start()
        with pytest.raises(Cancelled):
            RawRead().prepare(scratch, RawSpec(1.0, 8 * MIB))
        cancelling.join()
    agent.close(force=True)
    assert open_disks() == []


def test_what_cannot_be_read_is_refused_with_a_sentence(udisks: LoopDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[tuple[str, ...], type[DisktunerError], str]] = [
        ((udisks.name,), NotAuthorised, "leave raw-read out"),
        ((), MeasurementImpossible, "is on none"),
        (("sda", "sdb"), MeasurementImpossible, "sda and sdb"),
        (("none-such",), MeasurementImpossible, "does not know"),
    ]
    for disks, error, words in cases:
        with running(disks) as (scratch, _), pytest.raises(error, match=words):
            RawRead().prepare(scratch, RawSpec(1.0, 8 * MIB))
    assert open_disks() == []
    assert unknown((udisks.name,)) is None
    sentences = [unknown(disks) for disks, _, _ in cases[1:]]
    assert all(
        words in say(sentence) for sentence, (_, _, words) in zip(sentences, cases[1:], strict=True) if sentence
    ) and all(sentences)
    with monkeypatch.context() as without:
        without.setenv("PATH", "/nonexistent")
        reason = RawRead().unavailable()
    assert reason and "package udisks2" in say(reason)
