# SPDX-License-Identifier: GPL-3.0-or-later
"""Running programs: output, failure, cancellation within a second, and no survivors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.unit.workloads.test_processes import STAY
from tests.waiting import until


def test_kill_9_in_the_moment_when_a_program_is_started_leaves_none(tmp_path: Path) -> None:
    """The program pauses before it asks the kernel to end with us (prctl); meanwhile we are killed."""
    code = (
        "import os\nfrom pathlib import Path\nfrom disktuner.workloads.processes import Control, Processes\n"
        f"Processes(Control()).start({STAY}, Path({str(tmp_path)!r}))\nos.kill(os.getpid(), 9)\n"
    )
    slowly = ["strace", "-f", "-o", "/dev/null", "-e", "trace=prctl", "-e", "inject=prctl:delay_enter=300000"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([*slowly, sys.executable, "-c", code], env=environment) as process:
        try:
            until(lambda: process.poll() is not None)  # strace ends with the last of them
        finally:
            process.kill()


def test_programs_run_where_the_caller_ignores_the_ends_of_its_own() -> None:
    """An ignored SIGCHLD is inherited (execve(2)); then the kernel keeps no exit status."""
    code = """
import signal
from pathlib import Path
from disktuner.__main__ import main
from disktuner.workloads.processes import Control, Processes
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
main(["workloads"])
with Processes(Control()) as processes:
    processes.run(["true"], Path("/"), 60.0)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
