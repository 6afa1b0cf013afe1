# SPDX-License-Identifier: GPL-3.0-or-later
"""The window is closed in each of its states, also while a disk does not answer: the program ends cleanly."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.gui.closing import STATES

PROGRAM = Path(__file__).with_name("closing.py")
HELD = [state for state, (at, _) in STATES.items() if at not in {"", "pausing"}]
EVERY = [f"{state} ends" for state in STATES] + [f"{state} hangs" for state in HELD]

Close = Callable[[str], tuple[int, str]]
"""Returns the exit status and the output."""


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Close]:
    argv = [sys.executable, "-I", str(PROGRAM), str(tmp_path_factory.mktemp("closing")), "0.2"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        says, asks = program.stdout, program.stdin

        def close(state: str) -> tuple[int, str]:
            print(state, file=asks, flush=True)
            status, report = json.loads(says.readline())
            lines = [line for line in report.splitlines() if "propagateSizeHints" not in line]
            return status, "\n".join(lines)

        yield close
        asks.close()


@pytest.mark.parametrize("state", EVERY)
def test_closed_in_this_state_the_program_ends_well(closed: Close, state: str) -> None:
    assert closed(state) == (0, "")


@pytest.mark.long
@pytest.mark.parametrize("state", EVERY)
def test_so_it_does_each_time(closed: Close, state: str) -> None:
    assert [closed(state) for _ in range(20)] == [(0, "")] * 20
