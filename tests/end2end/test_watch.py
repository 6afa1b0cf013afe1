# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder as its service runs it: reached from another process, small, and gone without a trace."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from disktuner_watch import control
from disktuner_watch.causes import FreezeReason
from disktuner_watch.incidents import Incidents
from tests.conftest import Sudo
from tests.end2end.conftest import COMMAND, Run
from tests.simdisk.simulated import silent, simulated_disk
from tests.unit.watch.planted import planted
from tests.waiting import until

MOST_KB = 30_000


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))
    with recording() as running:
        yield running


@contextmanager
def recording() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([COMMAND, "watch", "--record"], stderr=subprocess.PIPE, text=True) as running:
        try:
            until(lambda: control.is_on() or running.poll() is not None)
            yield running
        finally:
            running.kill()


def forget(file: Path) -> None:
    """Drop its content from memory."""
    with file.open("rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def asked(*arguments: str) -> tuple[dict[str, bool], str]:
    """Return the incidents that the command shows, with whether they were asked for, and its remarks.

    The command is another process, which has to end. This computer may really stand still, and add others meanwhile.
    """
    completed = subprocess.run([COMMAND, "watch", "--json", *arguments], capture_output=True, text=True, check=True)
    incidents = json.loads(completed.stdout)["incidents"]
    return {incident["id"]: incident["asked"] for incident in incidents}, completed.stderr


def test_it_keeps_what_is_asked_for_and_ends_as_it_is_told(
    recorder: subprocess.Popen[str], disktuner: Run, tmp_path: Path
) -> None:
    document = json.loads(disktuner("watch", "--now", "--json").stdout)
    assert document["on"] and [incident["asked"] for incident in document["incidents"]].count(True) == 1
    assert int(re.findall(r"VmHWM:\s*(\d+)", Path(f"/proc/{recorder.pid}/status").read_text())[0]) < MOST_KB
    recorder.send_signal(signal.SIGTERM)
    assert recorder.wait() == 0
    assert list((tmp_path / "RUNTIME_DIR").iterdir()) == []
    assert {path.name for path in (tmp_path / "STATE_HOME").rglob("*.json")} == {
        f"{incident['id']}.json" for incident in document["incidents"]
    }


def folders_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the user's folders lie on another disk than the recorder's own; return one for what that does not take."""
    for name in ("RUNTIME_DIR", "CONFIG_HOME"):
        (folder / name).mkdir()
        monkeypatch.setenv(f"XDG_{name}", str(folder / name))
    (folder / "stick").mkdir()
    return folder / "stick"


def test_one_that_was_killed_amid_saving_keeps_nobody_from_recording(
    sudo: Sudo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk keeps a thread of it in the kernel, and with that all that it had open."""
    stick = folders_elsewhere(tmp_path, monkeypatch)
    with simulated_disk(sudo, tmp_path, 64, "null") as disk:
        monkeypatch.setenv("XDG_STATE_HOME", str(disk.folder))
        subprocess.run([COMMAND, "watch", "--second", stick], capture_output=True, check=True)
        with recording() as killed, ExitStack() as later:
            with silent(sudo, tmp_path):
                asked("--now")
                killed.kill()
                until(lambda: states(killed) == {"Z", "D"})
                assert not control.is_on()
                second = later.enter_context(recording())
                assert second.poll() is None and True in asked("--now")[0].values()
            killed.wait()
            assert control.is_on()
            refused = subprocess.run([COMMAND, "watch", "--record"], capture_output=True, text=True, check=False)
            assert refused.returncode == 5 and "already" in refused.stderr


def states(process: subprocess.Popen[str]) -> set[str]:
    """What the threads of a process do, as proc(5) has it; nothing where one ended meanwhile."""
    with suppress(FileNotFoundError, ProcessLookupError):
        tasks = Path(f"/proc/{process.pid}/task").iterdir()
        return {(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks}
    return set()


def test_nobody_hangs_with_a_disk_that_does_not_answer(
    sudo: Sudo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = folders_elsewhere(tmp_path, monkeypatch)
    with simulated_disk(sudo, tmp_path, 64, "null") as disk:
        monkeypatch.setenv("XDG_STATE_HOME", str(disk.folder))
        folder = disk.folder / "disktuner/incidents"
        before = planted(FreezeReason.SILENT)
        Incidents(folder).save(before)
        assert asked("--second", str(stick))[1]
        with recording():
            asked("--now")  # now it has read what was there
            forget(folder / f"{before.id}.json")
            with silent(sudo, tmp_path):
                [meanwhile] = [id_ for id_, is_asked in asked("--now")[0].items() if is_asked]
                incidents, remark = asked()
                assert meanwhile in incidents and before.id not in incidents and str(folder) in remark
                assert meanwhile in [file.stem for file in stick.rglob("*.json")]
                refused = subprocess.run([COMMAND, "watch", before.id], capture_output=True, text=True, check=False)
                assert refused.returncode == 4 and str(folder) in refused.stderr
            until((folder / f"{meanwhile}.json").exists)
            until(lambda: not (tmp_path / "RUNTIME_DIR/disktuner/incidents").exists())
            incidents, remark = asked()
            assert {meanwhile, before.id} <= set(incidents) and not remark
