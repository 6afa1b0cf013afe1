# SPDX-License-Identifier: GPL-3.0-or-later
"""What ends a measurement outside of a run is said with what to do next, whoever met it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from disktuner.block.system import System
from disktuner.experiment.observing import Observer
from disktuner.workloads.errors import ProgramFailed, RunFailed
from disktuner.workloads.processes import Control

FULL = ProgramFailed("python", 1, "writer-0.out: No space left on device\n")


class _Counters:
    """A disk that is there."""

    def read(self) -> object:
        return object()


@pytest.mark.parametrize("error", [FULL, OSError(errno.ENOSPC, "No space left on device")])
def test_a_full_disk_says_what_to_do_whether_a_program_or_we_met_it(error: RunFailed | OSError, tmp_path: Path) -> None:
    sampler: Any = _Counters()
    observer = Observer(System(tmp_path), tmp_path, ("sda",), sampler, Control())
    sentence = str(observer.impossible(error))
    assert (
        f"Measuring in {tmp_path} failed" in sentence
        and "No space left on device" in sentence
        and "free some space" in sentence
    )
