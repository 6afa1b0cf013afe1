# SPDX-License-Identifier: GPL-3.0-or-later
"""Four computers of two releases, and the administrator's from which Ansible rolls out to them."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import LoopDisk
from tests.machine.conftest import CHECKOUT, wheels
from tests.machine.machine import HANG_S
from tests.machine.rooted import ENTER, Release, Rooted, install

FAST, BIG = "FAST DISK", "BIG DISK"
ANSIBLE = CHECKOUT / ".venv/ansible/bin"
SUITES = ("bookworm", "trixie")
UNMEASURED, ODD = "bookworm1", "trixie1"
VARIABLES = """
  vars:
    disktuner_goal: desktop
    disktuner_machines: 1
    disktuner_not_measured: [bookworm1]
    disktuner_measure_with: [--budget, quick, --workloads, dd-write, --schedulers, bfq]
    disktuner_watch_seconds: 1
"""


def _root(suite: str, built: tuple[Path, ...]) -> Path:
    """Return a release's image, or this computer's own files if it runs that release."""
    images = [image / "disk.raw" for image in built if image.name.startswith(f"{suite}-")]
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME")
    assert images or codename == suite, f"./dev test --machine tests/machine/fleet builds {suite}"
    return images[0] if images else Path("/")


def _libraries(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the app's libraries for Debian 12: this checkout's if its Python is the same, else from wheels."""
    if sys.version_info[:2] == (3, 11):
        return Path(np.__file__).parents[1]
    folder = tmp_path_factory.mktemp("libraries")
    wanted = ["--only-binary=:all:", "--python-version", "3.11", "--no-index", "--no-deps", "--no-compile"]
    names = [str(wheel) for wheel in wheels(cache)[0].glob("*.whl")]
    subprocess.run([sys.executable, "-I", "-m", "pip", "install", "-q", *wanted, "-t", str(folder), *names], check=True)
    return folder


@pytest.fixture(scope="module")
def releases(built: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Both releases, with Disktuner installed."""
    libraries = {"bookworm": _libraries(built[0].parent, tmp_path_factory), "trixie": None}
    base = tmp_path_factory.mktemp("releases")

    def installed(suite: str) -> Release:
        return install(base / suite, _root(suite, built), CHECKOUT, libraries[suite])

    with ThreadPoolExecutor() as pool:
        return dict(zip(SUITES, pool.map(installed, SUITES), strict=True))


@pytest.fixture
def hosts(
    releases: dict[str, Release], loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> Iterator[dict[str, Rooted]]:
    """Four computers, two of each release, each with two disks of two models."""
    hosts_made: dict[str, Rooted] = {}
    try:
        for suite in SUITES:
            for number in (1, 2):
                name = f"{suite}{number}"
                disks = {model: loop_disk(size_mb=2048, fs=None) for model in (FAST, BIG)}
                hosts_made[name] = Rooted(tmp_path / name, name, releases[suite], disks)
        yield hosts_made
    finally:
        for host in hosts_made.values():
            host.end()


class Controller:
    """The administrator's computer: a folder with the inventory, and the commands."""

    def __init__(self, folder: Path, hosts: dict[str, Rooted]) -> None:
        self.folder = folder
        self.folder.mkdir()
        lines = [f"    {name}: {{ansible_host: {host.pid}}}" for name, host in hosts.items()]
        (folder / "hosts").write_text("\n".join(["all:", "  hosts:", *lines]) + VARIABLES)
        path = f"{ANSIBLE}:{CHECKOUT / 'packaging/bin'}:/usr/bin:/bin"
        self._environment = {
            "PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "ANSIBLE_COLLECTIONS_PATH": "fleet",
            "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1", "ANSIBLE_FORKS": "8",
            "ANSIBLE_SSH_EXECUTABLE": str(ENTER), "ANSIBLE_SSH_TRANSFER_METHOD": "piped",
            "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def run(self, command: str, code: int = 0) -> str:
        """Return the output of a shell command of the administrator's."""
        self.begin(command)
        ended, output = self.ended()
        assert ended == code, f"{command}:\n{output}"
        return output

    def begin(self, command: str) -> None:
        """Start a shell command and leave it running."""
        self._process = subprocess.Popen(
            ["/bin/sh", "-euc", command], cwd=self.folder, env=self._environment | {"PWD": str(self.folder)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def ended(self) -> tuple[int, str]:
        """Return how the running command has ended, and its output."""
        output, _ = self._process.communicate(timeout=HANG_S)
        return self._process.returncode, output


def schedulers(hosts: dict[str, Rooted], model: str) -> dict[str, str]:
    return {name: host.disks[model].scheduler for name, host in hosts.items()}


LOOK = """
for disk in /sys/block/*; do
    grep -r . $disk/queue/scheduler $disk/queue/nr_requests $disk/queue/iosched/ 2>/dev/null || true
done
for place in /etc/udev /etc/polkit-1 /run/polkit-1 /var/lib/disktuner /run/disktuner; do
    find $place -not -name lock -not -type d 2>/dev/null | sort
done
find /srv/disk /tmp/disktuner.???????????? 2>/dev/null | sort
sed '/^# {.*}$/d; /^# sha256 /d' /etc/udev/rules.d/* 2>/dev/null || true
getent passwd
getent group
"""


def roll_out_state(hosts: dict[str, Rooted]) -> dict[str, str]:
    """Return everything that a roll-out may touch: disks' settings, rules, rights, users, and what the helper
    remembers.
    """
    return {name: host.run(LOOK) for name, host in hosts.items()}


@pytest.fixture
def controller(tmp_path: Path, hosts: dict[str, Rooted]) -> Controller:
    return Controller(tmp_path / "controller", hosts)
