# SPDX-License-Identifier: GPL-3.0-or-later
"""Workloads that would never end, or crash: each is ended, reported, and leaves nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.conftest import Sudo

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
