# SPDX-License-Identifier: GPL-3.0-or-later
"""What the end-to-end tests share: the real command, as the unprivileged user or as somebody else."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import LoopDisk, Sudo
from tests.end2end.throw_away import ThrowAway, as_found

COMMAND = Path(__file__).resolve().parents[2] / "packaging/bin/disktuner"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def disktuner() -> Run:
    """Runs the command to its end and returns what it said; ``user`` runs it as somebody else."""

    def run(*arguments: str | Path, user: str | None = None, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        prefix = ["sudo", "-n", "-u", user, "--"] if user else []
        return subprocess.run(
            [*prefix, str(COMMAND), *map(str, arguments)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=timeout,
            env={**os.environ, "TERM": "dumb"},
        )

    return run


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThrowAway]:
    """This machine as it was found, without a system bus, for root."""
    with as_found(tmp_path_factory.mktemp("as-found")) as made:
        yield made


@pytest.fixture
def known(loop_disk: Callable[..., LoopDisk], sudo: Sudo, disktuner: Run) -> Iterator[Callable[[str], LoopDisk]]:
    """Makes a disk of which udev knows a property; afterwards nothing of it is chosen or changed."""
    with ExitStack() as afterwards:

        def make(key: str = "ID_SERIAL") -> LoopDisk:
            disk = loop_disk(size_mb=64, fs=None)
            file = f"/run/udev/data/b{(Path('/sys/block') / disk.name / 'dev').read_text().strip()}"
            sudo("mkdir", "-p", "/run/udev/data")
            sudo("tee", file, stdin=f"E:{key}=Disktuner_{disk.name}_{disk.diskseq}\n")
            afterwards.callback(sudo, "rm", "-f", file)
            afterwards.callback(disktuner, "forget", "--all")
            afterwards.callback(disktuner, "revert", "--all")
            return disk

        yield make
