# SPDX-License-Identifier: GPL-3.0-or-later
"""Disposable systems: this machine seen through mounts that only the commands inside see."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = (
    *("CHANGELOG.md", "LICENSE", "README.md", "app", "dev", "docs", "helper", "packaging", "pyproject.toml"),
    *("requirements", "resources"),
)
"""What the program and its packages are made of."""
LEFT_BY_RUNS = shutil.ignore_patterns("__pycache__", "*.mo")
_LIBRARIES = next(path for path in sys.path if path.endswith("site-packages"))
_TO_INSTALL_INTO = f"""
mount -t tmpfs -o mode=755 throw-away "$1"
mkdir "$1/usr" "$1/work"
mount -t overlay overlay -o "lowerdir=/usr,upperdir=$1/usr,workdir=$1/work" /usr
version=$(/usr/bin/python3 -I -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
mount --bind "{_LIBRARIES}" /usr/local/lib/$version/dist-packages
"""
"""The libraries of the tests stand for the distribution's own, so that nothing has to be downloaded."""
_AS_FOUND = """
umount --lazy /usr/share/dbus-1 /usr/share/polkit-1 /usr/libexec /var/lib /etc
mount -t tmpfs -o mode=755 throw-away /run
"""


@dataclass(frozen=True, slots=True)
class ThrowAway:
    """``changed`` is the folder, visible only from inside, that holds the changes below /usr."""

    pid: str
    changed: Path

    def command(self, *command: str | Path, cwd: Path = Path("/"), env: Mapping[str, str] | None = None) -> list[str]:
        """Return a command that runs inside, as root without sudo's variables."""
        inside = ["sudo", "-n", "nsenter", "--mount", "--target", self.pid, "--"]
        apart = ["env", "-u", "SUDO_USER", "-u", "SUDO_UID", "-u", "SUDO_GID", "--chdir", str(cwd)]
        return [*inside, *apart, *(f"{name}={value}" for name, value in (env or {}).items()), *map(str, command)]

    def run(
        self, *command: str | Path, cwd: Path = Path("/"), env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*command, cwd=cwd, env=env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def out(self, *command: str | Path) -> str:
        """Return the output of a command that must succeed."""
        completed = self.run(*command)
        assert completed.returncode == 0, completed.stderr
        return completed.stdout


@contextmanager
def to_install_into(folder: Path) -> Iterator[ThrowAway]:
    """Return this machine with the tests' bus, with a changeable /usr; ``folder`` is an empty one."""
    with _inside(folder, _TO_INSTALL_INTO) as system:
        yield system


@contextmanager
def as_found(folder: Path) -> Iterator[ThrowAway]:
    """Return this machine without what the tests' private system has laid over it, including its bus."""
    with _inside(folder, _AS_FOUND) as system:
        yield system


@contextmanager
def _inside(folder: Path, script: str) -> Iterator[ThrowAway]:
    unshare = ["sudo", "-n", "unshare", "--mount", "--propagation", "private"]
    words = ["bash", "-c", f"set -e\n{script}\necho $$\nexec cat", "throw-away", str(folder)]
    with subprocess.Popen([*unshare, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            pid = process.stdout.readline().strip()
            assert pid, "the private mounts could not be made"
            yield ThrowAway(pid, folder / "usr")
        finally:
            process.stdin.close()


def copied(folder: Path, checkout: Path = CHECKOUT) -> Path:
    """Copy the checkout's sources alone, whatever else its users left in it, and whoever owns that."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        if (checkout / name).is_dir():
            shutil.copytree(checkout / name, folder / name, ignore=LEFT_BY_RUNS, symlinks=True)
        else:
            shutil.copy2(checkout / name, folder / name)
    return folder
