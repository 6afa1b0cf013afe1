# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's own command, and commands that misbehave: each gets a sentence, and leaves nothing."""

from __future__ import annotations

import os
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

STAYS = f"""
import sys
from pathlib import Path
from disktuner.workloads.processes import Control, Processes
from disktuner.results.definition import Definition
from disktuner.workloads.command_load import CommandLoad
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch
command = "trap '' TERM; (setsid {STAY} &); {STAY}"
with Processes(Control()) as processes, Source(0, 0) as source:
    scratch = Scratch(Path(sys.argv[1]), 0, source, processes)
"""


@pytest.mark.parametrize(
    "begins",
    [
        "OwnCommand(Definition(command=command)).tried(scratch)",
        'CommandLoad(Definition("true", beside=command), scratch).start()',
    ],
    ids=["command", "beside"],
)
def test_nothing_is_left_where_the_program_itself_is_killed(begins: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(own.__file__).parents[2])}
    program = subprocess.Popen([sys.executable, "-c", f"{STAYS}    {begins}", tmp_path], env=environment)
    until(lambda: len(living()) == 2)
    program.kill()
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
