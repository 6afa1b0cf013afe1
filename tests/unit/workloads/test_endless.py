# SPDX-License-Identifier: GPL-3.0-or-later
"""Workloads that would never end, or crash: each is ended, reported, and leaves nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from disktuner.experiment.scratch import scratch_folder
from disktuner.results.definition import Definition
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch


def refused(definition: Definition, scratch: Scratch) -> str:
    with pytest.raises(RunFailed) as error:
        OwnCommand(definition).tried(scratch)
    return error.value.message.id


@pytest.mark.parametrize("command", ["chmod 000 {scratch}/..", "mkdir -p {scratch}/a/b; chmod -R 000 {scratch}/a"])
def test_a_command_that_closes_its_folder_is_told_and_leaves_nothing(
    command: str, tmp_path: Path, processes: Processes
) -> None:
    with Source(2**20, 1) as source, scratch_folder(tmp_path) as private:
        scratch = Scratch(private.path, 5, source, processes)
        if command.endswith(".."):
            assert refused(Definition(command=command), scratch) == "own-removed-folder"
        else:
            os.system(command.format(scratch=private.named))
    assert list(tmp_path.iterdir()) == []
