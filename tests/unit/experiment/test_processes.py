# SPDX-License-Identifier: GPL-3.0-or-later
"""Running programs: output, failure, cancel within a second, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.vocabulary.errors import Cancelled
from disktuner.workloads.errors import ProgramFailed


@pytest.fixture
def control() -> Iterator[Control]:
    made = Control()
    yield made
    made.close()


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_output_wall_time_and_cpu_time_are_kept(control: Control, tmp_path: Path) -> None:
    with UserProcesses(control) as processes:
        done = processes.run([sys.executable, "-c", "print('out'); sum(range(3_000_000))"], tmp_path, 30)
    assert done.out == "out\n"
    assert 0 < done.cpu_s <= done.wall_s + 0.05


def test_a_failure_says_which_program_and_why(control: Control, tmp_path: Path) -> None:
    with UserProcesses(control) as processes, pytest.raises(ProgramFailed, match=r"cat failed .*nowhere"):
        processes.run(["cat", "nowhere"], tmp_path, 30)


def test_a_program_that_takes_too_long_is_ended(control: Control, tmp_path: Path) -> None:
    with UserProcesses(control) as processes, pytest.raises(ProgramFailed, match="took longer than 200 ms"):
        processes.run(["sleep", "60"], tmp_path, 0.2)


def test_cancel_ends_everything_within_a_second(control: Control, tmp_path: Path) -> None:
    with UserProcesses(control) as processes:
        beside = processes.start(["sh", "-c", "sleep 60 & sleep 60"], tmp_path)
        timer = threading.Timer(0.2, control.cancel)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            processes.run(["sleep", "60"], tmp_path, 90)
        processes.end_all()
        assert time.monotonic() - began < 1.2
        timer.join()
    assert not alive(beside)


def test_kill_9_of_the_program_leaves_no_child() -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom disktuner.experiment.processes import Control\n"
        "from disktuner.experiment.processes import UserProcesses\n"
        "processes = UserProcesses(Control())\n"
        "print(processes.start(['sleep', '60'], Path('/')), flush=True)\nprocesses.pause(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        time.sleep(0.1)
        assert alive(child)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child)


def test_a_paused_control_goes_on_and_can_be_cancelled(control: Control) -> None:
    control.pause()
    assert control.paused
    control.resume()
    control.wait_while_paused()
    control.pause()
    control.cancel()
    with pytest.raises(Cancelled):
        control.wait_while_paused()
