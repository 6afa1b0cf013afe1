# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting is rolled out to computers of two releases by Ansible, and taken back, with the commands of docs/fleet.md."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from tests.unit.verdict.making import LAUNCH, made

from disktuner.results.codec import encode
from tests.conftest import LoopDisk
from tests.machine.conftest import CHECKOUT, _wheels
from tests.machine.rooted import ENTER, Release, Rooted, install

FAST, BIG = "FAST DISK", "BIG DISK"
ANSIBLE = CHECKOUT / ".venv/ansible/bin"
SUITES = ("bookworm", "trixie")


def _root(suite: str, built: tuple[Path, ...]) -> Path:
    """The image of a release, or this computer's own files where it has that release."""
    images = [each / "disk.raw" for each in built if each.name.startswith(f"{suite}-")]
    own = platform.freedesktop_os_release().get("VERSION_CODENAME")
    assert images or own == suite, f"./dev test --machine {Path(__file__).name} builds {suite}"
    return images[0] if images else Path("/")


def _libraries(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those of the app for Debian 12: this checkout's own where its Python is the same, else out of wheels."""
    if sys.version_info[:2] == (3, 11):
        return Path(numpy.__file__).parents[1]
    folder = tmp_path_factory.mktemp("libraries")
    wanted = ["--only-binary=:all:", "--python-version", "3.11", "--no-index", "--no-deps", "--no-compile"]
    wheels = [str(wheel) for wheel in _wheels(cache)[0].glob("*.whl")]
    subprocess.run(
        [sys.executable, "-I", "-m", "pip", "install", "-q", *wanted, "-t", str(folder), *wheels], check=True
    )
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
    made: dict[str, Rooted] = {}
    try:
        for suite in SUITES:
            for number in (1, 2):
                name = f"{suite}{number}"
                disks = {model: loop_disk(size_mb=2048, fs=None) for model in (FAST, BIG)}
                made[name] = Rooted(tmp_path / name, name, releases[suite], disks)
        yield made
    finally:
        for host in made.values():
            host.end()


class Controller:
    """Where the administrator sits: a folder with the inventory, and the commands."""

    def __init__(self, folder: Path, hosts: dict[str, Rooted]) -> None:
        self.folder = folder
        self.folder.mkdir()
        lines = [f"{name} ansible_host={host.pid}" for name, host in hosts.items()]
        (folder / "hosts").write_text("\n".join(["[all]", *lines, ""]))
        path = f"{ANSIBLE}:{CHECKOUT / 'packaging/bin'}:/usr/bin:/bin"
        self._environment = {
            "PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_SSH_EXECUTABLE": str(ENTER), "ANSIBLE_SSH_TRANSFER_METHOD": "piped",
            "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def run(self, command: str, code: int = 0) -> str:
        """What a shell command of the administrator's prints."""
        done = subprocess.run(
            ["/bin/sh", "-euc", command], cwd=self.folder, env=self._environment | {"PWD": str(self.folder)},
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == code, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout


def changed(output: str) -> dict[str, int]:
    """How many tasks changed something, by computer."""
    return {name: int(count) for name, count in re.findall(r"^(\S+) +: ok=.* changed=(\d+) ", output, re.MULTILINE)}


def schedulers(hosts: dict[str, Rooted], model: str) -> dict[str, str]:
    return {name: host.disks[model].scheduler for name, host in hosts.items()}


def found(hosts: dict[str, Rooted]) -> dict[str, str]:
    """All that a roll-out may touch of each computer: settings of its disks, rules, and the helper's state."""
    look = "for disk in /sys/block/*; do grep -r . $disk/queue/scheduler $disk/queue/nr_requests $disk/queue/iosched/ " \
           "2>/dev/null || true; done; find /etc/udev /var/lib/disktuner /run/disktuner '!' -name lock '(' -type f -o -type l ')' | sort"  # fmt: skip
    return {name: host.run(look) for name, host in hosts.items()}


@pytest.fixture
def controller(tmp_path: Path, hosts: dict[str, Rooted]) -> Controller:
    return Controller(tmp_path / "controller", hosts)


def test_trying(controller: Controller, hosts: dict[str, Rooted]) -> None:
    result = made({(LAUNCH, "bfq"): 0.2})
    (controller.folder / "result.json").write_text(encode(replace(result, disk={**result.disk, "model": FAST})))
    import time

    before = found(hosts)
    print(before)
    t = time.time()

    def run(c, code=0):
        nonlocal t
        o = controller.run(c, code)
        print(c, time.time() - t)
        t = time.time()
        print(o[-6000:])
        return o

    run("disktuner export result.json --to fleet --as ansible")
    os.environ["X"] = "1"
    roll = "ANSIBLE_COLLECTIONS_PATH=fleet ansible-playbook -i hosts -e @fleet/disktuner.yml -e disktuner_watch_seconds=1 -e disktuner_batches=10 "
    run(roll + "--check --diff disktuner.disktuner.roll_out")
    assert found(hosts) == before
    run(roll + "disktuner.disktuner.roll_out")
    print(schedulers(hosts, FAST), schedulers(hosts, BIG))
    run(roll + "disktuner.disktuner.roll_out")
    run(roll + "disktuner.disktuner.roll_back")
    assert found(hosts) == before
