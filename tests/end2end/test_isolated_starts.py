# SPDX-License-Identifier: GPL-3.0-or-later
"""No start of Python loads anything from the current folder or through ``PYTHON*`` variables, for users and root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.end2end.conftest import COMMAND
from tests.end2end.throw_away import CHECKOUT, ThrowAway, copied, to_install_into

DEV = CHECKOUT / "dev"
OURS = ("disktuner", "disktuner_helper", "launch", "workplace", "app", "helper", "tests", "packaging")
OTHERS = (
    *("PySide6", "shiboken6", "numpy", "pyqtgraph", "gi", "pydbus", "cairo"),
    *("six", "colorama", "OpenGL"),
    *("msgspec", "rich", "pygments", "markdown_it", "mdurl", "attr", "IPython", "pyudev", "tzdata"),
    *("pip", "setuptools", "pkg_resources", "wheel", "distutils", "_distutils_hack", "sitecustomize", "usercustomize"),
)
"""Libraries that are loaded here or with other versions; all others that are installed come to them."""
MODULE = (
    'import posix; posix.write(posix.open({witness!r}, posix.O_WRONLY | posix.O_APPEND), __file__.encode() + b" ")\n'
)
"""Some are imported so early in Python's start that there is no ``open`` yet."""
QUESTIONS = [("list",), ("status",), ("compare", "--help")]


@dataclass(frozen=True, slots=True)
class Trap:
    """A folder with a module for every name that may be imported; ``witness`` lists those that were."""

    folder: Path
    witness: Path

    @property
    def env(self) -> dict[str, str]:
        return {
            "PYTHONPATH": str(self.folder),
            "PYTHONSTARTUP": str(self.folder / "argparse.py"),
            "PYTHONUSERBASE": str(self.folder / "base"),
            "PYTHONINSPECT": "1",
        }

    def caught(self) -> list[str]:
        """Return what was imported since the last call."""
        runs = sorted(set(self.witness.read_text().split()))
        self.witness.write_text("")
        return runs

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command in this folder as the tests' user."""
        words = ["env", *(f"{name}={value}" for name, value in self.env.items()), *map(str, command)]
        return subprocess.run(
            words, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory, sudo: Sudo) -> Trap:
    """A trap laid by another user, in a world-writable folder."""
    folder = tmp_path_factory.mktemp("current")
    trap_laid = Trap(folder, folder / "witness")
    trap_laid.witness.touch()
    trap_laid.witness.chmod(0o666)
    site = folder / f"base/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    site.mkdir(parents=True)
    for name in {*sys.stdlib_module_names, *filter(str.isidentifier, packages_distributions()), *OTHERS, *OURS}:
        (folder / f"{name}.py").write_text(MODULE.format(witness=str(trap_laid.witness)))
    shutil.copy(folder / "usercustomize.py", site)
    (site / "planted.pth").write_text(f"import sys; open({str(trap_laid.witness)!r}, 'a').write('planted.pth\\n')\n")
    sudo("chown", "-R", "dt-other", folder)
    sudo("chmod", "777", folder)
    return trap_laid


def test_the_trap_works(trap: Trap, machine: ThrowAway) -> None:
    """Starts that are not isolated fall into it: through a variable, the current folder, a user's own packages."""
    trap.run("/usr/bin/python3", "-c", "")
    assert str(trap.folder / "encodings.py") in trap.caught()
    machine.run("/usr/bin/python3", "-c", "import argparse", cwd=trap.folder)
    assert trap.caught(), "argparse, or what Python 3.13 imports before it"
    machine.run("/usr/bin/python3", "-c", "", env={"PYTHONUSERBASE": trap.env["PYTHONUSERBASE"]})
    assert {"planted.pth", "usercustomize.py"} <= {Path(name).name for name in trap.caught()}


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_the_command_of_the_checkout(trap: Trap, machine: ThrowAway, question: tuple[str, ...]) -> None:
    for completed in (trap.run(COMMAND, *question), machine.run(COMMAND, *question, cwd=trap.folder, env=trap.env)):
        assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr


def test_a_picture(trap: Trap, tmp_path: Path) -> None:
    """Without a screen, whatever platform the environment asks Qt for."""
    completed = trap.run(COMMAND, "export", CHECKOUT / "tests/data/results/write-up-a.json", "--to", tmp_path / "a.svg")
    assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")


def test_dev(trap: Trap, machine: ThrowAway) -> None:
    command = (DEV, "exec", "disktuner", "status")
    for completed in (trap.run(*command), machine.run(*command, cwd=trap.folder, env=trap.env)):
        assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr


def test_the_helper(trap: Trap) -> None:
    """Started by hand, as the bus and systemd use another folder; it finds another helper at work and ends."""
    reply = (
        "mkdir -p /run/disktuner; exec 9>/run/disktuner/lock; flock --nonblock 9; exec /usr/libexec/disktuner-helper"
    )
    completed = trap.run(
        "sudo", "-n", "env", *(f"{name}={value}" for name, value in trap.env.items()), "sh", "-c", reply
    )
    assert trap.caught() == []
    assert completed.returncode == os.EX_TEMPFAIL and "another one is at work on this computer" in completed.stderr


def test_new_libraries(trap: Trap, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Everything that sets up a checkout: making the environment, pip. Nothing is left to download."""
    copy = copied(tmp_path / "checkout")
    (copy / "requirements/app.lock").write_text("")
    with to_install_into(tmp_path_factory.mktemp("usr")) as system:
        completed = system.run(copy / "dev", "setup", cwd=trap.folder, env=trap.env)
        assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr
        assert system.run(copy / "packaging/bin/disktuner", "--version").returncode == 0


def test_installing_and_what_is_installed(trap: Trap, tmp_path_factory: pytest.TempPathFactory) -> None:
    with to_install_into(tmp_path_factory.mktemp("usr")) as system:
        completed = system.run(CHECKOUT / "packaging/install", "install", CHECKOUT, cwd=trap.folder, env=trap.env)
        assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr
        completed = system.run("/usr/local/bin/disktuner", "list", cwd=trap.folder, env=trap.env)
        assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr
        assert system.run("/usr/local/bin/disktuner", "--version", env={"PYTHONHOME": "/nowhere"}).returncode == 0
        completed = system.run(CHECKOUT / "packaging/install", "uninstall", CHECKOUT, cwd=trap.folder, env=trap.env)
        assert (trap.caught(), completed.returncode) == ([], 0), completed.stderr
