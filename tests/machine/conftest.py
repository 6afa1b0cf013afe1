# SPDX-License-Identifier: GPL-3.0-or-later
"""Booted computers with Disktuner installed from this checkout; each test finds its own as new."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.machine.devices import CONTROLLERS, DISKS
from tests.machine.machine import Device, Emulator, Image, Machine

CHECKOUT = Path(__file__).resolve().parents[2]
_LEFT_OUT = {".git", ".venv", ".mypy_cache", ".ruff_cache", ".import_linter_cache", "__pycache__"}
_INSTALL = """
set -e
mkdir -p /opt/checkout && tar -xf /dev/disk/by-id/virtio-checkout -C /opt/checkout
cd /opt/checkout
PIP_NO_INDEX=1 PIP_NO_COMPILE=1 PIP_FIND_LINKS=/opt/checkout/wheels ./dev install
rm -rf /opt/checkout/wheels
"""


def pytest_sessionstart() -> None:
    """A run that is told to end switches its machines off: in the background it hears no interrupt."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _private_data_home() -> None:
    """Results stay inside the machine."""


@pytest.fixture(scope="session")
def built() -> tuple[Path, ...]:
    """What ./dev had build-image build: QEMU, Debian 13, and Debian 12 where it is needed."""
    return tuple(map(Path, os.environ["DISKTUNER_MACHINE"].split()))


@pytest.fixture(scope="session")
def emulator(built: tuple[Path, ...]) -> Emulator:
    return Emulator(built[0], Image(built[1]))


@pytest.fixture(scope="session")
def installed13(
    emulator: Emulator, built: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """A Debian 13, switched off, with a snapshot ``clean`` of the moment after Disktuner's installation."""
    folder = tmp_path_factory.mktemp("debian13")
    machine = _installed(folder, emulator, Image(built[1]), (_packages(folder),))
    yield machine
    machine.discard()


@pytest.fixture(scope="session")
def installed12(
    emulator: Emulator, built: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """A Debian 12, likewise; the app's libraries come from wheels, as everywhere where they are not packaged."""
    folder = tmp_path_factory.mktemp("debian12")
    machine = _installed(folder, emulator, Image(built[2]), (_wheels(built[2].parent),))
    yield machine
    machine.discard()


@pytest.fixture
def debian13(installed13: Machine) -> Iterator[Machine]:
    """Debian 13 just after the installation."""
    installed13.start("clean")
    yield installed13
    installed13.cut_power()


@pytest.fixture
def debian12(installed12: Machine) -> Iterator[Machine]:
    """Debian 12 just after the installation."""
    installed12.start("clean")
    yield installed12
    installed12.cut_power()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go: the folder that the environment names, or one of the tests."""
    named = os.environ.get("DISKTUNER_PICTURES")
    return Path(named) if named else tmp_path_factory.mktemp("pictures")


def _installed(folder: Path, emulator: Emulator, image: Image, more: Sequence[tuple[Path, str]]) -> Machine:
    checkout = Device("checkout", "virtio-blk-pci,serial=checkout", read_only_file=_packed(folder, more))
    machine = Machine(folder, emulator, image, (*CONTROLLERS, *DISKS, checkout))
    try:
        machine.start()
        machine.run(_INSTALL, timeout_s=300)
        machine.run("udevadm settle")
        machine.save("clean")
    except BaseException:
        machine.discard()
        raise
    machine.cut_power()
    return machine


def _packed(folder: Path, more: Sequence[tuple[Path, str]]) -> Path:
    """The checkout as a tar file, as it is now, whether committed or not."""
    packed = folder / "checkout.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(CHECKOUT, ".", filter=lambda one: None if Path(one.name).name in _LEFT_OUT else one)
        for source, name in more:
            tar.add(source, name)
    return packed


def _packages(folder: Path) -> tuple[Path, str]:
    """Debian 13's packages of Disktuner, which need no tools of that release."""
    made = folder / "made"
    made.mkdir()
    for step in (("sources", "trixie", made), ("build", made)):
        subprocess.run([CHECKOUT / "packaging/package", *step], check=True, capture_output=True)
    packages = folder / "packages"
    packages.mkdir()
    for package in made.glob("*.deb"):
        package.rename(packages / package.name)
    shutil.rmtree(made)
    return packages, "packages"


def _wheels(cache: Path) -> tuple[Path, str]:
    """The locked libraries of the app for Python 3.11, downloaded once."""
    lock = CHECKOUT / "requirements/app.lock"
    folder = cache / f"wheels-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    if not folder.exists():
        fresh = folder.with_suffix(f".{os.getpid()}")
        wanted = ["--only-binary=:all:", "--python-version", "3.11", "--require-hashes", "-r", str(lock)]
        subprocess.run([sys.executable, "-I", "-m", "pip", "download", "-q", "-d", str(fresh), *wanted], check=True)
        fresh.rename(folder)
    return folder, "wheels"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these are the marked ones. Of two runs that share the work, one begins at the end."""
    for item in items:
        if "tests/machine" in str(item.path):
            item.add_marker(pytest.mark.machine)
            item.add_marker(pytest.mark.timeout(1800))
    items.sort(key=lambda item: "power_is_cut" in item.name)  # many short ones: they fill up the time at last
    if os.environ.get("DISKTUNER_MACHINE_SHARE", "").startswith("debian12"):
        items.sort(key=lambda item: "debian12" not in getattr(item, "fixturenames", ()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Where runs share the work, each test is done by the one that claims it first; True keeps it from being run.
    The test before left standing what this one would have used: that is for the next one to use."""
    _, _, claims = os.environ.get("DISKTUNER_MACHINE_SHARE", "").partition(":")
    if not claims:
        return None
    try:
        (Path(claims) / hashlib.sha256(item.nodeid.encode()).hexdigest()).touch(exist_ok=False)
    except FileExistsError:
        item.session._setupstate.teardown_exact(nextitem)
        return True
    return None
