# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: jobs that need root, real disks with real schedulers, and a look for what was left."""

from __future__ import annotations

import getpass
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

# Examples are not kept: the tests' user may not write to the checkout. Slow machines are no failure.
settings.register_profile("disktuner", database=None, deadline=None)
settings.load_profile("disktuner")

# What programs print is looked at in English, whatever the desktop of who starts the tests speaks.
for _name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(_name, None)
os.environ["LANG"] = "C.UTF-8"

Sudo = Callable[..., str]

# Everything is initialised at once: what ext4 does later in the background would count as other I/O.
MKFS = {
    "ext4": ("-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
    "xfs": ("-q",),
    "btrfs": ("--quiet",),
}


@dataclass(frozen=True, slots=True)
class LoopDisk:
    """A private loop disk: real block layer, real schedulers. ``folder`` is None without a file system."""

    name: str
    device: str
    folder: Path | None

    @property
    def queue(self) -> Path:
        return Path("/sys/block") / self.name / "queue"

    @property
    def scheduler(self) -> str:
        """The scheduler that the kernel says is active."""
        text = (self.queue / "scheduler").read_text()
        return text.partition("[")[2].partition("]")[0]

    @property
    def diskseq(self) -> int:
        return int((Path("/sys/block") / self.name / "diskseq").read_text())


@pytest.fixture(scope="session")
def sudo() -> Sudo:
    """Runs a command as root and returns its output; fails with what it printed."""

    def run(*command: str | Path, user: str | None = None, stdin: str | None = None) -> str:
        prefix = ["sudo", "-n", *(["-u", user] if user else []), "--"]
        done = subprocess.run(
            [*prefix, *map(str, command)],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode:
            raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    return run


LOOPS = """
import fcntl, subprocess, sys
FREE, REMOVE, ADD = 0x4C82, 0x4C81, 0x4C80
what, *rest = sys.argv[1:]
with open("/dev/loop-control") as control:
    fcntl.flock(control, fcntl.LOCK_EX)
    if what == "attach":
        number = fcntl.ioctl(control, FREE)
        fcntl.ioctl(control, REMOVE, number)
        fcntl.ioctl(control, ADD, number)
        subprocess.run(["losetup", *rest[:-1], f"/dev/loop{number}", rest[-1]], check=True, timeout=60)
        print(f"/dev/loop{number}")
    else:
        fcntl.ioctl(control, REMOVE, int(rest[0]))
"""
"""Run as root, one at a time: other test runs on this computer look for free devices, too."""


def attach(sudo: Sudo, image: Path, *options: str) -> str:
    """Attach an image and return the device's path.

    A loop device keeps its queue's settings, its throttles and its limits for dirty memory when it is detached: what
    a killed test run left would be taken for this disk's first state. So the device is taken out of the kernel first.
    """
    return sudo(sys.executable, "-I", "-c", LOOPS, "attach", *options, image).strip()


def detach(sudo: Sudo, device: str) -> None:
    """Detach an image and take the device out of the kernel, with all that was set there."""
    if Path(f"/sys/block/{Path(device).name}/loop/backing_file").exists():
        sudo("losetup", "--detach", device)
    with suppress(AssertionError, subprocess.CalledProcessError):  # busy until its last user is gone
        sudo(sys.executable, "-I", "-c", LOOPS, "remove", device.removeprefix("/dev/loop"))


@pytest.fixture
def loop_disk(sudo: Sudo, tmp_path: Path) -> Iterator[Callable[..., LoopDisk]]:
    """Makes loop disks with direct I/O and scheduler none; unmounts and detaches them afterwards."""
    made: list[tuple[LoopDisk, Path]] = []

    def make(size_mb: int = 256, fs: str | None = "ext4", options: str = "") -> LoopDisk:
        image = tmp_path / f"disk{len(made)}.img"
        with image.open("wb") as file:
            file.truncate(size_mb << 20)
        device = attach(sudo, image, "--direct-io=on")
        name = Path(device).name
        folder = tmp_path / f"disk{len(made)}" if fs else None
        disk = LoopDisk(name, device, folder)
        made.append((disk, image))
        sudo("tee", disk.queue / "scheduler", stdin="none")
        if fs and folder:
            folder.mkdir()
            sudo(f"mkfs.{fs}", *MKFS[fs], device)
            sudo("mount", *(["-o", options] if options else []), device, folder)
            sudo("chown", getpass.getuser(), folder)
        return disk

    yield make
    for disk, image in reversed(made):
        _take_away(sudo, disk, image)


def _take_away(sudo: Sudo, disk: LoopDisk, image: Path) -> None:
    if disk.folder and disk.folder.is_mount():
        _unmount(sudo, disk.folder)
    detach(sudo, disk.device)
    image.unlink(missing_ok=True)


def _unmount(sudo: Sudo, folder: Path) -> None:
    """Unmount, waiting for processes that are just ending; lazily in the end, and then say so."""
    for _ in range(20):
        with suppress(AssertionError):
            sudo("umount", folder)
            return
        time.sleep(0.25)
    sudo("umount", "--lazy", folder)
    pytest.fail(f"something still used {folder} after the test")


@pytest.fixture(autouse=True)
def _private_data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the real user's results and notes."""
    home = tmp_path_factory.mktemp("data-home")
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    yield
    shutil.rmtree(home, ignore_errors=True)


class Unexpected(logging.Handler):
    """Keeps what is logged at or above its level by the app or the helper."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("disktuner"):
            self.said.append(logging.Formatter("%(levelname)s %(name)s: %(message)s").format(record))


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """A warning or an error in the log fails a test, unless the test looks at the log itself (``caplog``)."""
    heard = Unexpected()
    logging.getLogger().addHandler(heard)
    yield
    logging.getLogger().removeHandler(heard)
    assert "caplog" in request.fixturenames or heard.said == []
