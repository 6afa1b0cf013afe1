# SPDX-License-Identifier: GPL-3.0-or-later
"""What would go on for ever, or end as a defect of the program: each is ended, told, and leaves nothing."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from disktuner.experiment.scratch import scratch_folder
from disktuner.results.definition import Definition
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import Load
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.patterns import MOST_SIZE_BYTES, Pattern, Read
from disktuner.workloads.processes import Processes
from disktuner.workloads.source import Source
from disktuner.workloads.starts import Replay, StartSpec
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


def test_a_file_that_no_file_system_holds_is_told(scratch: Scratch) -> None:
    pattern = Pattern((MOST_SIZE_BYTES,), (Read(0, 0, 4096),))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**40, before[1]))
    try:
        with pytest.raises(MeasurementImpossible) as error:
            Replay(pattern).prepare(scratch, StartSpec(1.0, 1, Load(), 0.5, 1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.value.message.id == "pattern-file-too-large"
