# SPDX-License-Identifier: GPL-3.0-or-later
"""Booted computers with Disktuner installed from this checkout; each test finds its own in a fresh state."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from tests.machine.devices import CONTROLLERS, DISKS
from tests.machine.machine import Device, Emulator, Machine
from tests.machine.people import Person

CHECKOUT = Path(__file__).resolve().parents[2]
_MADE_HERE = {"./build", "./dist", "./results", "./screenshots"}
_LEFT_OUT = {".git", ".venv", ".mypy_cache", ".ruff_cache", ".import_linter_cache", "__pycache__", "data", "measured"}
_INSTALL = """
set -e
mkdir -p /opt/checkout && tar -xf /dev/disk/by-id/virtio-checkout -C /opt/checkout
cd /opt/checkout
PIP_NO_INDEX=1 PIP_NO_COMPILE=1 PIP_FIND_LINKS=/opt/checkout/wheels ./dev install
rm -rf /opt/checkout/wheels
"""
_PATIENT_BUS = b"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><limit name="service_start_timeout">300000</limit></busconfig>
"""
"""Emulated on a busy computer, the helper may take longer to start than the 25 s that it gets."""
_HELPER = "busctl call org.disktuner.Helper1 /org/disktuner/Helper1 org.disktuner.Helper1 GetState"
BOOTED, CLEAN = "booted", "clean"
"""Snapshots: of a system that has started, which is kept with the images, and after this checkout's installation."""


def pytest_sessionstart() -> None:
    """Let a run that is terminated switch its machines off: in the background it gets no interrupt."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all of these tests as machine tests, and all but the smoke tests as long."""
    for item in items:
        if "tests/machine" in str(item.path):
            item.add_marker(pytest.mark.machine)
            item.add_marker(pytest.mark.timeout(3600))
            if not item.get_closest_marker("smoke"):
                item.add_marker(pytest.mark.long)


@pytest.fixture(autouse=True)
def _private_data_home() -> None:
    """Results stay inside the machine."""


@pytest.fixture(scope="session")
def built() -> tuple[Path, ...]:
    """The output of build-image: QEMU, Debian 13 and, if needed, Debian 12."""
    return tuple(map(Path, os.environ["DISKTUNER_MACHINE"].split()))


@pytest.fixture(scope="session")
def emulator(built: tuple[Path, ...]) -> Emulator:
    return Emulator(built[0], built[1])


@pytest.fixture(scope="session")
def installed13(
    emulator: Emulator, built: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """A Debian 13, switched off, with the snapshot ``clean``: Disktuner is installed, Anna has logged in."""
    yield from _installed(tmp_path_factory.mktemp("debian13"), emulator, built[1])


@pytest.fixture(scope="session")
def installed12(
    emulator: Emulator, built: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """A Debian 12, likewise; the app's libraries come from wheels, as wherever they are not packaged."""
    yield from _installed(tmp_path_factory.mktemp("debian12"), emulator, built[2], wheels(built[2].parent))


@pytest.fixture
def debian13(installed13: Machine) -> Iterator[Machine]:
    """Debian 13 just after the installation."""
    installed13.start(CLEAN)
    yield installed13
    installed13.cut_power()


@pytest.fixture
def debian12(installed12: Machine) -> Iterator[Machine]:
    """Debian 12 just after the installation."""
    installed12.start(CLEAN)
    yield installed12
    installed12.cut_power()


@pytest.fixture
def anna(debian13: Machine) -> Person:
    """The user whose session is active."""
    person = Person(debian13, "anna")
    assert person.session == {"Active": "yes", "Remote": "no", "Seat": "seat0", "Class": "user"}
    return person


def _installed(folder: Path, emulator: Emulator, image: Path, *more: tuple[Path, str]) -> Iterator[Machine]:
    machine = Machine(_copy_of_booted(folder, emulator, image), emulator, image, (*CONTROLLERS, *DISKS))
    checkout = Device("checkout", "virtio-blk-pci,bus=slot1,serial=checkout", read_only_file=_packed(folder, more))
    try:
        machine.start(BOOTED)
        machine.plug(checkout)
        machine.until("test -e /dev/disk/by-id/virtio-checkout && udevadm settle")
        machine.run(_INSTALL)
        machine.unplug(checkout)
        machine.agent.write("/etc/dbus-1/system-local.conf", _PATIENT_BUS)
        machine.run("busctl call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig")
        Person(machine, "anna").log_in()
        machine.until(f"{_HELPER} && udevadm settle")  # on a busy computer the bus gives up sooner than it starts
        machine.save(CLEAN)
        machine.cut_power()
        yield machine
    finally:
        machine.discard()


def _copy_of_booted(folder: Path, emulator: Emulator, image: Path) -> Path:
    """Return the files of a machine that was booted once, with a snapshot, as booting takes longest.

    They are kept beside the image if this user may write there.
    """
    parts = f"{image} {emulator.folder} {emulator.processor} {CONTROLLERS} {DISKS}"
    name = f"booted-{hashlib.sha256(parts.encode()).hexdigest()[:16]}"
    place = image if os.access(image, os.W_OK) else folder
    with (place / "lock").open("w") as lock:
        flock(lock, LOCK_EX)  # another run may want the same
        if not (place / name).exists():
            shutil.rmtree(place / "booting", ignore_errors=True)
            _boot(Machine(place / "booting", emulator, image, (*CONTROLLERS, *DISKS)))
            (place / "booting").rename(place / name)
    without = shutil.ignore_patterns("*.socket")
    return Path(shutil.copytree(place / name, folder / "machine", copy_function=_sparsely, ignore=without))


def _boot(machine: Machine) -> None:
    try:
        machine.start()
        machine.save(BOOTED)
    finally:
        machine.cut_power()


def _sparsely(source: str, target: str) -> None:
    subprocess.run(["cp", "--reflink=auto", "--sparse=always", source, target], check=True)


def _packed(folder: Path, more: tuple[tuple[Path, str], ...]) -> Path:
    """The checkout as a tar file, in its current state, committed or not."""
    packed = folder / "checkout.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(CHECKOUT, ".", filter=_kept)
        for source, name in more:
            tar.add(source, name)
    return packed


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    is_left_out = Path(member.name).name in _LEFT_OUT or member.name in _MADE_HERE
    return None if is_left_out else member


def wheels(cache: Path) -> tuple[Path, str]:
    """The app's locked libraries for Python 3.11, downloaded once."""
    lock = CHECKOUT / "requirements/app.lock"
    folder = cache / f"wheels-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    if not folder.exists():
        fresh = folder.with_suffix(f".{os.getpid()}")
        wanted = ["--only-binary=:all:", "--python-version", "3.11", "--require-hashes", "-r", str(lock)]
        subprocess.run([sys.executable, "-I", "-m", "pip", "download", "-q", "-d", str(fresh), *wanted], check=True)
        fresh.rename(folder)
    return folder, "wheels"
