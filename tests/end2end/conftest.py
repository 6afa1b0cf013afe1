# SPDX-License-Identifier: GPL-3.0-or-later
"""What the end-to-end tests share: the command, disposable systems, and one comparison that many of them read."""

from __future__ import annotations

import getpass
import io
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from disktuner.__main__ import main
from tests.bus.conftest import known_to_udev
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import Compared, Formatted, compare, lasting_disk
from tests.end2end.throw_away import ThrowAway, as_found

COMMAND = Path(__file__).resolve().parents[2] / "packaging/bin/disktuner"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def disktuner() -> Run:
    """Run the command to its end and return its output: in this process, or as another ``user`` in another one."""

    def run(*arguments: str | Path, user: str | None = None) -> subprocess.CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        return _run_as(user, words) if user else _run_here(words)

    return run


def _run_here(words: list[str]) -> subprocess.CompletedProcess[str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as end:  # argparse's
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def _run_as(user: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sudo", "-n", "-u", user, "--", str(COMMAND), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TERM": "dumb"},
    )


@pytest.fixture(scope="session")
def compared(sudo: Sudo, formatted: Formatted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compared]:
    """A comparison with the real helper, on a real disk with real programs; its disk stays until the end."""
    folder = tmp_path_factory.mktemp("compared")
    with lasting_disk(sudo, formatted, folder, 2048) as disk:
        yield compare(disk, folder)


@pytest.fixture
def shared(compared: Compared, sudo: Sudo) -> Iterator[Path]:
    """That comparison's disk, mounted again where other users reach it, owned by one of them."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    sudo("mount", compared.disk.device, place)
    sudo("chown", "dt-other", place)
    yield place
    sudo("chown", getpass.getuser(), place)
    sudo("umount", place)
    place.rmdir()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThrowAway]:
    """This machine as it was, without a system bus, for root."""
    with as_found(tmp_path_factory.mktemp("as-found")) as system:
        yield system


@pytest.fixture
def known(loop_disk: Callable[..., LoopDisk], sudo: Sudo, disktuner: Run) -> Iterator[Callable[..., LoopDisk]]:
    """Make a disk with a serial number known to udev; afterwards nothing of it is chosen or changed."""
    with ExitStack() as afterwards:

        def make() -> LoopDisk:
            disk = loop_disk(size_mb=64, fs=None)
            afterwards.enter_context(known_to_udev(disk, sudo))
            afterwards.callback(disktuner, "forget", "--all")
            afterwards.callback(disktuner, "revert", "--all")
            return disk

        yield make
