# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's own command, and commands that misbehave: each gets a sentence, and leaves nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Sudo
from tests.unit.workloads.test_endless import refused
from tests.unit.workloads.test_own import STAY, living
from tests.waiting import until

from disktuner.results.definition import Definition
from disktuner.workloads import own
from disktuner.workloads.workload import Scratch


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


@pytest.mark.parametrize("beside", ["", "dd if=/dev/zero of={scratch}/beside bs=1M count=4 conv=fsync"])
def test_a_command_that_leaves_what_only_root_removes_is_told(beside: str, scratch: Scratch, sudo: Sudo) -> None:
    """A mount stands for root's files, which root's own tests could remove."""
    command = f"mkdir {{scratch}}/m && sudo -n mount -t tmpfs none {{scratch}}/m; {beside}"
    definition = Definition(command="true", beside=command) if beside else Definition(command=command)
    mounted = scratch.folder / ("beside" if beside else "own") / "m"
    try:
        assert refused(definition, scratch) == "own-files-stay"
    finally:
        sudo("umount", mounted)
