# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: jobs that need root, real disks with real schedulers, and checks for leftovers."""

from __future__ import annotations

import getpass
import logging
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from tests.root_agent import RootAgent
from tests.waiting import until

# The same few examples every time, or as many others as there is time for at night, which prints what repeats them.
# None are kept: the tests' user may not write to the checkout. Slow machines are no failure.
settings.register_profile("usual", database=None, deadline=None, derandomize=True, max_examples=15)
settings.register_profile("all", database=None, deadline=None, max_examples=300, print_blob=True)
settings.load_profile("all" if os.environ.get("DISKTUNER_TESTS") == "all" else "usual")

# What programs print is looked at in English, whatever the desktop of who starts the tests speaks.
for _name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(_name, None)
os.environ["LANG"] = "C.UTF-8"
# What a disk does is seen on a disk: /tmp may lie in memory.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/var/tmp")
# And whatever its letters: where lines break and what is cut hangs on them.
os.environ["FONTCONFIG_FILE"] = str(Path(__file__).parent / "gui/fonts.conf")

Sudo = RootAgent

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep at most ``DISKTUNER_MOST`` of the long tests, chosen by commit."""
    most = int(os.environ.get("DISKTUNER_MOST", "0")) or len(items)
    drawn = set(random.Random(os.environ.get("DISKTUNER_COMMIT")).sample(items, min(most, len(items))))
    config.hook.pytest_deselected(items=[item for item in items if item not in drawn])
    items[:] = [item for item in items if item in drawn]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what failed at first in the tests that passed when they were tried again."""
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.section(f"unsteady: {report.nodeid}", "_")
        report.toterminal(terminalreporter._tw)


@pytest.fixture(scope="session")
def sudo() -> Iterator[Sudo]:
    """Run a command as root and return its output; fail with what it printed."""
    agent = RootAgent()
    yield agent
    agent.close()


@pytest.fixture(scope="session")
def formatted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, int], None]:
    """Make images with an ext4 of this user: each size is formatted once, then copied sparsely."""
    folder = tmp_path_factory.mktemp("formatted")

    def make(image: Path, size_mb: int) -> None:
        blank = folder / str(size_mb)
        if not blank.exists():
            blank.touch()
            os.truncate(blank, size_mb << 20)
            quiet, _, at_once = MKFS["ext4"]
            options = f"{at_once},root_owner={os.getuid()}:{os.getgid()}"
            subprocess.run(["/usr/sbin/mkfs.ext4", quiet, "-F", "-E", options, blank], check=True)
        subprocess.run(["cp", "--sparse=always", blank, image], check=True)

    return make


@pytest.fixture
def loop_disk(sudo: Sudo, formatted: Callable[[Path, int], None], tmp_path: Path) -> Iterator[Callable[..., LoopDisk]]:
    """Make loop disks with direct I/O and scheduler none; unmount and detach them afterwards."""
    disks_made: list[tuple[LoopDisk, Path]] = []

    def make(size_mb: int = 256, fs: str | None = "ext4", options: str = "") -> LoopDisk:
        image, folder = tmp_path / f"disk{len(disks_made)}.img", tmp_path / f"disk{len(disks_made)}"
        if fs == "ext4":
            formatted(image, size_mb)
        else:
            image.touch()
            os.truncate(image, size_mb << 20)
        device = sudo.attach(image, "--direct-io=on")
        disk = LoopDisk(Path(device).name, device, folder if fs else None)
        disks_made.append((disk, image))
        sudo("tee", disk.queue / "scheduler", stdin="none")
        no_limits(sudo, disk)
        if fs:
            folder.mkdir()
            if fs != "ext4":
                sudo(f"mkfs.{fs}", *MKFS[fs], device)
            sudo("mount", *(["-o", options] if options else []), device, folder)
        if fs and fs != "ext4":
            sudo("chown", getpass.getuser(), folder)
        return disk

    yield make
    for disk, image in reversed(disks_made):
        if disk.folder:
            unmount(sudo, disk.folder)
        no_limits(sudo, disk)
        sudo.detach(disk.device)
        image.unlink(missing_ok=True)


def no_limits(sudo: Sudo, disk: LoopDisk) -> None:
    """Reset how much may wait in memory for a loop device, which keeps that limit when another file is attached."""
    for name, value in (("max_ratio", "100"), ("strict_limit", "0")):
        sudo("tee", disk.queue.parent / "bdi" / name, stdin=value)


def unmount(sudo: Sudo, folder: Path) -> None:
    """Unmount once the last process, which may still be ending, has let go."""

    def unmounted() -> bool:
        with suppress(AssertionError):
            sudo("umount", folder)
        return not folder.is_mount()

    until(unmounted)


@pytest.fixture(autouse=True)
def _private_data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep tests away from the real user's results and notes."""
    home = tmp_path_factory.mktemp("data-home")
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    yield
    shutil.rmtree(home, ignore_errors=True)


class Unexpected(logging.Handler):
    """Collects what the app or the helper logs at or above its level."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("disktuner"):
            self.said.append(logging.Formatter("%(levelname)s %(name)s: %(message)s").format(record))


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that logs a warning or an error, unless it inspects the log itself (``caplog``)."""
    heard = Unexpected()
    logging.getLogger().addHandler(heard)
    yield
    logging.getLogger().removeHandler(heard)
    assert "caplog" in request.fixturenames or heard.said == []
