# SPDX-License-Identifier: GPL-3.0-or-later
"""Running programs: output, failure, cancellation within a second, and no survivors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import HANG_S, until

from disktuner.vocabulary.errors import Cancelled
from disktuner.workloads.errors import ProgramFailed
from disktuner.workloads.processes import Control, Processes

STAY = ["tail", "-f", "/dev/null"]
"""A program that is just there until it is ended."""


@pytest.fixture
def control() -> Control:
    return Control()


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_output_and_wall_time_are_kept(control: Control, tmp_path: Path) -> None:
    with Processes(control) as processes:
        run = processes.run([sys.executable, "-c", "print('out'); sum(range(3_000_000))"], tmp_path, HANG_S)
    assert run.out == "out\n"
    assert run.wall_s > 0


def test_a_failure_says_which_program_and_why(control: Control, tmp_path: Path) -> None:
    with Processes(control) as processes, pytest.raises(ProgramFailed, match=r"cat failed .*nowhere"):
        processes.run(["cat", "nowhere"], tmp_path, HANG_S)


def test_a_program_that_takes_too_long_is_ended(control: Control, tmp_path: Path) -> None:
    with Processes(control) as processes, pytest.raises(ProgramFailed, match="took longer than 200 ms"):
        processes.run(STAY, tmp_path, 0.2)


def test_cancel_ends_everything(control: Control, tmp_path: Path) -> None:
    """While a program runs, its progress report, ten times a second, cancels it."""
    with Processes(control, control.cancel) as processes:
        beside = processes.start(["sh", "-c", f"{' '.join(STAY)} & {' '.join(STAY)}"], tmp_path)
        with pytest.raises(Cancelled):
            processes.run(STAY, tmp_path, HANG_S)
        processes.end_all()
    assert not alive(beside)


def test_kill_9_of_the_program_leaves_no_child() -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom disktuner.workloads.processes import Control\n"
        "from disktuner.workloads.processes import Processes\n"
        "processes = Processes(Control())\n"
        f"child = processes.start({STAY}, Path('/'))\nprint(child, flush=True)\nprocesses.wait(child, {HANG_S})\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        until(lambda: Path(f"/proc/{child}/comm").read_text() == "tail\n")  # from then on the kernel ends it with us
        process.send_signal(signal.SIGKILL)
    until(lambda: not alive(child))


def test_a_paused_control_goes_on_and_can_be_cancelled(control: Control) -> None:
    control.pause()
    control.resume()
    control.wait_while_paused()
    control.pause()
    control.cancel()
    with pytest.raises(Cancelled):
        control.wait_while_paused()
