# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's own command, and commands that misbehave: each gets a sentence, and leaves nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.unit.workloads.test_own import STAY, living
from tests.waiting import until

from disktuner.workloads import own


def test_nothing_is_left_where_the_program_itself_is_killed(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(own.__file__).parents[2])!r})
from pathlib import Path
from typing import Any
from disktuner.workloads.processes import Control, Processes
from disktuner.results.definition import Definition
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch
with Processes(Control()) as processes, Source(0, 0) as source:
    definition = Definition(command="(setsid {STAY} &); touch {tmp_path}/there; {STAY}")
    OwnCommand(definition).tried(Scratch(Path({str(tmp_path)!r}), 0, source, processes))
"""
    program = subprocess.Popen([sys.executable, "-c", code])
    until((tmp_path / "there").exists)
    program.send_signal(signal.SIGKILL)
    program.wait()
    until(lambda: not living())
